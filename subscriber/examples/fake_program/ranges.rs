//! A Kokkos program: it loads the tool named by `KOKKOS_TOOLS_LIBS`, and calls it as Kokkos does.

use std::ffi::{CString, c_char, c_void};

use crate::runtime::monotonic_ns;

/// `Kokkos_Profiling_SpaceHandle`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Space {
    name: [u8; 64],
}

impl Space {
    fn new(name: &str) -> Self {
        let mut space = Self { name: [0; 64] };
        space.name[..name.len()].copy_from_slice(name.as_bytes());
        space
    }
}

type Init = extern "C" fn(i32, u64, u32, *const c_void);
type Settings = extern "C" fn(u32, *mut [bool; 256]);
type Begin = extern "C" fn(*const c_char, u32, *mut u64);
type End = extern "C" fn(u64);
type Push = extern "C" fn(*const c_char);
type Plain = extern "C" fn();
type Create = extern "C" fn(*const c_char, *mut u32);
type Section = extern "C" fn(u32);
type Data = extern "C" fn(Space, *const c_char, *const c_void, u64);
type Copy = extern "C" fn(Space, *const c_char, *const c_void, Space, *const c_char, *const c_void, u64);
type View = extern "C" fn(*const c_char, *const c_void, bool);

struct Tool(*mut c_void);

impl Tool {
    fn load() -> Self {
        let path = std::env::var("KOKKOS_TOOLS_LIBS").unwrap();
        let path = CString::new(path).unwrap();
        // SAFETY: a NUL-terminated path of a library.
        let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
        assert!(!library.is_null(), "the tool can't be loaded");
        Self(library)
    }

    fn get<F: std::marker::Copy>(&self, name: &str) -> F {
        let name = CString::new(format!("kokkosp_{name}")).unwrap();
        // SAFETY: the handle is from `dlopen`, the name is NUL-terminated.
        let found = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        assert!(!found.is_null(), "the tool has no {name:?}");
        assert_eq!(size_of::<F>(), size_of::<*mut c_void>());
        // SAFETY: a pointer to a function of the type that Kokkos gives this name.
        unsafe { std::mem::transmute_copy(&found) }
    }

    fn kernel(&self, kind: &str, name: &str, work: impl FnOnce()) {
        let name = CString::new(name).unwrap();
        let mut number = 0;
        self.get::<Begin>(&format!("begin_{kind}"))(name.as_ptr(), 0, &mut number);
        work();
        self.get::<End>(&format!("end_{kind}"))(number);
    }

    fn region(&self, name: &str, work: impl FnOnce()) {
        let name = CString::new(name).unwrap();
        self.get::<Push>("push_profile_region")(name.as_ptr());
        work();
        self.get::<Plain>("pop_profile_region")();
    }
}

/// Waits until the clock has advanced, so that no range is empty.
fn pause() {
    let begin = monotonic_ns();
    while monotonic_ns() == begin {}
}

pub(crate) fn kokkos() {
    let tool = Tool::load();
    let mut settings = [true; 256];
    tool.get::<Init>("init_library")(0, 20210623, 0, std::ptr::null());
    tool.get::<Settings>("request_tool_settings")(1, &mut settings);
    println!("waits for kernels: {}", settings[0]);
    let (host, device) = (Space::new("Host"), Space::new("SYCLDeviceUSM"));
    let data = 0x5000 as *const c_void;
    tool.get::<Data>("allocate_data")(device, c"x".as_ptr(), data, 4096);
    let mut section = 0;
    tool.get::<Create>("create_profile_section")(c"whole".as_ptr(), &mut section);
    for step in 0..3 {
        tool.region("step", || {
            if step == 1 {
                tool.get::<Section>("start_profile_section")(section);
            }
            tool.kernel("parallel_for", "axpy", pause);
            tool.region("reduce", || tool.kernel("parallel_reduce", "N3app3DotE", pause));
        });
    }
    tool.get::<Section>("stop_profile_section")(section);
    // The first of two sections with one name ends first.
    let mut parts = [0_u32; 2];
    for part in &mut parts {
        tool.get::<Create>("create_profile_section")(c"part".as_ptr(), part);
    }
    for name in ["start_profile_section", "stop_profile_section"] {
        for part in parts {
            tool.get::<Section>(name)(part);
            pause();
        }
    }
    let source = 0x6000 as *const c_void;
    tool.get::<Copy>("begin_deep_copy")(host, c"y".as_ptr(), source, device, c"x".as_ptr(), data, 4096);
    tool.kernel("fence", "copy is done", pause);
    tool.get::<Plain>("end_deep_copy")();
    tool.get::<View>("dual_view_sync")(c"x".as_ptr(), data, true);
    tool.get::<Push>("profile_event")(c"converged".as_ptr());
    tool.get::<Data>("deallocate_data")(device, c"x".as_ptr(), data, 4096);
    tool.get::<Plain>("finalize_library")();
}

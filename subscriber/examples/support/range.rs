//! Cost of a range by Kokkos Tools, above that of a tool with empty functions.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

type Push = unsafe extern "C" fn(*const c_char);
type Pop = unsafe extern "C" fn();
type Init = unsafe extern "C" fn(c_int, u64, u32, *const c_void);

#[derive(Clone, Copy)]
struct Tool {
    push: Push,
    pop: Pop,
}

unsafe extern "C" fn push_nothing(name: *const c_char) {
    black_box(name);
}

unsafe extern "C" fn pop_nothing() {}

/// Returns the nanoseconds of a range with the recorder as the tool, and with a tool of empty functions.
pub(crate) fn measure(library: &Path, rounds: usize, per_round: u64) -> (f64, f64) {
    let path = CString::new(library.as_os_str().as_encoded_bytes()).expect("a path without zeros");
    // SAFETY: a NUL-terminated path of a library.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
    let get = |name: &CStr| {
        // SAFETY: the handle is from `dlopen`, the name is NUL-terminated.
        let found = unsafe { libc::dlsym(library, name.as_ptr()) };
        assert!(!found.is_null(), "the recorder has no {name:?}");
        found
    };
    // SAFETY: pointers to functions of the types that Kokkos gives these names, which are called as it calls them.
    let ours = unsafe {
        let init = std::mem::transmute::<*mut c_void, Init>(get(c"kokkosp_init_library"));
        init(0, 20_210_623, 0, std::ptr::null());
        Tool {
            push: std::mem::transmute::<*mut c_void, Push>(get(c"kokkosp_push_profile_region")),
            pop: std::mem::transmute::<*mut c_void, Pop>(get(c"kokkosp_pop_profile_region")),
        }
    };
    let nothing = Tool { push: push_nothing, pop: pop_nothing };
    let mut least = [f64::INFINITY; 2];
    for _ in 0..rounds {
        for (least, tool) in least.iter_mut().zip([ours, nothing]) {
            *least = least.min(round(black_box(tool), per_round));
        }
        std::thread::sleep(Duration::from_millis(6));
    }
    (least[0], least[1])
}

fn round(tool: Tool, count: u64) -> f64 {
    // The first iterations bring code and data into the caches again.
    let mut begun = Instant::now();
    for turn in 0..count + count / 4 {
        if turn == count / 4 {
            begun = Instant::now();
        }
        // SAFETY: a NUL-terminated name.
        unsafe {
            (tool.push)(c"solver: step".as_ptr());
            (tool.pop)();
        }
    }
    begun.elapsed().as_secs_f64() * 1e9 / count as f64
}

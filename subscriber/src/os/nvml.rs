//! NVIDIA's management library (NVML): the state of GPUs, which any process may read.
//!
//! Nothing of it is needed to build. Signatures are those of `nvml.h`, unchanged since version 4 of the driver's
//! interface.

use std::ffi::{CStr, CString, OsString, c_char, c_void};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;
use std::ptr::null_mut;

const NAME: &str = "libnvidia-ml.so.1";
/// Where Windows' subsystem for Linux has it.
const WSL: &str = "/usr/lib/wsl/lib";
const NAME_BYTES: usize = 96;
const ID_BYTES: usize = 96;
/// `NVML_CLOCK_SM`, `NVML_CLOCK_MEM`
const CLOCKS: [u32; 2] = [1, 2];
/// `NVML_TEMPERATURE_GPU`
const CHIP: u32 = 0;

type Status = u32;
type Handle = *mut c_void;

#[repr(C)]
#[derive(Default)]
struct Utilization {
    gpu: u32,
    _memory: u32,
}

#[repr(C)]
#[derive(Default)]
struct Memory {
    _total: u64,
    _free: u64,
    used: u64,
}

macro_rules! functions {
    ($($field:ident $name:literal: fn($($argument:ty),*);)+) => {
        struct Api {
            $($field: unsafe extern "C" fn($($argument),*) -> Status,)+
        }

        impl Api {
            /// The library's functions; nothing if it is not there or lacks one.
            fn load(path: &CStr) -> Option<Self> {
                // SAFETY: a terminated path; what is loaded is NVML, which comes with the driver.
                let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
                if library.is_null() {
                    return None;
                }
                // SAFETY: each symbol has the type that `nvml.h` declares for it.
                unsafe {
                    Some(Self {
                        $($field: std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($argument),*) -> Status>(
                            symbol(library, $name)?,
                        ),)+
                    })
                }
            }
        }
    };
}

functions! {
    init c"nvmlInit_v2": fn();
    count c"nvmlDeviceGetCount_v2": fn(*mut u32);
    handle c"nvmlDeviceGetHandleByIndex_v2": fn(u32, *mut Handle);
    name c"nvmlDeviceGetName": fn(Handle, *mut c_char, u32);
    uuid c"nvmlDeviceGetUUID": fn(Handle, *mut c_char, u32);
    clock c"nvmlDeviceGetClockInfo": fn(Handle, u32, *mut u32);
    power c"nvmlDeviceGetPowerUsage": fn(Handle, *mut u32);
    temperature c"nvmlDeviceGetTemperature": fn(Handle, u32, *mut u32);
    utilization c"nvmlDeviceGetUtilizationRates": fn(Handle, *mut Utilization);
    memory c"nvmlDeviceGetMemoryInfo": fn(Handle, *mut Memory);
}

/// # Safety
/// `library` is a handle of `dlopen`.
unsafe fn symbol(library: *mut c_void, name: &CStr) -> Option<*mut c_void> {
    // SAFETY: as above; the name is terminated.
    let symbol = unsafe { libc::dlsym(library, name.as_ptr()) };
    (!symbol.is_null()).then_some(symbol)
}

/// The library, set up. It stays loaded.
pub(crate) struct Nvml(Api);

/// A GPU.
pub(crate) struct Gpu {
    handle: Handle,
    pub(crate) index: u32,
    pub(crate) name: String,
    pub(crate) uuid: String,
}

/// State of a GPU; none of what it does not give.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) sm_mhz: Option<u32>,
    pub(crate) memory_mhz: Option<u32>,
    pub(crate) milliwatts: Option<u32>,
    pub(crate) celsius: Option<u32>,
    pub(crate) percent: Option<u32>,
    pub(crate) used_bytes: Option<u64>,
}

impl Nvml {
    /// Loads the library as the program would, and sets it up.
    pub(crate) fn load() -> Option<Self> {
        let api = candidates().iter().find_map(|path| Api::load(path))?;
        // SAFETY: it takes nothing.
        (unsafe { (api.init)() } == 0).then_some(Self(api))
    }

    /// Returns all GPUs of the machine that this account may see.
    pub(crate) fn gpus(&self) -> Vec<Gpu> {
        let mut count = 0;
        // SAFETY: a valid place.
        if unsafe { (self.0.count)(&mut count) } != 0 {
            return Vec::new();
        }
        (0..count).filter_map(|index| self.gpu(index)).collect()
    }

    fn gpu(&self, index: u32) -> Option<Gpu> {
        let mut handle = null_mut();
        // SAFETY: a valid place.
        if unsafe { (self.0.handle)(index, &mut handle) } != 0 {
            return None;
        }
        let (mut name, mut uuid) = ([0_u8; NAME_BYTES], [0_u8; ID_BYTES]);
        // SAFETY: places of the sizes that the calls are given; NVML terminates what it writes.
        let has_name = unsafe { (self.0.name)(handle, name.as_mut_ptr().cast(), NAME_BYTES as u32) } == 0;
        // SAFETY: as above.
        unsafe { (self.0.uuid)(handle, uuid.as_mut_ptr().cast(), ID_BYTES as u32) };
        let name = if has_name { text(&name) } else { format!("GPU {index}") };
        Some(Gpu { handle, index, name, uuid: text(&uuid) })
    }

    /// Reads the state of a GPU.
    pub(crate) fn state(&self, gpu: &Gpu) -> State {
        let (api, handle) = (&self.0, gpu.handle);
        let [mut sm, mut memory_clock, mut power, mut temperature] = [0_u32; 4];
        let (mut rates, mut memory) = (Utilization::default(), Memory::default());
        // SAFETY: a handle of this library, and valid places.
        unsafe {
            State {
                sm_mhz: ((api.clock)(handle, CLOCKS[0], &mut sm) == 0).then_some(sm),
                memory_mhz: ((api.clock)(handle, CLOCKS[1], &mut memory_clock) == 0).then_some(memory_clock),
                milliwatts: ((api.power)(handle, &mut power) == 0).then_some(power),
                celsius: ((api.temperature)(handle, CHIP, &mut temperature) == 0).then_some(temperature),
                percent: ((api.utilization)(handle, &mut rates) == 0).then_some(rates.gpu),
                used_bytes: ((api.memory)(handle, &mut memory) == 0).then_some(memory.used),
            }
        }
    }
}

fn text(bytes: &[u8]) -> String {
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).trim().to_owned()
}

/// Returns paths of the library: those of `LD_LIBRARY_PATH`, which the loader reads only where a process begins, and
/// what the loader finds.
fn candidates() -> Vec<CString> {
    let folders = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let folders: Vec<OsString> = folders
        .as_bytes()
        .split(|byte| *byte == b':')
        .map(|part| OsString::from_vec(part.to_vec()))
        .collect();
    let of_folder =
        |folder: &Path| Some(folder.join(NAME)).filter(|path| folder.is_absolute() && path.is_file());
    let listed = folders.iter().filter_map(|folder| of_folder(Path::new(folder)));
    let paths = listed.chain([NAME.into()]).chain(of_folder(Path::new(WSL)));
    paths.filter_map(|path| CString::new(path.into_os_string().into_vec()).ok()).collect()
}

//! NVIDIA's management library (NVML): the state of GPUs, which any process may read.
//!
//! The library is not needed to build. Signatures are those of `nvml.h`, unchanged since version 4 of the driver's
//! interface.

use std::ffi::{c_char, c_void};
use std::path::Path;
use std::ptr::null_mut;

use super::library::{Library, functions, in_folder, paths, text};

const NAME: &str = "libnvidia-ml.so.1";
/// Folder of the library in Windows' subsystem for Linux.
const WSL: &str = "/usr/lib/wsl/lib";
const NAME_BYTES: usize = 96;
const ID_BYTES: usize = 96;
/// `NVML_CLOCK_SM`, `NVML_CLOCK_MEM`
const CLOCKS: [u32; 2] = [1, 2];
/// `NVML_TEMPERATURE_GPU`
const CHIP: u32 = 0;

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

/// The initialised library. It stays loaded.
pub(crate) struct Nvml(Api);

pub(crate) struct Gpu {
    handle: Handle,
    pub(crate) index: u32,
    pub(crate) name: String,
    pub(crate) uuid: String,
}

/// State of a GPU; `None` for values that the driver does not report.
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
    pub(crate) fn load() -> Option<Self> {
        let mut paths = paths(NAME).into_iter().chain(in_folder(Path::new(WSL), NAME));
        let api = paths.find_map(|path| Api::load(Library::open(&path)?).ok())?;
        // SAFETY: it takes no arguments.
        (unsafe { (api.init)() } == 0).then_some(Self(api))
    }

    /// Returns all GPUs of the machine that are visible to this account.
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
        // SAFETY: buffers of the sizes given to the calls; NVML terminates its output.
        let has_name = unsafe { (self.0.name)(handle, name.as_mut_ptr().cast(), NAME_BYTES as u32) } == 0;
        // SAFETY: as above.
        unsafe { (self.0.uuid)(handle, uuid.as_mut_ptr().cast(), ID_BYTES as u32) };
        let name = if has_name { text(&name) } else { format!("GPU {index}") };
        Some(Gpu { handle, index, name, uuid: text(&uuid) })
    }

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

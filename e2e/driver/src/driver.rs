//! The driver: its name, its extensions and its devices.

use std::ffi::{CStr, c_char, c_void};
use std::sync::{Arc, OnceLock};

use crate::answer::Code;
use crate::call::calls;
use crate::caller::{fill, give_list, text, write};
use crate::device::Device;
use crate::layout::{DriverProperties, ExtensionProperties, IpcProperties};
use crate::log::Line;
use crate::objects::{self, Handle};
use crate::settings::Settings;
use crate::{event, memory, mutable};

/// The only driver.
pub(crate) struct Driver {
    pub(crate) devices: Vec<Arc<Device>>,
    handle: OnceLock<Handle>,
}

/// `ze_api_version_t` of the implemented version, 1.12.
const API_VERSION: u32 = 1 << 16 | 12;
/// Version 1.0 of an extension.
const FIRST: u32 = 1 << 16;

/// Extensions by their names in the headers, with versions.
const EXTENSIONS: [(&str, u32); 4] = [
    ("ZE_experimental_global_offset", FIRST),
    ("ZE_experimental_module_program", FIRST),
    ("ZE_experimental_event_pool_counter_based", FIRST),
    ("ZE_extension_device_ip_version", FIRST),
];
/// Extensions that the loader must know, with the first version of its interface that has them.
const OF_NEWER_LOADERS: [(&str, u32, u32); 2] = [
    ("ZE_experimental_immediate_command_list_append", FIRST, 9),
    ("ZE_experimental_mutable_command_list", FIRST | 1, 10),
];

impl Driver {
    /// Returns the driver of this process, created on the first call.
    pub(crate) fn get() -> &'static Self {
        static DRIVER: OnceLock<Driver> = OnceLock::new();
        DRIVER.get_or_init(|| {
            stay_loaded();
            let settings = Settings::get();
            let devices = (0..settings.devices).map(|index| Device::make(settings, index)).collect();
            Self { devices, handle: OnceLock::new() }
        })
    }

    fn handle(&self) -> Handle {
        *self.handle.get_or_init(|| objects::give(Arc::new(Marker(1))))
    }
}

/// Object behind the driver's handle.
struct Marker(#[expect(dead_code, reason = "objects must have an address of their own")] u8);

fn check(driver: Handle) -> Result<&'static Driver, Code> {
    objects::get::<Marker>(driver)?;
    Ok(Driver::get())
}

/// Keeps this library loaded: the loader unloads drivers at the end, while threads of this one still run.
fn stay_loaded() {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    let here = stay_loaded as *const () as *const c_void;
    // SAFETY: the address lies in this library, whose NUL-terminated path is given.
    unsafe {
        if libc::dladdr(here, info.as_mut_ptr()) != 0 {
            libc::dlopen(info.assume_init().dli_fname, libc::RTLD_NOW | libc::RTLD_NODELETE);
        }
    }
}

calls! {
    fn init "zeInit" (_flags: u32) {
        if Driver::get().devices.is_empty() {
            return Err(Code::UNINITIALIZED);
        }
    }

    fn init_drivers "zeInitDrivers" (count: *mut u32, drivers: *mut Handle, _desc: *const c_void) {
        give_list(count, drivers, &[Driver::get().handle()])?;
    }

    fn get "zeDriverGet" (count: *mut u32, drivers: *mut Handle) {
        give_list(count, drivers, &[Driver::get().handle()])?;
    }

    fn api_version "zeDriverGetApiVersion" (driver: Handle, version: *mut u32) {
        check(driver)?;
        write(version, API_VERSION)?;
    }

    fn properties "zeDriverGetProperties" (driver: Handle, properties: *mut DriverProperties) {
        check(driver)?;
        let [major, minor, build] = Settings::get().version;
        fill(properties, |place| {
            place.uuid = *b"syclscope-driver";
            place.version = major << 24 | minor << 16 | build;
        })?;
    }

    fn ipc_properties "zeDriverGetIpcProperties" (driver: Handle, properties: *mut IpcProperties) {
        check(driver)?;
        fill(properties, |place| place.flags = 1)?;
    }

    fn extensions "zeDriverGetExtensionProperties"
        (driver: Handle, count: *mut u32, properties: *mut ExtensionProperties) {
        check(driver)?;
        let newer = OF_NEWER_LOADERS.iter().filter(|(.., since)| crate::tables::version() >= FIRST | since);
        let newer = newer.map(|(name, version, _)| (*name, *version));
        let known = EXTENSIONS.into_iter().chain(newer).map(|(name, version)| {
            let mut place = [0; 256];
            place[..name.len()].copy_from_slice(name.as_bytes());
            ExtensionProperties { name: place, version }
        });
        give_list(count, properties, &known.collect::<Vec<_>>())?;
    }

    fn extension_function "zeDriverGetExtensionFunctionAddress"
        (driver: Handle, name: *const c_char, function: *mut *const c_void) {
        check(driver)?;
        let name = text(name)?;
        let found: *const c_void = match name.as_str() {
            "zexCounterBasedEventCreate2" if Settings::get().has_counting_events => {
                event::create_counting as *const c_void
            }
            "zeCommandListGetNextCommandIdExp" => mutable::next_id as *const c_void,
            "zeCommandListGetNextCommandIdWithKernelsExp" => mutable::next_id_with_kernels as *const c_void,
            "zeCommandListUpdateMutableCommandsExp" => mutable::update as *const c_void,
            "zeCommandListUpdateMutableCommandSignalEventExp" => mutable::update_signal as *const c_void,
            "zeCommandListUpdateMutableCommandWaitEventsExp" => mutable::update_waits as *const c_void,
            "zeCommandListUpdateMutableCommandKernelsExp" => mutable::update_kernels as *const c_void,
            "zexDriverImportExternalPointer" => memory::import_pointer as *const c_void,
            "zexDriverReleaseImportedPointer" => memory::release_pointer as *const c_void,
            _ => return Err(Code::INVALID_ARGUMENT),
        };
        Line::new("address").text("name", &name).end();
        write(function, found)?;
    }

    fn last_error "zeDriverGetLastErrorDescription" (driver: Handle, words: *mut *const c_char) {
        check(driver)?;
        const NOTHING: &CStr = c"";
        write(words, NOTHING.as_ptr())?;
    }

    fn devices "zeDeviceGet" (driver: Handle, count: *mut u32, devices: *mut Handle) {
        let handles: Vec<Handle> = check(driver)?.devices.iter().map(|device| device.handle()).collect();
        give_list(count, devices, &handles)?;
    }

    fn sysman_init "zesInit" (_flags: u32) {}

    fn sysman_devices "zesDeviceGet" (driver: Handle, count: *mut u32, devices: *mut Handle) {
        let handles: Vec<Handle> = check(driver)?.devices.iter().map(|device| device.handle()).collect();
        give_list(count, devices, &handles)?;
    }
}

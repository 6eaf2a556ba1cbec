//! What the interface for system managers tells: a device's memory, and how much of it is free.

use std::sync::{Arc, Mutex, PoisonError};

use crate::call::calls;
use crate::caller::{fill, give_list};
use crate::device::Device;
use crate::layout::{SysmanMemory, SysmanMemoryState};
use crate::objects::{self, Handle};

/// A device's memory.
struct Module {
    device: Arc<Device>,
}

/// The module of a device: one, whose handle stays.
fn module(device: &Arc<Device>) -> Handle {
    static MODULES: Mutex<Vec<(Handle, Handle)>> = Mutex::new(Vec::new());
    let mut modules = MODULES.lock().unwrap_or_else(PoisonError::into_inner);
    let of = device.handle();
    if let Some((_, known)) = modules.iter().find(|(device, _)| *device == of) {
        return *known;
    }
    let handle = objects::give(Arc::new(Module { device: Arc::clone(device) }));
    modules.push((of, handle));
    handle
}

calls! {
    fn memory_modules "zesDeviceEnumMemoryModules" (device: Handle, count: *mut u32, places: *mut Handle) {
        let device = objects::get::<Device>(device)?;
        give_list(count, places, &[module(&device)])?;
    }

    fn memory_properties "zesMemoryGetProperties" (memory: Handle, properties: *mut SysmanMemory) {
        let memory = objects::get::<Module>(memory)?;
        fill(properties, |place| {
            place.kind = 0;
            place.on_subdevice = u8::from(memory.device.tile.is_some());
            place.subdevice_id = memory.device.tile.unwrap_or_default();
            place.location = 1;
            place.size = Device::memory_bytes();
            (place.bus_bits, place.channels) = (1024, 8);
        })?;
    }

    fn memory_state "zesMemoryGetState" (memory: Handle, state: *mut SysmanMemoryState) {
        let memory = objects::get::<Module>(memory)?;
        fill(state, |place| {
            place.health = 1;
            place.free = memory.device.free_bytes();
            place.size = Device::memory_bytes();
        })?;
    }
}

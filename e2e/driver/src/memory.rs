//! Memory of the host, of a device, and shared. All of it lies in this process.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::answer::Code;
use crate::call::calls;
use crate::caller::{fill, write};
use crate::device::Device;
use crate::layout::{AllocationProperties, IpcHandle};
use crate::log::Line;
use crate::objects::{self, Handle};

/// Allocation at an address.
struct Allocation {
    id: u64,
    kind: Kind,
    bytes: usize,
    alignment: usize,
    device: Option<Arc<Device>>,
}

/// `ze_memory_type_t`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Host = 1,
    Device = 2,
    Shared = 3,
}

/// Minimum alignment in bytes: a page of a device.
const PAGE: usize = 64 << 10;

#[derive(Default)]
struct Memory {
    allocations: BTreeMap<usize, Allocation>,
    made: u64,
}

fn memory() -> MutexGuard<'static, Memory> {
    static MEMORY: Mutex<Memory> = Mutex::new(Memory { allocations: BTreeMap::new(), made: 0 });
    MEMORY.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Memory {
    /// Returns the allocation at an address, and its base.
    fn around(&self, address: usize) -> Option<(usize, &Allocation)> {
        let (base, found) = self.allocations.range(..=address).next_back()?;
        (address < base + found.bytes.max(1)).then_some((*base, found))
    }
}

fn layout(bytes: usize, alignment: usize) -> Result<std::alloc::Layout, Code> {
    std::alloc::Layout::from_size_align(bytes.max(1), alignment).map_err(|_| Code::INVALID_ARGUMENT)
}

fn allocate(kind: Kind, device: Option<Arc<Device>>, bytes: usize, alignment: usize) -> Result<usize, Code> {
    let alignment = alignment.max(if kind == Kind::Host { 4096 } else { PAGE });
    let layout = layout(bytes, alignment)?;
    let owner = device.as_ref().filter(|_| kind == Kind::Device);
    if let Some(device) = owner {
        let used = device.used.fetch_add(bytes as u64, Ordering::Relaxed);
        if used + bytes as u64 > Device::memory_bytes() {
            device.used.fetch_sub(bytes as u64, Ordering::Relaxed);
            return Err(Code::OUT_OF_DEVICE_MEMORY);
        }
    }
    // SAFETY: the layout is not empty.
    let base = unsafe { std::alloc::alloc(layout) } as usize;
    if base == 0 {
        if let Some(device) = owner {
            device.used.fetch_sub(bytes as u64, Ordering::Relaxed);
        }
        return Err(Code::OUT_OF_HOST_MEMORY);
    }
    let mut memory = memory();
    memory.made += 1;
    let id = memory.made;
    Line::new("allocation")
        .text("kind", &format!("{kind:?}").to_lowercase())
        .number("address", base as u64)
        .number("bytes", bytes as u64)
        .end();
    memory.allocations.insert(base, Allocation { id, kind, bytes, alignment, device });
    Ok(base)
}

fn free(base: usize) -> Result<(), Code> {
    let Some(gone) = memory().allocations.remove(&base) else {
        Line::new("misuse").number("address", base as u64).text("wanted", "allocation").end();
        return Err(Code::INVALID_ARGUMENT);
    };
    if let Some(device) = gone.device.filter(|_| gone.kind == Kind::Device) {
        device.used.fetch_sub(gone.bytes as u64, Ordering::Relaxed);
    }
    Line::new("release").number("address", base as u64).end();
    // SAFETY: the memory was allocated with this layout, and the table no longer contains it.
    unsafe { std::alloc::dealloc(base as *mut u8, layout(gone.bytes, gone.alignment)?) };
    Ok(())
}

calls! {
    fn shared "zeMemAllocShared"
        (_context: Handle, _device_desc: *const c_void, _host_desc: *const c_void, size: usize, alignment: usize,
         device: Handle, place: *mut usize) {
        let device = objects::maybe::<Device>(device)?;
        write(place, allocate(Kind::Shared, device, size, alignment)?)?;
    }

    fn device "zeMemAllocDevice"
        (_context: Handle, _desc: *const c_void, size: usize, alignment: usize, device: Handle, place: *mut usize) {
        let device = objects::get::<Device>(device)?;
        write(place, allocate(Kind::Device, Some(device), size, alignment)?)?;
    }

    fn host "zeMemAllocHost"
        (_context: Handle, _desc: *const c_void, size: usize, alignment: usize, place: *mut usize) {
        write(place, allocate(Kind::Host, None, size, alignment)?)?;
    }

    fn release "zeMemFree" (_context: Handle, base: usize) {
        free(base)?;
    }

    fn release_ext "zeMemFreeExt" (_context: Handle, _desc: *const c_void, base: usize) {
        free(base)?;
    }

    fn properties "zeMemGetAllocProperties"
        (_context: Handle, address: usize, properties: *mut AllocationProperties, device: *mut Handle) {
        let memory = memory();
        let found = memory.around(address);
        fill(properties, |place| {
            // Unallocated addresses are of the unknown kind, 0.
            place.kind = found.map_or(0, |(_, allocation)| allocation.kind as u32);
            place.id = found.map_or(0, |(_, allocation)| allocation.id);
            place.page_bytes = found.map_or(0, |_| PAGE as u64);
        })?;
        if !device.is_null() {
            let of = found.and_then(|(_, allocation)| allocation.device.as_ref());
            write(device, of.map_or(0, Device::handle))?;
        }
    }

    fn range "zeMemGetAddressRange" (_context: Handle, address: usize, base: *mut usize, size: *mut usize) {
        let memory = memory();
        let (begin, found) = memory.around(address).ok_or(Code::INVALID_ARGUMENT)?;
        if !base.is_null() {
            write(base, begin)?;
        }
        if !size.is_null() {
            write(size, found.bytes)?;
        }
    }

    /// The handle contains an address of this process, so no other one can open it.
    fn ipc_handle "zeMemGetIpcHandle" (_context: Handle, address: usize, handle: *mut IpcHandle) {
        let mut value = [0; 64];
        value[..8].copy_from_slice(&address.to_ne_bytes());
        write(handle, value)?;
    }

    fn open_ipc "zeMemOpenIpcHandle"
        (_context: Handle, _device: Handle, handle: IpcBytes, _flags: u32, place: *mut usize) {
        write(place, handle.address())?;
    }

    fn close_ipc "zeMemCloseIpcHandle" (_context: Handle, _address: usize) {}

    fn put_ipc "zeMemPutIpcHandle" (_context: Handle, _handle: IpcBytes) {}

    fn import_pointer "zexDriverImportExternalPointer" (_driver: Handle, _address: usize, _size: usize) {}

    fn release_pointer "zexDriverReleaseImportedPointer" (_driver: Handle, _address: usize) {}

    fn make_resident "zeContextMakeMemoryResident"
        (_context: Handle, _device: Handle, _address: usize, _size: usize) {}

    fn evict "zeContextEvictMemory" (_context: Handle, _device: Handle, _address: usize, _size: usize) {}
}

/// An [`IpcHandle`] that is passed by value.
#[repr(C)]
pub(crate) struct IpcBytes(IpcHandle);

impl IpcBytes {
    fn address(&self) -> usize {
        self.0[..8].try_into().map_or(0, usize::from_ne_bytes)
    }
}

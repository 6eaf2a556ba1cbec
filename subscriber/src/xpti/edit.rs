//! Parameters that are changed before a call runs, and restored after it, invisibly to the program.

use std::cell::{Cell, UnsafeCell};
use std::ffi::c_void;

use super::functions::{Function, Interface, Slot};
use super::params::FunctionCall;

/// `ur_queue_properties_t`
#[repr(C)]
#[derive(Clone, Copy)]
struct QueueProperties {
    structure_type: u32,
    next: *const c_void,
    flags: u32,
}

/// `UR_STRUCTURE_TYPE_QUEUE_PROPERTIES`
const QUEUE_PROPERTIES: u32 = 14;
/// `UR_QUEUE_FLAG_PROFILING_ENABLE`
const PROFILING_ENABLE: u32 = 1 << 1;

/// Maximum number of open calls without an event on a thread.
const MAX_NESTED: usize = 4;

thread_local! {
    /// A queue's properties while `urQueueCreate` runs.
    static PROPERTIES: UnsafeCell<QueueProperties> =
        const { UnsafeCell::new(QueueProperties { structure_type: 0, next: std::ptr::null(), flags: 0 }) };
    /// Storage for the events requested by the recorder.
    static EVENTS: UnsafeCell<[u64; MAX_NESTED]> = const { UnsafeCell::new([0; MAX_NESTED]) };
    static OPEN_EVENTS: Cell<usize> = const { Cell::new(0) };
}

impl FunctionCall<'_> {
    /// Makes the queue that is about to be created record times of its commands.
    ///
    /// The caller's own properties are unchanged: the call gets a copy, with the same extensions chained to it.
    pub(crate) fn enable_profiling(&self, function: &Function) {
        let properties = function.properties;
        if function.interface == Interface::Plugin {
            return self.enable_profiling_in_place(properties);
        }
        let Some(place) = self.place::<*const QueueProperties>(properties) else { return };
        PROPERTIES.with(|copy| {
            let copy = copy.get();
            // SAFETY: the place is the layer's own copy of the parameter, which it passes on; it points to null or the
            // caller's properties. Our copy belongs to this thread and outlives the call.
            unsafe {
                *copy = place.read().as_ref().copied().unwrap_or(QueueProperties {
                    structure_type: QUEUE_PROPERTIES,
                    next: std::ptr::null(),
                    flags: 0,
                });
                if (*copy).structure_type == QUEUE_PROPERTIES {
                    (*copy).flags |= PROFILING_ENABLE;
                    place.write(copy);
                }
            }
        });
    }

    /// Enables profiling for the Plugin Interface, whose parameters are passed as a copy: the list of properties is the
    /// runtime's own, created for the call.
    fn enable_profiling_in_place(&self, properties: Slot) {
        /// `PI_QUEUE_FLAGS`
        const QUEUE_FLAGS: u64 = u64::MAX;
        let Some(list) = self.word(properties).filter(|list| *list != 0) else { return };
        let list = list as *mut u64;
        // SAFETY: a NUL-terminated list of properties: a kind, its value, and so on.
        unsafe {
            if list.read() == QUEUE_FLAGS {
                list.add(1).write(list.add(1).read() | u64::from(PROFILING_ENABLE));
            }
        }
    }

    /// Requests the event of a command that is submitted without one.
    pub(crate) fn request_event(&self, event: Slot) {
        let Some(place) = self.place::<*mut u64>(event) else { return };
        // SAFETY: the place is the layer's own copy of the parameter, which it passes on.
        if unsafe { !place.read().is_null() } {
            return;
        }
        let open = OPEN_EVENTS.get();
        if open >= MAX_NESTED {
            return;
        }
        EVENTS.with(|events| {
            // SAFETY: this thread's own array, in bounds; it outlives the call.
            unsafe {
                let own = events.get().cast::<u64>().add(open);
                *own = 0;
                place.write(own);
            }
        });
        OPEN_EVENTS.set(open + 1);
    }

    /// Returns the event of a submitted command, and true if the recorder requested it.
    pub(crate) fn event(&self, event: Slot) -> Option<(u64, bool)> {
        let place = self.word(event)? as *const u64;
        if place.is_null() {
            return None;
        }
        let own = EVENTS.with(|events| {
            let first = events.get() as usize;
            (place as usize).checked_sub(first).map(|offset| offset / 8).filter(|index| *index < MAX_NESTED)
        });
        if let Some(index) = own {
            OPEN_EVENTS.set(index);
        }
        // SAFETY: our own place, or the caller's, filled in by the call.
        let handle = unsafe { place.read() };
        (handle != 0).then_some((handle, own.is_some()))
    }
}

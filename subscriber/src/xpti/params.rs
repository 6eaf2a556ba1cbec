//! The parameters of a Unified Runtime call, which may also be edited before the call goes on.

use std::cell::{Cell, UnsafeCell};
use std::ffi::c_void;
use std::marker::PhantomData;

use super::layout::FunctionWithArgs;
use super::notification::{Notification, text};
use super::ur_functions::{Slot, UrFunction, resolve};

/// A call of the Unified Runtime: before it goes on, or after it has returned.
pub(crate) struct UrCall<'a> {
    /// Our own number of the function.
    pub(crate) number: u16,
    /// The function, where more than its name matters.
    pub(crate) function: Option<&'static UrFunction>,
    parameters: *const *mut c_void,
    result: *const i32,
    lifetime: PhantomData<&'a ()>,
}

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

/// As many eventless calls may be open at once on a thread.
const MAX_NESTED: usize = 4;

thread_local! {
    /// A queue's properties while `urQueueCreate` runs.
    static PROPERTIES: UnsafeCell<QueueProperties> =
        const { UnsafeCell::new(QueueProperties { structure_type: 0, next: std::ptr::null(), flags: 0 }) };
    /// Where calls put the events that nobody asked for.
    static EVENTS: UnsafeCell<[u64; MAX_NESTED]> = const { UnsafeCell::new([0; MAX_NESTED]) };
    static OPEN_EVENTS: Cell<usize> = const { Cell::new(0) };
}

impl<'a> UrCall<'a> {
    /// The call that a `function_with_args` notification is about.
    #[inline]
    pub(crate) fn of(notification: &Notification<'a>) -> Option<Self> {
        // SAFETY: for these trace types the user data is null or this structure; callers ask for no others.
        let call = unsafe { notification.user_data().cast::<FunctionWithArgs>().as_ref()? };
        // SAFETY: the name is a terminated literal of the runtime's.
        let (number, function) = unsafe { resolve(call.function_id, call.name) };
        let call =
            Self { number, function, parameters: call.args, result: call.result, lifetime: PhantomData };
        Some(if function.is_some_and(|function| call.fits(function)) {
            call
        } else {
            Self { function: None, ..call }
        })
    }

    /// Whether the parameters lie where the function's description says: all are the layer's own, on its stack, close to
    /// the row of pointers to them. (A runtime that is newer than the table may have other parameters.)
    #[inline]
    fn fits(&self, function: &UrFunction) -> bool {
        /// No stack frame of the layer is larger.
        const NEAR_BYTES: usize = 1 << 14;
        let is_near = |slot: Slot| {
            if !slot.exists() {
                return true;
            }
            // SAFETY: at worst the word after the row, which is on the stack too.
            let place = unsafe { *self.parameters.add(usize::from(slot.0)) } as usize;
            place.is_multiple_of(4) && place.abs_diff(self.parameters as usize) < NEAR_BYTES
        };
        !self.parameters.is_null()
            && is_near(function.event)
            && is_near(function.wait_list)
            && is_near(function.properties)
            && is_near(function.out)
    }

    /// What the call returned; 0 is success.
    #[inline]
    pub(crate) fn result(&self) -> i32 {
        // SAFETY: null before the call, else a place that holds the result.
        unsafe { self.result.as_ref().copied().unwrap_or(0) }
    }

    /// Where a parameter lies.
    fn place<T>(&self, slot: Slot) -> Option<*mut T> {
        if !slot.exists() || self.parameters.is_null() {
            return None;
        }
        // SAFETY: the row has one pointer for each of the function's parameters, and slots are from its own table row.
        let place = unsafe { *self.parameters.add(usize::from(slot.0)) };
        (!place.is_null()).then_some(place.cast())
    }

    /// A parameter of 8 bytes: a handle, a pointer or a size.
    #[inline]
    pub(crate) fn word(&self, slot: Slot) -> Option<u64> {
        // SAFETY: the place holds the parameter.
        self.place::<u64>(slot).map(|place| unsafe { place.read() })
    }

    /// A parameter of 4 bytes.
    pub(crate) fn number32(&self, slot: Slot) -> Option<u32> {
        // SAFETY: the place holds the parameter.
        self.place::<u32>(slot).map(|place| unsafe { place.read() })
    }

    /// The handle or pointer that a call has put where a parameter points to.
    pub(crate) fn output(&self, slot: Slot) -> Option<u64> {
        let place = self.word(slot)? as *const u64;
        // SAFETY: a null pointer or a valid place for the result: the call has succeeded with it.
        unsafe { place.as_ref().copied() }
    }

    /// The 4 bytes that a call has put where a parameter points to.
    pub(crate) fn output32(&self, slot: Slot) -> Option<u32> {
        let place = self.word(slot)? as *const u32;
        // SAFETY: as for `output`.
        unsafe { place.as_ref().copied() }
    }

    /// The events that a command waits for.
    pub(crate) fn wait_list(&self, slot: Slot) -> &'a [u64] {
        if !slot.exists() {
            return &[];
        }
        let count = self.number32(slot).unwrap_or(0) as usize;
        let events = self.word(Slot(slot.0 + 1)).unwrap_or(0) as *const u64;
        if count == 0 || events.is_null() {
            return &[];
        }
        // SAFETY: the list has as many handles as the call says, and lives as long as the call.
        unsafe { std::slice::from_raw_parts(events, count) }
    }

    /// Global and local size of a launch; zeros for dimensions that it does not have or leaves to the runtime.
    pub(crate) fn launch_sizes(&self, work: Slot) -> Option<([u64; 3], [u64; 3])> {
        let dimensions = self.number32(work)? as usize;
        if dimensions > 3 {
            return None;
        }
        let sizes = |slot: u8| {
            let mut sizes = [0; 3];
            let place = self.word(Slot(slot)).unwrap_or(0) as *const u64;
            if !place.is_null() {
                // SAFETY: the array has one size for each dimension.
                sizes[..dimensions].copy_from_slice(unsafe { std::slice::from_raw_parts(place, dimensions) });
            }
            sizes
        };
        Some((sizes(work.0 + 2), sizes(work.0 + 3)))
    }

    /// A parameter that is a string.
    pub(crate) fn text(&self, slot: Slot) -> &'a [u8] {
        // SAFETY: null or a terminated string that lives as long as the call.
        unsafe { text(self.word(slot).unwrap_or(0) as *const _) }
    }

    /// The text of `length` bytes that a call has put where a parameter points to, without what ends it.
    pub(crate) fn output_text(&self, slot: Slot, length: Slot) -> &'a [u8] {
        let (place, length) = (self.word(slot).unwrap_or(0), self.word(length).unwrap_or(0));
        if place == 0 || length == 0 {
            return &[];
        }
        // SAFETY: the call has succeeded with a place of that length.
        let bytes = unsafe { std::slice::from_raw_parts(place as *const u8, length as usize) };
        bytes.split(|byte| *byte == 0).next().unwrap_or(bytes)
    }

    /// Makes the queue that is about to be created keep times of its commands.
    ///
    /// The caller's own properties stay as they are: the call gets a copy, with the same extensions behind it.
    pub(crate) fn enable_profiling(&self, properties: Slot) {
        let Some(place) = self.place::<*const QueueProperties>(properties) else { return };
        PROPERTIES.with(|copy| {
            let copy = copy.get();
            // SAFETY: the place is the layer's own copy of the parameter, which it passes on; what it points to is null
            // or the caller's properties. Our copy belongs to this thread and outlives the call.
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

    /// The flags with which a queue is created.
    pub(crate) fn queue_flags(&self, properties: Slot) -> Option<u32> {
        let properties = self.word(properties)? as *const QueueProperties;
        // SAFETY: null, the caller's properties or our own copy of them.
        unsafe { properties.as_ref().map(|properties| properties.flags) }
    }

    /// Asks for the event of a command that is submitted without one.
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

    /// The event of a command that was submitted, and whether it is there only because we asked for it.
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
        // SAFETY: our own place, or the caller's, which the call has filled.
        let handle = unsafe { place.read() };
        (handle != 0).then_some((handle, own.is_some()))
    }
}

//! One delivery of a tracepoint, borrowed for the duration of its callback.

use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;

use super::framework::Framework;
use super::layout::{FunctionWithArgs, PayloadData, TraceEventData};
use super::metadata::{Key, MetadataValue};
use super::streams::StreamId;
use super::trace_type::{
    ALLOCATE_BEGIN, BARRIER_BEGIN, DIAGNOSTICS, FUNCTION_BEGIN, FUNCTION_END, FUNCTION_WITH_ARGS_BEGIN,
    FUNCTION_WITH_ARGS_END, NODE_CREATE, RELEASE_BEGIN, WAIT_BEGIN,
};

/// A small number passed as user data is not an address.
const FIRST_PAGE: u64 = 4096;

#[derive(Clone, Copy, Default)]
pub(crate) struct Payload<'a> {
    /// Kernel name, or the enclosing function.
    pub(crate) name: &'a [u8],
    pub(crate) file: &'a [u8],
    /// Line, 0 if unknown.
    pub(crate) line: u32,
    /// Column, 0 if unknown.
    pub(crate) column: u32,
}

#[derive(Clone, Copy)]
pub(crate) struct Notification<'a> {
    pub(crate) stream: StreamId,
    pub(crate) trace_type: u16,
    pub(crate) instance: u64,
    parent: *const TraceEventData,
    event: *const TraceEventData,
    user_data: *const c_void,
    lifetime: PhantomData<&'a ()>,
}

impl<'a> Notification<'a> {
    /// # Safety
    /// The arguments are those of a callback from XPTI (parent and event first), and the notification does not outlive
    /// the callback.
    #[inline(always)]
    pub(crate) unsafe fn new(
        stream: StreamId,
        trace_type: u16,
        [parent, event]: [*const TraceEventData; 2],
        instance: u64,
        user_data: *const c_void,
    ) -> Self {
        Self { stream, trace_type, instance, parent, event, user_data, lifetime: PhantomData }
    }

    fn event(&self) -> Option<&'a TraceEventData> {
        // SAFETY: null, or an event that the framework keeps alive during the callback (`new`).
        unsafe { self.event.as_ref() }
    }

    /// Returns the event's universal id; 0 without an event.
    pub(crate) fn universal_id(&self) -> u64 {
        self.event().map_or(0, |event| event.unique_id)
    }

    /// Returns the universal id of the parent event; 0 without one.
    pub(crate) fn parent_id(&self) -> u64 {
        // SAFETY: as for `event`.
        unsafe { self.parent.as_ref() }.map_or(0, |parent| parent.unique_id)
    }

    /// Returns the universal ids of the nodes that an edge joins: (source, target).
    pub(crate) fn edge_ends(&self) -> (u64, u64) {
        self.event().map_or((0, 0), |event| (event.source_id, event.target_id))
    }

    /// Returns the event's payload; empty if it has none.
    pub(crate) fn payload(&self) -> Payload<'a> {
        // SAFETY: the framework keeps an event's payload and its strings alive as long as the event.
        unsafe {
            let payload: Option<&'a PayloadData> = self.event().and_then(|event| event.payload.as_ref());
            payload.map_or_else(Payload::default, |payload| Payload {
                name: text(payload.name),
                file: text(payload.source_file),
                line: number_or_zero(payload.line),
                column: number_or_zero(payload.column),
            })
        }
    }

    pub(crate) fn user_address(&self) -> u64 {
        self.user_data as u64
    }

    /// Returns the user data as text; empty if the trace type's user data is not a string.
    pub(crate) fn user_text(&self) -> &'a [u8] {
        let is_text = match self.trace_type {
            NODE_CREATE | WAIT_BEGIN | BARRIER_BEGIN | DIAGNOSTICS => true,
            ALLOCATE_BEGIN | RELEASE_BEGIN => self.memory_data().is_none(),
            // According to XPTI's documentation, the name of a function if the payload has none.
            FUNCTION_BEGIN | FUNCTION_END => {
                self.payload().name.is_empty() && self.user_address() >= FIRST_PAGE
            }
            _ => false,
        };
        if !is_text {
            return &[];
        }
        // SAFETY: for these trace types the user data is null or a NUL-terminated string.
        unsafe { text(self.user_data.cast()) }
    }

    /// Returns the name of the function that the user data describes; empty for other trace types.
    pub(crate) fn function_name(&self) -> &'a [u8] {
        if !matches!(self.trace_type, FUNCTION_WITH_ARGS_BEGIN | FUNCTION_WITH_ARGS_END) {
            return &[];
        }
        // SAFETY: for these two trace types the user data is null or this structure, whose name is null or a
        // NUL-terminated string.
        unsafe {
            self.user_data.cast::<FunctionWithArgs>().as_ref().map_or(&[], |function| text(function.name))
        }
    }

    /// Returns the user data itself, for [`super::FunctionCall`] and the structures of [`super::objects`].
    pub(super) fn user_data(&self) -> *const c_void {
        self.user_data
    }

    /// Calls `each` with the framework's ids of every key and value of the event's metadata.
    #[inline]
    pub(crate) fn metadata_ids(&self, mut each: impl FnMut(u32, i32)) {
        let Some(framework) = Framework::get() else { return };
        if self.event.is_null() {
            return;
        }
        // SAFETY: the event is the one being notified. The map is libstdc++'s: a singly linked list of nodes whose
        // length is in the head; the walk stops after that many even if the list continues.
        unsafe {
            let Some(map) = framework.metadata(self.event).as_ref() else { return };
            let mut item = map.first;
            for _ in 0..map.count.min(MAX_ITEMS) {
                let Some(current) = item.as_ref() else { break };
                each(current.key, current.value);
                item = current.next;
            }
        }
    }

    pub(crate) fn metadata(&self, mut each: impl FnMut(&'a [u8], MetadataValue<'_>)) {
        let Some(framework) = Framework::get() else { return };
        self.metadata_ids(|key, value| {
            framework.with_value(value, |value| each(framework.string(key), value))
        });
    }

    pub(crate) fn metadata_number(&self, target: &Key) -> Option<u64> {
        let framework = Framework::get()?;
        let mut found = None;
        self.metadata_ids(|key, value| {
            if target.is(key, |id| framework.string(id)) {
                framework.with_value(value, |value| found = value.as_u64());
            }
        });
        found
    }
}

/// A map with more items is invalid.
const MAX_ITEMS: usize = 4096;

/// Maximum length of a text in bytes. Longer ones are truncated.
const MAX_TEXT: usize = 1 << 16;

/// Returns 0 for an unknown number, which the framework represents by the largest one.
fn number_or_zero(number: u32) -> u32 {
    if number == u32::MAX { 0 } else { number }
}

/// # Safety
/// `pointer` is null or a NUL-terminated string that lives for `'a`.
pub(crate) unsafe fn text<'a>(pointer: *const c_char) -> &'a [u8] {
    if pointer.is_null() {
        return &[];
    }
    // SAFETY: the caller's promise.
    let bytes = unsafe { CStr::from_ptr(pointer) }.to_bytes();
    &bytes[..bytes.len().min(MAX_TEXT)]
}

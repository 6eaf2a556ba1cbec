//! Records of calls. Parts that are only there for some functions are flagged in `detail`, above the 16 bits of the
//! function's number.

use std::borrow::Cow;

use super::Cursor;

/// Queue handle.
pub(crate) const QUEUE: u32 = 1 << 16;
/// Number of events to wait for, and their handles.
pub(crate) const WAIT_LIST: u32 = 1 << 17;
/// Size in bytes.
pub(crate) const BYTES: u32 = 1 << 18;
/// Kernel handle.
pub(crate) const KERNEL: u32 = 1 << 19;
/// Global and local size: six words.
pub(crate) const WORK: u32 = 1 << 20;
/// At the begin: handle or pointer that is about to be given back.
pub(crate) const GIVEN_BACK: u32 = 1 << 21;
/// At the end: event handle, and what was done with the event.
pub(crate) const EVENT: u32 = 1 << 16;
/// At the end: handle or pointer that was made.
pub(crate) const OUTPUT: u32 = 1 << 17;
/// At the end: handle or pointer that was given back or is used.
pub(crate) const HANDLE: u32 = 1 << 18;
/// At the end: size in bytes.
pub(crate) const SIZE: u32 = 1 << 19;
/// At the end: a kernel's name.
pub(crate) const NAME: u32 = 1 << 20;
/// At the end: device, context and flags.
pub(crate) const OWNER: u32 = 1 << 21;

/// What was done with an event: a reference is held for the reading of its times.
pub(crate) const IS_RETAINED: u64 = 1;
/// The event is there only because we asked for it.
pub(crate) const IS_REQUESTED: u64 = 2;

/// A call that begins.
#[derive(Debug, Default)]
pub(crate) struct CallBegin {
    /// Our own number of the function.
    pub(crate) function: u16,
    pub(crate) instance: u64,
    pub(crate) queue: Option<u64>,
    /// Handles of the events that the command waits for.
    pub(crate) waits: Vec<u64>,
    pub(crate) size_bytes: Option<u64>,
    pub(crate) kernel: Option<u64>,
    /// Global and local size.
    pub(crate) launch: Option<([u64; 3], [u64; 3])>,
    /// What is about to be given back.
    pub(crate) given_back: Option<u64>,
}

impl CallBegin {
    pub(crate) fn read(detail: u32, mut cursor: Cursor<'_>) -> Self {
        let has = |flag: u32| detail & flag != 0;
        Self {
            function: detail as u16,
            instance: cursor.word(),
            queue: has(QUEUE).then(|| cursor.word()),
            waits: if has(WAIT_LIST) {
                (0..cursor.word()).map(|_| cursor.word()).collect()
            } else {
                Vec::new()
            },
            size_bytes: has(BYTES).then(|| cursor.word()),
            kernel: has(KERNEL).then(|| cursor.word()),
            launch: has(WORK).then(|| {
                let mut sizes = || [cursor.word(), cursor.word(), cursor.word()];
                (sizes(), sizes())
            }),
            given_back: has(GIVEN_BACK).then(|| cursor.word()),
        }
    }
}

/// A call that has returned.
#[derive(Debug)]
pub(crate) struct CallEnd<'a> {
    /// Our own number of the function.
    pub(crate) function: u16,
    pub(crate) instance: u64,
    pub(crate) result: i32,
    /// Handle of the command's event, and what was done with it.
    pub(crate) event: Option<(u64, u64)>,
    /// What was made.
    pub(crate) output: Option<u64>,
    /// What was given back or used.
    pub(crate) handle: Option<u64>,
    pub(crate) size_bytes: Option<u64>,
    pub(crate) name: Option<Cow<'a, str>>,
    pub(crate) device: u64,
    pub(crate) context: u64,
    pub(crate) flags: u64,
}

impl<'a> CallEnd<'a> {
    pub(crate) fn read(detail: u32, mut cursor: Cursor<'a>) -> Self {
        let has = |flag: u32| detail & flag != 0;
        let instance = cursor.word();
        let result = cursor.word() as i32;
        let event = has(EVENT).then(|| (cursor.word(), cursor.word()));
        let output = has(OUTPUT).then(|| cursor.word());
        let handle = has(HANDLE).then(|| cursor.word());
        let size_bytes = has(SIZE).then(|| cursor.word());
        let name = has(NAME).then(|| cursor.text());
        let owner = has(OWNER).then(|| [cursor.word(), cursor.word(), cursor.word()]);
        let [device, context, flags] = owner.unwrap_or_default();
        let function = detail as u16;
        Self { function, instance, result, event, output, handle, size_bytes, name, device, context, flags }
    }
}

//! Records of samples of threads.

use super::cursor::Cursor;
use crate::buffer::Entry;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SampleRecord {
    pub(crate) thread: u32,
    /// `CLOCK_MONOTONIC` in nanoseconds.
    pub(crate) at_ns: u64,
    pub(crate) period_ns: u64,
    /// Number of missed samples since the thread's last one.
    pub(crate) missed: u64,
    /// Number of its native stack, 0 without one.
    pub(crate) native: u64,
    /// Number of its Python stack, 0 without one.
    pub(crate) python: u64,
    pub(crate) is_blocked: bool,
    /// System call that blocked it.
    pub(crate) system_call: Option<u32>,
}

impl SampleRecord {
    pub(crate) fn write(&self, entry: &mut Entry<'_>) {
        let call = self.system_call.map_or(0, |call| u64::from(call) + 1);
        for word in [
            self.thread.into(),
            self.at_ns,
            self.period_ns,
            self.missed,
            self.native,
            self.python,
            call << 1 | u64::from(self.is_blocked),
        ] {
            entry.word(word);
        }
    }

    pub(crate) fn read(mut cursor: Cursor<'_>) -> Self {
        let [thread, at_ns, period_ns, missed, native, python, state] =
            std::array::from_fn(|_| cursor.word());
        let system_call = (state >> 1).checked_sub(1).map(|call| call as u32);
        let (thread, is_blocked) = (thread as u32, state & 1 != 0);
        Self { thread, at_ns, period_ns, missed, native, python, is_blocked, system_call }
    }
}

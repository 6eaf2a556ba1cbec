//! Records of unknown notifications.

use std::borrow::Cow;

use super::cursor::Cursor;
use super::tracepoint::Tracepoint;
use crate::xpti::StreamId;

pub(crate) struct RawRecord<'a> {
    pub(crate) tracepoint: Tracepoint<'a>,
    pub(crate) stream: StreamId,
    pub(crate) trace_type: u16,
    /// Universal id of the parent event, 0 without one.
    pub(crate) parent: u64,
    pub(crate) user_data: u64,
    /// Name of the function, if the documentation promises one.
    pub(crate) function: Cow<'a, str>,
}

impl<'a> RawRecord<'a> {
    pub(crate) fn read(mut cursor: Cursor<'a>) -> Self {
        let tracepoint = Tracepoint::read(&mut cursor);
        let [kind, parent] = tracepoint.numbers;
        let user_data = cursor.word();
        let function = match cursor.text() {
            function if function.is_empty() => tracepoint.text.clone(),
            function => function,
        };
        Self {
            stream: StreamId((kind >> 16) as u8),
            trace_type: kind as u16,
            parent,
            user_data,
            function,
            tracepoint,
        }
    }
}

//! Records of notifications that nothing is known of.

use std::borrow::Cow;

use super::cursor::Cursor;
use super::tracepoint::Tracepoint;
use crate::xpti::StreamId;

pub(crate) struct RawRecord<'a> {
    pub(crate) tracepoint: Tracepoint<'a>,
    pub(crate) stream: StreamId,
    pub(crate) trace_type: u16,
    /// Universal id of the event that it is part of, 0 without one.
    pub(crate) parent: u64,
    pub(crate) user_data: u64,
    /// Name of the function, where it is documented to be told.
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

//! Records of ranges, points and counters of a program's frameworks.

use std::borrow::Cow;

use super::cursor::Cursor;
use super::tracepoint::read_value;
use crate::xpti::{MetadataValue, StreamId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scope {
    /// It ends on the thread on which it began, and ranges of that thread nest.
    Thread = 0,
    /// It may end on any thread, and overlaps others.
    Process = 1,
}

/// Place of a range among others: the framework's stream, whether it may end on another thread, and its domain.
#[derive(Clone, Copy)]
pub(crate) struct RangePlace<'a> {
    pub(crate) stream: StreamId,
    pub(crate) scope: Scope,
    pub(crate) domain: &'a [u8],
}

/// Key of an end of the innermost range of a place, whatever that one's key.
pub(crate) const INNERMOST: u64 = u64::MAX;

/// A record about a range. Every kind of them is laid out alike, and leaves empty what it lacks.
pub(crate) struct RangeRecord<'a> {
    pub(crate) stream: StreamId,
    pub(crate) scope: Scope,
    /// Tells the ranges of a place apart, or the categories of a domain.
    pub(crate) key: u64,
    pub(crate) domain: Cow<'a, str>,
    pub(crate) name: Cow<'a, str>,
    pub(crate) details: Vec<(Cow<'a, str>, MetadataValue<'a>)>,
}

impl<'a> RangeRecord<'a> {
    pub(crate) fn read(detail: u32, mut cursor: Cursor<'a>) -> Self {
        let key = cursor.word();
        let (domain, name) = (cursor.text(), cursor.text());
        let count = cursor.word();
        // As for tracepoints, the number may be that of a torn record.
        let mut details = Vec::with_capacity(count.min(16) as usize);
        for _ in 0..count.min(1 << 16) {
            let name = cursor.text();
            details.push((name, read_value(&mut cursor)));
        }
        let scope = if detail & 1 == 0 { Scope::Thread } else { Scope::Process };
        Self { stream: StreamId((detail >> 1) as u8), scope, key, domain, name, details }
    }
}

pub(crate) mod key {
    pub(crate) const CATEGORY: &str = "category";
    /// Colour as `0xAARRGGBB`.
    pub(crate) const COLOUR: &str = "colour";
    pub(crate) const PAYLOAD: &str = "payload";
    /// End of the names of addresses.
    pub(crate) const POINTER: &str = "pointer";
}

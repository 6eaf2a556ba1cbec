//! Records of ranges, marks and counters of a program's frameworks.

use std::borrow::Cow;

use super::cursor::Cursor;
use super::tracepoint::read_value;
use crate::xpti::{MetadataValue, StreamId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scope {
    /// It ends on the thread on which it started, and ranges of that thread nest.
    Thread = 0,
    /// It may end on any thread, and may overlap others.
    Process = 1,
}

/// Group of a range: the framework's stream, whether ranges may end on another thread, and the domain.
#[derive(Clone, Copy)]
pub(crate) struct RangePlace<'a> {
    pub(crate) stream: StreamId,
    pub(crate) scope: Scope,
    pub(crate) domain: &'a [u8],
}

/// Key of an end of a place's innermost range, whatever that range's key.
pub(crate) const INNERMOST: u64 = u64::MAX;

/// A record about a range. All kinds share one layout, with unused fields empty.
pub(crate) struct RangeRecord<'a> {
    pub(crate) stream: StreamId,
    pub(crate) scope: Scope,
    /// Identifies a range within its place, or a category within its domain.
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
        // Reserves little, and limits the loop: the count may come from a torn record.
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
    /// Suffix of the names of addresses.
    pub(crate) const POINTER: &str = "pointer";
}

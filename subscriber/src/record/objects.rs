//! Records of buffers, images and accessors: they follow the tracepoint, whose two numbers are the object's address and
//! the address of the host's memory or of the accessor.

use std::borrow::Cow;

use super::cursor::Cursor;
use super::tracepoint::Tracepoint;
use crate::buffer::Entry;
use crate::xpti::{AccessorMade, ObjectMade};

const IS_OF_IMAGE: u32 = 1;
const HAS_TARGET: u32 = 2;
const HAS_MODE: u32 = 4;

/// Represents a missing optional number.
const NONE: u64 = u64::MAX;

pub(crate) struct ObjectRecord<'a> {
    pub(crate) tracepoint: Tracepoint<'a>,
    pub(crate) element_type: Cow<'a, str>,
    pub(crate) element_size: u32,
    pub(crate) dimensions: u32,
    pub(crate) range: [u64; 3],
    /// Only for images.
    pub(crate) format: Option<u64>,
    /// Addressing, coordinates, filtering.
    pub(crate) sampler: [Option<u64>; 3],
}

pub(crate) fn write_object(entry: &mut Entry<'_>, made: &ObjectMade<'_>) {
    entry.word(u64::from(made.element_size) << 32 | u64::from(made.dimensions));
    made.range.iter().for_each(|size| entry.word(*size));
    let optional = |number: Option<u32>| number.map_or(NONE, u64::from);
    entry.word(optional(made.format));
    made.sampler.iter().for_each(|number| entry.word(optional(*number)));
    entry.bytes(made.element_type);
}

impl<'a> ObjectRecord<'a> {
    pub(crate) fn read(mut cursor: Cursor<'a>) -> Self {
        let tracepoint = Tracepoint::read(&mut cursor);
        let sizes = cursor.word();
        let range = [cursor.word(), cursor.word(), cursor.word()];
        let mut optional = || Some(cursor.word()).filter(|number| *number != NONE);
        let format = optional();
        let sampler = [optional(), optional(), optional()];
        Self {
            tracepoint,
            element_size: (sizes >> 32) as u32,
            dimensions: sizes as u32,
            range,
            format,
            sampler,
            element_type: cursor.text(),
        }
    }
}

pub(crate) struct AccessorRecord<'a> {
    pub(crate) tracepoint: Tracepoint<'a>,
    pub(crate) is_of_image: bool,
    pub(crate) target: Option<u32>,
    pub(crate) mode: Option<u32>,
    pub(crate) element_type: Cow<'a, str>,
    pub(crate) element_size: u64,
}

pub(crate) fn accessor_detail(made: &AccessorMade<'_>, is_of_image: bool) -> u32 {
    let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
    flag(is_of_image, IS_OF_IMAGE)
        | flag(made.target.is_some(), HAS_TARGET)
        | flag(made.mode.is_some(), HAS_MODE)
}

pub(crate) fn write_accessor(entry: &mut Entry<'_>, made: &AccessorMade<'_>) {
    entry.word(u64::from(made.target.unwrap_or(0)) << 32 | u64::from(made.mode.unwrap_or(0)));
    entry.word(made.element_size.into());
    entry.bytes(made.element_type);
}

impl<'a> AccessorRecord<'a> {
    pub(crate) fn read(detail: u32, mut cursor: Cursor<'a>) -> Self {
        let tracepoint = Tracepoint::read(&mut cursor);
        let words = cursor.word();
        Self {
            tracepoint,
            is_of_image: detail & IS_OF_IMAGE != 0,
            target: (detail & HAS_TARGET != 0).then_some((words >> 32) as u32),
            mode: (detail & HAS_MODE != 0).then_some(words as u32),
            element_size: cursor.word(),
            element_type: cursor.text(),
        }
    }
}

//! Structures of NVTX's headers (`nvToolsExt.h`, `nvtxTypes.h`) of version 3.

use std::ffi::{c_int, c_void};

use super::Handle;
use crate::handlers::range::Detail;
use crate::ranges::bytes;
use crate::record::range::key;
use crate::xpti::MetadataValue;

/// Number of the table of callbacks.
pub(super) const CALLBACKS: u32 = 1;
/// Numbers of the modules: calls without a domain, and calls with one.
pub(super) const CORE: c_int = 1;
pub(super) const CORE2: c_int = 5;

/// Returned if the depth of a range is not counted.
pub(super) const NO_DEPTH: c_int = -2;

/// A text of 32-bit characters, as `wchar_t` is on Linux.
pub(super) type WideText = u32;

pub(super) type GetExportTable = unsafe extern "C" fn(u32) -> *const c_void;

/// `NvtxExportTableCallbacks`.
#[repr(C)]
pub(super) struct Callbacks {
    size_bytes: usize,
    pub(super) function_table: unsafe extern "C" fn(c_int, *mut *const *mut *const c_void, *mut u32) -> c_int,
}

/// `nvtxEventAttributes_t`.
#[repr(C)]
pub(super) struct Attributes {
    version: u16,
    size_bytes: u16,
    category: u32,
    colour_type: i32,
    colour: u32,
    payload_type: i32,
    reserved: i32,
    payload: u64,
    message_type: i32,
    message: *const c_void,
}

/// Maximum number of recorded bytes of a wide text, in UTF-8.
const MAX_BYTES: usize = 512;

#[expect(clippy::large_enum_variant, reason = "it lies on the stack, and nothing is allocated for it")]
pub(super) enum Message<'a> {
    Text(&'a [u8]),
    Wide { text: [u8; MAX_BYTES], length: usize },
}

impl Message<'_> {
    #[inline]
    pub(super) fn text(&self) -> &[u8] {
        match self {
            Self::Text(text) => text,
            Self::Wide { text, length } => &text[..*length],
        }
    }

    /// # Safety
    /// `wide` is null or NUL-terminated.
    pub(super) unsafe fn of_wide(wide: *const WideText) -> Self {
        let (mut text, mut length) = ([0; MAX_BYTES], 0);
        let mut next = wide;
        while !next.is_null() {
            // SAFETY: the caller's promise: nothing after the zero is read.
            let number = unsafe { *next };
            let letter = char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER);
            if number == 0 || length + letter.len_utf8() > text.len() {
                break;
            }
            length += letter.encode_utf8(&mut text[length..]).len();
            // SAFETY: as above.
            next = unsafe { next.add(1) };
        }
        Self::Wide { text, length }
    }
}

/// Category, colour and payload of a range or mark, if present.
#[derive(Default)]
pub(super) struct Details {
    items: [Option<Detail<'static>>; 3],
    next: usize,
}

impl Iterator for Details {
    type Item = Detail<'static>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let item = self.items.get(self.next)?;
            self.next += 1;
            if item.is_some() {
                return *item;
            }
        }
    }
}

/// Returns the message and details of a structure.
///
/// # Safety
/// `attributes` is null or the client's structure, with a message of its type.
#[inline]
pub(super) unsafe fn read<'a>(attributes: *const Attributes) -> (Message<'a>, Details) {
    // SAFETY: the caller's promise.
    let Some(attributes) = (unsafe { attributes.as_ref() }) else {
        return (Message::Text(&[]), Details::default());
    };
    // SAFETY: the caller's promise; a registered text is a handle of ours.
    let message = unsafe {
        match attributes.message_type {
            1 => Message::Text(bytes(attributes.message.cast())),
            2 => Message::of_wide(attributes.message.cast()),
            3 => Message::Text(super::name(attributes.message as Handle)),
            _ => Message::Text(&[]),
        }
    };
    let payload = attributes.payload;
    let payload = match attributes.payload_type {
        1 => Some(MetadataValue::Unsigned(payload)),
        2 => Some(MetadataValue::Signed(payload as i64)),
        3 => Some(MetadataValue::Float(f64::from_bits(payload))),
        4 => Some(MetadataValue::Unsigned(u64::from(payload as u32))),
        5 => Some(MetadataValue::Signed(i64::from(payload as u32 as i32))),
        6 => Some(MetadataValue::Float(f64::from(f32::from_bits(payload as u32)))),
        _ => None,
    };
    let category = attributes.category;
    let has_colour = attributes.colour_type == 1;
    let items = [
        (category != 0).then_some((key::CATEGORY, MetadataValue::Unsigned(category.into()))),
        has_colour.then_some((key::COLOUR, MetadataValue::Unsigned(attributes.colour.into()))),
        payload.map(|payload| (key::PAYLOAD, payload)),
    ];
    (message, Details { items, next: 0 })
}

//! Metadata of ITT's tasks.

use std::ffi::{c_char, c_int, c_void};

use super::layout::{Domain, Id, StringHandle};
use super::{domain_name, functions, string};
use crate::handlers::range;
use crate::ranges::{nested, tell};
use crate::xpti::{MetadataValue, StreamId};

/// Maximum number of recorded values of one call.
const MAX_VALUES: usize = 16;

pub(super) fn function_of(name: &[u8]) -> Option<*const c_void> {
    type OfValues = unsafe extern "C" fn(*const Domain, Id, *const StringHandle, c_int, usize, *const c_void);
    type OfText = unsafe extern "C" fn(*const Domain, Id, *const StringHandle, *const c_char, usize);
    functions! { name:
        b"__itt_metadata_add" => metadata_add, OfValues;
        b"__itt_metadata_str_add" => metadata_str_add, OfText;
    }
}

unsafe extern "C" fn metadata_add(
    domain: *const Domain,
    id: Id,
    name: *const StringHandle,
    kind: c_int,
    count: usize,
    values: *const c_void,
) {
    if values.is_null() {
        return;
    }
    // SAFETY: the client's, and they stay valid.
    let (Some(domain), name) = (unsafe { (domain_name(domain), string(name)) }) else { return };
    let name = std::str::from_utf8(name).unwrap_or("metadata");
    // SAFETY: the client passes this number of values of this kind.
    let value = |at: usize| unsafe { value_of(kind, values, at) };
    let details = (0..count.min(MAX_VALUES)).filter_map(value).map(|value| (name, value));
    tell(|producer| range::on_detail(producer, nested(StreamId::ITT, domain), id.owner(), details));
}

unsafe extern "C" fn metadata_str_add(
    domain: *const Domain,
    id: Id,
    name: *const StringHandle,
    text: *const c_char,
    length: usize,
) {
    if text.is_null() {
        return;
    }
    // SAFETY: the client's, and they stay valid; the text has this length, or an earlier terminating zero.
    let (domain, name, text) = unsafe {
        let text = std::slice::from_raw_parts(text.cast::<u8>(), libc::strnlen(text, length));
        let Some(domain) = domain_name(domain) else { return };
        (domain, string(name), text)
    };
    let name = std::str::from_utf8(name).unwrap_or("metadata");
    let detail = std::iter::once((name, MetadataValue::Text(text)));
    tell(|producer| range::on_detail(producer, nested(StreamId::ITT, domain), id.owner(), detail));
}

/// Returns a value of `__itt_metadata_type`.
///
/// # Safety
/// There are more than `at` values of this kind at `values`.
pub(super) unsafe fn value_of(
    kind: c_int,
    values: *const c_void,
    at: usize,
) -> Option<MetadataValue<'static>> {
    // SAFETY: the caller's promise; a client's values need not be aligned.
    unsafe {
        Some(match kind {
            1 => MetadataValue::Unsigned(values.cast::<u64>().add(at).read_unaligned()),
            2 => MetadataValue::Signed(values.cast::<i64>().add(at).read_unaligned()),
            3 => MetadataValue::Unsigned(values.cast::<u32>().add(at).read_unaligned().into()),
            4 => MetadataValue::Signed(values.cast::<i32>().add(at).read_unaligned().into()),
            5 => MetadataValue::Unsigned(values.cast::<u16>().add(at).read_unaligned().into()),
            6 => MetadataValue::Signed(values.cast::<i16>().add(at).read_unaligned().into()),
            7 => MetadataValue::Float(values.cast::<f32>().add(at).read_unaligned().into()),
            8 => MetadataValue::Float(values.cast::<f64>().add(at).read_unaligned()),
            _ => return None,
        })
    }
}

//! Counters of ITT.

use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::Ordering;

use super::functions;
use super::layout::{Counter, Domain, StringHandle};
use super::metadata::value_of;
use crate::handlers::range;
use crate::ranges::names::Names;
use crate::ranges::{bytes, nested, tell};
use crate::xpti::{MetadataValue, StreamId};

/// By type, domain and name, as in ITT: the type decides how a value is read.
static COUNTERS: Names<Counter> = Names::new();

/// `__itt_metadata_u64`.
const UNSIGNED: c_int = 1;

/// Maximum length of a key that is looked up without an allocation.
const SHORT_KEY: usize = 256;

pub(super) fn function_of(name: &[u8]) -> Option<*const c_void> {
    type Set = unsafe extern "C" fn(*const Counter, *const c_void);
    type Add = unsafe extern "C" fn(*const Counter, u64);
    type One = unsafe extern "C" fn(*const Counter);
    type AddInDomain = unsafe extern "C" fn(*const Domain, *const StringHandle, u64);
    type OneInDomain = unsafe extern "C" fn(*const Domain, *const StringHandle);
    functions! { name:
        b"__itt_counter_create" => create, unsafe extern "C" fn(*const c_char, *const c_char) -> *const Counter;
        b"__itt_counter_create_typed" => create_typed,
            unsafe extern "C" fn(*const c_char, *const c_char, c_int) -> *const Counter;
        b"__itt_counter_create_v3" => create_in_domain,
            unsafe extern "C" fn(*const Domain, *const c_char, c_int) -> *const Counter;
        b"__itt_counter_set_value" => set_value, Set;
        b"__itt_counter_set_value_v3" => set_value, Set;
        b"__itt_counter_inc" => increase, One;
        b"__itt_counter_inc_delta" => increase_by, Add;
        b"__itt_counter_dec" => decrease, One;
        b"__itt_counter_dec_delta" => decrease_by, Add;
        b"__itt_counter_inc_v3" => increase_in_domain, OneInDomain;
        b"__itt_counter_inc_delta_v3" => increase_in_domain_by, AddInDomain;
        b"__itt_counter_dec_v3" => decrease_in_domain, OneInDomain;
        b"__itt_counter_dec_delta_v3" => decrease_in_domain_by, AddInDomain;
    }
}

fn counter(name: &[u8], domain: &[u8], kind: c_int) -> *const Counter {
    let mut number = itoa::Buffer::new();
    let parts = [number.format(kind).as_bytes(), b"\x1f", domain, b"\x1f", name];
    let domain = super::domain(domain);
    let (mut short, mut length) = ([0_u8; SHORT_KEY], 0);
    for part in parts {
        if let Some(place) = short.get_mut(length..length + part.len()) {
            place.copy_from_slice(part);
        }
        length += part.len();
    }
    let begin = length - name.len();
    let make = |text: *const c_char| {
        // SAFETY: the copy of the text ends with the name.
        Counter::new(unsafe { text.add(begin) }, domain.handle.name, kind)
    };
    match short.get(..length) {
        Some(text) => &COUNTERS.intern(text, make).handle,
        None => &COUNTERS.intern(&parts.concat(), make).handle,
    }
}

unsafe extern "C" fn create(name: *const c_char, domain: *const c_char) -> *const Counter {
    // SAFETY: ITT passes null or a NUL-terminated string.
    counter(unsafe { bytes(name) }, unsafe { bytes(domain) }, UNSIGNED)
}

unsafe extern "C" fn create_typed(name: *const c_char, domain: *const c_char, kind: c_int) -> *const Counter {
    // SAFETY: ITT passes null or a NUL-terminated string.
    counter(unsafe { bytes(name) }, unsafe { bytes(domain) }, kind)
}

unsafe extern "C" fn create_in_domain(
    domain: *const Domain,
    name: *const c_char,
    kind: c_int,
) -> *const Counter {
    // SAFETY: the client's domain and its name stay valid.
    let domain = unsafe { domain.as_ref().map_or(&[][..], |domain| bytes(domain.name)) };
    // SAFETY: ITT passes null or a NUL-terminated string.
    counter(unsafe { bytes(name) }, domain, kind)
}

unsafe extern "C" fn set_value(counter: *const Counter, value: *const c_void) {
    if value.is_null() {
        return;
    }
    // SAFETY: null or a counter of ITT or ours; the client passes a value of the counter's type.
    let (counter, value) = unsafe {
        let Some(counter) = counter.as_ref() else { return };
        (counter, value_of(counter.kind, value, 0))
    };
    let value = match value {
        Some(MetadataValue::Unsigned(value)) => value as f64,
        Some(MetadataValue::Signed(value)) => value as f64,
        Some(MetadataValue::Float(value)) => value,
        _ => return,
    };
    counter.sum.store(value as i64, Ordering::Relaxed);
    notify(counter, value);
}

unsafe extern "C" fn increase(counter: *const Counter) {
    // SAFETY: passed on.
    unsafe { add(counter, 1) };
}

unsafe extern "C" fn increase_by(counter: *const Counter, by: u64) {
    // SAFETY: passed on.
    unsafe { add(counter, by as i64) };
}

unsafe extern "C" fn decrease(counter: *const Counter) {
    // SAFETY: passed on.
    unsafe { add(counter, -1) };
}

unsafe extern "C" fn decrease_by(counter: *const Counter, by: u64) {
    // SAFETY: passed on.
    unsafe { add(counter, (by as i64).wrapping_neg()) };
}

unsafe extern "C" fn increase_in_domain(domain: *const Domain, name: *const StringHandle) {
    // SAFETY: passed on.
    unsafe { add_in_domain(domain, name, 1) };
}

unsafe extern "C" fn increase_in_domain_by(domain: *const Domain, name: *const StringHandle, by: u64) {
    // SAFETY: passed on.
    unsafe { add_in_domain(domain, name, by as i64) };
}

unsafe extern "C" fn decrease_in_domain(domain: *const Domain, name: *const StringHandle) {
    // SAFETY: passed on.
    unsafe { add_in_domain(domain, name, -1) };
}

unsafe extern "C" fn decrease_in_domain_by(domain: *const Domain, name: *const StringHandle, by: u64) {
    // SAFETY: passed on.
    unsafe { add_in_domain(domain, name, (by as i64).wrapping_neg()) };
}

/// Changes the counter with this name; the client need not create it first.
///
/// # Safety
/// Both are null or the client's, and stay valid.
unsafe fn add_in_domain(domain: *const Domain, name: *const StringHandle, by: i64) {
    // SAFETY: the caller's promise.
    let (Some(domain), name) = (unsafe { (super::domain_name(domain), super::string(name)) }) else { return };
    // SAFETY: our own counter.
    unsafe { add(counter(name, domain, UNSIGNED), by) };
}

/// # Safety
/// `counter` is null or a counter of ITT or ours.
unsafe fn add(counter: *const Counter, by: i64) {
    // SAFETY: the caller's promise.
    let Some(counter) = (unsafe { counter.as_ref() }) else { return };
    let sum = counter.sum.fetch_add(by, Ordering::Relaxed).wrapping_add(by);
    notify(counter, sum as f64);
}

fn notify(counter: &Counter, value: f64) {
    // SAFETY: texts of the counter, which stay valid.
    let (domain, name) = unsafe { (bytes(counter.domain), bytes(counter.name)) };
    // Clients check whether a task's domain is enabled, but not a counter's.
    if !super::wants_domain(domain) {
        return;
    }
    tell(|producer| range::on_value(producer, nested(StreamId::ITT, domain), name, value));
}

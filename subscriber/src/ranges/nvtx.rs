//! NVIDIA's Tools Extension (NVTX) version 3, which clients load through `NVTX_INJECTION64_PATH`.

mod layout;

use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

use super::names::{Name, Names};
use super::{bytes, is_wanted, nested, overlapping, tell};
use crate::handlers::range;
use crate::xpti::StreamId;
use layout::{Attributes, Callbacks, Details, GetExportTable, Message, WideText};

/// A domain or a registered text: the client's handle is the name's address.
type Handle = *const Name<()>;

static DOMAINS: Names<()> = Names::new();
static STRINGS: Names<()> = Names::new();

/// Number of started ranges that are not bound to a thread.
static STARTED: AtomicU64 = AtomicU64::new(0);

/// Initialises a client; returns 1 if its calls are recorded.
#[unsafe(no_mangle)]
unsafe extern "C" fn InitializeInjectionNvtx2(tables: Option<GetExportTable>) -> c_int {
    let Some(tables) = tables.filter(|_| is_wanted(StreamId::NVTX)) else { return 0 };
    // SAFETY: a function of the client, and a table of the type denoted by its number.
    let Some(callbacks) = (unsafe { tables(layout::CALLBACKS).cast::<Callbacks>().as_ref() }) else {
        return 0;
    };
    // SAFETY: the client's own tables.
    let is_set = unsafe { set(callbacks, layout::CORE, &core()) && set(callbacks, layout::CORE2, &core2()) };
    c_int::from(is_set)
}

/// Sets a module's functions to the recorder's.
///
/// # Safety
/// The client has passed the table.
unsafe fn set(callbacks: &Callbacks, module: c_int, functions: &[(usize, *const c_void)]) -> bool {
    let (mut table, mut count) = (std::ptr::null(), 0_u32);
    // SAFETY: the caller's promise; both places are valid.
    let is_there = unsafe { (callbacks.function_table)(module, &mut table, &mut count) } != 0;
    if !is_there || table.is_null() {
        return false;
    }
    for (number, function) in functions.iter().filter(|(number, _)| *number < count as usize) {
        // SAFETY: a table with this number of function pointers, which no other code writes now.
        unsafe {
            let place: *mut *const c_void = *table.add(*number);
            if !place.is_null() {
                *place = *function;
            }
        }
    }
    true
}

macro_rules! functions {
    ($($number:literal => $function:expr, $type:ty;)+) => {
        vec![$(($number, {
            let function: $type = $function;
            function as *const c_void
        }),)+]
    };
}

type Text = unsafe extern "C" fn(*const c_char);
type Wide = unsafe extern "C" fn(*const WideText);

fn core() -> Vec<(usize, *const c_void)> {
    functions! {
        1 => mark, unsafe extern "C" fn(*const Attributes);
        2 => mark_text, Text;
        3 => mark_wide, Wide;
        4 => start, unsafe extern "C" fn(*const Attributes) -> u64;
        5 => start_text, unsafe extern "C" fn(*const c_char) -> u64;
        6 => start_wide, unsafe extern "C" fn(*const WideText) -> u64;
        7 => end, extern "C" fn(u64);
        8 => push, unsafe extern "C" fn(*const Attributes) -> c_int;
        9 => push_text, unsafe extern "C" fn(*const c_char) -> c_int;
        10 => push_wide, unsafe extern "C" fn(*const WideText) -> c_int;
        11 => pop, extern "C" fn() -> c_int;
        12 => category, unsafe extern "C" fn(u32, *const c_char);
        13 => category_wide, unsafe extern "C" fn(u32, *const WideText);
    }
}

fn core2() -> Vec<(usize, *const c_void)> {
    functions! {
        1 => domain_mark, unsafe extern "C" fn(Handle, *const Attributes);
        2 => domain_start, unsafe extern "C" fn(Handle, *const Attributes) -> u64;
        3 => domain_end, unsafe extern "C" fn(Handle, u64);
        4 => domain_push, unsafe extern "C" fn(Handle, *const Attributes) -> c_int;
        5 => domain_pop, unsafe extern "C" fn(Handle) -> c_int;
        8 => domain_category, unsafe extern "C" fn(Handle, u32, *const c_char);
        9 => domain_category_wide, unsafe extern "C" fn(Handle, u32, *const WideText);
        10 => register, unsafe extern "C" fn(Handle, *const c_char) -> Handle;
        11 => register_wide, unsafe extern "C" fn(Handle, *const WideText) -> Handle;
        12 => create, unsafe extern "C" fn(*const c_char) -> Handle;
        13 => create_wide, unsafe extern "C" fn(*const WideText) -> Handle;
    }
}

/// Returns the name of a handle; empty for the client's default domain.
///
/// # Safety
/// `handle` is null or a handle created by the recorder.
unsafe fn name<'a>(handle: Handle) -> &'a [u8] {
    // SAFETY: the caller's promise; names live forever.
    unsafe { handle.as_ref() }.map_or(&[], Name::text)
}

fn add_point(domain: &[u8], message: &Message<'_>, details: Details) {
    tell(|producer| range::on_point(producer, nested(StreamId::NVTX, domain), message.text(), details));
}

fn add_start(domain: &[u8], message: &Message<'_>, details: Details) -> u64 {
    let id = STARTED.fetch_add(1, Ordering::Relaxed) + 1;
    let place = overlapping(StreamId::NVTX, domain);
    tell(|producer| range::on_begin(producer, place, id, message.text(), details));
    id
}

fn add_push(domain: &[u8], message: &Message<'_>, details: Details) -> c_int {
    tell(|producer| range::on_begin(producer, nested(StreamId::NVTX, domain), 0, message.text(), details));
    layout::NO_DEPTH
}

unsafe extern "C" fn mark(attributes: *const Attributes) {
    // SAFETY: passed on.
    unsafe { domain_mark(std::ptr::null(), attributes) };
}

unsafe extern "C" fn mark_text(message: *const c_char) {
    // SAFETY: NVTX passes null or a NUL-terminated string.
    add_point(&[], &Message::Text(unsafe { bytes(message) }), Details::default());
}

unsafe extern "C" fn mark_wide(message: *const WideText) {
    // SAFETY: NVTX passes null or a NUL-terminated string.
    add_point(&[], &unsafe { Message::of_wide(message) }, Details::default());
}

unsafe extern "C" fn start(attributes: *const Attributes) -> u64 {
    // SAFETY: passed on.
    unsafe { domain_start(std::ptr::null(), attributes) }
}

unsafe extern "C" fn start_text(message: *const c_char) -> u64 {
    // SAFETY: NVTX passes null or a NUL-terminated string.
    add_start(&[], &Message::Text(unsafe { bytes(message) }), Details::default())
}

unsafe extern "C" fn start_wide(message: *const WideText) -> u64 {
    // SAFETY: NVTX passes null or a NUL-terminated string.
    add_start(&[], &unsafe { Message::of_wide(message) }, Details::default())
}

extern "C" fn end(id: u64) {
    tell(|producer| range::on_end(producer, overlapping(StreamId::NVTX, &[]), id));
}

unsafe extern "C" fn push(attributes: *const Attributes) -> c_int {
    // SAFETY: passed on.
    unsafe { domain_push(std::ptr::null(), attributes) }
}

unsafe extern "C" fn push_text(message: *const c_char) -> c_int {
    // SAFETY: NVTX passes null or a NUL-terminated string.
    add_push(&[], &Message::Text(unsafe { bytes(message) }), Details::default())
}

unsafe extern "C" fn push_wide(message: *const WideText) -> c_int {
    // SAFETY: NVTX passes null or a NUL-terminated string.
    add_push(&[], &unsafe { Message::of_wide(message) }, Details::default())
}

extern "C" fn pop() -> c_int {
    tell(|producer| range::on_pop(producer, nested(StreamId::NVTX, &[])));
    layout::NO_DEPTH
}

unsafe extern "C" fn category(category: u32, name: *const c_char) {
    // SAFETY: passed on.
    unsafe { domain_category(std::ptr::null(), category, name) };
}

unsafe extern "C" fn category_wide(category: u32, name: *const WideText) {
    // SAFETY: passed on.
    unsafe { domain_category_wide(std::ptr::null(), category, name) };
}

unsafe extern "C" fn domain_mark(domain: Handle, attributes: *const Attributes) {
    // SAFETY: a handle of ours, and the client's structure, valid during this call.
    let (domain, (message, details)) = unsafe { (name(domain), layout::read(attributes)) };
    add_point(domain, &message, details);
}

unsafe extern "C" fn domain_start(domain: Handle, attributes: *const Attributes) -> u64 {
    // SAFETY: as above.
    let (domain, (message, details)) = unsafe { (name(domain), layout::read(attributes)) };
    add_start(domain, &message, details)
}

unsafe extern "C" fn domain_end(domain: Handle, id: u64) {
    // SAFETY: a handle of ours.
    let domain = unsafe { name(domain) };
    tell(|producer| range::on_end(producer, overlapping(StreamId::NVTX, domain), id));
}

unsafe extern "C" fn domain_push(domain: Handle, attributes: *const Attributes) -> c_int {
    // SAFETY: a handle of ours, and the client's structure, valid during this call.
    let (domain, (message, details)) = unsafe { (name(domain), layout::read(attributes)) };
    add_push(domain, &message, details)
}

unsafe extern "C" fn domain_pop(domain: Handle) -> c_int {
    // SAFETY: a handle of ours.
    let domain = unsafe { name(domain) };
    tell(|producer| range::on_pop(producer, nested(StreamId::NVTX, domain)));
    layout::NO_DEPTH
}

unsafe extern "C" fn domain_category(domain: Handle, category: u32, text: *const c_char) {
    // SAFETY: a handle of ours; NVTX passes null or a NUL-terminated string.
    let (domain, text) = unsafe { (name(domain), bytes(text)) };
    add_category(domain, category, text);
}

unsafe extern "C" fn domain_category_wide(domain: Handle, category: u32, text: *const WideText) {
    // SAFETY: a handle of ours; NVTX passes null or a NUL-terminated string.
    let (domain, text) = unsafe { (name(domain), Message::of_wide(text)) };
    add_category(domain, category, text.text());
}

fn add_category(domain: &[u8], category: u32, text: &[u8]) {
    tell(|producer| range::on_category(producer, nested(StreamId::NVTX, domain), category.into(), text));
}

unsafe extern "C" fn register(_domain: Handle, text: *const c_char) -> Handle {
    // SAFETY: NVTX passes null or a NUL-terminated string.
    STRINGS.intern(unsafe { bytes(text) }, |_| ())
}

unsafe extern "C" fn register_wide(_domain: Handle, text: *const WideText) -> Handle {
    // SAFETY: NVTX passes null or a NUL-terminated string.
    STRINGS.intern(unsafe { Message::of_wide(text) }.text(), |_| ())
}

unsafe extern "C" fn create(text: *const c_char) -> Handle {
    // SAFETY: NVTX passes null or a NUL-terminated string.
    DOMAINS.intern(unsafe { bytes(text) }, |_| ())
}

unsafe extern "C" fn create_wide(text: *const WideText) -> Handle {
    // SAFETY: NVTX passes null or a NUL-terminated string.
    DOMAINS.intern(unsafe { Message::of_wide(text) }.text(), |_| ())
}

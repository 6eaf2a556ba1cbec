//! Intel's Instrumentation and Tracing Technology (ITT), which clients load through `INTEL_LIBITTNOTIFY64`.
//!
//! Each library that uses ITT has a copy of its static part, which passes its table of functions on first use.

mod counters;
mod layout;
mod metadata;

use std::ffi::{c_char, c_int, c_void};
use std::panic::catch_unwind;

use super::names::{Name, Names, Numbered};
use super::{bytes, is_wanted, nested, overlapping, plain, tell};
use crate::config;
use crate::control;
use crate::handlers::range;
use crate::xpti::{MetadataValue, StreamId};
use layout::{ApiInfo, Domain, Global, Id, StringHandle};

static DOMAINS: Names<Domain> = Names::new();
static STRINGS: Names<StringHandle> = Names::new();
static EVENTS: Numbered = Numbered::new();

/// The domain of oneTBB's own tasks: the driver of CPU devices runs kernels in them, thousands per kernel.
const OF_TBB: &[u8] = b"tbb";
/// Name with which that domain is requested.
const OF_TBB_STREAM: &str = "ranges.itt.tbb";

/// The domain of OpenMP runtimes for metadata of each loop, which belongs to no range.
const OF_OPENMP: &[u8] = b"OMP Metadata";

fn wants_domain(name: &[u8]) -> bool {
    name != OF_OPENMP && name != OF_TBB
        || name == OF_TBB && catch_unwind(|| config::names_stream(OF_TBB_STREAM)).unwrap_or_default()
}

/// Key of ranges without an id.
const NO_ID: u64 = 0;

/// Initialises a static part of ITT. Its functions that the recorder lacks do nothing.
#[unsafe(no_mangle)]
unsafe extern "C" fn __itt_api_init(global: *mut Global, _groups: c_int) {
    // SAFETY: null, or the static part's own structure.
    let Some(global) = (unsafe { global.as_ref() }) else { return };
    if global.version_major != layout::VERSION || global.api_list.is_null() {
        return;
    }
    let is_wanted = is_wanted(StreamId::ITT);
    // SAFETY: the list of earlier domains, locked by ITT.
    let mut domain = unsafe { global.domains.as_mut() };
    while let Some(next) = domain {
        // SAFETY: ITT passes null or a NUL-terminated string.
        if !is_wanted || !wants_domain(unsafe { bytes(next.name) }) {
            next.leave_out();
        }
        // SAFETY: as above.
        domain = unsafe { next.next.as_mut() };
    }
    let mut next = global.api_list;
    loop {
        // SAFETY: the list ends with an entry without a name.
        let ApiInfo { name, function, null_function, .. } = unsafe { &*next };
        if name.is_null() {
            return;
        }
        // SAFETY: a NUL-terminated name of the list.
        let own = Some(unsafe { bytes(*name) }).filter(|_| is_wanted).and_then(function_of);
        if !function.is_null() {
            // SAFETY: the client's pointer to its function of this name, which no other code writes now.
            unsafe { **function = own.unwrap_or(*null_function) };
        }
        // SAFETY: the list continues.
        next = unsafe { next.add(1) };
    }
}

/// Does nothing at the end of a static part of ITT: process exit is handled elsewhere.
#[unsafe(no_mangle)]
extern "C" fn __itt_api_fini(_global: *mut Global) {}

macro_rules! functions {
    ($given:ident: $($name:literal => $function:expr, $type:ty;)+) => {
        match $given {
            $($name => {
                let function: $type = $function;
                Some(function as *const c_void)
            })+
            _ => None,
        }
    };
}

fn function_of(name: &[u8]) -> Option<*const c_void> {
    type OfDomain = unsafe extern "C" fn(*const Domain);
    type Begin = unsafe extern "C" fn(*const Domain, Id, Id, *const StringHandle);
    type OfId = unsafe extern "C" fn(*const Domain, Id);
    type Frame = unsafe extern "C" fn(*const Domain, *const Id);
    counters::function_of(name).or_else(|| metadata::function_of(name)).or_else(|| {
        functions! { name:
            b"__itt_domain_create" => domain_create, unsafe extern "C" fn(*const c_char) -> *const Domain;
            b"__itt_string_handle_create" => string_handle_create,
                unsafe extern "C" fn(*const c_char) -> *const StringHandle;
            b"__itt_task_begin" => task_begin, Begin;
            b"__itt_task_begin_fn" => task_begin_fn, unsafe extern "C" fn(*const Domain, Id, Id, *const c_void);
            b"__itt_task_end" => task_end, OfDomain;
            b"__itt_task_begin_overlapped" => overlapped_begin, Begin;
            b"__itt_task_end_overlapped" => overlapped_end, OfId;
            b"__itt_region_begin" => overlapped_begin, Begin;
            b"__itt_region_end" => overlapped_end, OfId;
            b"__itt_frame_begin_v3" => frame_begin, Frame;
            b"__itt_frame_end_v3" => frame_end, Frame;
            b"__itt_marker" => marker, unsafe extern "C" fn(*const Domain, Id, *const StringHandle, c_int);
            b"__itt_event_create" => event_create, unsafe extern "C" fn(*const c_char, c_int) -> c_int;
            b"__itt_event_start" => event_start, extern "C" fn(c_int) -> c_int;
            b"__itt_event_end" => event_end, extern "C" fn(c_int) -> c_int;
            b"__itt_pause" => pause, extern "C" fn();
            b"__itt_resume" => resume, extern "C" fn();
            b"__itt_pause_scoped" => pause_scoped, extern "C" fn(c_int);
            b"__itt_resume_scoped" => resume_scoped, extern "C" fn(c_int);
        }
    })
}
use functions;

fn domain(name: &[u8]) -> &'static Name<Domain> {
    // Most clients check whether their domain is enabled before they call, so that a disabled one costs nothing.
    DOMAINS.intern(name, |text| Domain::new(text, wants_domain(name)))
}

/// Returns the name of a domain that is recorded.
///
/// # Safety
/// `domain` is null or a client's, and stays valid.
unsafe fn domain_name<'a>(domain: *const Domain) -> Option<&'a [u8]> {
    // SAFETY: the caller's promise.
    let Some(domain) = (unsafe { domain.as_ref() }) else { return Some(&[]) };
    // SAFETY: ITT passes null or a NUL-terminated string.
    (!domain.is_left_out()).then(|| unsafe { bytes(domain.name) })
}

/// # Safety
/// `name` is null or a client's, and stays valid.
unsafe fn string<'a>(name: *const StringHandle) -> &'a [u8] {
    // SAFETY: the caller's promise.
    unsafe { name.as_ref().map_or(&[], |name| bytes(name.text)) }
}

unsafe extern "C" fn domain_create(name: *const c_char) -> *const Domain {
    // SAFETY: ITT passes null or a NUL-terminated string.
    &domain(unsafe { bytes(name) }).handle
}

unsafe extern "C" fn string_handle_create(name: *const c_char) -> *const StringHandle {
    // SAFETY: ITT passes null or a NUL-terminated string.
    &STRINGS.intern(unsafe { bytes(name) }, StringHandle::new).handle
}

unsafe extern "C" fn task_begin(domain: *const Domain, id: Id, _parent: Id, name: *const StringHandle) {
    // SAFETY: the client's, and they stay valid.
    let (Some(domain), name) = (unsafe { (domain_name(domain), string(name)) }) else { return };
    tell(|producer| range::on_begin(producer, nested(StreamId::ITT, domain), id.key(), name, plain()));
}

unsafe extern "C" fn task_begin_fn(domain: *const Domain, id: Id, _parent: Id, function: *const c_void) {
    // SAFETY: the client's, and it stays valid.
    let Some(domain) = (unsafe { domain_name(domain) }) else { return };
    let address = [("function_pointer", MetadataValue::Unsigned(function as u64))];
    tell(|producer| {
        range::on_begin(producer, nested(StreamId::ITT, domain), id.key(), b"task", address.into_iter());
    });
}

unsafe extern "C" fn task_end(domain: *const Domain) {
    // SAFETY: the client's, and it stays valid.
    let Some(domain) = (unsafe { domain_name(domain) }) else { return };
    tell(|producer| range::on_pop(producer, nested(StreamId::ITT, domain)));
}

unsafe extern "C" fn overlapped_begin(domain: *const Domain, id: Id, _parent: Id, name: *const StringHandle) {
    // SAFETY: the client's, and they stay valid.
    let (Some(domain), name) = (unsafe { (domain_name(domain), string(name)) }) else { return };
    tell(|producer| range::on_begin(producer, overlapping(StreamId::ITT, domain), id.key(), name, plain()));
}

unsafe extern "C" fn overlapped_end(domain: *const Domain, id: Id) {
    // SAFETY: the client's, and it stays valid.
    let Some(domain) = (unsafe { domain_name(domain) }) else { return };
    tell(|producer| range::on_end(producer, overlapping(StreamId::ITT, domain), id.key()));
}

unsafe extern "C" fn frame_begin(domain: *const Domain, id: *const Id) {
    // SAFETY: the client's, and they stay valid.
    let (Some(domain), id) = (unsafe { (domain_name(domain), id.as_ref().map_or(NO_ID, Id::key)) }) else {
        return;
    };
    tell(|producer| range::on_begin(producer, overlapping(StreamId::ITT, domain), id, b"frame", plain()));
}

unsafe extern "C" fn frame_end(domain: *const Domain, id: *const Id) {
    // SAFETY: the client's, and they stay valid.
    let (Some(domain), id) = (unsafe { (domain_name(domain), id.as_ref().map_or(NO_ID, Id::key)) }) else {
        return;
    };
    tell(|producer| range::on_end(producer, overlapping(StreamId::ITT, domain), id));
}

unsafe extern "C" fn marker(domain: *const Domain, _id: Id, name: *const StringHandle, _scope: c_int) {
    // SAFETY: the client's, and they stay valid.
    let (Some(domain), name) = (unsafe { (domain_name(domain), string(name)) }) else { return };
    tell(|producer| range::on_point(producer, nested(StreamId::ITT, domain), name, plain()));
}

unsafe extern "C" fn event_create(name: *const c_char, length: c_int) -> c_int {
    if name.is_null() {
        return EVENTS.number(&[]) as c_int;
    }
    // SAFETY: ITT passes a NUL-terminated string, or one of this length.
    let name = unsafe {
        let most = usize::try_from(length).unwrap_or(usize::MAX);
        std::slice::from_raw_parts(name.cast::<u8>(), libc::strnlen(name, most))
    };
    EVENTS.number(name) as c_int
}

extern "C" fn event_start(event: c_int) -> c_int {
    let name = u32::try_from(event).ok().and_then(|event| EVENTS.text(event)).unwrap_or_default();
    tell(|producer| {
        range::on_begin(producer, overlapping(StreamId::ITT, b"events"), event as u64, name, plain());
    });
    0
}

extern "C" fn event_end(event: c_int) -> c_int {
    tell(|producer| range::on_end(producer, overlapping(StreamId::ITT, b"events"), event as u64));
    0
}

extern "C" fn pause() {
    control::set_paused_by_program(true);
}

extern "C" fn resume() {
    control::set_paused_by_program(false);
}

extern "C" fn pause_scoped(scope: c_int) {
    if scope & layout::SCOPE_HOST != 0 {
        pause();
    }
}

extern "C" fn resume_scoped(scope: c_int) {
    if scope & layout::SCOPE_HOST != 0 {
        resume();
    }
}

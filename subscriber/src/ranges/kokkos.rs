//! Kokkos Tools, which programs load through `KOKKOS_TOOLS_LIBS`: kernels, fences, regions, copies and memory, with the
//! program's labels.
//!
//! Kernels are ranges of the thread that launches them. The recorder disables Kokkos's default of waiting for each
//! kernel: device times come from SYCL.

use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use super::names::Numbered;
use super::{bytes, is_wanted, nested, overlapping, plain, tell};
use crate::handlers::range;
use crate::record::range::RangePlace;
use crate::xpti::MetadataValue::{self, Text, Unsigned};
use crate::xpti::StreamId;

static IS_ON: AtomicBool = AtomicBool::new(false);
/// Names of sections.
static SECTIONS: Numbered = Numbered::new();
/// Bits of a section's number with the number of its name. The others count sections: several may have one name.
const NAME_BITS: u32 = 16;
static CREATED: AtomicU32 = AtomicU32::new(0);

static BEGUN: AtomicU64 = AtomicU64::new(0);

/// Keys of ranges that have no number, above all numbers.
const REGION: u64 = 1 << 62;
const DEEP_COPY: u64 = REGION + 1;

/// Argument with the kind of a range or mark.
const KIND: &str = "kind";

/// `Kokkos_Profiling_SpaceHandle`, which is passed by value.
#[derive(Clone, Copy)]
#[repr(C)]
struct Space {
    name: [u8; 64],
}

impl Space {
    fn name(&self) -> MetadataValue<'_> {
        let end = self.name.iter().position(|byte| *byte == 0).unwrap_or(self.name.len());
        Text(&self.name[..end])
    }
}

fn place() -> RangePlace<'static> {
    nested(StreamId::KOKKOS, &[])
}

fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

#[unsafe(no_mangle)]
extern "C" fn kokkosp_init_library(_order: c_int, _version: u64, _devices: u32, _device: *const c_void) {
    IS_ON.store(is_wanted(StreamId::KOKKOS), Ordering::Relaxed);
}

#[unsafe(no_mangle)]
extern "C" fn kokkosp_finalize_library() {
    IS_ON.store(false, Ordering::Relaxed);
}

/// Disables waits for a device around each event, which the first byte of the settings decides.
#[unsafe(no_mangle)]
unsafe extern "C" fn kokkosp_request_tool_settings(_count: u32, settings: *mut bool) {
    if !settings.is_null() {
        // SAFETY: the program's structure, which starts with this setting.
        unsafe { *settings = false };
    }
}

/// Starts a range, which is ended by its number.
///
/// # Safety
/// `name` is null or a NUL-terminated string, `number` null or a place for the number.
unsafe fn begin(kind: &'static [u8], name: *const c_char, device: u32, number: *mut u64) {
    if !is_on() {
        return;
    }
    // SAFETY: the caller's promise.
    let name = unsafe { bytes(name) };
    let key = BEGUN.fetch_add(1, Ordering::Relaxed) + 1;
    // SAFETY: the caller's promise.
    if let Some(number) = unsafe { number.as_mut() } {
        *number = key;
    }
    let details = [(KIND, Text(kind)), ("device_id", Unsigned(device.into()))];
    tell(|producer| range::on_begin(producer, place(), key, name, details.into_iter()));
}

fn end(key: u64) {
    if is_on() {
        tell(|producer| range::on_end(producer, place(), key));
    }
}

macro_rules! numbered {
    ($($begin:ident $end:ident $kind:literal;)+) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $begin(name: *const c_char, device: u32, number: *mut u64) {
            // SAFETY: Kokkos passes a name and a place for the number.
            unsafe { begin($kind, name, device, number) };
        }

        #[unsafe(no_mangle)]
        extern "C" fn $end(number: u64) {
            end(number);
        }
    )+};
}

numbered! {
    kokkosp_begin_parallel_for kokkosp_end_parallel_for b"parallel_for";
    kokkosp_begin_parallel_reduce kokkosp_end_parallel_reduce b"parallel_reduce";
    kokkosp_begin_parallel_scan kokkosp_end_parallel_scan b"parallel_scan";
    kokkosp_begin_fence kokkosp_end_fence b"fence";
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kokkosp_push_profile_region(name: *const c_char) {
    if is_on() {
        // SAFETY: Kokkos passes null or a NUL-terminated string.
        let name = unsafe { bytes(name) };
        let kind = std::iter::once((KIND, Text(b"region")));
        tell(|producer| range::on_begin(producer, place(), REGION, name, kind));
    }
}

#[unsafe(no_mangle)]
extern "C" fn kokkosp_pop_profile_region() {
    end(REGION);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kokkosp_create_profile_section(name: *const c_char, number: *mut u32) {
    // SAFETY: Kokkos passes null or a NUL-terminated string, and null or a place for the number.
    if let Some(number) = unsafe { number.as_mut() } {
        // SAFETY: as above.
        let name = SECTIONS.number(unsafe { bytes(name) });
        let name = if name < 1 << NAME_BITS { name } else { 0 };
        *number = CREATED.fetch_add(1, Ordering::Relaxed) << NAME_BITS | name;
    }
}

#[unsafe(no_mangle)]
extern "C" fn kokkosp_start_profile_section(number: u32) {
    if is_on() {
        let name = SECTIONS.text(number % (1 << NAME_BITS)).unwrap_or(b"section");
        let kind = std::iter::once((KIND, Text(b"section")));
        let place = overlapping(StreamId::KOKKOS, &[]);
        tell(|producer| range::on_begin(producer, place, number.into(), name, kind));
    }
}

#[unsafe(no_mangle)]
extern "C" fn kokkosp_stop_profile_section(number: u32) {
    if is_on() {
        tell(|producer| range::on_end(producer, overlapping(StreamId::KOKKOS, &[]), number.into()));
    }
}

#[unsafe(no_mangle)]
extern "C" fn kokkosp_destroy_profile_section(_number: u32) {}

#[unsafe(no_mangle)]
unsafe extern "C" fn kokkosp_profile_event(name: *const c_char) {
    if is_on() {
        // SAFETY: Kokkos passes null or a NUL-terminated string.
        let name = unsafe { bytes(name) };
        tell(|producer| range::on_point(producer, place(), name, plain()));
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kokkosp_begin_deep_copy(
    target_space: Space,
    target_label: *const c_char,
    target: *const c_void,
    source_space: Space,
    source_label: *const c_char,
    source: *const c_void,
    size_bytes: u64,
) {
    if !is_on() {
        return;
    }
    // SAFETY: Kokkos passes null or a NUL-terminated string.
    let (target_label, source_label) = unsafe { (bytes(target_label), bytes(source_label)) };
    let details = [
        (KIND, Text(b"deep_copy")),
        ("size_bytes", Unsigned(size_bytes)),
        ("source", Text(source_label)),
        ("source_space", source_space.name()),
        ("source_pointer", Unsigned(source as u64)),
        ("target", Text(target_label)),
        ("target_space", target_space.name()),
        ("target_pointer", Unsigned(target as u64)),
    ];
    tell(|producer| range::on_begin(producer, place(), DEEP_COPY, b"deep_copy", details.into_iter()));
}

#[unsafe(no_mangle)]
extern "C" fn kokkosp_end_deep_copy() {
    end(DEEP_COPY);
}

/// Records a mark with a label of the program's data.
///
/// # Safety
/// `label` is null or a NUL-terminated string.
unsafe fn memory(
    what: &'static [u8],
    space: &Space,
    label: *const c_char,
    data: *const c_void,
    size_bytes: u64,
) {
    if !is_on() {
        return;
    }
    // SAFETY: the caller's promise.
    let label = unsafe { bytes(label) };
    let details = [
        (KIND, Text(what)),
        ("size_bytes", Unsigned(size_bytes)),
        ("space", space.name()),
        ("data_pointer", Unsigned(data as u64)),
    ];
    tell(|producer| range::on_point(producer, place(), label, details.into_iter()));
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kokkosp_allocate_data(
    space: Space,
    label: *const c_char,
    data: *const c_void,
    size: u64,
) {
    // SAFETY: Kokkos passes a label.
    unsafe { memory(b"allocate", &space, label, data, size) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kokkosp_deallocate_data(
    space: Space,
    label: *const c_char,
    data: *const c_void,
    size: u64,
) {
    // SAFETY: Kokkos passes a label.
    unsafe { memory(b"deallocate", &space, label, data, size) };
}

/// # Safety
/// `label` is null or a NUL-terminated string.
unsafe fn view(what: &'static [u8], label: *const c_char, data: *const c_void, is_device: bool) {
    if !is_on() {
        return;
    }
    // SAFETY: the caller's promise.
    let label = unsafe { bytes(label) };
    let side: &[u8] = if is_device { b"device" } else { b"host" };
    let details = [(KIND, Text(what)), ("side", Text(side)), ("data_pointer", Unsigned(data as u64))];
    tell(|producer| range::on_point(producer, place(), label, details.into_iter()));
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kokkosp_dual_view_sync(label: *const c_char, data: *const c_void, is_device: bool) {
    // SAFETY: Kokkos passes a label.
    unsafe { view(b"dual_view_sync", label, data, is_device) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kokkosp_dual_view_modify(label: *const c_char, data: *const c_void, is_device: bool) {
    // SAFETY: Kokkos passes a label.
    unsafe { view(b"dual_view_modify", label, data, is_device) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kokkosp_declare_metadata(name: *const c_char, value: *const c_char) {
    if is_on() {
        // SAFETY: Kokkos passes null or a NUL-terminated string.
        let (name, value) = unsafe { (bytes(name), bytes(value)) };
        let details = [(KIND, Text(b"metadata")), ("value", Text(value))];
        tell(|producer| range::on_point(producer, place(), name, details.into_iter()));
    }
}

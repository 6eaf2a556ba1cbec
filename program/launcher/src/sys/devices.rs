//! Queries a SYCL runtime for its devices through functions of `sycl::device` that libsycl has exported under
//! the same names since 2024. Call it only in a separate process, because a driver may crash or throw.

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;

use super::library::Library;

/// `sycl::device::get_devices(info::device_type)`
const GET_DEVICES: &CStr = c"_ZN4sycl3_V16device11get_devicesENS0_4info11device_typeE";
const IS_CPU: &CStr = c"_ZNK4sycl3_V16device6is_cpuEv";
const IS_GPU: &CStr = c"_ZNK4sycl3_V16device6is_gpuEv";
/// `sycl::device::has(aspect)`
const HAS: &CStr = c"_ZNK4sycl3_V16device3hasENS0_6aspectE";
const QUEUE_PROFILING: u32 = 12;
/// `sycl::device::get_info<…>()`, which returns a `sycl::detail::string` since 2025.0 and a `std::string`
/// before.
const NAME: Texts = Texts {
    neutral: c"_ZNK4sycl3_V16device13get_info_implINS0_4info6device4nameEEENS0_6detail11ABINeutralTINS6_19is_device_info_descIT_E11return_typeEE4typeEv",
    standard: c"_ZNK4sycl3_V16device8get_infoINS0_4info6device4nameEEENS0_6detail19is_device_info_descIT_E11return_typeEv",
};
const DRIVER: Texts = Texts {
    neutral: c"_ZNK4sycl3_V16device13get_info_implINS0_4info6device14driver_versionEEENS0_6detail11ABINeutralTINS6_19is_device_info_descIT_E11return_typeEE4typeEv",
    standard: c"_ZNK4sycl3_V16device8get_infoINS0_4info6device14driver_versionEEENS0_6detail19is_device_info_descIT_E11return_typeEv",
};

struct Texts {
    neutral: &'static CStr,
    standard: &'static CStr,
}

/// A `sycl::device`, used only by address.
type Device = c_void;

/// A `std::vector<sycl::device>`.
#[repr(C)]
struct Devices {
    begin: *const u8,
    end: *const u8,
    capacity: *const u8,
}

type GetDevices = unsafe extern "C-unwind" fn(*mut Devices, u32);
type Is = unsafe extern "C-unwind" fn(*const Device) -> bool;
type Has = unsafe extern "C-unwind" fn(*const Device, u32) -> bool;
type GetText = unsafe extern "C-unwind" fn(*mut [usize; 8], *const Device);

/// The runtime's description of a device. Fields are empty if they can't be queried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Description {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) driver: String,
    pub(crate) profiling: Option<bool>,
}

/// Returns all devices that the runtime `libsycl.so.<major>` finds.
///
/// # Errors
/// Returns an error if the library lacks the functions for that.
pub(crate) fn devices(runtime: Library, major: u32) -> Result<Vec<Description>, String> {
    let get_devices = runtime.symbol(GET_DEVICES).ok_or("this libsycl has no sycl::device::get_devices")?;
    // `info::device_type::all` was a value of PI up to libsycl.so.7 and has been one of Unified Runtime
    // since.
    let all = if major <= 7 { 0xffff_ffff } else { 2 };
    let mut found = Devices { begin: std::ptr::null(), end: std::ptr::null(), capacity: std::ptr::null() };
    // SAFETY: the function returns a vector through a hidden first pointer; ours has the layout of GCC's C++
    // library. The vector is never freed, so its devices live as long as this process.
    unsafe {
        let get_devices: GetDevices = std::mem::transmute(get_devices);
        get_devices(&mut found, all);
    }
    // A shared pointer up to libsycl.so.8, a plain one since.
    let size_bytes = if major <= 8 { 16 } else { 8 };
    let count = (found.end.addr() - found.begin.addr()) / size_bytes;
    Ok((0..count).map(|row| describe(runtime, found.begin.wrapping_add(row * size_bytes).cast())).collect())
}

fn describe(runtime: Library, device: *const Device) -> Description {
    let is = |name| {
        runtime.symbol(name).is_some_and(|function| {
            // SAFETY: a member function gets the object as its first argument and returns a bool.
            unsafe { std::mem::transmute::<NonNull<c_void>, Is>(function)(device) }
        })
    };
    let profiling = runtime.symbol(HAS).map(|function| {
        // SAFETY: as above, with an enumerator as second argument.
        unsafe { std::mem::transmute::<NonNull<c_void>, Has>(function)(device, QUEUE_PROFILING) }
    });
    let kind = if is(IS_GPU) {
        "gpu"
    } else if is(IS_CPU) {
        "cpu"
    } else {
        "other"
    };
    Description {
        name: text(runtime, &NAME, device),
        kind: kind.to_owned(),
        driver: text(runtime, &DRIVER, device),
        profiling,
    }
}

fn text(runtime: Library, names: &Texts, device: *const Device) -> String {
    // A short `std::string` points into itself, so it must not move. The probe frees nothing before it ends.
    let text: &mut [usize; 8] = Box::leak(Box::default());
    let mut ask = |function: NonNull<c_void>| {
        // SAFETY: the text is returned through a hidden first pointer, with enough space for either class.
        unsafe { std::mem::transmute::<NonNull<c_void>, GetText>(function)(text, device) };
        NonNull::new(text[0] as *mut u8).map(|start| (start, text[1]))
    };
    let bytes: Option<&[u8]> = match runtime.symbol(names.neutral) {
        // SAFETY: a `sycl::detail::string` is null or points to a NUL-terminated text.
        Some(function) => {
            ask(function).map(|(start, _)| unsafe { CStr::from_ptr(start.as_ptr().cast()) }.to_bytes())
        }
        // SAFETY: a `std::string` begins with a pointer to its text and the text's length.
        None => runtime
            .symbol(names.standard)
            .and_then(ask)
            .map(|(start, length)| unsafe { std::slice::from_raw_parts(start.as_ptr(), length) }),
    };
    bytes.map(|bytes| String::from_utf8_lossy(bytes).trim().to_owned()).unwrap_or_default()
}

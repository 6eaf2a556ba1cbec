//! The Unified Runtime's functions on events and devices, called without side effects on the program.
//!
//! They are found in two ways. If the runtime's loader is a separate library, its exported functions are used; they go
//! through the tracing layer, so callers disable our own handlers meanwhile. If loader and adapters are linked into the
//! SYCL library and hidden, the first word of every handle points to the table of the adapter's functions.
//!
//! Runtimes up to 2024.2 have plug-ins instead, whose exported functions do the same under other names.

#[cfg(test)]
pub(crate) mod driven;

use std::ffi::{CStr, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use syclscope_language::event::NoTime;

use super::adapter::Adapter;
use super::contexts::Contexts;
use super::framework::{loaded, symbol};
use crate::os::library_of;

type GetInfo = unsafe extern "C" fn(u64, u32, usize, *mut c_void, *mut usize) -> i32;
type Count = unsafe extern "C" fn(u64) -> i32;
type GetTimestamps = unsafe extern "C" fn(u64, *mut u64, *mut u64) -> i32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventState {
    Pending,
    Complete,
    /// The command failed, or the event can't be queried.
    Failed,
}

/// Times of a command, on the device's clock, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProfilingTimes {
    pub(crate) queued: Option<u64>,
    pub(crate) submitted: Option<u64>,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

#[derive(Clone, Copy)]
pub(crate) struct UrApi {
    get_info: GetInfo,
    get_profiling_info: GetInfo,
    retain: Count,
    release: Count,
    get_timestamps: Option<GetTimestamps>,
    retain_device: Option<Count>,
    get_device_info: Option<GetInfo>,
    get_platform_info: Option<GetInfo>,
    /// Retain and release contexts, if the loader's functions are used and Level Zero's adapters may be loaded.
    contexts: Option<(Count, Count)>,
    /// Address of the adapter's table, 0 if the loader's functions are used.
    table: usize,
    questions: &'static Questions,
    /// True if the functions may be called while the process exits.
    pub(crate) usable_at_exit: bool,
}

/// Level Zero's adapters free events with their context, despite references to the events. So a context is retained as
/// long as one of its events is.
static LEVEL_ZERO: Adapter = Adapter::new(b"libur_adapter_level_zero");
static CONTEXTS: Contexts = Contexts::new();

struct Questions {
    execution_status: u32,
    reference_count: u32,
    /// Time of queueing; submission, start and end follow.
    first_time: u32,
    /// The result if the queue has no profiling.
    unprofiled: i32,
}

/// `ur_event_info_t`, `ur_profiling_info_t`, `ur_result_t`
static OF_UNIFIED_RUNTIME: Questions =
    Questions { execution_status: 3, reference_count: 4, first_time: 0, unprofiled: 17 };
/// `pi_event_info`, `pi_profiling_info`, `pi_result`
static OF_PLUGINS: Questions =
    Questions { execution_status: 0x11d3, reference_count: 0x11d2, first_time: 0x1280, unprofiled: -7 };

/// The plug-ins of runtimes up to 2024.2.
const PLUGINS: [&CStr; 6] = [
    c"libpi_opencl.so",
    c"libpi_level_zero.so",
    c"libpi_cuda.so",
    c"libpi_hip.so",
    c"libpi_native_cpu.so",
    c"libpi_unified_runtime.so",
];

/// Indices into `ur_dditable_t` of 2026.2: the event functions, and others that are used.
const EVENT_TABLE: usize = 20;
const EVENT_FUNCTIONS: usize = 8;
const PLATFORM_GET_INFO: usize = 7 + 1;
const CONTEXT_RETAIN: usize = 13 + 1;
const CONTEXT_RELEASE: usize = 13 + 2;
const DEVICE_GET_INFO: usize = 231 + 1;
const DEVICE_RETAIN: usize = 231 + 2;
const DEVICE_GET_GLOBAL_TIMESTAMPS: usize = 231 + 8;

/// Verified tables: one for each adapter in use.
static TABLES: [AtomicUsize; 8] = [const { AtomicUsize::new(0) }; 8];
static REFUSED: [AtomicUsize; 8] = [const { AtomicUsize::new(0) }; 8];

static LOADER: OnceLock<Option<UrApi>> = OnceLock::new();

impl UrApi {
    /// Returns the functions for an event's handle, if they are available.
    #[inline]
    pub(crate) fn of_event(event: u64) -> Option<Self> {
        if event == 0 || !event.is_multiple_of(8) {
            // No object has such an address.
            return None;
        }
        #[cfg(test)]
        if let Some(api) = driven::api_of(event) {
            return Some(api);
        }
        if let Some(loader) = LOADER.get_or_init(Self::from_library) {
            return Some(*loader);
        }
        // SAFETY: a live handle is the address of the adapter's object, which is at least a word long.
        let table = unsafe { *(event as *const usize) };
        if table != 0 && TABLES.iter().any(|entry| entry.load(Ordering::Acquire) == table) {
            // SAFETY: the table was verified.
            return Some(unsafe { Self::from_table(table) });
        }
        Self::check_table(table, event)
    }

    fn from_library() -> Option<Self> {
        let is_loaded = |library: &*mut c_void| !library.is_null();
        let mut plugins = PLUGINS.into_iter().map(loaded).filter(is_loaded);
        if let Some(plugin) = plugins.next() {
            // With several plug-ins, the one that an event belongs to is unknown.
            return plugins.next().is_none().then(|| Self::from_plugin(plugin)).flatten();
        }
        Self::from_loader([c"libur_loader.so.0", c"libur_loader.so"].into_iter().map(loaded).find(is_loaded)?)
    }

    fn from_loader(loader: *mut c_void) -> Option<Self> {
        const NAMES: [&CStr; 6] = [
            c"urEventGetInfo",
            c"urEventGetProfilingInfo",
            c"urEventRetain",
            c"urEventRelease",
            c"urDeviceGetGlobalTimestamps",
            c"urDeviceRetain",
        ];
        // SAFETY: as in `from_exports`.
        let info = |name: &CStr| unsafe {
            symbol(loader, name).map(|found| std::mem::transmute::<*mut c_void, GetInfo>(found))
        };
        let (get_device_info, get_platform_info) = (info(c"urDeviceGetInfo"), info(c"urPlatformGetInfo"));
        let count = |name: &CStr| {
            // SAFETY: as in `from_exports`.
            symbol(loader, name).map(|found| unsafe { std::mem::transmute::<*mut c_void, Count>(found) })
        };
        // Level Zero's adapters load this library.
        let has_level_zero = !loaded(c"libze_loader.so.1").is_null();
        let contexts =
            has_level_zero.then(|| count(c"urContextRetain").zip(count(c"urContextRelease"))).flatten();
        let api = Self::from_exports(loader, NAMES, &OF_UNIFIED_RUNTIME)?;
        Some(Self { get_device_info, get_platform_info, contexts, ..api })
    }

    fn from_plugin(plugin: *mut c_void) -> Option<Self> {
        const NAMES: [&CStr; 6] = [
            c"piEventGetInfo",
            c"piEventGetProfilingInfo",
            c"piEventRetain",
            c"piEventRelease",
            c"piGetDeviceAndHostTimer",
            c"piDeviceRetain",
        ];
        Self::from_exports(plugin, NAMES, &OF_PLUGINS)
    }

    fn from_exports(library: *mut c_void, names: [&CStr; 6], questions: &'static Questions) -> Option<Self> {
        let [get_info, get_profiling_info, retain, release, get_timestamps, retain_device] =
            names.map(|name| symbol(library, name));
        // SAFETY: exported functions of a stable C interface, with the types that it declares.
        unsafe {
            Some(Self {
                get_info: std::mem::transmute::<*mut c_void, GetInfo>(get_info?),
                get_profiling_info: std::mem::transmute::<*mut c_void, GetInfo>(get_profiling_info?),
                retain: std::mem::transmute::<*mut c_void, Count>(retain?),
                release: std::mem::transmute::<*mut c_void, Count>(release?),
                get_timestamps: get_timestamps
                    .map(|found| std::mem::transmute::<*mut c_void, GetTimestamps>(found)),
                retain_device: retain_device.map(|found| std::mem::transmute::<*mut c_void, Count>(found)),
                get_device_info: None,
                get_platform_info: None,
                contexts: None,
                table: 0,
                questions,
                usable_at_exit: false,
            })
        }
    }

    /// # Safety
    /// `table` is the address of an adapter's `ur_dditable_t` whose event functions are at the same places as
    /// in 2026.2.
    unsafe fn from_table(table: usize) -> Self {
        let entry = |index: usize| table + index * 8;
        // SAFETY: the caller's promise.
        unsafe {
            Self {
                get_info: *(entry(EVENT_TABLE) as *const GetInfo),
                get_profiling_info: *(entry(EVENT_TABLE + 1) as *const GetInfo),
                retain: *(entry(EVENT_TABLE + 3) as *const Count),
                release: *(entry(EVENT_TABLE + 4) as *const Count),
                get_timestamps: None,
                retain_device: None,
                get_device_info: None,
                get_platform_info: None,
                contexts: None,
                table,
                questions: &OF_UNIFIED_RUNTIME,
                usable_at_exit: true,
            }
        }
    }

    /// Accepts a table only if it and its functions are in a library of the runtime, and the functions behave as
    /// expected.
    #[cold]
    fn check_table(table: usize, event: u64) -> Option<Self> {
        if table == 0 || REFUSED.iter().any(|refused| refused.load(Ordering::Acquire) == table) {
            return None;
        }
        let is_table = is_of_runtime(table)
            && (EVENT_TABLE..EVENT_TABLE + EVENT_FUNCTIONS).all(|index| {
                // SAFETY: the address is in a mapped library; an adapter's table is longer than this.
                is_of_runtime(unsafe { *((table + index * 8) as *const usize) })
            });
        // SAFETY: the functions are at the places of 2026.2's table.
        let api =
            is_table.then(|| unsafe { Self::from_table(table) }).filter(|api| api.counts_references(event));
        remember(if api.is_some() { &TABLES } else { &REFUSED }, table);
        api
    }

    fn counts_references(&self, event: u64) -> bool {
        let Some(before) = self.info(event, self.questions.reference_count) else { return false };
        if self.info(event, self.questions.execution_status).is_none() || !self.retain(event) {
            return false;
        }
        let after = self.info(event, self.questions.reference_count);
        self.release(event);
        after == Some(before + 1)
    }

    fn info(&self, event: u64, what: u32) -> Option<u32> {
        let mut value = 0_u32;
        // SAFETY: the event is alive: the program's own, or one that we retain.
        let result =
            unsafe { (self.get_info)(event, what, 4, (&raw mut value).cast(), std::ptr::null_mut()) };
        (result == 0).then_some(value)
    }

    /// Retains an event that is alive.
    #[inline]
    pub(crate) fn retain(&self, event: u64) -> bool {
        // SAFETY: as for `info`.
        unsafe { (self.retain)(event) == 0 }
    }

    pub(crate) fn release(&self, event: u64) {
        // SAFETY: the reference is ours.
        unsafe { (self.release)(event) };
    }

    /// Retains everything that an event needs besides the caller's reference; false if that fails.
    #[inline]
    pub(crate) fn hold(&self, event: u64) -> bool {
        self.context_to_hold(event).is_none_or(|context| {
            let retain = self.contexts.map(|(retain, _)| retain);
            CONTEXTS.hold(context, || self.count(retain, CONTEXT_RETAIN, context))
        })
    }

    /// Releases a reference, and everything retained by [`Self::hold`].
    pub(crate) fn give_back(&self, event: u64) {
        let context = self.context_to_hold(event);
        self.release(event);
        if let Some(context) = context {
            let release = self.contexts.map(|(_, release)| release);
            CONTEXTS.give_back(context, || {
                self.count(release, CONTEXT_RELEASE, context);
            });
        }
    }

    #[inline]
    fn context_to_hold(&self, event: u64) -> Option<u64> {
        /// `UR_EVENT_INFO_CONTEXT`
        const CONTEXT: u32 = 1;
        let is_wanted = if self.table == 0 { self.contexts.is_some() } else { LEVEL_ZERO.has(event) };
        if !is_wanted {
            return None;
        }
        let mut context = 0_u64;
        let place = (&raw mut context).cast();
        // SAFETY: as for `info`.
        let result = unsafe { (self.get_info)(event, CONTEXT, 8, place, std::ptr::null_mut()) };
        let is_one = if self.table == 0 { context != 0 } else { LEVEL_ZERO.has(context) };
        (result == 0 && is_one).then_some(context)
    }

    /// Calls a function that retains or releases an object, the loader's or the table's; false if it fails.
    fn count(&self, of_loader: Option<Count>, index: usize, object: u64) -> bool {
        // SAFETY: the table has a function of this type there.
        let of = |function| unsafe { std::mem::transmute::<usize, Count>(function) };
        let count = of_loader.or_else(|| self.of_table(index).map(of));
        // SAFETY: the object is alive, because one of its events is.
        count.is_none_or(|count| unsafe { count(object) } == 0)
    }

    /// Returns the state of the event's command. Never waits.
    pub(crate) fn state(&self, event: u64) -> EventState {
        match self.info(event, self.questions.execution_status) {
            Some(0) => EventState::Complete,
            Some(1..=3) => EventState::Pending,
            _ => EventState::Failed,
        }
    }

    pub(crate) fn times(&self, event: u64) -> Result<ProfilingTimes, NoTime> {
        let query = |what: u32| {
            let mut value = 0_u64;
            // SAFETY: we retain the event.
            let what = self.questions.first_time + what;
            let result = unsafe {
                (self.get_profiling_info)(event, what, 8, (&raw mut value).cast(), std::ptr::null_mut())
            };
            match result {
                0 if value != 0 => Ok(value),
                code if code == self.questions.unprofiled => Err(NoTime::Unprofiled),
                _ => Err(NoTime::Device),
            }
        };
        let (start, end) = (query(2)?, query(3)?);
        if end < start {
            return Err(NoTime::Device);
        }
        Ok(ProfilingTimes { queued: query(0).ok(), submitted: query(1).ok(), start, end })
    }

    pub(crate) fn retain_device(&self, device: u64) -> bool {
        // SAFETY: the table has a function of this type there.
        let of = |function| unsafe { std::mem::transmute::<usize, Count>(function) };
        let retain = self.retain_device.or_else(|| self.of_table(DEVICE_RETAIN).map(of));
        // SAFETY: the device is that of a queue to which a command was just submitted.
        retain.is_some_and(|retain| unsafe { retain(device) } == 0)
    }

    /// Reads the device's clock and the host's at the same moment, in nanoseconds; `None` if the adapter does not
    /// report them.
    pub(crate) fn device_and_host_time(&self, device: u64) -> Option<(u64, u64)> {
        let of_table = || {
            // SAFETY: the table has this function there, with this type.
            let of = |function| unsafe { std::mem::transmute::<usize, GetTimestamps>(function) };
            self.of_table(DEVICE_GET_GLOBAL_TIMESTAMPS).map(of)
        };
        let get_timestamps = self.get_timestamps.or_else(of_table)?;
        let (mut on_device, mut on_host) = (0, 0);
        // SAFETY: we retain the device (`device_time::devices`); both places are valid.
        let result = unsafe { get_timestamps(device, &mut on_device, &mut on_host) };
        (result == 0).then_some((on_device, on_host))
    }

    /// Queries a property of a device; returns its length in bytes.
    pub(super) fn device_info(&self, device: u64, what: u32, answer: &mut [u8]) -> Option<usize> {
        let get_info = self.get_device_info.or_else(|| self.info_of_table(DEVICE_GET_INFO))?;
        ask(get_info, device, what, answer)
    }

    /// Queries a property of a device's platform; returns its length in bytes.
    pub(super) fn platform_info(&self, platform: u64, what: u32, answer: &mut [u8]) -> Option<usize> {
        let get_info = self.get_platform_info.or_else(|| self.info_of_table(PLATFORM_GET_INFO))?;
        ask(get_info, platform, what, answer)
    }

    fn info_of_table(&self, index: usize) -> Option<GetInfo> {
        // SAFETY: the table has a function of this type there.
        let of = |function| unsafe { std::mem::transmute::<usize, GetInfo>(function) };
        self.of_table(index).map(of)
    }

    /// Returns a function of the table, if it is in the runtime.
    fn of_table(&self, index: usize) -> Option<usize> {
        let entry = self.table + index * 8;
        if self.table == 0 || !is_of_runtime(entry) {
            return None;
        }
        // SAFETY: the address is in the mapped library that contains the verified table.
        let function = unsafe { *(entry as *const usize) };
        is_of_runtime(function).then_some(function)
    }
}

/// Queries an object that is alive; returns the length of the result in bytes.
fn ask(get_info: GetInfo, object: u64, what: u32, answer: &mut [u8]) -> Option<usize> {
    let mut length = 0;
    // SAFETY: the object is a device that we retain, or the device's platform; the place is as long as stated in the
    // call.
    let result = unsafe { get_info(object, what, answer.len(), answer.as_mut_ptr().cast(), &mut length) };
    (result == 0).then_some(length)
}

fn remember(list: &[AtomicUsize], table: usize) {
    for place in list {
        if place.compare_exchange(0, table, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            return;
        }
    }
}

fn is_of_runtime(address: usize) -> bool {
    let Some(path) = library_of(address as *const c_void) else { return false };
    let path = path.to_bytes();
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    let ours = name.starts_with(b"libsyclscope");
    !ours
        && [b"libsycl".as_slice(), b"libur_adapter", b"libur_loader"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
}

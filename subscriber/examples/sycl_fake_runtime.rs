//! A small stand-in for libxptifw and a Unified Runtime adapter, for tests and benchmarks.
//!
//! It exports the functions that a subscriber looks up (`xpti…`) and those that a driver needs to play a run
//! (`fake_…`). Its file's name begins like the SYCL library's, because the subscriber accepts an adapter's functions
//! from that library only.
#![expect(unsafe_code, reason = "speaks the C interfaces that it stands in for")]
#![expect(missing_docs, reason = "exported functions have the names and meanings of the framework's own")]

#[path = "sycl_fake_runtime/objects.rs"]
mod objects;

use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};

use objects::Objects;

type Callback = unsafe extern "C" fn(u16, *const c_void, *const c_void, u64, *const c_void);

static STREAMS: RwLock<Vec<CString>> = RwLock::new(Vec::new());
static CALLBACKS: RwLock<Vec<(u8, u16, Callback)>> = RwLock::new(Vec::new());
static STRINGS: RwLock<Vec<&'static CStr>> = RwLock::new(Vec::new());
static OBJECTS: RwLock<Objects> = RwLock::new(Objects::new());
static SUBSCRIBERS: Mutex<Vec<usize>> = Mutex::new(Vec::new());
static STASHED_QUEUE: AtomicU64 = AtomicU64::new(0);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Object {
    size: usize,
    data: *const c_char,
    kind: u8,
}

/// A decoy: the recorder must take Python's functions from the interpreter only. This one claims that Python is
/// finalizing.
#[unsafe(no_mangle)]
extern "C" fn Py_IsFinalizing() -> i32 {
    1
}

/// A decoy with the number of a future version.
#[unsafe(no_mangle)]
static Py_Version: u64 = 0x03ff_00f0;

#[unsafe(no_mangle)]
unsafe extern "C" fn xptiRegisterStream(name: *const c_char) -> u8 {
    // SAFETY: a NUL-terminated name.
    let name = unsafe { CStr::from_ptr(name) };
    let mut streams = STREAMS.write().unwrap();
    if let Some(index) = streams.iter().position(|known| known.as_c_str() == name) {
        return index as u8 + 1;
    }
    streams.push(name.to_owned());
    streams.len() as u8
}

#[unsafe(no_mangle)]
extern "C" fn xptiRegisterCallback(stream: u8, trace_type: u16, callback: Callback) -> i32 {
    let mut callbacks = CALLBACKS.write().unwrap();
    let same = |known: &(u8, u16, Callback)| {
        known.0 == stream && known.1 == trace_type && std::ptr::fn_addr_eq(known.2, callback)
    };
    if callbacks.iter().any(same) {
        return 0x8000_4003_u32 as i32;
    }
    callbacks.push((stream, trace_type, callback));
    0
}

#[unsafe(no_mangle)]
extern "C" fn xptiCheckTraceEnabled(stream: u8, trace_type: u16) -> bool {
    CALLBACKS.read().unwrap().iter().any(|known| known.0 == stream && known.1 == trace_type)
}

#[unsafe(no_mangle)]
extern "C" fn xptiLookupString(id: u32) -> *const c_char {
    STRINGS.read().unwrap().get(id as usize).map_or(std::ptr::null(), |text| text.as_ptr())
}

#[unsafe(no_mangle)]
extern "C" fn xptiLookupObject(id: i32) -> Object {
    let objects = OBJECTS.read().unwrap();
    objects.places.get(id as usize).map_or(
        Object { size: 0, data: std::ptr::null(), kind: 0 },
        // SAFETY: the value lies in the array.
        |(size, offset, kind)| Object {
            size: *size,
            data: unsafe { objects.array.add(*offset) }.cast(),
            kind: *kind,
        },
    )
}

#[unsafe(no_mangle)]
unsafe extern "C" fn xptiQueryMetadata(event: *const c_void) -> *const c_void {
    // SAFETY: the metadata is part of the event.
    unsafe { event.byte_add(56) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn xptiGetStashedTuple(key: *mut *const c_char, value: *mut u64) -> i32 {
    let queue = STASHED_QUEUE.load(Ordering::Relaxed);
    if queue == 0 {
        return 1;
    }
    // SAFETY: both places are the caller's.
    unsafe {
        *key = c"queue_id".as_ptr();
        *value = queue;
    }
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fake_stream(name: *const c_char) -> u8 {
    // SAFETY: the driver's NUL-terminated name.
    unsafe { xptiRegisterStream(name) }
}

#[unsafe(no_mangle)]
extern "C" fn fake_listen(stream: u8, trace_type: u16, callback: Callback) -> i32 {
    xptiRegisterCallback(stream, trace_type, callback)
}

#[unsafe(no_mangle)]
extern "C" fn fake_load() {
    for path in
        std::env::var("XPTI_SUBSCRIBERS").unwrap_or_default().split(',').filter(|path| !path.is_empty())
    {
        let path = CString::new(path).unwrap();
        // SAFETY: loads a library that the test names.
        let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) };
        assert!(!library.is_null(), "{path:?} can't be loaded");
        SUBSCRIBERS.lock().unwrap().push(library as usize);
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fake_announce(stream: *const c_char) {
    for library in SUBSCRIBERS.lock().unwrap().iter() {
        // SAFETY: the function has this type in every subscriber.
        unsafe {
            let init = libc::dlsym(*library as *mut c_void, c"xptiTraceInit".as_ptr());
            assert!(!init.is_null());
            let init: extern "C" fn(u32, u32, *const c_char, *const c_char) = std::mem::transmute(init);
            init(9, 0, c"fake".as_ptr(), stream);
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fake_finish(stream: *const c_char) {
    for library in SUBSCRIBERS.lock().unwrap().iter() {
        // SAFETY: as above.
        unsafe {
            let finish = libc::dlsym(*library as *mut c_void, c"xptiTraceFinish".as_ptr());
            assert!(!finish.is_null());
            let finish: extern "C" fn(*const c_char) = std::mem::transmute(finish);
            finish(stream);
        }
    }
}

/// Delivers a notification. If the `.debug` twin of a stream has a subscriber, only the twin gets notifications.
#[unsafe(no_mangle)]
unsafe extern "C" fn fake_notify(
    stream: u8,
    debug_twin: u8,
    trace_type: u16,
    parent: *const c_void,
    event: *const c_void,
    instance: u64,
    user_data: *const c_void,
) {
    let deliver = |stream: u8| {
        let mut delivered = false;
        let mut index = 0;
        loop {
            let next = {
                let callbacks = CALLBACKS.read().unwrap();
                let position =
                    callbacks.iter().skip(index).position(|known| known.0 == stream && known.1 == trace_type);
                position.map(|position| (index + position + 1, callbacks[index + position].2))
            };
            let Some((after, callback)) = next else { break };
            index = after;
            delivered = true;
            // SAFETY: the driver keeps event and user data alive during the call.
            unsafe { callback(trace_type, parent, event, instance, user_data) };
        }
        delivered
    };
    if debug_twin == 0 || !deliver(debug_twin) {
        deliver(stream);
    }
}

/// Returns a trace type's first callback, for benchmarks that call it directly.
#[unsafe(no_mangle)]
extern "C" fn fake_callback(stream: u8, trace_type: u16) -> Option<Callback> {
    let callbacks = CALLBACKS.read().unwrap();
    callbacks.iter().find(|known| known.0 == stream && known.1 == trace_type).map(|known| known.2)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fake_string(text: *const c_char) -> u32 {
    // SAFETY: a NUL-terminated text.
    let text = unsafe { CStr::from_ptr(text) };
    let mut strings = STRINGS.write().unwrap();
    if let Some(index) = strings.iter().position(|known| *known == text) {
        return index as u32;
    }
    strings.push(Box::leak(text.to_owned().into_boxed_c_str()));
    strings.len() as u32 - 1
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fake_object(data: *const u8, size: usize, kind: u8) -> i32 {
    // SAFETY: the driver's bytes.
    let bytes = unsafe { std::slice::from_raw_parts(data, size) };
    OBJECTS.write().unwrap().add(bytes, kind)
}

#[unsafe(no_mangle)]
extern "C" fn fake_stash_queue(queue: u64) {
    STASHED_QUEUE.store(queue, Ordering::Relaxed);
}

// ---- a Unified Runtime adapter that knows events ----

/// A command's event; its first word is the adapter's table, as in the real one.
#[repr(C)]
pub struct UrEvent {
    table: *const AtomicUsize,
    references: AtomicU32,
    status: AtomicU32,
    times: [AtomicU64; 4],
}

/// `ur_dditable_t`: the functions on events begin at 20, those on devices at 231.
static TABLE: [AtomicUsize; 241] = [const { AtomicUsize::new(0) }; 241];
static REFERENCES: AtomicU64 = AtomicU64::new(0);
static QUESTIONS: AtomicU64 = AtomicU64::new(0);
static READINGS: AtomicU64 = AtomicU64::new(0);

unsafe extern "C" fn event_get_info(
    event: *const UrEvent,
    what: u32,
    _: usize,
    value: *mut u32,
    _: *mut usize,
) -> i32 {
    if what == 3 {
        QUESTIONS.fetch_add(1, Ordering::AcqRel);
    }
    // SAFETY: the caller's event and place.
    unsafe {
        *value = match what {
            3 => match (*event).status.load(Ordering::Acquire) {
                BY_THE_CLOCK if device_now() >= (*event).times[3].load(Ordering::Acquire) => 0,
                BY_THE_CLOCK => 2,
                status => status,
            },
            4 => (*event).references.load(Ordering::Acquire),
            _ => return 4,
        };
    }
    0
}

unsafe extern "C" fn event_get_times(
    event: *const UrEvent,
    what: u32,
    _: usize,
    value: *mut u64,
    _: *mut usize,
) -> i32 {
    // SAFETY: as above.
    unsafe {
        let times = &(*event).times;
        let Some(time) = times.get(what as usize) else { return 4 };
        let time = time.load(Ordering::Acquire);
        if time == u64::MAX {
            return 17;
        }
        *value = time;
    }
    0
}

unsafe extern "C" fn event_retain(event: *const UrEvent) -> i32 {
    // SAFETY: as above.
    unsafe { (*event).references.fetch_add(1, Ordering::AcqRel) };
    REFERENCES.fetch_add(1, Ordering::AcqRel);
    0
}

unsafe extern "C" fn event_release(event: *const UrEvent) -> i32 {
    // SAFETY: as above.
    let before = unsafe { (*event).references.fetch_sub(1, Ordering::AcqRel) };
    assert!(before > 0, "an event was released too often");
    REFERENCES.fetch_sub(1, Ordering::AcqRel);
    0
}

/// Device time at the host's zero in ns, and the excess speed of the device's clock in parts per billion.
static DEVICE_AHEAD_NS: AtomicU64 = AtomicU64::new(1_000_000_000_000);
static DEVICE_DRIFT_PPB: AtomicU64 = AtomicU64::new(0);

/// Sets the device's clock. By default, it is the host's a thousand seconds ahead.
#[unsafe(no_mangle)]
extern "C" fn fake_device_clock(ahead_ns: u64, drift_ppb: u64) {
    DEVICE_AHEAD_NS.store(ahead_ns, Ordering::Relaxed);
    DEVICE_DRIFT_PPB.store(drift_ppb, Ordering::Relaxed);
}

/// Delay from a reading of the device's clock to its answer, in ns.
static READING_TAKES_NS: AtomicU64 = AtomicU64::new(0);

#[unsafe(no_mangle)]
extern "C" fn fake_reading_takes(nanoseconds: u64) {
    READING_TAKES_NS.store(nanoseconds, Ordering::Relaxed);
}

#[unsafe(no_mangle)]
extern "C" fn fake_device_time(host_ns: u64) -> u64 {
    let drift = u128::from(host_ns) * u128::from(DEVICE_DRIFT_PPB.load(Ordering::Relaxed)) / 1_000_000_000;
    host_ns.wrapping_add(DEVICE_AHEAD_NS.load(Ordering::Relaxed)).wrapping_add(drift as u64)
}

/// Number of the subscriber's references to the device: it needs one before it queries the device.
static DEVICE_REFERENCES: AtomicU64 = AtomicU64::new(0);

extern "C" fn device_retain(_: u64) -> i32 {
    DEVICE_REFERENCES.fetch_add(1, Ordering::AcqRel);
    0
}

unsafe extern "C" fn device_times(_: u64, device: *mut u64, host: *mut u64) -> i32 {
    assert_ne!(DEVICE_REFERENCES.load(Ordering::Acquire), 0, "the device may be gone");
    READINGS.fetch_add(1, Ordering::AcqRel);
    let now = host_now();
    // SAFETY: the caller's places.
    unsafe {
        *host = now;
        *device = fake_device_time(now);
    }
    std::thread::sleep(std::time::Duration::from_nanos(READING_TAKES_NS.load(Ordering::Relaxed)));
    0
}

fn host_now() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: our own place.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

fn device_now() -> u64 {
    fake_device_time(host_now())
}

/// `urDeviceGetInfo`
unsafe extern "C" fn device_get_info(
    device: u64,
    what: u32,
    size: usize,
    value: *mut u8,
    needed: *mut usize,
) -> i32 {
    let bytes: &[u8] = match what {
        3 => &16_u32.to_ne_bytes(),
        0x2e => &(64_u64 << 30).to_ne_bytes(),
        0x42 => b"Fake Device\0",
        0x43 => b"Nobody\0",
        0x44 => b"1.2.3\0",
        _ => return 4,
    };
    assert_eq!(device, 0x2000, "the only device that there is");
    assert_ne!(DEVICE_REFERENCES.load(Ordering::Acquire), 0, "the device may be gone");
    // SAFETY: the caller passes null, or places for a size and for `size` bytes.
    unsafe {
        if !needed.is_null() {
            *needed = bytes.len();
        }
        if !value.is_null() {
            assert!(size >= bytes.len());
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), value, bytes.len());
        }
    }
    0
}

extern "C" fn not_for_subscribers() -> i32 {
    std::process::abort()
}

/// Creates an incomplete event with one reference. Times: queued, submitted, start, end; `u64::MAX` is "not available".
#[unsafe(no_mangle)]
extern "C" fn fake_event(queued: u64, submitted: u64, start: u64, end: u64) -> *const UrEvent {
    for (index, entry) in TABLE.iter().enumerate() {
        let function = match index {
            20 => event_get_info as *const () as usize,
            21 => event_get_times as *const () as usize,
            23 => event_retain as *const () as usize,
            24 => event_release as *const () as usize,
            232 => device_get_info as *const () as usize,
            233 => device_retain as *const () as usize,
            239 => device_times as *const () as usize,
            _ => not_for_subscribers as *const () as usize,
        };
        entry.store(function, Ordering::Relaxed);
    }
    REFERENCES.fetch_add(1, Ordering::AcqRel);
    Box::leak(Box::new(UrEvent {
        table: TABLE.as_ptr(),
        references: AtomicU32::new(1),
        status: AtomicU32::new(3),
        times: [queued, submitted, start, end].map(AtomicU64::new),
    }))
}

/// Status of an event that completes when the device's clock reaches its end.
const BY_THE_CLOCK: u32 = 100;

/// Sets the status of an event: complete (0), failed (4), or complete at its end (100).
#[unsafe(no_mangle)]
unsafe extern "C" fn fake_event_status(event: *const UrEvent, status: u32) {
    // SAFETY: from `fake_event`, never freed.
    unsafe { (*event).status.store(status, Ordering::Release) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fake_event_release(event: *const UrEvent) {
    // SAFETY: as above.
    unsafe { event_release(event) };
}

#[unsafe(no_mangle)]
extern "C" fn fake_questions() -> u64 {
    QUESTIONS.load(Ordering::Acquire)
}

/// Number of started readings of the device's clock.
#[unsafe(no_mangle)]
extern "C" fn fake_readings() -> u64 {
    READINGS.load(Ordering::Acquire)
}

#[unsafe(no_mangle)]
extern "C" fn fake_listeners(stream: u8, trace_type: u16) -> u64 {
    let callbacks = CALLBACKS.read().unwrap();
    callbacks.iter().filter(|known| known.0 == stream && known.1 == trace_type).count() as u64
}

#[unsafe(no_mangle)]
extern "C" fn fake_event_references() -> u64 {
    REFERENCES.load(Ordering::Acquire)
}

//! A small stand-in for CUPTI and for the adapter of the Unified Runtime that drives CUDA devices.
//!
//! It exports the functions that a subscriber calls (`cupti…`) and those that a program needs to play the driver
//! (`fake_…`). Words in `FAKE_CUPTI` change it:
//!
//! - `held`: another tool has subscribed.
//! - `taken`: another tool gets the records.
//! - `idless`: ids are not accepted.
//! - `old`: the version of CUDA 11.5.
//! - `refused`: the driver permits no records.
//! - `graphless`: no records of whole graphs.
//! - `slow`: a long delivery, with the newest records first.
//! - `busy`: the device's work ends at its stated times, so that buffers are held back as by CUPTI.
#![expect(unsafe_code, reason = "speaks the C interface that it stands in for")]

#[path = "support/work.rs"]
mod work;

use std::collections::VecDeque;
use std::ffi::{CStr, c_char, c_void};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

use work::Work;

type OnCall = extern "C" fn(*mut c_void, u32, u32, *const CallbackData);
type OnRequest = extern "C" fn(*mut *mut u8, *mut usize, *mut usize);
type OnComplete = extern "C" fn(*mut c_void, u32, *mut u8, usize, usize);

#[repr(C)]
struct CallbackData {
    site: u32,
    name: *const c_char,
    parameters: *const c_void,
    result: *const i32,
    symbol: *const c_char,
    context: *mut c_void,
    context_id: u32,
    correlation_data: *mut u64,
    correlation: u32,
}

struct State {
    on_call: Option<OnCall>,
    /// Driver functions whose calls the subscriber observes.
    seen: Vec<u32>,
    buffers: Option<(OnRequest, OnComplete)>,
    kinds: Vec<u32>,
    ids: Vec<u64>,
    records: VecDeque<Record>,
    flushes: u64,
    /// Buffer requested by the first work for the device.
    first: Option<Buffer>,
}

/// A buffer of the subscriber: address, size in bytes, maximum number of records.
struct Buffer(*mut u8, usize, usize);

// SAFETY: memory of this library alone.
unsafe impl Send for Buffer {}

impl Buffer {
    fn requested(request: OnRequest) -> Self {
        let (mut buffer, mut size, mut most) = (std::ptr::null_mut(), 0, 0);
        request(&mut buffer, &mut size, &mut most);
        Self(buffer, size, most)
    }
}

/// A record and the end of its work.
#[derive(Clone)]
struct Record {
    bytes: Vec<u8>,
    end: u64,
}

static STATE: Mutex<State> = Mutex::new(State {
    on_call: None,
    seen: Vec::new(),
    buffers: None,
    kinds: Vec::new(),
    ids: Vec::new(),
    records: VecDeque::new(),
    flushes: 0,
    first: None,
});
/// True once a slow delivery has begun.
static IS_SLOW: AtomicBool = AtomicBool::new(false);
/// True once the calls are over and their work was added.
static IS_PLAYED: AtomicBool = AtomicBool::new(false);
static CORRELATION: AtomicU32 = AtomicU32::new(0);

fn plays(what: &str) -> bool {
    std::env::var("FAKE_CUPTI").is_ok_and(|played| played.split(' ').any(|played| played == what))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuptiGetVersion(version: *mut u32) -> i32 {
    // SAFETY: the caller's place.
    unsafe { *version = if plays("old") { 16 } else { 28 } };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuptiGetResultString(result: i32, text: *mut *const c_char) -> i32 {
    let name = match result {
        39 => c"CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED",
        _ => c"CUPTI_ERROR_INSUFFICIENT_PRIVILEGES",
    };
    // SAFETY: the caller's place.
    unsafe { *text = name.as_ptr() };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuptiSubscribe(subscriber: *mut *mut c_void, on_call: OnCall, _: *mut c_void) -> i32 {
    let mut state = STATE.lock().unwrap();
    if plays("held") || state.on_call.is_some() {
        return 39;
    }
    state.on_call = Some(on_call);
    // SAFETY: the caller's place.
    unsafe { *subscriber = 0x5ab as *mut c_void };
    0
}

/// Subscribes as the adapter does after announcing the stream of its calls. Returns CUPTI's result.
#[unsafe(no_mangle)]
extern "C" fn fake_adapter_subscribes() -> i32 {
    extern "C" fn on_call(_: *mut c_void, _: u32, _: u32, _: *const CallbackData) {}
    let mut subscriber = std::ptr::null_mut();
    // SAFETY: our own function and place.
    unsafe { cuptiSubscribe(&mut subscriber, on_call, std::ptr::null_mut()) }
}

#[unsafe(no_mangle)]
extern "C" fn cuptiUnsubscribe(_: *mut c_void) -> i32 {
    STATE.lock().unwrap().on_call = None;
    0
}

/// Driver functions by number: those in scripts, and those that adapters call in addition.
const FUNCTIONS: [&CStr; 15] = [
    c"cuCtxGetCurrent",
    c"cuCtxSetCurrent",
    c"cuEventCreate",
    c"cuEventDestroy_v2",
    c"cuEventRecord",
    c"cuGraphLaunch",
    c"cuLaunchKernel",
    c"cuMemPrefetchAsync",
    c"cuMemcpyAsync",
    c"cuMemcpyDtoDAsync_v2",
    c"cuMemcpyDtoHAsync_v2",
    c"cuMemcpyHtoDAsync_v2",
    c"cuMemsetD2D32Async",
    c"cuMemsetD32Async",
    c"cuMemsetD8Async",
];

#[unsafe(no_mangle)]
unsafe extern "C" fn cuptiGetCallbackName(domain: u32, id: u32, name: *mut *const c_char) -> i32 {
    assert_eq!(domain, 1, "the driver's calls");
    // There is no function 0.
    let Some(function) = (id as usize).checked_sub(1).and_then(|at| FUNCTIONS.get(at)) else { return 1 };
    // SAFETY: the caller's place.
    unsafe { *name = function.as_ptr() };
    0
}

#[unsafe(no_mangle)]
extern "C" fn cuptiEnableCallback(enable: u32, subscriber: *mut c_void, domain: u32, id: u32) -> i32 {
    assert_eq!((subscriber as usize, domain), (0x5ab, 1), "the driver's calls, for the subscriber");
    assert_eq!(enable, 1, "nothing is switched off again");
    STATE.lock().unwrap().seen.push(id);
    0
}

#[unsafe(no_mangle)]
extern "C" fn cuptiActivityRegisterTimestampCallback(_: extern "C" fn() -> u64) -> i32 {
    0
}

#[unsafe(no_mangle)]
extern "C" fn cuptiActivityRegisterCallbacks(request: OnRequest, complete: OnComplete) -> i32 {
    if !plays("taken") {
        STATE.lock().unwrap().buffers = Some((request, complete));
    }
    0
}

#[unsafe(no_mangle)]
extern "C" fn cuptiActivityEnable(kind: u32) -> i32 {
    if plays("refused") || kind == GRAPH && plays("graphless") {
        return 35;
    }
    STATE.lock().unwrap().kinds.push(kind);
    0
}

#[unsafe(no_mangle)]
extern "C" fn cuptiActivityDisable(kind: u32) -> i32 {
    STATE.lock().unwrap().kinds.retain(|known| *known != kind);
    0
}

#[unsafe(no_mangle)]
extern "C" fn cuptiActivityPushExternalCorrelationId(kind: u32, id: u64) -> i32 {
    assert!((3..=5).contains(&kind), "a kind for tools of their own");
    if plays("idless") {
        return 1;
    }
    STATE.lock().unwrap().ids.push(id);
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuptiActivityPopExternalCorrelationId(_: u32, last: *mut u64) -> i32 {
    let Some(id) = STATE.lock().unwrap().ids.pop() else { return 18 };
    // SAFETY: the caller's place.
    unsafe { *last = id };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuptiActivityFlushAll(forced: u32) -> i32 {
    // The recorder concludes after a while that records are taken, or that a call of the driver belongs to no command:
    // not from calls that a busy machine has stopped in the middle.
    let is_concluded = plays("taken") || plays("idless");
    while forced == 0 && is_concluded && !IS_PLAYED.load(Ordering::Acquire) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let (buffers, records) = {
        let mut state = STATE.lock().unwrap();
        state.flushes += 1;
        (state.buffers, std::mem::take(&mut state.records))
    };
    let Some((request, complete)) = buffers.filter(|_| !records.is_empty()) else { return 0 };
    let mut records: Vec<Record> = records.into();
    if plays("slow") {
        records.reverse();
        if forced == 0 {
            // The program ends during this pause.
            IS_SLOW.store(true, Ordering::Release);
            std::thread::sleep(Duration::from_millis(300));
        }
    }
    let now = if plays("busy") { monotonic_ns() } else { u64::MAX };
    let mut held_back = VecDeque::new();
    while !records.is_empty() {
        let first = STATE.lock().unwrap().first.take();
        let Buffer(buffer, size, most) = first.unwrap_or_else(|| Buffer::requested(request));
        let (mut valid, mut count) = (0, 0);
        while let Some(next) = records.get(count)
            && valid + next.bytes.len() <= size
            && (most == 0 || count < most)
        {
            valid += next.bytes.len();
            count += 1;
        }
        let rest = records.split_off(count);
        let of_buffer = std::mem::replace(&mut records, rest);
        // A buffer with unfinished work is held back.
        if forced == 0 && of_buffer.iter().any(|record| record.end > now) {
            complete(std::ptr::null_mut(), 0, buffer, size, 0);
            held_back.extend(of_buffer);
            continue;
        }
        let mut place = 0;
        for Record { bytes, .. } in of_buffer.iter().filter(|record| record.end <= now) {
            // SAFETY: the buffer has space for the record.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.add(place), bytes.len()) };
            place += bytes.len();
        }
        complete(std::ptr::null_mut(), 0, buffer, size, place);
    }
    // Under one lock, because threads add records meanwhile.
    let mut state = STATE.lock().unwrap();
    held_back.append(&mut state.records);
    state.records = held_back;
    0
}

/// Returns the number of flushes.
#[unsafe(no_mangle)]
extern "C" fn fake_flushes() -> u64 {
    STATE.lock().unwrap().flushes
}

#[unsafe(no_mangle)]
extern "C" fn fake_is_slow() -> bool {
    IS_SLOW.load(Ordering::Acquire)
}

#[unsafe(no_mangle)]
extern "C" fn fake_is_played() {
    IS_PLAYED.store(true, Ordering::Release);
}

fn monotonic_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a valid place.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuptiActivityGetNextRecord(buffer: *mut u8, valid: usize, record: *mut *mut u8) -> i32 {
    // SAFETY: the caller's buffer and place, and records that this library laid there.
    unsafe {
        let next = if (*record).is_null() {
            buffer
        } else {
            (*record).add(size_of_kind((*record).cast::<u32>().read_unaligned()))
        };
        if next as usize >= buffer as usize + valid {
            return 12;
        }
        *record = next;
    }
    0
}

const KERNEL: u32 = 10;
const EXTERNAL: u32 = 39;
const DRIVER: u32 = 4;
const GRAPH: u32 = 51;

fn size_of_kind(kind: u32) -> usize {
    match kind {
        KERNEL => 208,
        EXTERNAL => 24,
        DRIVER => 40,
        GRAPH => 56,
        _ => 88,
    }
}

fn record(kind: u32, words: &[(usize, u64)], numbers: &[(usize, u32)]) -> Vec<u8> {
    let mut bytes = vec![0; size_of_kind(kind)];
    bytes[..4].copy_from_slice(&kind.to_ne_bytes());
    for (offset, word) in words {
        bytes[*offset..offset + 8].copy_from_slice(&word.to_ne_bytes());
    }
    for (offset, number) in numbers {
        bytes[*offset..offset + 4].copy_from_slice(&number.to_ne_bytes());
    }
    bytes
}

/// An adapter's table: the first word of each of its handles points to it.
#[unsafe(no_mangle)]
extern "C" fn fake_adapter() -> *const AtomicUsize {
    static TABLE: [AtomicUsize; 241] = [const { AtomicUsize::new(0) }; 241];
    TABLE.as_ptr()
}

/// Requests a buffer at the first work, as CUPTI does. The recorder takes this request, not the first delivered record,
/// as the sign that no other tool receives the records.
fn ask_for_the_first_buffer() {
    static IS_DONE: AtomicBool = AtomicBool::new(false);
    let buffers = {
        let state = STATE.lock().unwrap();
        state.buffers.filter(|_| !state.kinds.is_empty())
    };
    if let Some((request, _)) = buffers
        && !IS_DONE.swap(true, Ordering::Relaxed)
    {
        let buffer = Buffer::requested(request);
        STATE.lock().unwrap().first = Some(buffer);
    }
}

/// Plays a call of the driver; returns its correlation id.
#[unsafe(no_mangle)]
unsafe extern "C" fn fake_driver_call(name: *const c_char, parameters: *const c_void, result: i32) -> u32 {
    let correlation = CORRELATION.fetch_add(1, Ordering::Relaxed) + 1;
    // SAFETY: a NUL-terminated name.
    let called = unsafe { CStr::from_ptr(name) };
    if ![c"cuCtxGetCurrent", c"cuEventRecord"].contains(&called) {
        ask_for_the_first_buffer();
    }
    let on_call = {
        let mut state = STATE.lock().unwrap();
        if state.kinds.contains(&EXTERNAL)
            && let Some(id) = state.ids.last().copied()
        {
            let bytes = record(EXTERNAL, &[(8, id)], &[(4, 4), (16, correlation)]);
            state.records.push_back(Record { bytes, end: 0 });
        }
        state.on_call.filter(|_| !state.seen.is_empty())
    };
    let begin = monotonic_ns();
    let Some(on_call) = on_call else {
        let mut state = STATE.lock().unwrap();
        if state.kinds.contains(&DRIVER) {
            // CUPTI has its own thread numbers.
            let thread = std::process::id() ^ 0xa5a5;
            let times = [(8, begin), (16, monotonic_ns())];
            let bytes = record(DRIVER, &times, &[(24, std::process::id()), (28, thread), (32, correlation)]);
            state.records.push_back(Record { bytes, end: 0 });
        }
        return correlation;
    };
    let id =
        FUNCTIONS.iter().position(|function| *function == called).unwrap_or_else(|| panic!("{called:?}"));
    let id = id as u32 + 1;
    if !STATE.lock().unwrap().seen.contains(&id) {
        return correlation;
    }
    let mut data = CallbackData {
        site: 0,
        name,
        parameters,
        result: std::ptr::null(),
        symbol: std::ptr::null(),
        context: std::ptr::null_mut(),
        context_id: 1,
        correlation_data: std::ptr::null_mut(),
        correlation,
    };
    on_call(std::ptr::null_mut(), 1, id, &raw const data);
    (data.site, data.result) = (1, &raw const result);
    on_call(std::ptr::null_mut(), 1, id, &raw const data);
    correlation
}

/// Adds a record of the device's work, which the next flush delivers.
#[unsafe(no_mangle)]
unsafe extern "C" fn fake_work(work: *const Work) {
    // SAFETY: the caller's structure.
    let work = unsafe { &*work };
    let times = [(16, work.start), (24, work.end)];
    let made = if work.kind == KERNEL {
        let words = [times[0], times[1], (104, work.name as u64), (144, work.graph_node)];
        let numbers = [
            (44, 1),
            (48, work.stream),
            (52, 4),
            (56, 1),
            (60, 1),
            (64, 256),
            (68, 1),
            (72, 1),
            (92, work.correlation),
        ];
        record(KERNEL, &words, &numbers)
    } else {
        let words = [times[0], times[1], (8, work.bytes), (64, work.graph_node)];
        record(work.kind, &words, &[(4, work.copy_kind), (36, 1), (40, work.stream), (44, work.correlation)])
    };
    let mut state = STATE.lock().unwrap();
    if work.graph_node != 0 && state.kinds.contains(&GRAPH) {
        return add_to_graph(&mut state.records, work);
    }
    if state.kinds.contains(&work.kind) {
        state.records.push_back(Record { bytes: made, end: work.end });
    }
}

/// Adds a node's work to the record of its graph's execution.
fn add_to_graph(records: &mut VecDeque<Record>, work: &Work) {
    let correlation = work.correlation.to_ne_bytes();
    let is_of_graph =
        |record: &&mut Record| record.bytes[..4] == GRAPH.to_ne_bytes() && record.bytes[4..8] == correlation;
    if let Some(record) = records.iter_mut().find(is_of_graph) {
        let begun = u64::from_ne_bytes(record.bytes[8..16].try_into().unwrap());
        record.end = record.end.max(work.end);
        record.bytes[8..16].copy_from_slice(&begun.min(work.start).to_ne_bytes());
        record.bytes[16..24].copy_from_slice(&record.end.to_ne_bytes());
        return;
    }
    let numbers = [(4, work.correlation), (28, 7), (32, 1), (36, work.stream)];
    let bytes = self::record(GRAPH, &[(8, work.start), (16, work.end)], &numbers);
    records.push_back(Record { bytes, end: work.end });
}

//! Activity records: CUPTI's buffers, and the data copied from each record.
//!
//! A record's structure has a version, and new versions append fields. The fields read here are at the same offsets in
//! every version since CUDA 11.6; they were compared with the headers of CUDA 12.4, 12.9 and 13.5.
#![expect(unsafe_code, reason = "CUPTI's functions and structures")]

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::Matching;
use super::api::{OUR_IDS, kind};
use crate::buffer::{Kind, Producer};
use crate::record::device::{BY_TIME, WorkKind, detail_of};

pub(super) type OnRequest = extern "C" fn(*mut *mut u8, *mut usize, *mut usize);
pub(super) type OnComplete = extern "C" fn(*mut c_void, u32, *mut u8, usize, usize);
pub(super) type BufferCallbacks = (OnRequest, OnComplete);
pub(super) const CALLBACKS: BufferCallbacks = (on_request, on_complete);

/// CUPTI returns a buffer when everything in it has ended, and a kill loses the rest: a buffer is small if commands are
/// long. If they are short it is larger, because each buffer costs the program a call and, when full, locks of the
/// driver that a CUPTI thread takes.
const RECORDS_AT_LEAST: usize = 16;
const RECORDS_AT_MOST: usize = 128;
/// Target device time of a buffer's commands.
const BUFFER_NS: u64 = 2_000_000;
/// A kernel's record has 200 to 250 bytes.
const RECORD_BYTES: usize = 256;
const BUFFER_BYTES: usize = RECORDS_AT_MOST * RECORD_BYTES;
/// Longer names are truncated.
const NAME_BYTES: usize = 1024;

/// True once CUPTI has requested a buffer: it does so for the first record, unless it uses another tool's callbacks.
static HAS_ASKED: AtomicBool = AtomicBool::new(false);

/// True if a record has arrived, or could have.
pub(super) fn has_asked() -> bool {
    HAS_ASKED.load(Ordering::Relaxed)
}

/// Device time per record of the last buffer, in nanoseconds.
static NS_A_RECORD: AtomicU64 = AtomicU64::new(BUFFER_NS);

/// Returns the number of records per buffer for this device time per record.
fn fitting(ns_a_record: u64) -> usize {
    ((BUFFER_NS / ns_a_record.max(1)) as usize).clamp(RECORDS_AT_LEAST, RECORDS_AT_MOST)
}

extern "C" fn on_request(buffer: *mut *mut u8, size: *mut usize, records: *mut usize) {
    HAS_ASKED.store(true, Ordering::Relaxed);
    let place = take();
    // SAFETY: CUPTI's own places; a null pointer makes CUPTI drop records and count them.
    unsafe {
        buffer.write(place);
        size.write(if place.is_null() { 0 } else { BUFFER_BYTES });
        records.write(fitting(NS_A_RECORD.load(Ordering::Relaxed)));
    }
}

extern "C" fn on_complete(_context: *mut c_void, _stream: u32, buffer: *mut u8, _size: usize, valid: usize) {
    let _ = catch_unwind(AssertUnwindSafe(|| {
        let Some(cupti) = super::current() else { return };
        let mut record = std::ptr::null_mut();
        let mut pace = Pace::NONE;
        while valid > 0
            && let Some(next) = cupti.api.next_record(buffer, valid, record)
        {
            record = next;
            pace.add(Record(record));
            Producer::enter(cupti.host.buffers, |producer| Record(record).copy(cupti.matching, producer));
        }
        if let Some(ns) = pace.ns_a_record() {
            NS_A_RECORD.store(ns, Ordering::Relaxed);
        }
    }));
    keep(buffer);
}

/// Start and end of the device's work in a buffer.
struct Pace {
    start: u64,
    end: u64,
    records: u64,
}

impl Pace {
    const NONE: Self = Self { start: u64::MAX, end: 0, records: 0 };

    fn add(&mut self, record: Record) {
        let Some((start, end)) = record.layout().map(|layout| record.times(layout)) else { return };
        if start != 0 && end != 0 {
            *self = Self { start: self.start.min(start), end: self.end.max(end), records: self.records + 1 };
        }
    }

    fn ns_a_record(&self) -> Option<u64> {
        self.end.saturating_sub(self.start).checked_div(self.records)
    }
}

/// Buffers returned by CUPTI: reused by any thread, so that none waits for the allocator or for page faults.
static SPARE_BUFFERS: Mutex<Vec<SpareBuffer>> = Mutex::new(Vec::new());
/// Maximum number of spare buffers, 4 MiB: more than are returned at once with 300,000 short commands a second.
const MAX_SPARE_BUFFERS: usize = 128;

struct SpareBuffer(*mut u8);

// SAFETY: unused memory.
unsafe impl Send for SpareBuffer {}

/// Returns a buffer for CUPTI; null without memory. Never waits: on contention it calls the allocator.
fn take() -> *mut u8 {
    if let Some(SpareBuffer(buffer)) = SPARE_BUFFERS.try_lock().ok().and_then(|mut buffers| buffers.pop()) {
        return buffer;
    }
    // SAFETY: `malloc` aligns for anything.
    unsafe { libc::malloc(BUFFER_BYTES) }.cast()
}

fn keep(buffer: *mut u8) {
    if let Ok(mut buffers) = SPARE_BUFFERS.try_lock()
        && buffers.len() < MAX_SPARE_BUFFERS
    {
        buffers.push(SpareBuffer(buffer));
        return;
    }
    // SAFETY: from `take`; CUPTI has returned it.
    unsafe { libc::free(buffer.cast()) };
}

/// Offsets of the fields of a kind of record, in bytes.
struct Layout {
    kind: WorkKind,
    start: usize,
    end: usize,
    device: usize,
    context: usize,
    stream: usize,
    correlation: usize,
    bytes: Option<usize>,
    graph_node: Option<usize>,
}

static KERNEL: Layout = Layout {
    kind: WorkKind::Kernel,
    start: 16,
    end: 24,
    device: 40,
    context: 44,
    stream: 48,
    correlation: 92,
    bytes: None,
    graph_node: Some(144),
};
const GRID: usize = 52;
const NAME: usize = 104;
static COPY: Layout = Layout {
    kind: WorkKind::Copy,
    start: 16,
    end: 24,
    device: 32,
    context: 36,
    stream: 40,
    correlation: 44,
    bytes: Some(8),
    graph_node: Some(64),
};
const COPY_KIND: usize = 4;
static PEER_COPY: Layout = Layout { correlation: 60, graph_node: Some(72), ..COPY };
static FILL: Layout = Layout { kind: WorkKind::Fill, ..COPY };
/// It has the graph's id between device and context.
static GRAPH: Layout = Layout {
    kind: WorkKind::Graph,
    start: 8,
    end: 16,
    device: 24,
    context: 32,
    stream: 36,
    correlation: 4,
    bytes: None,
    graph_node: None,
};

#[derive(Clone, Copy)]
struct Record(*mut u8);

impl Record {
    fn number(self, offset: usize) -> u32 {
        // SAFETY: callers read within the record's structure.
        unsafe { self.0.add(offset).cast::<u32>().read_unaligned() }
    }

    fn word(self, offset: usize) -> u64 {
        // SAFETY: as above.
        unsafe { self.0.add(offset).cast::<u64>().read_unaligned() }
    }

    fn layout(self) -> Option<&'static Layout> {
        match self.number(0) {
            kind::CONCURRENT_KERNEL => Some(&KERNEL),
            kind::MEMCPY => Some(&COPY),
            kind::MEMCPY2 => Some(&PEER_COPY),
            kind::MEMSET => Some(&FILL),
            kind::GRAPH_TRACE => Some(&GRAPH),
            _ => None,
        }
    }

    /// Returns start and end; 0 for work that had not ended at the final delivery.
    fn times(self, layout: &Layout) -> (u64, u64) {
        (self.word(layout.start), self.word(layout.end))
    }

    fn copy(self, matching: Matching, producer: &Producer) {
        if let Some(layout) = self.layout() {
            return self.copy_work(layout, producer);
        }
        match self.number(0) {
            kind::EXTERNAL_CORRELATION if self.number(4) == OUR_IDS => {
                producer.write_even_paused(Kind::DeviceCall, 0, |entry| {
                    entry.word(self.number(16).into());
                    entry.word(self.word(8));
                });
            }
            kind::DRIVER if matching == Matching::Time => {
                producer.write_even_paused(Kind::DeviceCall, BY_TIME, |entry| {
                    entry.word(self.number(32).into());
                    entry.word(self.number(28).into());
                    entry.word(self.word(8));
                    entry.word(self.word(16));
                });
            }
            _ => {}
        }
    }

    fn copy_work(self, layout: &Layout, producer: &Producer) {
        let (start, end) = self.times(layout);
        if start == 0 || end == 0 {
            return;
        }
        // SAFETY: a byte of the record.
        let copy_kind = unsafe { *self.0.add(COPY_KIND) };
        let detail = detail_of(layout.kind, if layout.kind == WorkKind::Copy { copy_kind } else { 0 });
        producer.write_even_paused(Kind::DeviceWork, detail, |entry| {
            entry.word(start);
            entry.word(end);
            entry.word(self.number(layout.correlation).into());
            entry.word(u64::from(self.number(layout.device)) << 32 | u64::from(self.number(layout.stream)));
            entry.word(self.number(layout.context).into());
            entry.word(layout.graph_node.map_or(0, |node| self.word(node)));
            if layout.kind == WorkKind::Kernel {
                for axis in 0..3 {
                    let (blocks, threads) = (self.number(GRID + 4 * axis), self.number(GRID + 12 + 4 * axis));
                    entry.word(u64::from(blocks) << 32 | u64::from(threads));
                }
                entry.bytes(self.name());
            } else {
                entry.word(layout.bytes.map_or(0, |bytes| self.word(bytes)));
            }
        });
    }

    fn name<'a>(self) -> &'a [u8] {
        let name = self.word(NAME) as *const c_char;
        if name.is_null() {
            return &[];
        }
        // SAFETY: a NUL-terminated string that lives as long as the kernel's module, at least while the buffer is
        // handled.
        let name = unsafe { CStr::from_ptr(name) }.to_bytes();
        &name[..name.len().min(NAME_BYTES)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(times: impl IntoIterator<Item = (u64, u64)>) -> Pace {
        let mut pace = Pace::NONE;
        for (start, end) in times {
            let mut kernel = [0_u64; 32];
            kernel[0] = kind::CONCURRENT_KERNEL.into();
            (kernel[KERNEL.start / 8], kernel[KERNEL.end / 8]) = (start, end);
            pace.add(Record(kernel.as_mut_ptr().cast()));
        }
        pace
    }

    #[test]
    fn buffers_are_large_where_commands_are_short_and_small_where_they_are_long() {
        let of = |ns: u64| pace((1..=16).map(|at| (at * ns, (at + 1) * ns - 1)));
        let records = |pace: Pace| pace.ns_a_record().map(fitting);
        assert_eq!(records(of(10_000)), Some(RECORDS_AT_MOST));
        assert_eq!(records(of(50_000)), Some(40));
        assert_eq!(records(of(1_000_000)), Some(RECORDS_AT_LEAST));
        assert_eq!(records(pace([(0, 0)])), None, "what had not ended says nothing");
        assert_eq!(
            fitting(NS_A_RECORD.load(Ordering::Relaxed)),
            RECORDS_AT_LEAST,
            "before anything is known"
        );
    }
}

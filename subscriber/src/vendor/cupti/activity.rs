//! Activity records: CUPTI's buffers, and what is copied of each record.
//!
//! A record's structure has a version, and grows at its end from one to the next. What is read lies at the same place in
//! every version since CUDA 11.6; it was compared with the headers of CUDA 12.4, 12.9 and 13.5.
#![expect(unsafe_code, reason = "CUPTI's functions and structures")]

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use super::Way;
use super::api::{OUR_IDS, kind};
use crate::buffer::{Kind, Producer};
use crate::record::device::{BY_TIME, WorkKind, detail_of};

/// CUPTI asks for a buffer, and gives one back.
pub(super) type OnRequest = extern "C" fn(*mut *mut u8, *mut usize, *mut usize);
pub(super) type OnComplete = extern "C" fn(*mut c_void, u32, *mut u8, usize, usize);
pub(super) type BufferCallbacks = (OnRequest, OnComplete);
pub(super) const CALLBACKS: BufferCallbacks = (on_request, on_complete);

/// CUPTI gives a buffer back when everything in it has ended: a small one soon, even where a device is always busy. What it
/// still has is lost when the program is killed.
const BUFFER_BYTES: usize = 8 << 10;
/// A kernel's record has 200 to 300 bytes.
const BUFFER_RECORDS: usize = 16;
/// Longer names are cut.
const NAME_BYTES: usize = 1024;

/// CUPTI has asked for a buffer: it does with the first record, unless those of another tool are the ones that it asks.
static HAS_ASKED: AtomicBool = AtomicBool::new(false);

/// Whether any record has come to us, or could have.
pub(super) fn has_asked() -> bool {
    HAS_ASKED.load(Ordering::Relaxed)
}

extern "C" fn on_request(buffer: *mut *mut u8, size: *mut usize, records: *mut usize) {
    HAS_ASKED.store(true, Ordering::Relaxed);
    // SAFETY: CUPTI's own places. `malloc` aligns for anything; a null pointer makes CUPTI drop records and count them.
    unsafe {
        let place = libc::malloc(BUFFER_BYTES);
        buffer.write(place.cast());
        size.write(if place.is_null() { 0 } else { BUFFER_BYTES });
        records.write(BUFFER_RECORDS);
    }
}

extern "C" fn on_complete(_context: *mut c_void, _stream: u32, buffer: *mut u8, _size: usize, valid: usize) {
    let _ = catch_unwind(AssertUnwindSafe(|| {
        let Some(cupti) = super::current() else { return };
        let mut record = std::ptr::null_mut();
        while valid > 0
            && let Some(next) = cupti.api.next_record(buffer, valid, record)
        {
            record = next;
            Producer::enter(cupti.host.buffers, |producer| Record(record).copy(cupti.way, producer));
        }
    }));
    // SAFETY: from `on_request`; CUPTI has given it back.
    unsafe { libc::free(buffer.cast()) };
}

/// Where a record of a kind has what is read of it, in bytes from its begin.
struct Layout {
    kind: WorkKind,
    start: usize,
    end: usize,
    /// Device, context and stream, one behind the other.
    device: usize,
    correlation: usize,
    bytes: Option<usize>,
    graph_node: usize,
}

const KERNEL: Layout = Layout {
    kind: WorkKind::Kernel,
    start: 16,
    end: 24,
    device: 40,
    correlation: 92,
    bytes: None,
    graph_node: 144,
};
const GRID: usize = 52;
const NAME: usize = 104;
const COPY: Layout = Layout {
    kind: WorkKind::Copy,
    start: 16,
    end: 24,
    device: 32,
    correlation: 44,
    bytes: Some(8),
    graph_node: 64,
};
const COPY_KIND: usize = 4;
const PEER_COPY: Layout = Layout { correlation: 60, graph_node: 72, ..COPY };
const FILL: Layout = Layout { kind: WorkKind::Fill, ..COPY };

/// A record in CUPTI's buffer.
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

    fn copy(self, way: Way, producer: &Producer) {
        match self.number(0) {
            kind::CONCURRENT_KERNEL => self.copy_work(&KERNEL, producer),
            kind::MEMCPY => self.copy_work(&COPY, producer),
            kind::MEMCPY2 => self.copy_work(&PEER_COPY, producer),
            kind::MEMSET => self.copy_work(&FILL, producer),
            kind::EXTERNAL_CORRELATION if self.number(4) == OUR_IDS => {
                producer.write_even_paused(Kind::DeviceCall, 0, |entry| {
                    entry.word(self.number(16).into());
                    entry.word(self.word(8));
                });
            }
            kind::DRIVER if way == Way::ByTime => {
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
        let (start, end) = (self.word(layout.start), self.word(layout.end));
        // What had not ended when everything was delivered has no times.
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
            entry.word(
                u64::from(self.number(layout.device)) << 32 | u64::from(self.number(layout.device + 8)),
            );
            entry.word(self.number(layout.device + 4).into());
            entry.word(self.word(layout.graph_node));
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
        // SAFETY: a terminated string that lives as long as the kernel's module, at least while the buffer is handled.
        let name = unsafe { CStr::from_ptr(name) }.to_bytes();
        &name[..name.len().min(NAME_BYTES)]
    }
}

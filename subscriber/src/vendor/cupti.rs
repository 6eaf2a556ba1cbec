//! NVIDIA: activity records of CUPTI, the library that CUDA's own profilers stand on.
//!
//! A record says when a kernel, a copy or a fill really began and ended, on which stream, and by which call of the CUDA
//! driver it came about (its correlation id). Which call of the Unified Runtime that was in is found in one of three ways:
//!
//! - The recorder subscribes to the driver's calls before the adapter does, which then goes without: each call is seen on
//!   its thread, within the call of the Unified Runtime. Native calls are recorded on this way, too, at a tenth of what the
//!   adapter's reports of them cost.
//! - CUPTI has one subscriber only. Where another tool is that, the id of the call is pushed around it, and CUPTI itself
//!   writes a record of which driver's call had which id.
//! - Where it does not take ids, its records of the driver's calls have threads and times: those of the call of the Unified
//!   Runtime in which they were made.
//!
//! Nothing of CUPTI is needed to build: the library is looked for when a CUDA adapter is there.

mod activity;
mod api;
mod calls;
mod library;

use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, TryLockError};
use std::time::{Duration, Instant};

use super::{DeviceRecords, Host};
use crate::buffer::{Kind, Producer};
use crate::config::{Graphs, graphs};
use crate::record::device::{BY_TIME, TAKEN};
use crate::xpti::{Adapter, loaded};
use crate::{fault, os};
use api::Api;

/// Interval of fetching completed records.
const EVERY: Duration = Duration::from_millis(50);
/// Time that the end waits for a running delivery.
const END_WAITS: Duration = Duration::from_secs(2);
/// Time after the first work within which CUPTI asks for a buffer.
const ASKS_WITHIN_NS: u64 = 500_000_000;
/// CUDA 11.6: from here on records begin as they do today.
const OLDEST: u32 = 17;

pub(super) struct Cupti {
    api: Api,
    host: Host,
    process: u32,
    way: Way,
    /// When the first command that is work for a device had been put on a queue; 0 before.
    first_work_ns: AtomicU64,
    /// True if another tool gets the records.
    is_taken: AtomicBool,
    is_over: AtomicBool,
    /// Held while records are delivered.
    turn: Mutex<()>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// The driver's calls are ours to see.
    Seen,
    /// Ids are pushed around them.
    Pushed,
    /// CUPTI tells of their threads and times.
    ByTime,
}

static CUPTI: OnceLock<Cupti> = OnceLock::new();
static ADAPTER: Adapter = Adapter::new(b"libur_adapter_cuda");

#[inline]
pub(super) fn get() -> Option<&'static dyn DeviceRecords> {
    CUPTI.get().map(|cupti| cupti as &dyn DeviceRecords)
}

fn current() -> Option<&'static Cupti> {
    CUPTI.get()
}

/// Sets CUPTI up, once, if a CUDA adapter is there; true if it is.
pub(super) fn begin(host: Host, producer: &Producer) -> bool {
    const ADAPTERS: [&CStr; 2] = [c"libur_adapter_cuda.so.0", c"libur_adapter_cuda.so"];
    static DONE: AtomicBool = AtomicBool::new(false);
    if CUPTI.get().is_some() {
        return true;
    }
    if ADAPTERS.iter().all(|name| loaded(name).is_null()) || DONE.swap(true, Ordering::Relaxed) {
        return false;
    }
    let (cupti, words) = set_up(host);
    let source = match cupti.as_ref().map(|cupti| cupti.way) {
        None => 0,
        Some(Way::ByTime) => BY_TIME,
        Some(_) => 1,
    };
    producer.write_even_paused(Kind::DeviceSource, source, |entry| entry.bytes(words.as_bytes()));
    let Some(cupti) = cupti else { return false };
    let is_set = CUPTI.set(cupti).is_ok();
    let thread = std::thread::Builder::new().name("syclscope-gpu".to_owned()).stack_size(1 << 20);
    let _ = thread.spawn(deliver_now_and_then);
    is_set
}

/// Follows a stream of XPTI. An adapter that is about to send its calls of the driver subscribes to all of them next,
/// and each then costs it more than most commands do, whether or not anybody listens to that stream: where nobody
/// does, it finds the subscription taken.
pub(super) fn announced(stream: &CStr, wants: impl Fn(&str) -> bool) {
    const CALLS: [&str; 2] = ["sycl.experimental.cuda.call", "sycl.experimental.cuda.call.debug"];
    // Where calls of the Unified Runtime are recorded, `begin` has come before.
    let are_wanted = CALLS.iter().chain(&["ur.call", "ur.call.debug"]).any(|name| wants(name));
    static DONE: AtomicBool = AtomicBool::new(false);
    if are_wanted || stream.to_str() != Ok(CALLS[0]) || DONE.swap(true, Ordering::Relaxed) {
        return;
    }
    if let Some(api) = library::candidates().into_iter().find_map(|path| Api::load(&path)) {
        // Refused, another tool has it: then the adapter gets none either.
        let _ = api.subscribe(calls::on_call);
    }
}

/// Sets CUPTI up if it is there and agrees; returns the outcome in words for the recording.
fn set_up(host: Host) -> (Option<Cupti>, String) {
    let why = |what: &str| format!("the runtime's events, because {what}");
    let Some((api, path)) =
        library::candidates().into_iter().find_map(|path| Some((Api::load(&path)?, path)))
    else {
        return (None, why("no libcupti.so was found"));
    };
    let path = path.to_string_lossy();
    let version = api.version();
    if version < OLDEST {
        return (None, why(&format!("{path} is older than that of CUDA 11.6")));
    }
    let subscribed = api.subscribe(calls::on_call);
    let begun = api.begin_records(activity::CALLBACKS).and_then(|()| match subscribed {
        Ok(()) => api
            .see_calls(|id, name| calls::wants(id, name, host.wants_native))
            .map(|()| (Way::Seen, "driver calls are seen".to_owned())),
        Err(refusal) => match api.record_ids() {
            Ok(()) => Ok((Way::Pushed, format!("call ids are pushed, because {refusal}"))),
            Err(other) => api.record_calls().map(|()| {
                (
                    Way::ByTime,
                    format!("driver calls are found by thread and time, because {refusal} and {other}"),
                )
            }),
        },
    });
    match begun {
        Ok((way, words)) => {
            let graphs = match graphs() {
                Graphs::Nodes => String::new(),
                Graphs::Whole => match api.record_graphs_whole() {
                    Ok(()) => "; command graphs as wholes".to_owned(),
                    Err(refusal) => format!("; nodes of command graphs, because {refusal}"),
                },
            };
            let words = format!("CUPTI (API {version}, {path}); {words}{graphs}");
            let process = std::process::id();
            (
                Some(Cupti {
                    api,
                    host,
                    process,
                    way,
                    first_work_ns: AtomicU64::new(0),
                    is_taken: AtomicBool::new(false),
                    is_over: AtomicBool::new(false),
                    turn: Mutex::new(()),
                }),
                words,
            )
        }
        Err(refusal) => {
            if host.wants_native {
                // The adapter is to tell of them.
                api.unsubscribe();
            }
            (None, why(&format!("CUPTI ({path}) refuses: {refusal}")))
        }
    }
}

fn deliver_now_and_then() {
    os::block_signals();
    while let Some(cupti) = current().filter(|cupti| !cupti.is_over.load(Ordering::Relaxed)) {
        cupti.deliver(false);
        std::thread::sleep(EVERY);
    }
}

impl Cupti {
    /// Notes whether another tool gets the records. CUPTI has one tool's callbacks for buffers, and agrees to
    /// everything of a second one, to which it then gives nothing. `asked_ns` is the moment by which it was asked for
    /// all that it had.
    fn look_whether_taken(&self, is_end: bool, asked_ns: u64) {
        let first_work_ns = self.first_work_ns.load(Ordering::Relaxed);
        if first_work_ns == 0 || activity::has_asked() || self.is_taken.load(Ordering::Relaxed) {
            return;
        }
        if !is_end && asked_ns < first_work_ns + ASKS_WITHIN_NS {
            return;
        }
        self.is_taken.store(true, Ordering::Relaxed);
        const WORDS: &str = "the runtime's events for queues made from now on, because another tool in the program \
                             gets CUPTI's records";
        Producer::enter(self.host.buffers, |producer| {
            producer.write_even_paused(Kind::DeviceSource, TAKEN, |entry| entry.bytes(WORDS.as_bytes()));
        });
    }
}

impl DeviceRecords for Cupti {
    #[inline]
    fn tell_of(&self, handle: u64) -> bool {
        ADAPTER.has(handle) && !self.is_taken.load(Ordering::Relaxed)
    }

    #[inline]
    fn command_begins(&self, instance: u64) {
        calls::set_within(instance);
        if self.way == Way::Pushed {
            self.api.push(instance);
        }
    }

    #[inline]
    fn command_ends(&self, has_worked: bool) -> bool {
        // Not what the queue is now: the records may have been given up meanwhile.
        if calls::set_within(0) == 0 {
            return false;
        }
        if self.way == Way::Pushed {
            self.api.pop();
        }
        if has_worked && self.first_work_ns.load(Ordering::Relaxed) == 0 {
            self.first_work_ns.store(os::monotonic_ns(), Ordering::Relaxed);
        }
        true
    }

    fn deliver(&self, is_end: bool) {
        // A forked child has none of the threads that CUPTI has made.
        if self.process != std::process::id() {
            return;
        }
        if is_end {
            self.is_over.store(true, Ordering::Relaxed);
        }
        // At the end what another thread is delivering must be there, too; but nobody waits for ever.
        let until = Instant::now() + if is_end { END_WAITS } else { Duration::ZERO };
        let turn = loop {
            match self.turn.try_lock() {
                Err(TryLockError::WouldBlock) if Instant::now() < until || is_end && fault::is_patient() => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                turn => break turn,
            }
        };
        let asked_ns = os::monotonic_ns();
        self.api.flush(is_end);
        drop(turn);
        self.look_whether_taken(is_end, asked_ns);
    }
}

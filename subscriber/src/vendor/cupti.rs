//! NVIDIA: activity records of CUPTI, the library behind CUDA's own profilers.
//!
//! A record has the actual start and end of a kernel, a copy or a fill, its stream, and the call of the CUDA driver
//! that caused it (its correlation id). The enclosing call of the Unified Runtime is found in one of three ways:
//!
//! - The recorder subscribes to the driver's calls before the adapter, whose own subscription then fails: each call is
//!   seen on its thread, within the call of the Unified Runtime. Native calls are also recorded this way, at a tenth of
//!   the cost of the adapter's reports.
//! - CUPTI allows one subscriber only. If another tool is subscribed, the id of the call is pushed around it, and CUPTI
//!   itself records the id of each driver call.
//! - If CUPTI does not accept ids, its records of the driver's calls have threads and times, which are matched with
//!   those of the calls of the Unified Runtime.
//!
//! CUPTI is not needed to build: the library is searched for when a CUDA adapter is loaded.

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
/// Maximum wait at the end of the recording for a running delivery.
const END_WAITS: Duration = Duration::from_secs(2);
/// Time after the first work within which CUPTI requests a buffer.
const ASKS_WITHIN_NS: u64 = 500_000_000;
/// CUDA 11.6: since then records start with today's fields.
const OLDEST: u32 = 17;

pub(super) struct Cupti {
    api: Api,
    host: Host,
    process: u32,
    matching: Matching,
    /// Time when the first command with device work had been enqueued; 0 before.
    first_work_ns: AtomicU64,
    /// True if another tool receives the records.
    is_taken: AtomicBool,
    is_over: AtomicBool,
    /// Locked while records are delivered.
    turn: Mutex<()>,
}

/// Matching of driver calls with calls of the Unified Runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Matching {
    /// The recorder is subscribed to the driver's calls.
    Callback,
    /// Ids are pushed around calls.
    PushedId,
    /// CUPTI reports their threads and times.
    Time,
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

/// Sets CUPTI up, once, if a CUDA adapter is loaded; true if it is.
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
    let source = match cupti.as_ref().map(|cupti| cupti.matching) {
        None => 0,
        Some(Matching::Time) => BY_TIME,
        Some(_) => 1,
    };
    producer.write_even_paused(Kind::DeviceSource, source, |entry| entry.bytes(words.as_bytes()));
    let Some(cupti) = cupti else { return false };
    let is_set = CUPTI.set(cupti).is_ok();
    let thread = std::thread::Builder::new().name("syclscope-gpu".to_owned()).stack_size(1 << 20);
    let _ = thread.spawn(deliver_now_and_then);
    is_set
}

/// Handles a stream of XPTI. After announcing a stream of driver calls, an adapter subscribes to all of them. Each call
/// then costs it more than most commands do, even if the stream has no subscriber. In that case the recorder takes the
/// only subscription first.
pub(super) fn announced(stream: &CStr, wants: impl Fn(&str) -> bool) {
    const CALLS: [&str; 2] = ["sycl.experimental.cuda.call", "sycl.experimental.cuda.debug"];
    // If calls of the Unified Runtime are recorded, `begin` was called before.
    let are_wanted = CALLS.iter().chain(&["ur.call", "ur.call.debug"]).any(|name| wants(name));
    static DONE: AtomicBool = AtomicBool::new(false);
    if are_wanted || stream.to_str() != Ok(CALLS[0]) || DONE.swap(true, Ordering::Relaxed) {
        return;
    }
    if let Some(api) = library::candidates().into_iter().find_map(|path| Api::load(&path)) {
        // If it fails, another tool is subscribed: then the adapter can't subscribe either.
        let _ = api.subscribe(calls::on_call);
    }
}

/// Sets CUPTI up if it is available; returns the outcome as text for the recording.
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
            .map(|()| (Matching::Callback, "driver calls matched by callback".to_owned())),
        Err(refusal) => match api.record_ids() {
            Ok(()) => {
                Ok((Matching::PushedId, format!("driver calls matched by pushed ids, because {refusal}")))
            }
            Err(other) => api.record_calls().map(|()| {
                (
                    Matching::Time,
                    format!("driver calls matched by thread and time, because {refusal} and {other}"),
                )
            }),
        },
    });
    match begun {
        Ok((matching, words)) => {
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
                    matching,
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
                // Leaves their reporting to the adapter.
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
    /// Notes whether another tool receives the records. CUPTI keeps one tool's callbacks for buffers, and accepts a
    /// second tool's calls without ever giving it records. `asked_ns` is the time of the request for all records.
    fn check_taken(&self, is_end: bool, asked_ns: u64) {
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
    fn covers(&self, handle: u64) -> bool {
        ADAPTER.has(handle) && !self.is_taken.load(Ordering::Relaxed)
    }

    #[inline]
    fn command_begins(&self, instance: u64) {
        calls::set_within(instance);
        if self.matching == Matching::PushedId {
            self.api.push(instance);
        }
    }

    #[inline]
    fn command_ends(&self, has_worked: bool) -> bool {
        // The queue's present state doesn't matter: the records may have been given up meanwhile.
        if calls::set_within(0) == 0 {
            return false;
        }
        if self.matching == Matching::PushedId {
            self.api.pop();
        }
        if has_worked && self.first_work_ns.load(Ordering::Relaxed) == 0 {
            self.first_work_ns.store(os::monotonic_ns(), Ordering::Relaxed);
        }
        true
    }

    fn deliver(&self, is_end: bool) {
        // A forked child lacks CUPTI's threads.
        if self.process != std::process::id() {
            return;
        }
        if is_end {
            self.is_over.store(true, Ordering::Relaxed);
        }
        // At the end another thread's delivery must be complete, too; but the wait is limited.
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
        self.check_taken(is_end, asked_ns);
    }
}

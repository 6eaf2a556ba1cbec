//! Events that neither format can express, as records: category, name, source location and facts. The table below
//! converts events to records and back.

mod fact;

use super::keys::{Keys, RECORDING_KEYS};
use super::{FORMAT_VERSION, RECORDING};
pub(crate) use fact::{Facts, location_of, split_facts};
use fact::{address, flag, id, int, kind, optional, pointer, small, sparse, text, uint, with_facts};
use syclscope_language::event::{
    Accessor, Allocation, Args, CommandGraph, Device, DeviceClock, Dropped, Edge, Event, Fact, Flow,
    GraphChange, GraphCommand, GraphRun, MemoryObject, NativeHandle, NativeHandleRelease, Node,
    ObjectBinding, ObjectDestroy, Pause, Process, Queue, Release, Sample, SourceFile, SourceLocation,
    StackFrame, TrackOrder, Untimed, Value,
};
use syclscope_language::time::Timestamp;

/// An event in a form that both formats can express.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    /// Kind of event, as `sycl.…`.
    pub(crate) category: &'static str,
    pub(crate) name: &'a str,
    pub(crate) at: Timestamp,
    pub(crate) location: SourceLocation<'a>,
    pub(crate) facts: &'a [(&'static str, Value<'a>)],
    pub(crate) keys: Keys,
    pub(crate) args: Args<'a>,
}

/// A record without its arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordHead<'a> {
    pub(crate) category: &'a str,
    pub(crate) name: &'a str,
    pub(crate) at: Timestamp,
    pub(crate) location: SourceLocation<'a>,
}

/// The table of records: an event's category and name, and its facts in file order, each with the pair of functions in
/// [`fact`] that writes and reads it. The brackets list the event's other fields: a `name` of its own, a `location`,
/// recorded `args`.
macro_rules! records {
    ($($category:literal $name:literal $event:ident { $($fact:ident: $codec:ident),* $(,)? } [$($part:ident)*])*) => {
        /// Calls `write` with the record of `event`; returns `None` for events that the formats can express.
        pub(crate) fn with_record<R>(event: &Event<'_>, write: impl FnOnce(&Record<'_>) -> R) -> Option<R> {
            match event {
                $(Event::$event(event) => {
                    const KEYS: Keys = Keys::new(&[$(stringify!($fact),)* "function", "file", "line", "column"]);
                    let named = Record { name: $name, ..empty($category) };
                    let record = Record { at: event.at, keys: KEYS, $($part: event.$part,)* ..named };
                    Some(with_facts([$($codec::put(stringify!($fact), event.$fact)),*], |facts| {
                        write(&Record { facts, ..record })
                    }))
                })*
                Event::Process(process) => Some(write_process(process, write)),
                Event::QueueDestroy { at, queue } => Some(write(&Record {
                    name: "queue destroyed",
                    at: *at,
                    facts: &[("queue", Value::Uint(*queue))],
                    ..empty("sycl.queue_destroy")
                })),
                Event::Finish { at } => {
                    Some(write(&Record { name: "recording finished", at: *at, ..empty("sycl.finish") }))
                }
                Event::PartEnd { at } => {
                    Some(write(&Record { name: "part ended", at: *at, ..empty("sycl.part_end") }))
                }
                Event::Track(_)
                | Event::SliceBegin(_)
                | Event::SliceEnd(_)
                | Event::Instant(_)
                | Event::Execution(_)
                | Event::Counter(_) => None,
            }
        }

        /// Calls `take` with the event of a record; returns `None` for an unknown category or missing facts.
        pub(crate) fn event_of_record<'a, R>(
            head: RecordHead<'a>,
            args: &mut [(&'a str, Value<'a>)],
            take: impl FnOnce(&Event<'_>, &Facts<'_, '_>) -> R,
        ) -> Option<R> {
            let RecordHead { category, name, at, location } = head;
            let (facts, args) = split_facts(args, keys_of(category)?);
            let parts = Parts { name, location: location_of(location, &facts), args };
            let event = match category {
                $($category => Event::$event($event {
                    at,
                    $($fact: $codec::get(&facts, stringify!($fact))?,)*
                    $($part: parts.$part,)*
                }),)*
                RECORDING => Event::Process(read_process(&facts)),
                "sycl.queue_destroy" => Event::QueueDestroy { at, queue: facts.number("queue")? },
                "sycl.part_end" => Event::PartEnd { at },
                _ => Event::Finish { at },
            };
            Some(take(&event, &facts))
        }

        fn keys_of(category: &str) -> Option<Keys> {
            Some(match category {
                $($category => const { Keys::new(&[$(stringify!($fact),)* "function", "file", "line", "column"]) },)*
                RECORDING => RECORDING_KEYS,
                "sycl.queue_destroy" => const { Keys::new(&["queue"]) },
                "sycl.finish" | "sycl.part_end" => const { Keys::new(&[]) },
                _ => return None,
            })
        }
    };
}

records! {
    "sycl.queue" "queue created" Queue {
        queue: id, runtime_id: uint, handle: pointer, order: kind, device: text, device_type: text,
        device_handle: pointer, context: pointer,
    } []
    "sycl.node" "" Node { node: id, kind: kind, tid: small, queue: optional } [name location args]
    "sycl.edge" "edge" Edge {
        source: id, target: id, reason: kind, access_mode: text, memory_object: pointer,
    } []
    "sycl.allocation" "allocation" Allocation {
        pointer: address, size_bytes: uint, kind: kind, guard_bytes: sparse, device: text, tid: small,
    } [location]
    "sycl.release" "release" Release { pointer: address, tid: small } []
    "sycl.dropped" "events dropped" Dropped { kind: text, count: uint } []
    "sycl.device" "" Device {
        device: id, handle: pointer, device_type: text, platform: text, driver: text,
    } [name args]
    "sycl.device_clock" "device clock" DeviceClock {
        device_handle: pointer, pairs: uint, offset_ns: int, drift_ppb: int, residual_ns: uint,
    } []
    "sycl.fact" "" Fact { kind: kind, value: text } [name]
    "sycl.source_file" "" SourceFile { state: kind, sha256: text, size_bytes: uint, text: text } [name]
    "sycl.pause" "pause" Pause { is_paused: flag, reason: text } []
    "sycl.memory_object" "memory object" MemoryObject {
        object: id, kind: kind, address: pointer, host_pointer: pointer, element_type: text,
        element_size_bytes: sparse, dimensions: small, range_0: sparse, range_1: sparse, range_2: sparse, tid: small,
    } [location args]
    "sycl.object_binding" "memory of an object" ObjectBinding { object: id, handle: pointer, is_bound: flag } []
    "sycl.object_destroy" "memory object destroyed" ObjectDestroy { object: id } []
    "sycl.accessor" "accessor" Accessor {
        object: id, address: pointer, target: text, mode: text, node: optional, tid: small,
    } [location args]
    "sycl.command_graph" "command graph" CommandGraph {
        graph: id, group: uint, handle: pointer, device_handle: pointer, is_in_order: flag, is_updatable: flag,
        tid: small,
    } [location args]
    "sycl.graph_command" "command appended" GraphCommand {
        graph: id, position: uint, node: id, sync_point: optional,
    } []
    "sycl.graph_change" "command graph changed" GraphChange { graph: id, change: kind } [args]
    "sycl.graph_run" "command graph executed" GraphRun { graph: id, node: id } []
    "sycl.untimed" "no device times" Untimed { node: id, reason: kind } []
    "sycl.native_handle" "native handle" NativeHandle {
        object: text, handle: pointer, native: pointer, direction: kind, ownership: kind, tid: small,
    } [location]
    "sycl.native_handle_release" "native handle released" NativeHandleRelease {
        object: text, handle: pointer, tid: small,
    } []
    "sycl.flow" "" Flow { flow: id, track: id, step: kind, binding: kind } [name]
    "sycl.stack_frame" "frame" StackFrame {
        frame: id, caller: optional, kind: kind, is_inlined: flag, module: text, offset: sparse,
    } [location]
    "sycl.sample" "sample" Sample {
        track: id, stack: optional, period_ns: uint, missed: sparse, is_blocked: flag, system_call: optional,
    } []
    "sycl.track_order" "track order" TrackOrder { track: id, rank: int } []
}

struct Parts<'b, 'a> {
    name: &'a str,
    location: SourceLocation<'a>,
    args: Args<'b>,
}

fn empty(category: &'static str) -> Record<'static> {
    let location = SourceLocation::default();
    Record { category, name: "", at: Timestamp::ZERO, location, facts: &[], keys: Keys::new(&[]), args: &[] }
}

fn write_process<R>(process: &Process<'_>, write: impl FnOnce(&Record<'_>) -> R) -> R {
    let facts = [
        uint::put("format", FORMAT_VERSION),
        small::put("pid", process.pid),
        text::put("process_name", process.name),
        text::put("command_line", process.command_line),
        text::put("host", process.host),
        uint::put("start_unix_ns", process.start_unix_ns),
        uint::put("start_monotonic_ns", process.start_monotonic_ns),
        optional::put("start_ns", Some(process.start_ns).filter(|start| *start > 0)),
        text::put("recorder", process.recorder),
        optional::put("rank", process.rank.map(u64::from)),
        optional::put("rank_count", process.rank_count.map(u64::from)),
        optional::put("local_rank", process.local_rank.map(u64::from)),
        // Older readers end a record's facts at the first that they don't know.
        optional::put("from_ns", process.from_ns),
    ];
    with_facts(facts, |facts| {
        write(&Record { name: "recording", facts, keys: RECORDING_KEYS, ..empty(RECORDING) })
    })
}

fn read_process<'a>(facts: &Facts<'_, 'a>) -> Process<'a> {
    Process {
        pid: facts.small("pid"),
        name: facts.text("process_name"),
        command_line: facts.text("command_line"),
        host: facts.text("host"),
        start_unix_ns: facts.number("start_unix_ns").unwrap_or_default(),
        start_monotonic_ns: facts.number("start_monotonic_ns").unwrap_or_default(),
        start_ns: facts.number("start_ns").unwrap_or_default(),
        from_ns: facts.number("from_ns"),
        recorder: facts.text("recorder"),
        rank: facts.small_or_none("rank"),
        rank_count: facts.small_or_none("rank_count"),
        local_rank: facts.small_or_none("local_rank"),
    }
}

pub(crate) fn is_record(category: &str) -> bool {
    keys_of(category).is_some()
}

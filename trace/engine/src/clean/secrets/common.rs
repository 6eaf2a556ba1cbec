//! Words that the files of every program contain: the formats' own, and those that answers depend on.

use rustc_hash::FxHashSet;
use syclscope_language::contents::ContentKind;
use syclscope_language::event::{
    Accessor, Allocation, AllocationKind, Category, CommandGraph, CounterSample, Device, DeviceClock,
    Dropped, Edge, EdgeReason, Event, Execution, Fact, FactKind, Flow, FlowBinding, FlowStep, FrameKind,
    GraphChange, GraphChangeKind, GraphCommand, GraphRun, HandleDirection, Instant, MemoryObject,
    NativeHandle, NativeHandleRelease, NoTime, Node, NodeKind, ObjectBinding, ObjectDestroy, ObjectKind,
    Ownership, Pause, Process, Queue, QueueOrder, Release, Sample, SliceBegin, SliceEnd, SourceFile,
    SourceLocation, SourceState, StackFrame, Track, TrackKind, TrackOrder, Untimed, Value,
};
use syclscope_language::time::Timestamp;

use crate::export::{Exporter, chrome_json, perfetto};
use crate::privacy_scan::words;

/// Words of the runtime in fields that queries evaluate.
const VOCABULARY: &str = "read write read_write discard_write discard_read_write atomic device host_task host_buffer \
                          constant_buffer full_buffer local image host_image host_accessor signal program start_after \
                          CPU GPU ACC HOST Host event sync_point in_order application_graph free alignedAlloc \
                          alignedAllocHost";

pub(super) struct Common {
    /// The bytes of both formats.
    written: String,
    words: FxHashSet<String>,
}

impl Common {
    pub(super) fn new() -> Self {
        let prefixes = ContentKind::ALL.iter().map(|kind| kind.prefix());
        let more: Vec<&str> = words::ORDINARY.iter().copied().chain(prefixes).chain([VOCABULARY]).collect();
        let json = written(chrome_json::Writer::new()) + &more.join(" ");
        let words = json.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect();
        let perfetto = written(perfetto::Writer::new());
        Self { written: json + &perfetto, words }
    }

    /// True if every file contains the text: anywhere if `is_long`, else as a word.
    pub(super) fn holds(&self, text: &str, is_long: bool) -> bool {
        // Arguments with the name of a fact get this prefix.
        let text = text.strip_prefix("arg.").unwrap_or(text);
        if is_long { self.written.contains(text) } else { self.words.contains(text) }
    }
}

/// Returns a recording with every event and every word of the closed sets, and without any other text.
fn written(mut writer: impl Exporter) -> String {
    let at = Timestamp(0);
    let location = SourceLocation { function: "\n", file: "\n", line: 1, column: 1 };
    let args: &[(&str, Value<'_>)] = &[("\n", Value::Float(f64::NAN)), ("\n", Value::Bool(true))];
    let (node, track, name) = (Some(1), 1, "\n");
    let mut tell = |event: Event<'_>| writer.event(&event);
    tell(Event::Process(Process {
        recorder: concat!("syclscope ", env!("CARGO_PKG_VERSION")),
        from_ns: Some(1),
        ..Process::default()
    }));
    for (number, kind) in (1..).zip(TrackKind::ALL) {
        tell(Event::Track(Track { track: number, parent: None, kind: *kind, name, tid: 1 }));
    }
    for order in QueueOrder::ALL {
        let (device, device_type) = (name, name);
        let (queue, runtime_id, handle, device_handle, context) = (1, 1, 1, 1, 1);
        let order = *order;
        tell(Event::Queue(Queue {
            queue,
            at,
            runtime_id,
            handle,
            order,
            device,
            device_type,
            device_handle,
            context,
        }));
    }
    for category in Category::ALL {
        let category = *category;
        tell(Event::SliceBegin(SliceBegin { track, at, category, name, node, location, args }));
        tell(Event::SliceEnd(SliceEnd { track, at, args }));
        tell(Event::Instant(Instant { track, at, category, name, node, location, args }));
    }
    for kind in NodeKind::ALL {
        let (kind, queue, tid) = (*kind, Some(1), 1);
        tell(Event::Node(Node { node: 1, at, kind, name, queue, tid, location, args }));
        let (queued, submitted) = (Some(at), Some(at));
        tell(Event::Execution(Execution {
            node: 1,
            queue: 1,
            kind,
            name,
            queued,
            submitted,
            start: at,
            end: at,
            args,
        }));
    }
    for reason in EdgeReason::ALL {
        let (reason, access_mode, memory_object) = (*reason, name, 1);
        tell(Event::Edge(Edge { at, source: 1, target: 2, reason, access_mode, memory_object }));
    }
    for kind in AllocationKind::ALL {
        let (kind, guard_bytes, device, tid, size_bytes) = (*kind, 1, name, 1, 1);
        tell(Event::Allocation(Allocation {
            at,
            pointer: 1,
            size_bytes,
            kind,
            guard_bytes,
            device,
            tid,
            location,
        }));
        tell(Event::Release(Release { at, pointer: 1, tid }));
    }
    tell(Event::Counter(CounterSample { track: 5, at, value: 1.0 }));
    tell(Event::Dropped(Dropped { at, kind: name, count: 1 }));
    tell(Event::Device(Device { device: 1, handle: 1, args, ..Device::default() }));
    tell(Event::DeviceClock(DeviceClock::default()));
    for kind in FactKind::ALL {
        tell(Event::Fact(Fact { at, kind: *kind, name, value: name }));
    }
    for state in SourceState::ALL {
        tell(Event::SourceFile(SourceFile { state: *state, size_bytes: 1, ..SourceFile::default() }));
    }
    tell(Event::Pause(Pause::default()));
    for kind in ObjectKind::ALL {
        tell(Event::MemoryObject(MemoryObject { kind: *kind, location, args, ..MemoryObject::default() }));
    }
    tell(Event::ObjectBinding(ObjectBinding::default()));
    tell(Event::ObjectDestroy(ObjectDestroy::default()));
    tell(Event::Accessor(Accessor { node, location, args, ..Accessor::default() }));
    tell(Event::CommandGraph(CommandGraph { location, args, ..CommandGraph::default() }));
    tell(Event::GraphCommand(GraphCommand { sync_point: Some(1), ..GraphCommand::default() }));
    for change in GraphChangeKind::ALL {
        tell(Event::GraphChange(GraphChange { change: *change, args, ..GraphChange::default() }));
    }
    tell(Event::GraphRun(GraphRun::default()));
    for reason in NoTime::ALL {
        tell(Event::Untimed(Untimed { reason: *reason, ..Untimed::default() }));
    }
    for direction in HandleDirection::ALL {
        for ownership in Ownership::ALL {
            let (direction, ownership) = (*direction, *ownership);
            tell(Event::NativeHandle(NativeHandle {
                direction,
                ownership,
                location,
                ..NativeHandle::default()
            }));
        }
    }
    tell(Event::NativeHandleRelease(NativeHandleRelease::default()));
    for binding in FlowBinding::ALL {
        for step in FlowStep::ALL {
            tell(Event::Flow(Flow { at, flow: 1, track, step: *step, binding: *binding, name }));
        }
    }
    for kind in FrameKind::ALL {
        tell(Event::StackFrame(StackFrame {
            kind: *kind,
            location,
            offset: 1,
            caller: Some(1),
            ..StackFrame::default()
        }));
    }
    tell(Event::Sample(Sample {
        at,
        track,
        stack: Some(1),
        period_ns: 1,
        missed: 1,
        is_blocked: true,
        system_call: Some(1),
    }));
    tell(Event::TrackOrder(TrackOrder { at, track, rank: 1 }));
    tell(Event::QueueDestroy { at, queue: 1 });
    tell(Event::PartEnd { at });
    tell(Event::Finish { at });
    writer.finish();
    String::from_utf8_lossy(&writer.take_bytes()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_formats_are_common_and_names_are_not() {
        let common = Common::new();
        for word in ["kernel", "start_monotonic_ns", "sycl.memory_object", "thread_name", "monotonic"] {
            assert!(common.holds(word, true), "{word}");
        }
        for word in ["node", "main", "read", "queue"] {
            assert!(common.holds(word, false), "{word}");
        }
        for name in ["anna", "gemm", "li", "ern", "ost"] {
            assert!(!common.holds(name, false), "{name}");
        }
        assert!(!common.holds("node17.example", true));
    }
}

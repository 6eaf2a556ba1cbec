//! Events that neither format has a word for, as records: category, name, place and facts. One function makes
//! the record of an event, one the event of a record.

use super::keys::{
    ALLOCATION_KEYS, DROPPED_KEYS, EDGE_KEYS, NODE_KEYS, QUEUE_KEYS, RECORDING_KEYS, RELEASE_KEYS,
};
use super::{FORMAT_VERSION, RECORDING};
use crate::event::{
    Allocation, AllocationKind, Args, Dropped, Edge, EdgeReason, Event, Node, NodeKind, Process, Queue,
    QueueOrder, Release, SourceLocation, Value,
};
use crate::time::Timestamp;

/// An event in the shape that both formats can hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    /// `sycl.…`, names the kind of event.
    pub(crate) category: &'static str,
    /// Shown name.
    pub(crate) name: &'a str,
    /// When.
    pub(crate) at: Timestamp,
    /// Source code that caused it.
    pub(crate) location: SourceLocation<'a>,
    /// The event's own facts.
    pub(crate) facts: &'a [(&'static str, Value<'a>)],
    /// Keys that belong to facts.
    pub(crate) keys: &'static [&'static str],
    /// Recorded arguments.
    pub(crate) args: Args<'a>,
}

/// Hands the record of `event` to `write`; `None` for events that the formats have a word for.
pub(crate) fn with_record<R>(event: &Event<'_>, write: impl FnOnce(&Record<'_>) -> R) -> Option<R> {
    use Value::{Pointer, Str, Uint};
    let mut record = Record {
        category: "",
        name: "",
        at: Timestamp::ZERO,
        location: SourceLocation::default(),
        facts: &[],
        keys: &[],
        args: &[],
    };
    // A macro, since the facts' array must outlive the call but not the arm.
    macro_rules! record {
        ($category:expr, $name:expr, $at:expr, $keys:expr, [$($fact:expr),* $(,)?]) => {{
            record.category = $category;
            record.name = $name;
            record.at = $at;
            record.keys = $keys;
            Some(write(&Record { facts: &[$($fact),*], ..record }))
        }};
    }
    match event {
        Event::Process(process) => record!(
            RECORDING,
            "recording",
            Timestamp::ZERO,
            RECORDING_KEYS,
            [
                ("format", Uint(FORMAT_VERSION)),
                ("pid", Uint(process.pid.into())),
                ("process_name", Str(process.name)),
                ("command_line", Str(process.command_line)),
                ("host", Str(process.host)),
                ("start_unix_ns", Uint(process.start_unix_ns)),
                ("start_monotonic_ns", Uint(process.start_monotonic_ns)),
                ("recorder", Str(process.recorder)),
            ]
        ),
        Event::Queue(queue) => record!(
            "sycl.queue",
            "queue created",
            queue.at,
            QUEUE_KEYS,
            [
                ("queue", Uint(queue.queue)),
                ("runtime_id", Uint(queue.runtime_id)),
                ("handle", Pointer(queue.handle)),
                ("order", Str(queue.order.as_str())),
                ("device", Str(queue.device)),
                ("device_type", Str(queue.device_type)),
                ("device_handle", Pointer(queue.device_handle)),
                ("context", Pointer(queue.context)),
            ]
        ),
        Event::QueueDestroy { at, queue } => {
            record!("sycl.queue_destroy", "queue destroyed", *at, QUEUE_KEYS, [("queue", Uint(*queue))])
        }
        Event::Node(node) => {
            record.location = node.location;
            record.args = node.args;
            let facts = [
                ("node", Uint(node.node)),
                ("kind", Str(node.kind.as_str())),
                ("tid", Uint(node.tid.into())),
                ("queue", Uint(node.queue.unwrap_or_default())),
            ];
            let facts = if node.queue.is_some() { &facts[..] } else { &facts[..3] };
            let (name, at, keys) = (node.name, node.at, NODE_KEYS);
            Some(write(&Record { category: "sycl.node", name, at, facts, keys, ..record }))
        }
        Event::Edge(edge) => record!(
            "sycl.edge",
            "edge",
            edge.at,
            EDGE_KEYS,
            [
                ("source", Uint(edge.source)),
                ("target", Uint(edge.target)),
                ("reason", Str(edge.reason.as_str())),
                ("access_mode", Str(edge.access_mode)),
                ("memory_object", Pointer(edge.memory_object)),
            ]
        ),
        Event::Allocation(allocation) => {
            record.location = allocation.location;
            record!(
                "sycl.allocation",
                "allocation",
                allocation.at,
                ALLOCATION_KEYS,
                [
                    ("pointer", Pointer(allocation.pointer)),
                    ("size_bytes", Uint(allocation.size_bytes)),
                    ("kind", Str(allocation.kind.as_str())),
                    ("device", Str(allocation.device)),
                    ("tid", Uint(allocation.tid.into())),
                ]
            )
        }
        Event::Release(release) => record!(
            "sycl.release",
            "release",
            release.at,
            RELEASE_KEYS,
            [("pointer", Pointer(release.pointer)), ("tid", Uint(release.tid.into())),]
        ),
        Event::Dropped(dropped) => record!(
            "sycl.dropped",
            "events dropped",
            dropped.at,
            DROPPED_KEYS,
            [("kind", Str(dropped.kind)), ("count", Uint(dropped.count)),]
        ),
        Event::Finish { at } => record!("sycl.finish", "recording finished", *at, &[], []),
        Event::Track(_)
        | Event::SliceBegin(_)
        | Event::SliceEnd(_)
        | Event::Instant(_)
        | Event::Execution(_)
        | Event::Counter(_) => None,
    }
}

/// The facts that the arguments of a record, slice or execution start with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts<'b, 'a>(&'b [(&'a str, Value<'a>)]);

impl<'a> Facts<'_, 'a> {
    fn get(&self, key: &str) -> Option<Value<'a>> {
        self.0.iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
    }

    /// A number, or `None` if the fact is not there.
    pub(crate) fn number(&self, key: &str) -> Option<u64> {
        match self.get(key)? {
            Value::Uint(number) | Value::Pointer(number) => Some(number),
            Value::Int(number) => u64::try_from(number).ok(),
            _ => None,
        }
    }

    /// A small number, 0 if the fact is not there or too large.
    pub(crate) fn small(&self, key: &str) -> u32 {
        self.number(key).and_then(|number| u32::try_from(number).ok()).unwrap_or_default()
    }

    /// A text, empty if the fact is not there.
    pub(crate) fn text(&self, key: &str) -> &'a str {
        match self.get(key) {
            Some(Value::Str(text)) => text,
            _ => "",
        }
    }
}

/// Splits arguments into leading facts (keys in `keys`) and recorded arguments, whose keys are unescaped.
pub(crate) fn split_facts<'b, 'a>(
    args: &'b mut [(&'a str, Value<'a>)],
    keys: &[&str],
) -> (Facts<'b, 'a>, Args<'b>)
where
    'a: 'b,
{
    let facts = args.iter().take_while(|(key, _)| keys.contains(key)).count();
    for (key, _) in &mut args[facts..] {
        *key = super::unescape_key(key);
    }
    let (facts, args) = args.split_at(facts);
    (Facts(facts), args)
}

/// The source location that facts give, for what a format does not hold itself.
pub(crate) fn location_of<'a>(known: SourceLocation<'a>, facts: &Facts<'_, 'a>) -> SourceLocation<'a> {
    if known == SourceLocation::default() {
        return SourceLocation {
            function: facts.text("function"),
            file: facts.text("file"),
            line: facts.small("line"),
            column: facts.small("column"),
        };
    }
    SourceLocation { column: facts.small("column"), ..known }
}

/// What a record is, beside its arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordHead<'a> {
    pub(crate) category: &'a str,
    pub(crate) name: &'a str,
    pub(crate) at: Timestamp,
    pub(crate) location: SourceLocation<'a>,
}

/// Hands the event of a record to `take`; `None` for a category that is not known or facts that are missing.
pub(crate) fn event_of_record<'a, R>(
    head: RecordHead<'a>,
    args: &mut [(&'a str, Value<'a>)],
    take: impl FnOnce(&Event<'_>, &Facts<'_, '_>) -> R,
) -> Option<R> {
    let RecordHead { category, name, at, location } = head;
    let keys = keys_of(category)?;
    let (facts, args) = split_facts(args, keys);
    let event = match category {
        RECORDING => Event::Process(Process {
            pid: facts.small("pid"),
            name: facts.text("process_name"),
            command_line: facts.text("command_line"),
            host: facts.text("host"),
            start_unix_ns: facts.number("start_unix_ns").unwrap_or_default(),
            start_monotonic_ns: facts.number("start_monotonic_ns").unwrap_or_default(),
            recorder: facts.text("recorder"),
        }),
        "sycl.queue" => Event::Queue(Queue {
            queue: facts.number("queue")?,
            at,
            runtime_id: facts.number("runtime_id").unwrap_or_default(),
            handle: facts.number("handle").unwrap_or_default(),
            order: QueueOrder::from_text(facts.text("order")),
            device: facts.text("device"),
            device_type: facts.text("device_type"),
            device_handle: facts.number("device_handle").unwrap_or_default(),
            context: facts.number("context").unwrap_or_default(),
        }),
        "sycl.queue_destroy" => Event::QueueDestroy { at, queue: facts.number("queue")? },
        "sycl.node" => Event::Node(Node {
            node: facts.number("node")?,
            at,
            kind: NodeKind::from_text(facts.text("kind")),
            name,
            queue: facts.number("queue"),
            tid: facts.small("tid"),
            location: location_of(location, &facts),
            args,
        }),
        "sycl.edge" => Event::Edge(Edge {
            at,
            source: facts.number("source")?,
            target: facts.number("target")?,
            reason: EdgeReason::from_text(facts.text("reason")),
            access_mode: facts.text("access_mode"),
            memory_object: facts.number("memory_object").unwrap_or_default(),
        }),
        "sycl.allocation" => Event::Allocation(Allocation {
            at,
            pointer: facts.number("pointer")?,
            size_bytes: facts.number("size_bytes").unwrap_or_default(),
            kind: AllocationKind::from_text(facts.text("kind")),
            device: facts.text("device"),
            tid: facts.small("tid"),
            location: location_of(location, &facts),
        }),
        "sycl.release" => {
            Event::Release(Release { at, pointer: facts.number("pointer")?, tid: facts.small("tid") })
        }
        "sycl.dropped" => Event::Dropped(Dropped {
            at,
            kind: facts.text("kind"),
            count: facts.number("count").unwrap_or_default(),
        }),
        _ => Event::Finish { at },
    };
    Some(take(&event, &facts))
}

/// Whether a category is that of a record.
pub(crate) fn is_record(category: &str) -> bool {
    keys_of(category).is_some()
}

fn keys_of(category: &str) -> Option<&'static [&'static str]> {
    Some(match category {
        RECORDING => RECORDING_KEYS,
        "sycl.queue" | "sycl.queue_destroy" => QUEUE_KEYS,
        "sycl.node" => NODE_KEYS,
        "sycl.edge" => EDGE_KEYS,
        "sycl.allocation" => ALLOCATION_KEYS,
        "sycl.release" => RELEASE_KEYS,
        "sycl.dropped" => DROPPED_KEYS,
        "sycl.finish" => &[],
        _ => return None,
    })
}

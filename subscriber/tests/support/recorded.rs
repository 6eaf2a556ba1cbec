//! A recording, read back into owned values for tests.

use std::collections::HashMap;
use std::path::Path;

use syclscope_language::event::{
    AllocationKind, Args, Category, EdgeReason, Event, EventSink, NoTime, NodeKind, QueueOrder, TrackKind,
};

#[derive(Debug, Default)]
pub(crate) struct Recorded {
    pub(crate) pid: u32,
    pub(crate) start_monotonic_ns: u64,
    /// Operating system's ids of threads by track.
    pub(crate) threads: HashMap<u64, u32>,
    pub(crate) thread_names: Vec<String>,
    pub(crate) queues: Vec<Queue>,
    pub(crate) queues_destroyed: Vec<u64>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) slices: Vec<Slice>,
    pub(crate) instants: Vec<(Category, String)>,
    pub(crate) executions: Vec<Execution>,
    pub(crate) allocations: Vec<Allocation>,
    pub(crate) releases: Vec<u64>,
    /// Changes of memory in the order of the file: kind, pointer and thread.
    pub(crate) memory: Vec<(MemoryChange, u64, u32)>,
    pub(crate) dropped: Vec<(String, u64)>,
    /// Commands without device times, with the reason.
    pub(crate) untimed: Vec<(u64, NoTime)>,
    pub(crate) is_finished: bool,
    /// Pauses (true) and resumptions, each with its reason.
    pub(crate) pauses: Vec<(bool, String)>,
    pub(crate) facts: Vec<(String, String)>,
    pub(crate) stream_tracks: Vec<StreamTrack>,
    /// Number of samples of threads by the functions of their stacks.
    pub(crate) sampled: HashMap<String, usize>,
    /// Callers and functions of frames by number.
    frames: HashMap<u64, (Option<u64>, String)>,
    /// Samples of counters by the name of their track.
    counters: HashMap<String, Vec<f64>>,
    counter_names: HashMap<u64, String>,
    /// Open slices by track: positions in `slices`.
    open: HashMap<u64, Vec<usize>>,
}

#[derive(Debug)]
pub(crate) struct StreamTrack {
    pub(crate) track: u64,
    pub(crate) parent: Option<u64>,
    pub(crate) name: String,
}

#[derive(Debug)]
pub(crate) struct Queue {
    pub(crate) queue: u64,
    pub(crate) runtime_id: u64,
    pub(crate) order: QueueOrder,
    pub(crate) device: String,
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) node: u64,
    pub(crate) at: u64,
    pub(crate) kind: NodeKind,
    pub(crate) name: String,
    pub(crate) queue: Option<u64>,
    pub(crate) tid: u32,
    pub(crate) function: String,
    pub(crate) file: String,
    pub(crate) line: u32,
    args: Vec<(String, String)>,
}

#[derive(Debug)]
pub(crate) struct Edge {
    pub(crate) source: u64,
    pub(crate) target: u64,
    pub(crate) reason: EdgeReason,
    pub(crate) access_mode: String,
    pub(crate) memory_object: u64,
}

#[derive(Debug)]
pub(crate) struct Slice {
    pub(crate) track: u64,
    pub(crate) category: Category,
    pub(crate) name: String,
    pub(crate) node: Option<u64>,
    /// Function, file and line.
    pub(crate) place: (String, String, u32),
    pub(crate) begin: u64,
    pub(crate) end: Option<u64>,
    args: Vec<(String, String)>,
}

#[derive(Debug)]
pub(crate) struct Execution {
    pub(crate) node: u64,
    pub(crate) queue: u64,
    pub(crate) kind: NodeKind,
    pub(crate) queued: Option<u64>,
    pub(crate) start: u64,
    pub(crate) end: u64,
    args: Vec<(String, String)>,
}

#[derive(Debug)]
pub(crate) struct Allocation {
    pub(crate) pointer: u64,
    pub(crate) size_bytes: u64,
    pub(crate) kind: AllocationKind,
    pub(crate) line: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemoryChange {
    Allocated,
    Released,
}

/// Discards all events.
pub(crate) struct Nothing;

impl EventSink for Nothing {
    fn event(&mut self, _: &Event<'_>) {}
}

impl Recorded {
    pub(crate) fn read(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut recorded = Self::default();
        let report = syclscope_engine::import::read(&bytes, &mut recorded);
        report.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        recorded
    }

    /// Reads a file that is being written; `None` if it is not yet readable.
    pub(crate) fn so_far(path: &Path) -> Option<Self> {
        let mut recorded = Self::default();
        syclscope_engine::import::read(&std::fs::read(path).ok()?, &mut recorded).ok()?;
        Some(recorded)
    }

    pub(crate) fn slices_of(&self, category: Category) -> impl Iterator<Item = &Slice> {
        self.slices.iter().filter(move |slice| slice.category == category)
    }

    pub(crate) fn instants_of(&self, category: Category) -> impl Iterator<Item = &str> {
        self.instants.iter().filter(move |(known, _)| *known == category).map(|(_, name)| name.as_str())
    }

    pub(crate) fn counters_of(&self, begin: &'static str) -> impl Iterator<Item = (&String, &Vec<f64>)> {
        self.counters.iter().filter(move |(name, _)| name.starts_with(begin))
    }

    pub(crate) fn counter(&self, name: &str) -> &[f64] {
        self.counters.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the value of a fact, empty if there is none.
    pub(crate) fn fact(&self, name: &str) -> &str {
        self.facts.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    pub(crate) fn facts(&self, name: &str) -> Vec<&str> {
        let of_name = self.facts.iter().filter(|(known, _)| known == name);
        of_name.map(|(_, value)| value.as_str()).collect()
    }

    pub(crate) fn dropped(&self, kind: &str) -> u64 {
        self.dropped.iter().filter(|(known, _)| known == kind).map(|(_, count)| count).sum()
    }

    pub(crate) fn node(&self, node: u64) -> &Node {
        self.nodes.iter().find(|known| known.node == node).unwrap()
    }

    pub(crate) fn thread(&self, track: u64) -> u32 {
        self.threads[&track]
    }
}

macro_rules! with_args {
    ($($name:ident),+) => {$(
        impl $name {
            /// Returns an argument in Rust's notation; empty if it is missing.
            pub(crate) fn arg(&self, key: &str) -> &str {
                self.args.iter().find(|(known, _)| known == key).map_or("", |(_, value)| value)
            }
        }
    )+};
}

with_args!(Node, Slice, Execution);

fn owned(args: Args<'_>) -> Vec<(String, String)> {
    args.iter().map(|(key, value)| ((*key).to_owned(), format!("{value:?}"))).collect()
}

impl EventSink for Recorded {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Process(process) => {
                (self.pid, self.start_monotonic_ns) = (process.pid, process.start_monotonic_ns);
            }
            Event::Track(track) if track.kind == TrackKind::Thread => {
                self.threads.insert(track.track, track.tid);
                self.thread_names.push(track.name.to_owned());
            }
            Event::Track(track) if track.kind == TrackKind::Counter => {
                self.counter_names.insert(track.track, track.name.to_owned());
            }
            Event::Counter(sample) => {
                let name = self.counter_names.get(&sample.track).cloned().unwrap_or_default();
                self.counters.entry(name).or_default().push(sample.value);
            }
            Event::Track(track) if track.kind == TrackKind::Stream => self.stream_tracks.push(StreamTrack {
                track: track.track,
                parent: track.parent,
                name: track.name.to_owned(),
            }),
            Event::Queue(queue) => self.queues.push(Queue {
                queue: queue.queue,
                runtime_id: queue.runtime_id,
                order: queue.order,
                device: queue.device.to_owned(),
            }),
            Event::QueueDestroy { queue, .. } => self.queues_destroyed.push(*queue),
            Event::SliceBegin(slice) => {
                self.open.entry(slice.track).or_default().push(self.slices.len());
                self.slices.push(Slice {
                    track: slice.track,
                    category: slice.category,
                    name: slice.name.to_owned(),
                    node: slice.node,
                    place: (
                        slice.location.function.to_owned(),
                        slice.location.file.to_owned(),
                        slice.location.line,
                    ),
                    begin: slice.at.0,
                    end: None,
                    args: owned(slice.args),
                });
            }
            Event::SliceEnd(end) => {
                let slice = self.open.get_mut(&end.track).and_then(Vec::pop).expect("an end has a begin");
                let slice = &mut self.slices[slice];
                slice.end = Some(end.at.0);
                slice.args.extend(owned(end.args));
            }
            Event::Instant(instant) => self.instants.push((instant.category, instant.name.to_owned())),
            Event::Node(node) => self.nodes.push(Node {
                node: node.node,
                at: node.at.0,
                kind: node.kind,
                name: node.name.to_owned(),
                queue: node.queue,
                tid: node.tid,
                function: node.location.function.to_owned(),
                file: node.location.file.to_owned(),
                line: node.location.line,
                args: owned(node.args),
            }),
            Event::Edge(edge) => self.edges.push(Edge {
                source: edge.source,
                target: edge.target,
                reason: edge.reason,
                access_mode: edge.access_mode.to_owned(),
                memory_object: edge.memory_object,
            }),
            Event::Execution(execution) => self.executions.push(Execution {
                node: execution.node,
                queue: execution.queue,
                kind: execution.kind,
                queued: execution.queued.map(|at| at.0),
                start: execution.start.0,
                end: execution.end.0,
                args: owned(execution.args),
            }),
            Event::Allocation(memory) => {
                self.memory.push((MemoryChange::Allocated, memory.pointer, memory.tid));
                self.allocations.push(Allocation {
                    pointer: memory.pointer,
                    size_bytes: memory.size_bytes,
                    kind: memory.kind,
                    line: memory.location.line,
                });
            }
            Event::Release(release) => {
                self.memory.push((MemoryChange::Released, release.pointer, release.tid));
                self.releases.push(release.pointer);
            }
            Event::Dropped(dropped) => self.dropped.push((dropped.kind.to_owned(), dropped.count)),
            Event::Untimed(untimed) => self.untimed.push((untimed.node, untimed.reason)),
            Event::Finish { .. } | Event::PartEnd { .. } => self.is_finished = true,
            Event::StackFrame(frame) => {
                self.frames.insert(frame.frame, (frame.caller, frame.location.function.to_owned()));
            }
            Event::Sample(sample) => {
                let mut next = sample.stack;
                while let Some((caller, function)) = next.and_then(|frame| self.frames.get(&frame)) {
                    // Removes the path and the hash.
                    let name = function.rsplit("::").find(|part| !is_hash(part)).unwrap_or_default();
                    *self.sampled.entry(name.to_owned()).or_default() += 1;
                    next = *caller;
                }
            }
            Event::Pause(pause) => self.pauses.push((pause.is_paused, pause.reason.to_owned())),
            Event::Fact(fact) => self.facts.push((fact.name.to_owned(), fact.value.to_owned())),
            _ => {}
        }
    }
}

/// True for the hash at the end of a mangled Rust symbol.
fn is_hash(part: &str) -> bool {
    part.len() == 17 && part.starts_with('h') && part[1..].bytes().all(|byte| byte.is_ascii_hexdigit())
}

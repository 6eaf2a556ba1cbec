//! State that a file repeats when it starts in the middle of a recording.
//!
//! Events that stay valid are encoded a second time, into memory. When a file starts they are decoded, and those that
//! are no longer valid are removed.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use syclscope_engine::export::{Exporter as _, perfetto};
use syclscope_engine::import;
use syclscope_language::event::{
    Accessor, Category, Event, EventSink, GraphChangeKind, HandleDirection, Instant, NodeKind, Process,
    SliceBegin, SliceEnd, SourceLocation, Value,
};
use syclscope_language::time::Timestamp;

/// Number of newest nodes that later events may refer to.
const RECENT_NODES: u64 = 512;
/// Least number of newest nodes whose device times may still arrive, and bytes of a file for each further one.
const MIN_PENDING_NODES: u64 = 8192;
const BYTES_PER_PENDING_NODE: u64 = 2048;

#[derive(Default)]
pub(crate) struct RotationState {
    writer: Option<Box<perfetto::Writer>>,
    bytes: Vec<u8>,
    /// Open slices by track, the outermost first.
    open: BTreeMap<u64, Vec<OpenSlice>>,
    /// Commands that may still be executed.
    pending: BTreeSet<u64>,
    newest_node: u64,
    /// The last node in closed files. A new file repeats only some of the nodes up to it.
    oldest_node: u64,
    repeated: BTreeSet<u64>,
}

struct OpenSlice {
    category: Category,
    name: String,
    node: Option<u64>,
    place: (String, String, u32, u32),
}

impl RotationState {
    pub(crate) fn remember(&mut self, event: &Event<'_>) {
        match event {
            Event::SliceBegin(slice) => {
                let SourceLocation { function, file, line, column } = slice.location;
                self.open.entry(slice.track).or_default().push(OpenSlice {
                    category: slice.category,
                    name: slice.name.to_owned(),
                    node: slice.node,
                    place: (function.to_owned(), file.to_owned(), line, column),
                });
            }
            Event::SliceEnd(end) => {
                self.open.get_mut(&end.track).and_then(Vec::pop);
            }
            Event::Execution(execution) => {
                self.pending.remove(&execution.node);
            }
            Event::Untimed(untimed) => {
                self.pending.remove(&untimed.node);
            }
            Event::Node(node) => {
                self.newest_node = self.newest_node.max(node.node);
                // Without a vendor's records, a run of a command graph has no execution.
                let has_no_time = node.args.iter().any(|(key, _)| *key == "device_time");
                if is_executed(node.kind) && !has_no_time {
                    self.pending.insert(node.node);
                }
                self.encode(event);
            }
            Event::Accessor(Accessor { node: Some(_), .. }) => self.encode(event),
            Event::Instant(_)
            | Event::Dropped(_)
            | Event::Accessor(_)
            | Event::Sample(_)
            | Event::Finish { .. } => {}
            _ => self.encode(event),
        }
    }

    fn encode(&mut self, event: &Event<'_>) {
        self.writer.get_or_insert_with(|| Box::new(perfetto::Writer::new())).event(event);
    }

    /// True if an event can't be written because its node is in a closed file.
    pub(crate) fn misses_node(&self, event: &Event<'_>) -> bool {
        match event {
            Event::Edge(edge) => self.is_missing(edge.source) || self.is_missing(edge.target),
            Event::Execution(execution) => self.is_missing(execution.node),
            Event::Untimed(untimed) => self.is_missing(untimed.node),
            _ => false,
        }
    }

    /// Returns an event without its node if that is in a closed file: device work arrives seconds after its command,
    /// and a wait may be for an old one.
    pub(crate) fn with_known_node<'a>(&self, event: &Event<'a>) -> Event<'a> {
        let known = |node: Option<u64>| node.filter(|node| !self.is_missing(*node));
        match *event {
            Event::SliceBegin(slice) => Event::SliceBegin(SliceBegin { node: known(slice.node), ..slice }),
            Event::Instant(instant) => Event::Instant(Instant { node: known(instant.node), ..instant }),
            Event::Accessor(accessor) => Event::Accessor(Accessor { node: known(accessor.node), ..accessor }),
            other => other,
        }
    }

    fn is_missing(&self, node: u64) -> bool {
        node <= self.oldest_node && !self.repeated.contains(&node)
    }

    pub(crate) fn ends(&self, at: Timestamp) -> Vec<SliceEnd<'static>> {
        let tracks = self.open.iter().flat_map(|(track, open)| open.iter().map(move |_| *track));
        tracks.map(|track| SliceEnd { track, at, args: &[] }).collect()
    }

    pub(crate) fn repeat(
        &mut self,
        at: Timestamp,
        half_bytes: u64,
        write: &mut (dyn FnMut(&Event<'_>) + Send),
    ) {
        if let Some(mut writer) = self.writer.take() {
            writer.drain_into(&mut self.bytes);
        }
        let bytes = std::mem::take(&mut self.bytes);
        self.oldest_node = self.newest_node;
        let most = MIN_PENDING_NODES.max(half_bytes / BYTES_PER_PENDING_NODE);
        let pending = self.newest_node.saturating_sub(most);
        self.pending = self.pending.split_off(&pending);
        self.repeated.clear();
        let recent = self.newest_node.saturating_sub(RECENT_NODES);

        let mut truth = Truth::default();
        let _ = import::read(&bytes, &mut truth);
        let mut index = 0;
        let _ = import::read(
            &bytes,
            &mut Each(|event: &Event<'_>| {
                let is_true = match event {
                    Event::Node(node) => {
                        let is_wanted = node.node > recent
                            || self.pending.contains(&node.node)
                            || truth.nodes_of_graphs.contains(&node.node);
                        is_wanted && self.repeated.insert(node.node)
                    }
                    // The accessors of a command follow it.
                    Event::Accessor(Accessor { node: Some(node), .. }) => {
                        self.repeated.contains(node) && truth.holds(index)
                    }
                    Event::GraphRun(run) => self.repeated.contains(&run.node) && truth.holds(index),
                    // Edges follow both of their commands.
                    Event::Edge(edge) => {
                        self.repeated.contains(&edge.source) && self.repeated.contains(&edge.target)
                    }
                    _ => truth.holds(index),
                };
                index += 1;
                if is_true {
                    self.encode(event);
                    write(&starting_at(event, at));
                }
            }),
        );
        for (track, open) in &self.open {
            for OpenSlice { category, name, node, place: (function, file, line, column) } in open {
                write(&Event::SliceBegin(SliceBegin {
                    track: *track,
                    at,
                    category: *category,
                    name,
                    node: node.filter(|node| self.repeated.contains(node)),
                    location: SourceLocation { function, file, line: *line, column: *column },
                    args: &[("continued", Value::Bool(true))],
                }));
            }
        }
    }
}

/// Returns an event for a file that starts at a moment.
fn starting_at<'a>(event: &Event<'a>, from: Timestamp) -> Event<'a> {
    match *event {
        Event::Process(process) => Event::Process(Process { from_ns: Some(from.0), ..process }),
        other => other,
    }
}

fn is_executed(kind: NodeKind) -> bool {
    !matches!(kind, NodeKind::Virtual | NodeKind::HostTask | NodeKind::HostAccessor)
}

/// Validity of the remembered events, by position.
#[derive(Default)]
struct Truth {
    count: usize,
    /// Events by subject, newest last: a later one about the same subject replaces it.
    about: FxHashMap<Subject, Vec<usize>>,
    removed: BTreeSet<usize>,
    nodes_of_graphs: BTreeSet<u64>,
    /// Handles of the memory of each object.
    bindings: FxHashMap<u64, BTreeSet<u64>>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Subject {
    Queue(u64),
    Memory(u64),
    Object(u64),
    Binding(u64, u64),
    Graph(u64),
    /// The last update of a graph: a program may update it before each run.
    GraphUpdate(u64),
    Clock(u64),
    Counter(u64),
    Native(String, u64),
    /// The last export of a handle: a program may request it repeatedly.
    Export(String, u64),
    Pause,
}

impl Truth {
    fn holds(&self, index: usize) -> bool {
        !self.removed.contains(&index)
    }

    fn add(&mut self, subject: Subject) {
        self.about.entry(subject).or_default().push(self.count);
    }

    fn end(&mut self, subject: &Subject) {
        self.removed.extend(self.about.remove(subject).unwrap_or_default());
    }

    fn replace(&mut self, subject: Subject) {
        self.end(&subject);
        self.add(subject);
    }
}

impl EventSink for Truth {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Queue(queue) => self.add(Subject::Queue(queue.queue)),
            Event::QueueDestroy { queue, .. } => {
                self.end(&Subject::Queue(*queue));
                self.removed.insert(self.count);
            }
            Event::Allocation(memory) => self.replace(Subject::Memory(memory.pointer)),
            Event::Release(release) => {
                self.end(&Subject::Memory(release.pointer));
                self.removed.insert(self.count);
            }
            Event::MemoryObject(object) => self.add(Subject::Object(object.object)),
            Event::Accessor(accessor) => self.add(Subject::Object(accessor.object)),
            Event::ObjectBinding(binding) => {
                self.bindings.entry(binding.object).or_default().insert(binding.handle);
                self.replace(Subject::Binding(binding.object, binding.handle));
            }
            Event::ObjectDestroy(destroyed) => {
                self.end(&Subject::Object(destroyed.object));
                for handle in self.bindings.remove(&destroyed.object).unwrap_or_default() {
                    self.end(&Subject::Binding(destroyed.object, handle));
                }
                self.removed.insert(self.count);
            }
            Event::CommandGraph(graph) => self.add(Subject::Graph(graph.graph)),
            Event::GraphRun(run) => self.add(Subject::Graph(run.graph)),
            Event::GraphCommand(command) => {
                self.nodes_of_graphs.insert(command.node);
                self.add(Subject::Graph(command.graph));
            }
            Event::GraphChange(change) => match change.change {
                GraphChangeKind::Released => {
                    self.end(&Subject::Graph(change.graph));
                    self.end(&Subject::GraphUpdate(change.graph));
                    self.removed.insert(self.count);
                }
                GraphChangeKind::Updated => self.replace(Subject::GraphUpdate(change.graph)),
                _ => self.add(Subject::Graph(change.graph)),
            },
            Event::DeviceClock(clock) => self.replace(Subject::Clock(clock.device_handle)),
            Event::Counter(sample) => self.replace(Subject::Counter(sample.track)),
            Event::NativeHandle(native) => {
                let (object, handle) = (native.object.to_owned(), native.handle);
                match native.direction {
                    HandleDirection::Leaves => self.replace(Subject::Export(object, handle)),
                    _ => self.add(Subject::Native(object, handle)),
                }
            }
            Event::NativeHandleRelease(release) => {
                self.end(&Subject::Native(release.object.to_owned(), release.handle));
                self.end(&Subject::Export(release.object.to_owned(), release.handle));
                self.removed.insert(self.count);
            }
            Event::Pause(_) => self.replace(Subject::Pause),
            _ => {}
        }
        self.count += 1;
    }
}

struct Each<F>(F);

impl<F: FnMut(&Event<'_>)> EventSink for Each<F> {
    fn event(&mut self, event: &Event<'_>) {
        (self.0)(event);
    }
}

//! Filter of the run's events for the file: all but the excluded ones.
//!
//! While the recording is paused, only events that later ones depend on pass: queues, memory, devices, native handles,
//! and the device times of earlier commands, with the graphs that they ran. Excluded kernels are left out with their
//! submissions, calls and executions at any time; dependences through them are kept, from their predecessors to their
//! successors.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Category, Edge, Event, EventSink, NodeKind, SliceBegin};
use syclscope_language::time::Timestamp;

use crate::config::NamePatterns;

/// Maximum number of dependences that an excluded kernel passes on.
const MAX_SOURCES: usize = 16;
/// Number of nodes for which excluded kernels are remembered.
const REMEMBERED: u64 = 1 << 18;

pub(crate) struct EventFilter {
    kernels: &'static NamePatterns,
    pub(crate) is_paused: bool,
    /// Pauses (true) and resumptions, by time.
    changes: Vec<(Timestamp, bool)>,
    /// Number of passed events that don't show that the program used the runtime.
    pub(crate) own_facts: u64,
    left_out: LeftOut,
    /// For each track, true for each open slice that was excluded. Slices that began before the first exclusion are
    /// absent.
    open: FxHashMap<u64, Vec<bool>>,
}

#[derive(Default)]
struct LeftOut {
    /// Excluded nodes, with their dependences.
    nodes: FxHashMap<u64, Vec<u64>>,
    kernels: u64,
    executions: u64,
}

impl LeftOut {
    fn contains(&self, node: Option<u64>) -> bool {
        node.is_some_and(|node| self.nodes.contains_key(&node))
    }

    fn add(&mut self, node: u64) {
        self.kernels += 1;
        self.nodes.insert(node, Vec::new());
        if self.kernels.is_multiple_of(REMEMBERED) {
            self.nodes.retain(|other, _| other + REMEMBERED > node);
        }
    }

    /// Returns the dependences of an excluded node, and any other node itself.
    fn behind(&self, node: u64) -> Vec<u64> {
        self.nodes.get(&node).cloned().unwrap_or_else(|| vec![node])
    }
}

impl EventFilter {
    pub(crate) fn new(kernels: &'static NamePatterns) -> Self {
        Self {
            kernels,
            is_paused: false,
            changes: Vec::new(),
            own_facts: 0,
            left_out: LeftOut::default(),
            open: FxHashMap::default(),
        }
    }

    pub(crate) fn set_paused(&mut self, at: Timestamp, is_paused: bool) {
        self.is_paused = is_paused;
        self.changes.push((at, is_paused));
    }

    /// True if a slice belongs to a pause. Device work arrives seconds late, so it counts by its command, or without
    /// one by its own time.
    fn is_of_pause(&self, slice: &SliceBegin<'_>) -> bool {
        use Category::{Command, Copy, Fill, Kernel};
        if !matches!(slice.category, Kernel | Copy | Fill | Command) {
            return self.is_paused;
        }
        let before = self.changes.partition_point(|(at, _)| *at <= slice.at);
        slice.node.is_none() && before.checked_sub(1).is_some_and(|last| self.changes[last].1)
    }

    /// True if no slice can be excluded, by itself or by an enclosing one.
    fn wants_every_slice(&self) -> bool {
        self.open.is_empty() && self.left_out.nodes.is_empty() && self.changes.is_empty() && !self.is_paused
    }

    pub(crate) fn left_out(&self) -> Option<String> {
        let LeftOut { kernels, executions, .. } = self.left_out;
        (kernels > 0).then(|| format!("kernels left out by name: {kernels} (executions: {executions})"))
    }

    pub(crate) fn pass(&mut self, event: &Event<'_>, sink: &mut dyn EventSink) {
        match event {
            Event::SliceBegin(_) if self.wants_every_slice() => sink.event(event),
            Event::SliceBegin(slice) => {
                let is_inside = self.open.get(&slice.track).is_some_and(|open| open.last() == Some(&true));
                let is_of_left_out = self.left_out.contains(slice.node);
                // The host waits for excluded kernels, too.
                let is_wait = slice.category == Category::Wait;
                let is_out = self.is_of_pause(slice) || (!is_wait && (is_of_left_out || is_inside));
                self.open.entry(slice.track).or_default().push(is_out);
                if !is_out && is_of_left_out {
                    sink.event(&Event::SliceBegin(SliceBegin { node: None, ..*slice }));
                } else if !is_out {
                    sink.event(event);
                }
            }
            Event::SliceEnd(end) => {
                if self.open.get_mut(&end.track).and_then(Vec::pop) != Some(true) {
                    sink.event(event);
                }
            }
            Event::Node(node) if !self.is_paused => {
                if node.kind == NodeKind::Kernel && !self.kernels.wants(node.name) {
                    self.left_out.add(node.node);
                } else {
                    sink.event(event);
                }
            }
            Event::Edge(edge) if !self.is_paused => self.edge(edge, sink),
            Event::Execution(execution) if self.left_out.contains(Some(execution.node)) => {
                self.left_out.executions += 1;
            }
            Event::Untimed(untimed) if self.left_out.contains(Some(untimed.node)) => {}
            Event::Instant(instant) if self.left_out.contains(instant.node) => {}
            Event::Accessor(accessor) if self.left_out.contains(accessor.node) => {}
            Event::GraphCommand(command) if self.left_out.contains(Some(command.node)) => {}
            Event::Node(_) | Event::Edge(_) | Event::Instant(_) if self.is_paused => {}
            Event::Accessor(_) | Event::GraphCommand(_) if self.is_paused => {}
            Event::Process(_)
            | Event::Track(_)
            | Event::Device(_)
            | Event::DeviceClock(_)
            | Event::Fact(_)
            | Event::SourceFile(_)
            | Event::Pause(_)
            | Event::Finish { .. } => {
                self.own_facts += 1;
                sink.event(event);
            }
            _ => sink.event(event),
        }
    }

    fn edge(&mut self, edge: &Edge<'_>, sink: &mut dyn EventSink) {
        if self.left_out.nodes.is_empty() {
            return sink.event(&Event::Edge(*edge));
        }
        let sources = self.left_out.behind(edge.source);
        match self.left_out.nodes.get_mut(&edge.target) {
            Some(own_sources) => {
                own_sources.extend(sources);
                own_sources.sort_unstable();
                own_sources.dedup();
                own_sources.truncate(MAX_SOURCES);
            }
            None => {
                for source in sources {
                    sink.event(&Event::Edge(Edge { source, ..*edge }));
                }
            }
        }
    }
}

pub(crate) struct Filtered<'g, S> {
    pub(crate) filter: &'g mut EventFilter,
    pub(crate) behind: &'g mut S,
}

impl<S: EventSink> EventSink for Filtered<'_, S> {
    fn event(&mut self, event: &Event<'_>) {
        self.filter.pass(event, self.behind);
    }
}

#[cfg(test)]
mod tests {
    use syclscope_language::event::{Execution, GraphCommand, GraphRun, Node, SliceBegin, SliceEnd};
    use syclscope_language::time::Timestamp;

    use super::*;

    #[derive(Default)]
    struct Passed(Vec<String>);

    impl EventSink for Passed {
        fn event(&mut self, event: &Event<'_>) {
            self.0.push(match event {
                Event::SliceBegin(slice) => format!("begin {} {:?}", slice.name, slice.node),
                Event::SliceEnd(end) => format!("end {}", end.at.0),
                Event::Node(node) => format!("node {}", node.name),
                Event::Edge(edge) => format!("{} before {}", edge.source, edge.target),
                Event::Execution(execution) => format!("execution {}", execution.node),
                Event::GraphCommand(command) => format!("command {}", command.node),
                Event::GraphRun(run) => format!("run of graph {}", run.graph),
                Event::QueueDestroy { queue, .. } => format!("queue {queue} destroyed"),
                _ => "other".to_owned(),
            });
        }
    }

    fn filter(kernels: &str) -> EventFilter {
        EventFilter::new(Box::leak(Box::new(NamePatterns::parse(kernels))))
    }

    #[test]
    fn work_of_a_device_passes_by_its_own_time_however_late_it_comes() {
        let mut filter = filter("");
        let work = |name, at, node| {
            let (at, location, category) = (Timestamp(at), Default::default(), Category::Kernel);
            Event::SliceBegin(SliceBegin { track: 1, at, category, name, node, location, args: &[] })
        };
        filter.set_paused(Timestamp(100), true);
        let late = [
            work("before", 90, None),
            end(95),
            work("between", 110, None),
            end(120),
            work("sent before", 130, Some(1)),
            end(140),
        ];
        let expected = ["begin before None", "end 95", "begin sent before Some(1)", "end 140"];
        assert_eq!(passed(&mut filter, &late), expected);
        filter.set_paused(Timestamp(200), false);
        assert_eq!(passed(&mut filter, &[work("between", 150, None), end(160)]), [""; 0]);
    }

    fn node(node: u64, name: &str) -> Event<'_> {
        Event::Node(Node {
            node,
            at: Timestamp(0),
            kind: NodeKind::Kernel,
            name,
            queue: None,
            tid: 1,
            location: Default::default(),
            args: &[],
        })
    }

    fn edge(source: u64, target: u64) -> Event<'static> {
        Event::Edge(Edge {
            at: Timestamp(0),
            source,
            target,
            reason: Default::default(),
            access_mode: "",
            memory_object: 0,
        })
    }

    fn begin(name: &str, category: Category, node: Option<u64>) -> Event<'_> {
        let (at, location) = (Timestamp(0), Default::default());
        Event::SliceBegin(SliceBegin { track: 1, at, category, name, node, location, args: &[] })
    }

    fn end(at: u64) -> Event<'static> {
        Event::SliceEnd(SliceEnd { track: 1, at: Timestamp(at), args: &[] })
    }

    fn execution(node: u64) -> Event<'static> {
        let at = Timestamp(0);
        Event::Execution(Execution {
            node,
            queue: 1,
            kind: NodeKind::Kernel,
            name: "",
            queued: None,
            submitted: None,
            start: at,
            end: at,
            args: &[],
        })
    }

    fn command(node: u64) -> Event<'static> {
        let at = Timestamp(0);
        Event::GraphCommand(GraphCommand { graph: 1, at, position: 0, node, sync_point: None })
    }

    fn passed(filter: &mut EventFilter, events: &[Event<'_>]) -> Vec<String> {
        let mut passed = Passed::default();
        events.iter().for_each(|event| filter.pass(event, &mut passed));
        passed.0
    }

    #[test]
    fn kernels_that_are_not_wanted_leave_no_gap_in_the_graph() {
        let mut filter = filter("-noise*");
        let events = [
            node(1, "first"),
            node(2, "noise2"),
            node(3, "noise3"),
            node(4, "last"),
            edge(1, 2),
            edge(2, 3),
            edge(3, 4),
            begin("submission", Category::Submission, Some(2)),
            begin("call", Category::Call, None),
            end(1),
            end(2),
            begin("submission", Category::Submission, Some(4)),
            end(3),
            begin("wait", Category::Wait, Some(3)),
            end(4),
            execution(1),
            execution(2),
            command(2),
            command(4),
        ];
        let want =
            ["node first", "node last", "1 before 4", "begin submission Some(4)", "end 3", "begin wait None"];
        let rest = ["end 4", "execution 1", "command 4"];
        assert_eq!(passed(&mut filter, &events), [&want[..], &rest].concat());
        assert_eq!(filter.left_out().unwrap(), "kernels left out by name: 2 (executions: 1)");
    }

    #[test]
    fn slices_that_began_before_a_pause_end_in_the_file() {
        let mut filter = filter("");
        assert_eq!(passed(&mut filter, &[begin("outer", Category::Call, None)]), ["begin outer None"]);
        filter.set_paused(Timestamp(1), true);
        assert_eq!(passed(&mut filter, &[begin("inner", Category::Call, None)]), [""; 0]);
        filter.set_paused(Timestamp(2), false);
        assert_eq!(passed(&mut filter, &[end(3), end(4)]), ["end 4"]);
    }

    #[test]
    fn only_what_stays_true_passes_while_paused() {
        let mut filter = filter("");
        filter.is_paused = true;
        let destroyed = Event::QueueDestroy { at: Timestamp(0), queue: 7 };
        // A pause has cut off the call that runs the graph.
        let run = Event::GraphRun(GraphRun { graph: 3, at: Timestamp(0), node: 5 });
        let open = begin("open", Category::Call, None);
        let events = [node(1, "a"), edge(1, 2), open, destroyed, run, execution(5)];
        assert_eq!(passed(&mut filter, &events), ["queue 7 destroyed", "run of graph 3", "execution 5"]);
        filter.is_paused = false;
        assert_eq!(passed(&mut filter, &[end(1), node(2, "b")]), ["node b"]);
        assert_eq!(filter.left_out(), None);
    }
}

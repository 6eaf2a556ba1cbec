//! In-order queues that delay independent commands.

use rustc_hash::FxHashMap;
use syclscope_language::event::{EdgeReason, NodeKind, QueueOrder};

use super::memory_order::MemoryOrder;
use super::run::{Command, Draft, Run};
use super::touched;
use super::touches::{Memory, Touched, Touches, share};
use super::words::time;
use crate::graph::commands::Change;
use crate::id::some;
use crate::store::table::Table as _;

/// Fewer commands that could have overlapped may be chance.
const MIN_COMMANDS: usize = 4;
/// Minimum gain: 1 / this of the queue's busy time.
const PART: u64 = 20;

/// In-order queues whose commands touch different memory, one after the other, and have no other dependence.
///
/// Commands with unknown accesses, such as host tasks and barriers, count as if all others depended on them, so the
/// result depends on the recorded kernel arguments. A queue without pending work starts a new stretch: nothing is gained
/// across such a gap.
pub(super) fn findings(run: &Run<'_>) -> Vec<Draft> {
    let mut touches = Touches::new(run);
    let mut chains: FxHashMap<u32, Chain> = FxHashMap::default();
    for command in run.commands() {
        let queue = some(command.queue).and_then(|queue| run.trace.queues.get(queue));
        let is_order = matches!(command.kind, NodeKind::HostTask | NodeKind::Barrier);
        let is_work = command.execution.is_some() || command.kind.is_device_work() || is_order;
        if is_work && queue.is_some_and(|queue| queue.order == QueueOrder::InOrder) {
            let touched = touches.get(run, command);
            let edges = run.trace.edges.incoming(command.node);
            let sources = edges.filter(|edge| edge.reason != EdgeReason::InOrder).map(|edge| edge.source);
            chains.entry(command.queue).or_default().add(command, touched, &sources.collect::<Vec<_>>());
        }
    }
    let mut findings = Vec::new();
    for (queue, mut chain) in chains {
        chain.close();
        let Chain { gain_ns, busy_ns, free, gained, order, .. } = &mut chain;
        let touches_ns = touched::busy(gained.drain(..)).min(*gain_ns);
        let unordered = vec![queue];
        order.links.extend(run.in_the_room(queue, &order.nodes));
        let change = Change { unordered, instead: std::mem::take(&mut order.links), ..Change::default() };
        if free.len() < MIN_COMMANDS || *gain_ns < *busy_ns / PART || !run.is_worth(touches_ns) {
            continue;
        }
        let number = run.trace.queues.number.at(queue as usize);
        let device = run.trace.strings.get(run.trace.queues.device.at(queue as usize));
        let first = &free[0];
        findings.push(Draft {
            kind: "order_without_need",
            message: format!(
                "{} commands of the in-order queue {number} share no memory with the command before them and could \
                 have overlapped it, such as {}{}.",
                free.len(),
                run.short_name(first),
                run.at_place(first.location)
            ),
            remedy: "Use an out-of-order queue with explicit dependences, or one queue per chain of commands.".to_owned(),
            evidence: vec![
                format!("The queue was busy for {} on {device}.", time(*busy_ns)),
                format!(
                    "Its longest chains of commands that share memory take {}.",
                    time(busy_ns.saturating_sub(*gain_ns))
                ),
            ],
            process: first.process,
            location: first.location,
            slices: free.iter().filter_map(|command| Some(command.execution?.slice)).collect(),
            nodes: free.iter().map(|command| command.node).collect(),
            count: free.len() as u64,
            touches_ns,
            change: Ok(change),
            bytes: 0,
            how: "At most: the run replayed with each of its commands behind those that it shares memory with; less where one command fills the device.",
            filter: format!("queue:{number} category:kernel"),
        });
    }
    findings
}

/// The commands of an in-order queue, in stretches without a gap.
#[derive(Default)]
struct Chain {
    /// Sum of the possible shortenings of stretches.
    gain_ns: u64,
    busy_ns: u64,
    /// Execution times of the stretches that could be shorter.
    gained: Vec<(u64, u64)>,
    /// Commands that could have overlapped the previous one.
    free: Vec<Command>,
    /// The current stretch: execution times of its commands, its duration, and its longest chain.
    ran: Vec<(u64, u64)>,
    serial_ns: u64,
    longest_ns: u64,
    /// Durations of the chains that end with the last command that writes or touches each memory, in nanoseconds.
    written: FxHashMap<Memory, u64>,
    touched: FxHashMap<Memory, u64>,
    /// Duration of the chain that ends with the last command with unknown accesses.
    unknown_ns: u64,
    /// Durations of the chains that end with each node, in nanoseconds.
    lengths: FxHashMap<u32, u64>,
    /// End, node and accesses of the last command.
    last: Option<(u64, u32, Touched)>,
    order: MemoryOrder,
}

impl Chain {
    /// Adds a command with the nodes that it depends on by the recording.
    fn add(&mut self, command: &Command, touched: Touched, sources: &[u32]) {
        if self.last.as_ref().is_some_and(|(end, ..)| command.begun >= *end) {
            self.close();
        }
        self.order.add(command.node, &touched);
        let duration = command.execution.map_or(0, |execution| execution.duration());
        self.busy_ns += duration;
        self.serial_ns += duration;
        if let Some(execution) = command.execution {
            self.order.nodes.push(command.node);
            self.ran.push(execution.span());
        }
        let after = match &touched {
            None => self.longest_ns,
            Some(touched) => {
                let of = |(memory, writes): &(Memory, bool)| {
                    let known = if *writes { &self.touched } else { &self.written };
                    known.get(memory).copied().unwrap_or_default()
                };
                touched.iter().map(of).max().unwrap_or_default().max(self.unknown_ns)
            }
        };
        let depended = sources.iter().filter_map(|source| self.lengths.get(source)).max();
        let length = after.max(depended.copied().unwrap_or_default()) + duration;
        self.lengths.insert(command.node, length);
        self.longest_ns = self.longest_ns.max(length);
        match &touched {
            None => self.unknown_ns = length,
            Some(touched) => {
                for (memory, writes) in touched {
                    let longest = self.touched.entry(*memory).or_default();
                    *longest = (*longest).max(length);
                    if *writes {
                        self.written.insert(*memory, length);
                    }
                }
            }
        }
        if let (Some((_, node, Some(before))), Some(now), NodeKind::Kernel) =
            (&self.last, &touched, command.kind)
            && command.execution.is_some()
            && !share(before, now)
            && !sources.contains(node)
        {
            self.free.push(*command);
        }
        // Without a device time, at least the command before has to end.
        let before = self.last.as_ref().map_or(command.begun, |(end, ..)| *end);
        let end = command.execution.map_or(before, |execution| execution.end);
        self.last = Some((end, command.node, touched));
    }

    fn close(&mut self) {
        if self.serial_ns > self.longest_ns {
            self.gain_ns += self.serial_ns - self.longest_ns;
            self.gained.append(&mut self.ran);
        }
        *self = Self {
            gain_ns: self.gain_ns,
            busy_ns: self.busy_ns,
            gained: std::mem::take(&mut self.gained),
            free: std::mem::take(&mut self.free),
            order: std::mem::take(&mut self.order),
            ..Self::default()
        };
    }
}

//! The cause of each command's start time: its last constraint, the device's other work, and latency in the runtime and
//! driver.

use super::behind_tasks::{BehindTasks, HostTaskDelay};
use super::end_times::{EndTime, EndTimes};
use super::handover::{Handover, handovers};
use super::running::Running;
use super::{Arc, devices_of_queues};
use crate::cancel;
use crate::id::{NONE, some};
use crate::store::Trace;
use crate::store::cache::cached;
use crate::store::table::Table as _;

/// The last constraint of a command's start.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Last {
    Thread { track: u32 },
    Command(EndTime),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub(crate) node: u32,
    pub(crate) start: u64,
    /// Time from which the program's own constraints allowed it to start.
    pub(crate) ready: u64,
    pub(crate) last: Last,
    /// The host task that kept it back from `ready` on.
    pub(crate) host_task_delay: Option<HostTaskDelay>,
    /// The command whose end, or near end, freed the device for this one, if this one started later than on an idle
    /// device; or `NONE`.
    pub(crate) device_order: u32,
    /// Latency in the runtime and driver before `start` on this device; negative if the previous command, in the
    /// device's order, had not quite ended.
    pub(crate) delay_ns: i64,
    /// Latency since the handover. A command reaches the device even while it waits for others.
    handed_delay_ns: i64,
}

/// The launches of all commands with a known cause.
#[derive(Debug)]
pub(crate) struct Launches {
    handovers: Vec<Handover>,
    /// By node: index of its handover, or `NONE`.
    handover_of: Vec<u32>,
    ends: EndTimes,
    of_node: Vec<u32>,
    rows: Vec<Launch>,
}

cached!(Launches { handovers, handover_of, ends, of_node, rows });

/// A command is nearly over when at most 1 / this of its time is left. On an H100, kernels with five waves of work
/// groups let the next kernel start when a fifth is left; the rest is a margin.
const NEARLY_OVER: u64 = 4;

impl Launches {
    pub(crate) fn new(trace: &Trace) -> Self {
        let nodes = trace.nodes.len();
        let (handovers, ends) = (handovers(trace, trace.blocking()), EndTimes::new(trace));
        let mut handover_of = vec![NONE; nodes];
        for (place, handover) in (0..).zip(&handovers) {
            handover_of[handover.node as usize] = place;
        }
        let devices = Devices::new(trace);
        let (before, behind_tasks) = (in_queue(trace), BehindTasks::new(trace));
        let (mut of_node, mut rows) = (vec![NONE; nodes], Vec::new());
        for node in 0..nodes as u32 {
            cancel::row(node as usize);
            let Some(slice) = some(trace.nodes.execution.at(node as usize)) else { continue };
            let start = trace.slices.start.at(slice as usize);
            let sources = trace.edges.incoming(node).map(|edge| edge.source);
            let sources = sources.chain(some(before[node as usize]));
            // A source that started later did not delay its target: device clocks are not exact.
            let began =
                |command: u32| trace.slices.start.at(trace.nodes.execution.at(command as usize) as usize);
            let ended =
                sources.filter_map(|source| ends.get(source)).filter(|end| began(end.command) <= start);
            let last = ended.max_by_key(|end| (end.at, end.command));
            let handover = some(handover_of[node as usize]).map(|place| handovers[place as usize]);
            let (ready, last) = match (last, handover) {
                (Some(end), Some(handover)) if handover.at > end.at => {
                    (handover.at, Last::Thread { track: handover.track })
                }
                (Some(end), _) => (end.at, Last::Command(end)),
                (None, Some(handover)) => (handover.at, Last::Thread { track: handover.track }),
                (None, None) => continue,
            };
            let ready = ready.min(start);
            let device_order = devices.ended(node, ready, start).unwrap_or(NONE);
            let host_task_delay = behind_tasks.get(&ends, node, ready, start);
            of_node[node as usize] = rows.len() as u32;
            let handed_at = handover.map_or(start, |handover| handover.at.min(start));
            let handed_delay_ns = (start - handed_at).cast_signed();
            let launch = Launch {
                node,
                start,
                ready,
                last,
                host_task_delay,
                device_order,
                delay_ns: 0,
                handed_delay_ns,
            };
            rows.push(launch);
        }
        let mut launches = Self { handovers, handover_of, ends, of_node, rows };
        launches.set_delays(trace, &devices);
        launches
    }

    /// Sets each launch's latency, at most the 90th percentile of the latencies on an idle device. The device's other
    /// work did not delay a launch within their median.
    fn set_delays(&mut self, trace: &Trace, devices: &Devices) {
        let mut alone: Vec<Vec<u64>> = vec![Vec::new(); devices.running.len()];
        let is_alone = |launch: &&Launch| launch.device_order == NONE && devices.running(launch).is_none();
        for launch in self.rows.iter().filter(is_alone) {
            alone[devices.index(launch.node)].push(launch.start - launch.ready);
        }
        let part = |times: &mut Vec<u64>, percent: usize| {
            let place = (times.len() * percent).div_ceil(100);
            times.get(place.checked_sub(1)?).copied()
        };
        let bounds: Vec<(u64, u64)> = alone
            .iter_mut()
            .map(|times| {
                times.sort_unstable();
                (part(times, 50).unwrap_or(0), part(times, 90).unwrap_or(i64::MAX as u64))
            })
            .collect();
        for launch in &mut self.rows {
            let (median, most) = bounds[devices.index(launch.node)];
            if launch.start - launch.ready <= median {
                launch.device_order = NONE;
            }
            let end = |node: u32| trace.slices.end(trace.nodes.execution.at(node as usize) as usize);
            let mut from = some(launch.device_order).map_or(launch.ready, end);
            if launch.start.saturating_sub(from) > most
                && let Some(running) = devices.nearly_over(trace, launch)
            {
                launch.device_order = running;
                from = end(running);
            }
            launch.handed_delay_ns = launch.handed_delay_ns.min(median.cast_signed());
            launch.delay_ns =
                launch.start.cast_signed().saturating_sub(from.cast_signed()).min(most.cast_signed());
        }
    }

    /// Returns the handovers by thread, then by time.
    pub(crate) fn handovers(&self) -> &[Handover] {
        &self.handovers
    }

    pub(crate) fn handover(&self, node: u32) -> Option<&Handover> {
        self.handovers.get(some(*self.handover_of.get(node as usize)?)? as usize)
    }

    pub(crate) fn ends(&self) -> &EndTimes {
        &self.ends
    }

    pub(crate) fn get(&self, node: u32) -> Option<&Launch> {
        self.rows.get(some(*self.of_node.get(node as usize)?)? as usize)
    }

    /// Adds latency in the runtime and driver to the arcs that lead to commands, and adds arcs for the device's order.
    /// Steps beyond the nodes are the host's. `takes` returns a command's duration in the changed run and its recorded
    /// duration: a shorter command overlaps less with the next one. Removed commands have no latency.
    pub(crate) fn delay(
        &self,
        arcs: &mut Vec<Arc>,
        takes: impl Fn(u32) -> (u64, u64),
        is_gone: impl Fn(u32) -> bool,
    ) {
        for arc in arcs.iter_mut().filter(|arc| !is_gone(arc.target)) {
            let Some(launch) = self.get(arc.target) else { continue };
            let is_handed = self.of_node.len() <= arc.source as usize;
            let least_ns = if is_handed { launch.handed_delay_ns } else { 0 };
            arc.lag_ns = arc.lag_ns.saturating_add(launch.delay_ns.max(least_ns));
        }
        let device_order = self.rows.iter().filter_map(|launch| {
            let source = some(launch.device_order)?;
            let lag_ns = if launch.delay_ns < 0 {
                let (takes_ns, recorded_ns) = takes(source);
                part_of(launch.delay_ns, takes_ns, recorded_ns)
            } else {
                launch.delay_ns
            };
            Some(Arc { source, target: launch.node, lag_ns })
        });
        arcs.extend(device_order);
    }
}

fn part_of(ns: i64, parts: u64, whole: u64) -> i64 {
    let ns = i128::from(ns) * i128::from(parts) / i128::from(whole.max(1));
    i64::try_from(ns).unwrap_or_default()
}

/// Returns for each node the previous command on its in-order queue, or `NONE`.
fn in_queue(trace: &Trace) -> Vec<u32> {
    let mut arcs = Vec::new();
    super::commands::in_order(trace, &mut arcs);
    let mut before = vec![NONE; trace.nodes.len()];
    arcs.iter().for_each(|arc| before[arc.target as usize] = arc.source);
    before
}

struct Devices {
    of_queue: Vec<usize>,
    queue_of: Vec<u32>,
    /// The last entry is for commands without a queue.
    running: Vec<Running>,
}

impl Devices {
    fn new(trace: &Trace) -> Self {
        let (of_queue, count) = devices_of_queues(trace);
        let queue_of: Vec<u32> = trace.nodes.queue.iter().collect();
        let mut devices = Self { of_queue, queue_of, running: Vec::new() };
        devices.running.resize_with(count + 1, Running::default);
        let mut ends = vec![Vec::new(); count + 1];
        for node in 0..trace.nodes.len() as u32 {
            let Some(slice) = some(trace.nodes.execution.at(node as usize)) else { continue };
            ends[devices.index(node)].push((trace.slices.end(slice as usize), node));
        }
        let start = |node: u32| trace.slices.start.at(trace.nodes.execution.at(node as usize) as usize);
        devices.running = ends.into_iter().map(|ends| Running::new(ends, start)).collect();
        devices
    }

    fn index(&self, node: u32) -> usize {
        let queue = some(self.queue_of[node as usize]).and_then(|queue| self.of_queue.get(queue as usize));
        queue.copied().unwrap_or(self.running.len() - 1)
    }

    /// Returns the first command to end among those running on the device at a launch.
    fn running(&self, launch: &Launch) -> Option<u32> {
        self.running[self.index(launch.node)].at(launch.start)
    }

    /// Returns the running command at a launch, if it was nearly over: a device can start a command before the last
    /// work group of another one is done.
    fn nearly_over(&self, trace: &Trace, launch: &Launch) -> Option<u32> {
        let running = self.running(launch)?;
        let slice = trace.nodes.execution.at(running as usize) as usize;
        let left = trace.slices.end(slice) - launch.start;
        (left <= trace.slices.duration.at(slice) / NEARLY_OVER).then_some(running)
    }

    /// Returns the command that ended last on a node's device after `from`, and no later than `to`.
    fn ended(&self, node: u32, from: u64, to: u64) -> Option<u32> {
        self.running[self.index(node)].ended(node, from, to)
    }
}

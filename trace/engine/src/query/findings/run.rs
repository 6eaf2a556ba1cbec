//! Input of the rules: commands in the order of their submission, and busy times of devices.

use std::ops::Range;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use syclscope_language::api::{Finding, Gain};
use syclscope_language::event::{NodeKind, Value};

use crate::graph::commands::Change;
use crate::graph::submitting_calls;
use crate::id::{LocationId, NONE, some};
use crate::query::detail::{location, slice_ref};
use crate::query::findings::words;
use crate::query::iterations::message::short;
use crate::store::Trace;
use crate::store::graph::NodeRow;
use crate::store::table::Table as _;
use crate::stretches::Stretches;

/// Maximum number of slices and nodes in a finding.
const MAX_LISTED: usize = 20;

/// Minimum share of the run's time for a finding: 1 / this.
const WORTH: u64 = 100;

#[derive(Clone, Copy, Debug)]
pub(in crate::query) struct Command {
    /// Row of its node.
    pub(in crate::query) node: u32,
    pub(in crate::query) kind: NodeKind,
    /// Row of its queue, or `NONE`.
    pub(in crate::query) queue: u32,
    pub(in crate::query) process: u32,
    /// Track of the thread that submitted it, or `NONE`.
    pub(in crate::query) thread: u32,
    /// Slice of its submission, or `NONE`.
    pub(in crate::query) submission: u32,
    /// Start of its submission, or its creation.
    pub(in crate::query) begun: u64,
    /// End of its submission, or its creation.
    pub(in crate::query) submitted: u64,
    pub(in crate::query) execution: Option<Execution>,
    pub(in crate::query) location: LocationId,
}

#[derive(Clone, Copy, Debug)]
pub(in crate::query) struct Execution {
    pub(in crate::query) slice: u32,
    pub(in crate::query) start: u64,
    pub(in crate::query) end: u64,
}

impl Execution {
    pub(in crate::query) fn duration(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    pub(in crate::query) fn span(&self) -> (u64, u64) {
        (self.start, self.end)
    }
}

pub(in crate::query) struct Run<'t> {
    pub(in crate::query) trace: &'t Trace,
    all: Rc<Vec<Command>>,
    /// Indices of the commands submitted in the range.
    places: Range<usize>,
    /// For each node, the slice of the call that enqueued it, or `NONE`.
    pub(in crate::query) calls: Rc<Vec<u32>>,
    /// From the first submission to the end of the last command: the run without its start-up. For a part of the run,
    /// its length.
    pub(in crate::query) span_ns: u64,
    /// The part of the run that the rules examine.
    range: Range<u64>,
    /// For each process, the submission of its first command that ran; `u64::MAX` if none did.
    begun: Rc<Vec<u64>>,
    /// For each process, the times in which one of its devices ran something.
    busy: Vec<Stretches>,
    /// For each process, the idle times between its first submission and the end of its last command.
    idle: Vec<Stretches>,
}

pub(super) struct Draft {
    pub(in crate::query) kind: &'static str,
    /// The cause, in sentences.
    pub(in crate::query) message: String,
    /// The remedy, in sentences; empty if the rule has none.
    pub(in crate::query) remedy: String,
    pub(in crate::query) evidence: Vec<String>,
    pub(in crate::query) process: u32,
    pub(in crate::query) location: LocationId,
    /// Sorted by time.
    pub(in crate::query) slices: Vec<u32>,
    /// Rows of its commands.
    pub(in crate::query) nodes: Vec<u32>,
    pub(in crate::query) count: u64,
    /// The affected time: idle time that it may cause, or time of commands.
    pub(super) touches_ns: u64,
    /// The change that removes the finding's cause, or the reason why it can't be replayed.
    pub(super) change: Result<Change, &'static str>,
    /// Bytes that would not be moved.
    pub(super) bytes: u64,
    /// Description of the replayed change.
    pub(super) how: &'static str,
    pub(in crate::query) filter: String,
}

impl<'t> Run<'t> {
    pub(in crate::query) fn new(trace: &'t Trace) -> Self {
        let mut commands: Vec<Command> =
            trace.nodes.iter().enumerate().map(|(row, node)| command(trace, row as u32, &node)).collect();
        // The node makes the key unique: an unstable sort suffices, and needs no memory.
        commands.sort_unstable_by_key(|command| (command.begun, command.node));
        // For each process, the submission of its first command, and the times in which devices ran something.
        let mut ran: Vec<(u64, Vec<(u64, u64)>)> = vec![(u64::MAX, Vec::new()); trace.processes.len()];
        for command in commands.iter().filter(|command| command.execution.is_some()) {
            if let Some((begun, _)) = ran.get_mut(command.process as usize) {
                *begun = command.begun.min(*begun);
            }
        }
        for row in trace.device_work() {
            let process = trace.process_of_slice(row);
            if let Some((_, ran)) = ran.get_mut(process as usize) {
                ran.push(trace.slices.interval(row));
            }
        }
        let begin = ran.iter().map(|(begun, _)| *begun).min();
        let (begun, busy): (Vec<u64>, Vec<Stretches>) =
            ran.into_iter().map(|(begun, ran)| (begun, Stretches::new(ran))).unzip();
        let end = |busy: &Stretches| busy.iter().next_back().map(|(_, end)| end);
        let span_ns = busy.iter().filter_map(end).max().unwrap_or_default();
        let span_ns = span_ns.saturating_sub(begin.unwrap_or_default());
        let idle = begun
            .iter()
            .zip(&busy)
            .map(|(begun, busy)| Stretches::new(vec![(*begun, end(busy).unwrap_or_default())]).without(busy));
        let (calls, range) = (Rc::new(submitting_calls(trace)), 0..u64::MAX);
        let places = 0..commands.len();
        let all = Rc::new(commands);
        Self { trace, all, places, calls, span_ns, range, idle: idle.collect(), busy, begun: Rc::new(begun) }
    }

    /// Returns a part of the run: the host's work that started in `range`, and the devices' in `on_devices`.
    pub(super) fn within(&self, range: Range<u64>, on_devices: Range<u64>) -> Self {
        let before = |at: u64| self.all.partition_point(|command| command.begun < at);
        let (from, to) = (range.start.min(on_devices.start), range.end.max(on_devices.end));
        let clipped = |of: &[Stretches]| of.iter().map(|of| of.clipped(from, to)).collect();
        Self {
            trace: self.trace,
            all: self.all.clone(),
            places: before(range.start)..before(range.end).max(before(range.start)),
            calls: self.calls.clone(),
            span_ns: on_devices.end.saturating_sub(on_devices.start),
            begun: self.begun.clone(),
            busy: clipped(&self.busy),
            idle: clipped(&self.idle),
            range,
        }
    }

    /// Returns the commands submitted in the part of the run, in order of submission.
    pub(in crate::query) fn commands(&self) -> &[Command] {
        &self.all[self.places.clone()]
    }

    /// Returns the commands of the whole run, in order of submission.
    pub(in crate::query) fn whole(&self) -> &[Command] {
        &self.all
    }

    /// True if a moment is in the part of the run that the rules examine.
    pub(super) fn has(&self, at: u64) -> bool {
        self.range.contains(&at)
    }

    /// True if a moment is after the submission of its process's first command, and in the part of the run.
    pub(super) fn has_begun(&self, process: u32, at: u64) -> bool {
        self.has(at) && self.begun.get(process as usize).is_some_and(|begun| at > *begun)
    }

    pub(in crate::query) fn is_worth(&self, ns: u64) -> bool {
        ns > 0 && ns >= self.span_ns / WORTH
    }

    /// Returns the times in which all devices of a process were idle, between its first submission and its last
    /// command's end.
    pub(super) fn idle(&self, process: u32) -> Option<&Stretches> {
        self.idle.get(process as usize)
    }

    /// True if no device of a process runs anything at a moment between two commands.
    pub(super) fn is_idle_between(&self, process: u32, at: u64) -> bool {
        let busy = self.busy.get(process as usize);
        busy.is_some_and(|busy| {
            let mut next = busy.from(at);
            let is_after = busy.iter().next().is_some_and(|(_, end)| end <= at);
            is_after && next.next().is_some_and(|(begin, _)| at < begin)
        })
    }

    /// Returns the kernels that ran, including those of command graphs that have their own times.
    pub(super) fn kernels(&self) -> impl Iterator<Item = Command> {
        let trace = self.trace;
        let kernels = trace.device_work().filter(|row| trace.executions.kind.at(*row) == NodeKind::Kernel);
        kernels.filter_map(|row| {
            let node = some(trace.slices.node.at(row))?;
            let (start, end) = trace.slices.interval(row);
            let execution = Some(Execution { slice: row as u32, start, end });
            let command = command(trace, node, &trace.nodes.row(node as usize));
            self.has(command.begun).then_some(Command { kind: NodeKind::Kernel, execution, ..command })
        })
    }

    /// Returns the change that removes some of the host's times, each on a track.
    pub(super) fn without_times(times: impl Iterator<Item = (u32, (u64, u64))>) -> Change {
        let mut spans: FxHashMap<u32, Vec<(u64, u64)>> = FxHashMap::default();
        times.for_each(|(track, span)| spans.entry(track).or_default().push(span));
        let mut change = Change::default();
        spans.into_iter().for_each(|(track, spans)| change.save(track, spans.into_iter()));
        change
    }

    pub(super) fn without_calls(&self, slices: impl Iterator<Item = u32>) -> Change {
        let slices = slices.map(|slice| slice as usize);
        let span = |slice: usize| self.trace.slices.interval(slice);
        let track = |slice: usize| self.trace.tracks.of_lane(self.trace.slices.lane_of(slice)) as u32;
        Self::without_times(slices.map(|slice| (track(slice), span(slice))))
    }

    pub(super) fn without_commands<'c>(&self, commands: impl Iterator<Item = &'c Command> + Clone) -> Change {
        let removed = commands.clone().map(|command| command.node).collect();
        let submissions = commands.filter_map(|command| some(command.submission));
        Change { removed, ..self.without_calls(submissions) }
    }

    pub(super) fn without_waits(&self, slices: impl Iterator<Item = u32>) -> Change {
        let mut change = Change::default();
        slices.for_each(|slice| change.remove_wait(self.trace.blocking(), slice));
        change
    }

    /// Returns the dependences (source, target) by which a device runs at most as many commands at once as it has
    /// compute units. `nodes` are on one queue, by start.
    pub(super) fn in_the_room(&self, queue: u32, nodes: &[u32]) -> impl Iterator<Item = (u32, u32)> {
        let row = self.trace.queues.get(queue);
        let process =
            row.as_ref().and_then(|row| self.trace.tracks.get(row.track)).map(|track| track.process);
        let mut devices = self.trace.machine.devices.iter();
        let device = row.and_then(|row| {
            devices.find(|device| Some(device.process) == process && device.handle == row.device_handle)
        });
        let mut args =
            device.into_iter().flat_map(|device| self.trace.args.get(device.args, &self.trace.strings));
        let units = args.find_map(|(name, value)| match value {
            Value::Uint(units) if name == "max_compute_units" && units > 0 => Some(units as usize),
            _ => None,
        });
        let later = nodes.iter().skip(units.unwrap_or(usize::MAX));
        nodes.iter().zip(later).map(|(source, target)| (*source, *target)).collect::<Vec<_>>().into_iter()
    }

    pub(in crate::query) fn call(&self, command: &Command) -> Option<usize> {
        self.calls.get(command.node as usize).copied().and_then(some).map(|call| call as usize)
    }

    pub(in crate::query) fn name(&self, command: &Command) -> &'t str {
        self.trace.strings.get(self.trace.nodes.name.at(command.node as usize))
    }

    /// Returns a command's name, shortened to fit into a sentence.
    pub(in crate::query) fn short_name(&self, command: &Command) -> String {
        short(self.name(command))
    }

    /// Returns the commands by a key, in order of submission.
    pub(in crate::query) fn by<K: std::hash::Hash + Eq + Copy>(
        &self,
        key: impl Fn(&Command) -> Option<K>,
    ) -> Vec<(K, Vec<&Command>)> {
        let mut known: FxHashMap<K, usize> = FxHashMap::default();
        let mut groups: Vec<(K, Vec<&Command>)> = Vec::new();
        for command in self.commands() {
            let Some(key) = key(command) else { continue };
            let group = *known.entry(key).or_insert_with(|| {
                groups.push((key, Vec::new()));
                groups.len() - 1
            });
            groups[group].1.push(command);
        }
        groups
    }

    pub(super) fn finding(&self, draft: Draft, gain: Result<Gain, String>) -> Finding {
        let Draft {
            kind,
            message,
            remedy,
            evidence,
            process,
            location: place,
            slices,
            nodes,
            count,
            filter,
            touches_ns,
            ..
        } = draft;
        let no_gain = gain.as_ref().err().cloned().unwrap_or_default();
        let trace = self.trace;
        let starts = slices.iter().map(|slice| trace.slices.start.at(*slice as usize));
        let ends = slices.iter().map(|slice| trace.slices.end(*slice as usize));
        let (at_ns, until_ns) = (starts.min().unwrap_or_default(), ends.max().unwrap_or_default());
        let slices: Vec<_> = slices.iter().take(MAX_LISTED).map(|slice| slice_ref(trace, *slice)).collect();
        let number = |row: &u32| trace.nodes.number.at(*row as usize);
        Finding {
            kind: kind.to_owned(),
            message: if remedy.is_empty() { message } else { format!("{message} {remedy}") },
            remedy,
            evidence,
            process,
            at_ns,
            until_ns,
            location: location(trace, place),
            at: slices.first().copied(),
            count,
            gain: gain.ok(),
            no_gain,
            touches_ns,
            slices,
            nodes: nodes.iter().take(MAX_LISTED).map(number).collect(),
            filter,
            ..Finding::default()
        }
    }

    /// Returns a source location with a leading space: ` at file:line`, ` in function`, or nothing.
    pub(in crate::query) fn at_place(&self, place: LocationId) -> String {
        match self.trace.locations.place(place, &self.trace.strings) {
            Some(place) if !place.file.is_empty() => format!(" at {}:{}", place.file, place.line),
            Some(place) => format!(" in {}", place.function),
            None => String::new(),
        }
    }

    /// Returns a filter for a source location; `otherwise` if it is unknown.
    pub(in crate::query) fn filter_at(&self, place: LocationId, otherwise: &str) -> String {
        match self.trace.locations.place(place, &self.trace.strings) {
            Some(place) if !place.file.is_empty() => {
                format!("{} line:{}", words::equals("file", place.file), place.line)
            }
            _ => otherwise.to_owned(),
        }
    }
}

fn command(trace: &Trace, row: u32, node: &NodeRow) -> Command {
    let submission = some(node.submission).map(|slice| slice as usize);
    let track_of = |slice: usize| trace.tracks.of_lane(trace.slices.lane_of(slice));
    let thread = submission.map(track_of);
    let execution = some(node.execution).map(|slice| Execution {
        slice,
        start: trace.slices.start.at(slice as usize),
        end: trace.slices.end(slice as usize),
    });
    let queue = some(node.queue).and_then(|queue| trace.queues.get(queue));
    let track = thread.or(queue.map(|queue| queue.track as usize));
    let track = track.or_else(|| execution.map(|execution| track_of(execution.slice as usize)));
    Command {
        node: row,
        kind: node.kind,
        queue: node.queue,
        process: track.map_or(0, |track| trace.tracks.process.at(track)),
        thread: thread.map_or(NONE, |track| track as u32),
        submission: node.submission,
        begun: submission.map_or(node.created, |slice| trace.slices.start.at(slice)),
        submitted: submission.map_or(node.created, |slice| trace.slices.end(slice)),
        execution,
        location: node.location,
    }
}

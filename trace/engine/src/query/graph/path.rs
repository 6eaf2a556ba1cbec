//! Steps of the critical path, from its pieces. Pieces of threads become submissions, calls by name, and unrecorded
//! time.

use std::ops::Range;

use rustc_hash::FxHashMap;
use syclscope_language::api::{CriticalPath, CriticalStep, StepKind};
use syclscope_language::event::Category;

use crate::graph::path::{Path, Piece, PieceKind, each_call};
use crate::graph::submitting_calls;
use crate::id::{LocationId, some};
use crate::query::BuildTimes;
use crate::query::calls::builds_code;
use crate::query::detail::{location, slice_ref};
use crate::query::pauses::{PAUSED, Pauses};
use crate::query::sampled::{self, Tally};
use crate::store::Trace;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

pub(in crate::query) const BEFORE_ALL: &str = "before the first event";
/// Name of time between recorded events without a link to their successor.
pub(in crate::query) const UNKNOWN: &str = "not recorded";
pub(in crate::query) const AFTER_ALL: &str = "after the last event";

/// Returns a step without a command, slice or location.
pub(in crate::query) fn step(kind: StepKind, name: &str, duration_ns: u64) -> CriticalStep {
    CriticalStep {
        kind,
        name: name.to_owned(),
        start_ns: None,
        duration_ns,
        node: None,
        at: None,
        location: None,
        count: 1,
        after: String::new(),
        until: String::new(),
        samples: None,
    }
}

pub(super) fn steps(trace: &Trace, path: &Path, range: &Range<u64>) -> CriticalPath {
    let (words, pauses) = (PieceSteps::new(trace), Pauses::new(trace));
    let mut steps = Vec::new();
    for (number, piece) in path.pieces.iter().enumerate() {
        if let Some(piece) = piece.within(range) {
            words.add_recorded(&pauses, piece, path.pieces.get(number + 1), &mut steps);
        }
    }
    let mut critical = CriticalPath::default();
    for step in &mut steps {
        sampled::finish(&mut step.samples);
        critical.length_ns += step.duration_ns;
        critical.sampled_ns += if step.samples.is_some() { step.duration_ns } else { 0 };
        *match step.kind {
            StepKind::Command => &mut critical.device_ns,
            StepKind::Launch => &mut critical.launch_ns,
            StepKind::Submission => &mut critical.submission_ns,
            StepKind::Call => &mut critical.call_ns,
            StepKind::Wait => &mut critical.wait_ns,
            StepKind::Host => &mut critical.host_ns,
        } += step.duration_ns;
    }
    critical.steps = steps;
    critical
}

pub(in crate::query) struct PieceSteps<'t> {
    trace: &'t Trace,
    builds: BuildTimes,
    pieces: FxHashMap<u32, Vec<usize>>,
    /// By node: the slice of the call that put it on its queue, or `NONE`.
    calls: Vec<u32>,
}

impl<'t> PieceSteps<'t> {
    pub(in crate::query) fn new(trace: &'t Trace) -> Self {
        Self { trace, builds: BuildTimes::new(trace), pieces: trace.pieces(), calls: submitting_calls(trace) }
    }

    /// Returns one step of a command on its device, even if it ran in pieces.
    pub(in crate::query) fn command(&self, row: u32, piece: &Piece) -> CriticalStep {
        at(piece, self.trace.command_step(row, StepKind::Command, piece.to - piece.from))
    }

    /// Adds the steps of a piece before `next`.
    pub(in crate::query) fn add(&self, piece: &Piece, next: Option<&Piece>, steps: &mut Vec<CriticalStep>) {
        let trace = self.trace;
        let length = piece.to - piece.from;
        match piece.kind {
            PieceKind::Start => steps.push(at(piece, step(StepKind::Host, BEFORE_ALL, length))),
            PieceKind::Unknown => steps.push(self.of_threads(piece, step(StepKind::Host, UNKNOWN, length))),
            PieceKind::End => steps.push(self.of_threads(piece, step(StepKind::Host, AFTER_ALL, length))),
            PieceKind::Thread(track) => {
                let next = next.map_or("", |next| name(trace, next.kind));
                steps.extend(on_thread(trace, &self.builds, track, piece.from..piece.to, next));
            }
            PieceKind::Wait(slice) => steps.push(at(piece, trace.wait_step(slice, length))),
            PieceKind::Command(row) => match self.pieces.get(&row) {
                Some(rows) => {
                    crate::cancel::spend(rows.len());
                    steps.extend(of_pieces(trace, row, rows, piece));
                }
                None => steps.push(at(piece, trace.command_step(row, StepKind::Command, length))),
            },
            PieceKind::Launch(row) => self.launch(row, piece, steps),
            PieceKind::Native(slice) => steps.push(CriticalStep {
                at: Some(slice_ref(trace, slice)),
                ..at(piece, step(StepKind::Command, name(trace, piece.kind), length))
            }),
            PieceKind::HostTask(row) => {
                steps.push(at(piece, trace.command_step(row, StepKind::Host, length)))
            }
        }
    }
}

impl PieceSteps<'_> {
    /// Adds the steps of a piece before `next`. In the time of the host, each pause of the recording is a step.
    fn add_recorded(
        &self,
        pauses: &Pauses,
        piece: Piece,
        next: Option<&Piece>,
        steps: &mut Vec<CriticalStep>,
    ) {
        let process = host_process(self.trace, piece.kind);
        let pauses = process.and_then(|process| pauses.within(process, &(piece.from..piece.to)));
        let mut recorded_from = piece.from;
        for (from, to) in pauses.iter().flat_map(|pauses| pauses.iter()) {
            if recorded_from < from {
                // What follows in the pause is unknown.
                self.add(&Piece { from: recorded_from, to: from, ..piece }, None, steps);
            }
            steps.push(at(&Piece { from, to, ..piece }, step(StepKind::Host, PAUSED, to - from)));
            recorded_from = to;
        }
        if recorded_from < piece.to {
            self.add(&Piece { from: recorded_from, ..piece }, next, steps);
        }
    }

    /// Returns a step of an unknown thread, with the samples of all threads. With several processes, the right samples
    /// are unknown.
    fn of_threads(&self, piece: &Piece, step: CriticalStep) -> CriticalStep {
        let is_alone = self.trace.processes.len() < 2;
        let tally = is_alone.then(|| Tally::of_threads(self.trace, &(piece.from..piece.to)));
        CriticalStep { samples: tally.and_then(|tally| tally.lines(self.trace)), ..at(piece, step) }
    }

    /// Adds the launch of a command. A thread of the runtime may have enqueued it in that time, once its dependences
    /// had ended. Earlier builds of this thread are separate steps.
    fn launch(&self, row: u32, piece: &Piece, steps: &mut Vec<CriticalStep>) {
        let trace = self.trace;
        let call = some(self.calls[row as usize]).map(|call| call as usize);
        let call = call.filter(|call| trace.slices.start.at(*call) >= piece.from);
        let builds = call.into_iter().flat_map(|call| {
            let track = trace.tracks.of_lane(trace.slices.lane_of(call)) as u32;
            self.builds.calls(track, piece.from..trace.slices.end(call).min(piece.to))
        });
        steps.extend(self.launch_around(row, piece, builds));
    }

    /// Returns the launch of a command or the time of a host task, and the builds in it, which must not overlap.
    pub(in crate::query) fn launch_around(
        &self,
        row: u32,
        piece: &Piece,
        builds: impl Iterator<Item = (Range<u64>, usize)>,
    ) -> Vec<CriticalStep> {
        let trace = self.trace;
        let mut rest_ns = piece.to - piece.from;
        let mut built = PathSteps {
            trace,
            positions: FxHashMap::default(),
            steps: Vec::new(),
            samples: FxHashMap::default(),
        };
        for (time, row) in builds {
            rest_ns -= time.end - time.start;
            built.call(row, time);
        }
        let mut steps: Vec<CriticalStep> = built.steps.into_iter().map(|(_, step)| step).collect();
        if rest_ns > 0 {
            let is_task = matches!(piece.kind, PieceKind::HostTask(_));
            let kind = if is_task { StepKind::Host } else { StepKind::Launch };
            steps.push(at(piece, trace.command_step(row, kind, rest_ns)));
        }
        steps
    }
}

/// Returns the process to whose threads a piece belongs; `None` for other pieces, and if it may be any of several.
fn host_process(trace: &Trace, kind: PieceKind) -> Option<u32> {
    match kind {
        PieceKind::Thread(track) => Some(trace.tracks.process.at(track as usize)),
        PieceKind::Start | PieceKind::Unknown | PieceKind::End if trace.processes.len() < 2 => Some(0),
        _ => None,
    }
}

fn at(piece: &Piece, step: CriticalStep) -> CriticalStep {
    CriticalStep { start_ns: Some(piece.from), ..step }
}

/// Returns the steps of a command in pieces. Pieces with one name are one step, and each counts without its overlap
/// with earlier ones. While none ran, the command waited to continue.
fn of_pieces(trace: &Trace, row: u32, rows: &[usize], piece: &Piece) -> Vec<CriticalStep> {
    let mut rows = rows.to_vec();
    rows.arrange_by_key(|row| trace.slices.start.at(*row));
    let mut numbers: FxHashMap<Option<u32>, usize> = FxHashMap::default();
    let mut steps: Vec<CriticalStep> = Vec::new();
    let mut add = |kind: StepKind, slice: Option<usize>, part: Range<u64>| {
        if part.is_empty() {
            return;
        }
        let number = *numbers.entry(slice.map(|slice| trace.slices.name.at(slice).0)).or_insert_with(|| {
            let mut step =
                CriticalStep { start_ns: Some(part.start), count: 0, ..trace.command_step(row, kind, 0) };
            if let Some(slice) = slice {
                step.name = trace.strings.get(trace.slices.name.at(slice)).to_owned();
                step.at = Some(slice_ref(trace, slice as u32));
            }
            steps.push(step);
            steps.len() - 1
        });
        steps[number].count += 1;
        steps[number].duration_ns += part.end - part.start;
    };
    let mut at = piece.from;
    for slice in rows {
        let (start, end) = (trace.slices.start.at(slice), trace.slices.end(slice).min(piece.to));
        add(StepKind::Launch, None, at..start.min(piece.to));
        add(StepKind::Command, Some(slice), start.max(at)..end);
        at = at.max(end);
    }
    add(StepKind::Launch, None, at..piece.to);
    steps
}

/// Returns the name of a piece as the `until` of the previous one.
fn name(trace: &Trace, kind: PieceKind) -> &str {
    match kind {
        PieceKind::Start | PieceKind::Unknown | PieceKind::End => "",
        PieceKind::Thread(track) => trace.track_name(track as usize),
        PieceKind::Wait(slice) => trace.blocking().of_slice(slice).map_or("wait", |block| block.name(trace)),
        PieceKind::Native(slice) => trace.strings.get(trace.slices.name.at(slice as usize)),
        PieceKind::Launch(row) | PieceKind::Command(row) | PieceKind::HostTask(row) => {
            trace.strings.get(trace.nodes.name.at(row as usize))
        }
    }
}

/// Returns the steps of a thread in a time range before `next`. Calls with one name are one step, and so are the times
/// between calls with the same two names.
fn on_thread(
    trace: &Trace,
    builds: &BuildTimes,
    track: u32,
    range: Range<u64>,
    next: &str,
) -> Vec<CriticalStep> {
    let mut done = PathSteps {
        trace,
        positions: FxHashMap::default(),
        steps: Vec::new(),
        samples: FxHashMap::default(),
    };
    let thread = trace.track_name(track as usize);
    let (mut at, mut before) = (range.start, "");
    each_call(trace, track, range.clone(), |slice, part| {
        let name = trace.strings.get(trace.slices.name.at(slice));
        done.unknown((track, thread), at..part.start, before, name);
        // Slices of other tools may overlap. The later one then counts from the end of the earlier.
        let part = part.start.max(at)..part.end.max(at);
        (at, before) = (part.end, name);
        if trace.slices.category(slice) == Category::Submission {
            done.submission(slice, part.clone(), builds.calls(track, part));
        } else {
            done.call(slice, part);
        }
    });
    done.unknown((track, thread), at..range.end, before, next);
    done.finish()
}

struct PathSteps<'t> {
    trace: &'t Trace,
    positions: FxHashMap<(StepKind, &'t str, &'t str, u32), usize>,
    /// Steps, each with the length (ns) of its longest part.
    steps: Vec<(u64, CriticalStep)>,
    /// Samples of steps, by their positions.
    samples: FxHashMap<usize, Tally>,
}

impl<'t> PathSteps<'t> {
    /// Adds a submission. Builds within it are separate calls.
    fn submission(
        &mut self,
        slice: usize,
        part: Range<u64>,
        builds: impl Iterator<Item = (Range<u64>, usize)>,
    ) {
        let mut at = part.start;
        for (built, row) in builds {
            self.part(slice, at..built.start, at == part.start, slice);
            at = built.end;
            self.part(row, built, true, slice);
        }
        self.part(slice, at..part.end, at == part.start, slice);
    }

    fn call(&mut self, slice: usize, part: Range<u64>) {
        self.part(slice, part, true, slice);
    }

    /// Adds a part of a call or a submission. `at` is the slice with its source location.
    fn part(&mut self, slice: usize, part: Range<u64>, is_first: bool, at: usize) {
        let trace = self.trace;
        let name = trace.strings.get(trace.slices.name.at(slice));
        let (kind, node) = match trace.slices.category(slice) {
            Category::Submission => (StepKind::Submission, some(trace.slices.node.at(slice))),
            _ => (StepKind::Call, None),
        };
        let number = node.and_then(|node| trace.nodes.get(node)).map(|node| node.number);
        let made = || CriticalStep { count: 0, node: number, ..step(kind, name, 0) };
        let key = (kind, name, "", node.unwrap_or_default());
        if let Some(longest) = self.add(key, part, is_first, made) {
            longest.at = Some(slice_ref(trace, slice as u32));
            let mut place = crate::query::matcher::place(trace, at);
            if place == LocationId::default() && builds_code(name) {
                place = trace.build_place(slice);
            }
            longest.location = location(trace, place);
        }
    }

    fn finish(mut self) -> Vec<CriticalStep> {
        for (step, tally) in self.samples {
            self.steps[step].1.samples = tally.lines(self.trace);
        }
        self.steps.into_iter().map(|(_, step)| step).filter(|step| step.duration_ns > 0).collect()
    }

    fn unknown(&mut self, (track, thread): (u32, &str), part: Range<u64>, after: &'t str, until: &'t str) {
        if part.is_empty() {
            return;
        }
        let made = || CriticalStep {
            count: 0,
            after: after.to_owned(),
            until: until.to_owned(),
            ..step(StepKind::Host, thread, 0)
        };
        let key = (StepKind::Host, after, until, 0);
        self.add(key, part.clone(), true, made);
        if self.trace.samples.len() > 0 {
            let step = self.positions[&key];
            self.samples.entry(step).or_default().add(self.trace, track, &part);
        }
    }

    /// Adds a part to its step. Returns the step if no earlier part of it is as long.
    fn add(
        &mut self,
        key: (StepKind, &'t str, &'t str, u32),
        part: Range<u64>,
        is_first: bool,
        made: impl FnOnce() -> CriticalStep,
    ) -> Option<&mut CriticalStep> {
        let steps = &mut self.steps;
        let position = *self.positions.entry(key).or_insert_with(|| {
            steps.push((0, made()));
            steps.len() - 1
        });
        let (longest, step) = &mut self.steps[position];
        let length = part.end - part.start;
        step.count += u64::from(is_first);
        step.duration_ns += length;
        let is_longest = length > *longest;
        if is_longest {
            *longest = length;
            step.start_ns = Some(part.start);
        }
        is_longest.then_some(step)
    }
}

//! Where the time of a run went, in parts that add up to it: the steps of its critical path, and what none of them explains.
//!
//! A step of the host is a stretch of time of one thread; what slices cover of it is a submission or a call, the rest is
//! the program's own. The path's length is that of the run as its constraints explain it. What the run took beyond lies after the
//! path's last step, or is delay: the way through runtime and driver, and devices that were busy with other work.

use std::ops::Range;

use rustc_hash::FxHashMap;
use syclscope_language::api::PartKind;
use syclscope_language::event::{Category, NodeKind};

use crate::graph::commands::{Commands, Step};
use crate::id::{LocationId, some};
use crate::query::builds;
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::work;

/// Commands that are named of a part.
const MOST_NAMED: usize = 5;

/// What a part of a run's time is of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum PartOf {
    /// A command, by the class of its key; a submission of such a one.
    Class(PartKind, u32),
    /// Something with a name and a function of the program.
    Name(PartKind, String, String),
}

/// A part of a run's time.
#[derive(Clone, Debug, Default)]
pub(super) struct Share {
    pub(super) ns: i64,
    pub(super) count: u64,
    pub(super) location: LocationId,
    /// Rows of the longest commands, longest first.
    pub(super) nodes: Vec<(u64, u32)>,
}

/// The parts of a run's time: they add up to its duration.
#[derive(Debug, Default)]
pub(super) struct Shares {
    pub(super) list: FxHashMap<PartOf, Share>,
    /// Time of the critical path by class.
    pub(super) critical_ns: FxHashMap<u32, u64>,
}

impl Shares {
    /// The parts of a run's time; `class` gives the class of a node.
    pub(super) fn new(trace: &Trace, class: impl Fn(u32) -> Option<u32>) -> Self {
        let ran = trace.as_it_ran();
        let (commands, schedule) = (&ran.commands, &ran.schedule);
        let mut shares = Self::default();
        let builds = Builds::new(trace);
        let mut before = None;
        for number in schedule.critical_path() {
            work::row(number as usize);
            let earlier = before.replace(number);
            if let Some((track, range)) =
                earlier.and_then(|source| host_range(trace, commands, source, number))
            {
                let is_begin = commands.thread(number).is_some();
                shares.host(trace, &builds, &class, track, range, is_begin);
            }
            let ns = commands.steps.duration_ns(number);
            match commands.step(number) {
                Step::Node(row) => shares.command(trace, &class, row, ns),
                Step::Wait(slice) => shares.wait(trace, slice, ns),
                Step::Thread(_) => {
                    shares.add(PartOf::Name(PartKind::Start, String::new(), String::new()), ns, None);
                }
            }
        }
        // The path can be longer than the run where what it says of a duration is too much: then nothing comes after it.
        let rest = trace.duration_ns.cast_signed() - schedule.length_ns().cast_signed();
        let last_ns = before.and_then(|step| end_ns(trace, commands.step(step)));
        let after = last_ns.map_or(0, |last_ns| trace.duration_ns.saturating_sub(last_ns).cast_signed());
        let after = after.min(rest.max(0));
        for (kind, ns) in [(PartKind::End, after), (PartKind::Delay, rest - after)] {
            if ns != 0 {
                let part = PartOf::Name(kind, String::new(), String::new());
                shares.list.entry(part).or_default().ns += ns;
            }
        }
        shares
    }

    fn command(&mut self, trace: &Trace, class: &impl Fn(u32) -> Option<u32>, row: u32, ns: u64) {
        let kind = match trace.nodes.kind.at(row as usize) {
            NodeKind::Kernel => PartKind::Kernel,
            NodeKind::Copy => PartKind::Copy,
            _ => PartKind::Command,
        };
        match class(row) {
            Some(class) => {
                *self.critical_ns.entry(class).or_default() += ns;
                self.add(PartOf::Class(kind, class), ns, Some(row));
            }
            None => {
                let name = trace.strings.get(trace.nodes.name.at(row as usize)).to_owned();
                self.add(PartOf::Name(kind, name, String::new()), ns, Some(row));
            }
        }
    }

    fn wait(&mut self, trace: &Trace, slice: u32, ns: u64) {
        let block = trace.blocking().of_slice(slice);
        let (name, place) = block.map_or(("wait", LocationId(0)), |block| (block.name(trace), block.place));
        let function = trace.locations.place(place, &trace.strings).map_or("", |place| place.function);
        let share = self.add(PartOf::Name(PartKind::Wait, name.to_owned(), function.to_owned()), ns, None);
        share.location = place;
    }

    /// Shares out what a thread did in a range of time.
    fn host(
        &mut self,
        trace: &Trace,
        builds: &Builds,
        class: &impl Fn(u32) -> Option<u32>,
        track: u32,
        range: Range<u64>,
        is_begin: bool,
    ) {
        let own = |name: &str| PartOf::Name(PartKind::Host, name.to_owned(), String::new());
        let thread = trace.tracks.get(track).map_or("host", |row| trace.strings.get(row.name));
        let mut left = range.end - range.start;
        if !is_begin {
            each_told(trace, track, range, |slice, part| {
                let length = part.end - part.start;
                left -= length.min(left);
                let built = builds.within(track, part).min(length);
                if built > 0 {
                    self.add(PartOf::Name(PartKind::Build, String::new(), String::new()), built, None);
                }
                let node = some(trace.slices.node.at(slice));
                let is_submission = trace.slices.category(slice) == Category::Submission;
                let part = match node.and_then(class).filter(|_| is_submission) {
                    Some(class) => PartOf::Class(PartKind::Submission, class),
                    None => {
                        let name = trace.strings.get(trace.slices.name.at(slice)).to_owned();
                        let kind = if is_submission { PartKind::Submission } else { PartKind::Call };
                        PartOf::Name(kind, name, String::new())
                    }
                };
                if length > built {
                    self.add(part, length - built, node.filter(|_| is_submission));
                }
            });
        }
        if left > 0 {
            self.add(own(thread), left, None);
        }
    }

    fn add(&mut self, part: PartOf, ns: u64, node: Option<u32>) -> &mut Share {
        let share = self.list.entry(part).or_default();
        share.ns += ns.cast_signed();
        share.count += 1;
        if let Some(node) = node {
            let place = share.nodes.partition_point(|(longer, _)| *longer >= ns);
            if place < MOST_NAMED {
                share.nodes.insert(place, (ns, node));
                share.nodes.truncate(MOST_NAMED);
            }
        }
        share
    }
}

/// When a step was over, where the recording says so.
fn end_ns(trace: &Trace, step: Step) -> Option<u64> {
    match step {
        Step::Node(row) => {
            some(trace.nodes.execution.at(row as usize)).map(|slice| trace.slices.end(slice as usize))
        }
        Step::Wait(slice) => trace.blocking().of_slice(slice).map(|block| block.end),
        Step::Thread(_) => None,
    }
}

/// The time of a thread between two steps of the path.
fn host_range(trace: &Trace, commands: &Commands, source: u32, target: u32) -> Option<(u32, Range<u64>)> {
    let lag =
        commands.steps.incoming(target).filter(|arc| arc.source == source).map(|arc| arc.lag_ns).max()?;
    let (track, from) = match commands.step(source) {
        Step::Wait(slice) => trace.blocking().of_slice(slice).map(|block| (block.track, block.end))?,
        Step::Thread(_) => commands.thread(source).map(|thread| (thread.track, thread.first))?,
        Step::Node(_) => return None,
    };
    (lag > 0).then_some((track, from..from + lag))
}

/// The outermost submissions and calls of a thread in a range of time, each with its part of it.
fn each_told(trace: &Trace, track: u32, range: Range<u64>, mut tell: impl FnMut(usize, Range<u64>)) {
    let Some(row) = trace.tracks.get(track) else { return };
    let end = (row.first_lane + row.lanes) as usize;
    let slices = &trace.slices;
    // A range of a lane, and the slices of it that are to come. A file says how deep it goes, so this is no recursion.
    let level = |lane: usize, range: Range<u64>| {
        let rows = slices.lane(lane);
        let starts = slices.start.get(rows.clone())?;
        let first = starts.partition_point(|start| *start <= range.start).saturating_sub(1);
        (lane < end).then_some((lane, rows.start + first..rows.end, range))
    };
    let mut open: Vec<(usize, Range<usize>, Range<u64>)> =
        level(row.first_lane as usize, range).into_iter().collect();
    while let Some((lane, rows, range)) = open.last_mut() {
        let Some(slice) = rows.next().filter(|slice| slices.start.at(*slice) < range.end) else {
            open.pop();
            continue;
        };
        let part = slices.start.at(slice).max(range.start)..slices.end(slice).min(range.end);
        if part.start >= part.end {
            continue;
        }
        let lane = *lane;
        match slices.category(slice) {
            Category::Submission | Category::Call | Category::Native | Category::Memory => tell(slice, part),
            _ => open.extend(level(lane + 1, part)),
        }
    }
}

/// When calls built device code, by thread.
struct Builds(FxHashMap<u32, crate::query::Stretches>);

impl Builds {
    fn new(trace: &Trace) -> Self {
        let mut found: FxHashMap<u32, Vec<(u64, u64)>> = FxHashMap::default();
        for row in builds(trace) {
            let track = trace.tracks.of_lane(trace.slices.lane_of(row)) as u32;
            found.entry(track).or_default().push((trace.slices.start.at(row), trace.slices.end(row)));
        }
        Self(found.into_iter().map(|(track, built)| (track, crate::query::Stretches::new(built))).collect())
    }

    /// How long a thread built in a range of time, in nanoseconds.
    fn within(&self, track: u32, range: Range<u64>) -> u64 {
        self.0.get(&track).map_or(0, |built| built.within(range.start, range.end).ns())
    }
}

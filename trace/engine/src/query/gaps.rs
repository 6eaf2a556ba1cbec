//! Idle gaps of devices, queues and threads, and their causes.
//!
//! A device's gap is explained by the path that leads back from the start of the next command. The path consists of
//! consecutive recorded times, like the critical path, so that its pieces add up to the gap.

mod by_cause;
mod class;
mod message;
mod stretches;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;
use syclscope_language::api::{CriticalStep, Gap, GapClass, GapClassTime, GapPart, Gaps, StepKind};
use syclscope_language::question::GapsQuestion;

pub(super) use self::by_cause::{Idle, IdleCause};
use self::class::Classes;
use self::stretches::Stretch;
use super::detail::{location, node_ref, slice_ref};
use super::graph::PieceSteps;
use super::pauses::{PAUSED, Pauses};
use super::sampled;
use crate::graph::RunGraph;
use crate::graph::path::{Causes, Piece, PieceKind};
use crate::id::some;
use crate::query::{BuildTimes, QueryError};
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::stretches::Stretches;
use syclscope_language::sorting::Sorting as _;

/// Minimum number of pieces, and of slices of threads, that are followed in a gap. The longest gaps get more, within a
/// total for the trace.
const PIECES: usize = 64;
const PIECES_OF_ALL: usize = 20_000;
const PIECES_PER_SLICE: usize = 8;
/// Maximum number of parts of a gap; further ones are merged by class.
const MAX_PARTS: usize = 100;
/// Maximum number of lanes of a thread whose slices are counted.
const LANES: usize = 64;
const OTHERS: &str = "others";
/// Name of the time before the followed pieces.
const EARLIER: &str = "earlier";

impl Trace {
    /// Returns the idle gaps of all devices, or of the device, queue or thread of a track, with their causes. Walks
    /// over every slice.
    ///
    /// # Errors
    /// Returns an error if the track does not exist or is of another kind.
    pub fn gaps(&self, question: &GapsQuestion) -> Result<Gaps, QueryError> {
        let range = question.from_ns.unwrap_or(0)..question.to_ns.unwrap_or(self.duration_ns);
        let mut found = stretches::find(self, question.track, &range)?;
        if let Some(at) = question.at_ns {
            found.retain(|stretch| (stretch.from..stretch.to).contains(&at));
        }
        let listed = found.iter().take_while(|stretch| stretch.to - stretch.from >= question.shortest_ns);
        let listed = listed.count().min(question.limit as usize);
        let graph = self.run_graph();
        let mut explain = Explain::new(self, &graph);
        let mut gaps = Gaps { count: found.len() as u64, ..Gaps::default() };
        let mut classes: BTreeMap<GapClass, (u64, u64)> = BTreeMap::new();
        for (number, stretch) in found.iter().enumerate() {
            let parts = explain.parts(stretch);
            gaps.idle_ns += stretch.to - stretch.from;
            for (class, duration_ns) in by_class(&parts) {
                let (total_ns, count) = classes.entry(class).or_default();
                *total_ns += duration_ns;
                *count += 1;
            }
            if number < listed {
                gaps.gaps.push(self.gap(stretch, parts));
            }
        }
        gaps.more = gaps.count - gaps.gaps.len() as u64;
        let time = |(class, (total_ns, count))| GapClassTime { class, total_ns, count };
        gaps.classes = classes.into_iter().map(time).collect();
        gaps.classes.arrange_by_key(|time| (Reverse(time.total_ns), time.class));
        Ok(gaps)
    }

    fn slice_name(&self, slice: u32) -> &str {
        self.strings.get(self.slices.name.at(slice as usize))
    }

    fn gap(&self, stretch: &Stretch, mut parts: Vec<GapPart>) -> Gap {
        let class = by_class(&parts).into_iter().max_by_key(|(class, ns)| (*ns, Reverse(*class)));
        let next = stretch.next_node(self);
        let mut gap = Gap {
            track: stretch.track,
            name: self.track_name(stretch.track as usize).to_owned(),
            from_ns: stretch.from,
            to_ns: stretch.to,
            class: class.map_or(GapClass::Unknown, |(class, _)| class),
            parts: Vec::new(),
            next: next.map(|node| node_ref(self, node)),
            location: next.and_then(|node| location(self, self.nodes.row(node as usize).location)),
            before: some(stretch.before).map(|slice| slice_ref(self, slice)),
            after: some(stretch.after).map(|slice| slice_ref(self, slice)),
            message: String::new(),
        };
        parts.iter_mut().for_each(|part| sampled::finish(&mut part.step.samples));
        gap.message = message::describe(self, &gap, &parts, next);
        gap.parts = fold(parts);
        gap
    }
}

fn by_class(parts: &[GapPart]) -> BTreeMap<GapClass, u64> {
    let mut classes = BTreeMap::new();
    for part in parts {
        *classes.entry(part.class).or_default() += part.step.duration_ns;
    }
    classes
}

/// Returns the parts by start. Those beyond [`MAX_PARTS`] are merged by class.
fn fold(mut parts: Vec<GapPart>) -> Vec<GapPart> {
    if parts.len() > MAX_PARTS {
        parts.arrange_by_key(|part| Reverse(part.step.duration_ns));
        let mut others: BTreeMap<GapClass, GapPart> = BTreeMap::new();
        for part in parts.split_off(MAX_PARTS) {
            let GapPart { class, step } = part;
            let other = others.entry(class).or_insert_with(|| GapPart {
                class,
                step: CriticalStep { count: 0, duration_ns: 0, ..super::graph::step(step.kind, OTHERS, 0) },
            });
            other.step.count += step.count;
            other.step.duration_ns += step.duration_ns;
        }
        parts.extend(others.into_values());
    }
    parts.arrange_by_key(|part| part.step.start_ns.unwrap_or(u64::MAX));
    parts
}

/// Causes with the same key are one part.
type Key = (GapClass, StepKind, [String; 3], Option<u64>);

#[derive(Default)]
struct Parts {
    list: Vec<GapPart>,
    indices: FxHashMap<Key, usize>,
}

impl Parts {
    fn add(&mut self, class: GapClass, step: CriticalStep) {
        let words = [&step.name, &step.after, &step.until].map(String::clone);
        let at = *self.indices.entry((class, step.kind, words, step.node)).or_insert(self.list.len());
        match self.list.get_mut(at) {
            Some(GapPart { step: known, .. }) => {
                known.count += step.count;
                known.duration_ns += step.duration_ns;
                sampled::add(&mut known.samples, step.samples);
            }
            None => self.list.push(GapPart { class, step }),
        }
    }

    /// Adds the time before the first followed piece.
    fn earlier(&mut self, range: Range<u64>) {
        if !range.is_empty() {
            let step = super::graph::step(StepKind::Host, EARLIER, range.end - range.start);
            self.add(GapClass::Unknown, CriticalStep { start_ns: Some(range.start), ..step });
        }
    }
}

struct Explain<'t> {
    trace: &'t Trace,
    causes: Causes<'t>,
    steps: PieceSteps<'t>,
    classes: Classes<'t>,
    pauses: Pauses,
    /// Builds of device code by process, on any of its threads.
    builds: FxHashMap<u32, Vec<(Range<u64>, usize)>>,
    /// Remaining number of pieces and slices to follow.
    left: usize,
}

impl<'t> Explain<'t> {
    fn new(trace: &'t Trace, graph: &'t RunGraph) -> Self {
        Self {
            trace,
            causes: Causes::new(trace, &graph.launches),
            steps: PieceSteps::new(trace),
            classes: Classes::new(trace, &graph.launches),
            pauses: Pauses::new(trace),
            builds: BuildTimes::new(trace).of_processes(trace),
            left: PIECES_OF_ALL + PIECES_PER_SLICE * trace.slices.len(),
        }
    }

    /// Returns the causes of a gap. Their durations add up to the gap.
    fn parts(&mut self, stretch: &Stretch) -> Vec<GapPart> {
        let mut parts = Parts::default();
        for (piece, next) in self.recorded_pieces(stretch, &mut parts) {
            for mut step in self.steps_of(&piece, next.as_ref(), stretch) {
                if stretch.is_of_thread {
                    let name = |slice: u32| some(slice).map_or("", |slice| self.trace.slice_name(slice));
                    (step.after, step.until) =
                        (name(stretch.before).to_owned(), name(stretch.after).to_owned());
                }
                let class = self.classes.classify(&piece, next.as_ref(), &step, stretch);
                parts.add(class, step);
            }
        }
        parts.list
    }

    fn steps_of(&self, piece: &Piece, next: Option<&Piece>, stretch: &Stretch) -> Vec<CriticalStep> {
        match piece.kind {
            // Builds meanwhile, for this command or another one, are not overhead of the launch. They keep back host
            // tasks, too.
            PieceKind::Launch(node) | PieceKind::HostTask(node) => {
                let process = self.trace.tracks.process.at(stretch.track as usize);
                let builds = self.builds.get(&process).map_or(&[][..], Vec::as_slice);
                let first = builds.partition_point(|(time, _)| time.end <= piece.from);
                let within = builds[first..].iter().take_while(|(time, _)| time.start < piece.to);
                let clipped =
                    within.map(|(time, row)| (time.start.max(piece.from)..time.end.min(piece.to), *row));
                self.steps.launch_around(node, piece, clipped)
            }
            // A command in pieces is one step, with the time between the pieces.
            PieceKind::Command(node) => vec![self.steps.command(node, piece)],
            _ => {
                let mut steps = Vec::new();
                self.steps.add(piece, next, &mut steps);
                steps
            }
        }
    }

    /// Returns the pieces of a stretch, each with its successor. Adds the time that no piece explains.
    fn recorded_pieces(&mut self, stretch: &Stretch, parts: &mut Parts) -> Vec<(Piece, Option<Piece>)> {
        let pieces = self.pieces(stretch);
        let followed_from = pieces.first().map_or(stretch.to, |piece| piece.from.min(stretch.to));
        parts.earlier(stretch.from..followed_from);
        let mut found = Vec::new();
        for (number, piece) in pieces.iter().enumerate().take_while(|(_, piece)| piece.from < stretch.to) {
            let next = pieces.get(number + 1).copied();
            let whole = Piece { to: piece.to.min(stretch.to), ..*piece };
            for mut piece in self.recorded(whole, stretch, parts) {
                if let PieceKind::Thread(track) = piece.kind {
                    let from = self.followed_from(track, piece.from..piece.to);
                    parts.earlier(piece.from..from);
                    piece.from = from;
                }
                found.push((piece, next));
            }
        }
        found
    }

    /// Returns the parts of a piece outside the pauses of a gap's process. Adds the pauses.
    fn recorded(&self, piece: Piece, stretch: &Stretch, parts: &mut Parts) -> Vec<Piece> {
        let process = self.trace.tracks.process.at(stretch.track as usize);
        let Some(pauses) = self.pauses.within(process, &(piece.from..piece.to)) else { return vec![piece] };
        for (from, to) in pauses.iter() {
            let step = super::graph::step(StepKind::Host, PAUSED, to - from);
            parts.add(GapClass::Paused, CriticalStep { start_ns: Some(from), ..step });
        }
        let recorded = Stretches::new(vec![(piece.from, piece.to)]).without(&pauses);
        recorded.iter().map(|(from, to)| Piece { from, to, ..piece }).collect()
    }

    /// Returns the time from which a thread's slices in a range are followed, so that the number of later slices is
    /// within the limit.
    fn followed_from(&mut self, track: u32, range: Range<u64>) -> u64 {
        let Some(row) = self.trace.tracks.get(track) else { return range.start };
        let lanes: Vec<&[u64]> = row
            .lane_range()
            .take(LANES)
            .filter_map(|lane| self.trace.slices.start.get(self.trace.slices.lane(lane)))
            .collect();
        let before =
            |at: u64| lanes.iter().map(|starts| starts.partition_point(|start| *start < at)).sum::<usize>();
        let (end, most) = (before(range.end), self.left.max(PIECES));
        let (mut from, mut to) = (range.start, range.end);
        if end - before(from) > most {
            while from < to {
                let middle = from.midpoint(to);
                if end - before(middle) > most { from = middle + 1 } else { to = middle }
            }
        }
        self.left = self.left.saturating_sub(end - before(from));
        from
    }

    /// Returns the pieces up to the end of the whole gap, first to last.
    fn pieces(&mut self, stretch: &Stretch) -> Vec<Piece> {
        let Stretch { from, to, .. } = *stretch;
        if stretch.is_of_thread {
            return vec![Piece { kind: PieceKind::Thread(stretch.track), from, to }];
        }
        let next = match (some(stretch.after), stretch.next_node(self.trace)) {
            (None, _) => None,
            (Some(_), Some(node)) => Some(node),
            // The submission time of native work is unknown.
            (Some(_), None) => return vec![Piece { kind: PieceKind::Unknown, from, to }],
        };
        let pieces = self.causes.pieces(from..stretch.whole_to, next, self.left.max(PIECES)).pieces;
        self.left = self.left.saturating_sub(pieces.len());
        pieces
    }
}

//! Breakdown of a run's time into parts that add up to it: the pieces of its critical path.
//!
//! A piece of the host is a stretch of time of one thread; the parts that slices cover are submissions and calls, the
//! rest is the program's own. Delay is latency in the runtime and driver, and devices that were busy with other work.

use std::ops::Range;

use rustc_hash::FxHashMap;
use syclscope_language::api::PartKind;
use syclscope_language::event::{Category, NodeKind};

use crate::cancel;
use crate::graph::path::{PieceKind, each_call};
use crate::id::{LocationId, some};
use crate::query::BuildTimes;
use crate::store::Trace;
use crate::store::table::Table as _;

/// Maximum number of named commands of a part.
const MAX_NAMED_COMMANDS: usize = 5;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum PartKey {
    /// A command, or the submission of one, by the class of its key.
    Class(PartKind, u32),
    /// Anything else, by name and function of the program.
    Name(PartKind, String, String),
}

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
    pub(super) list: FxHashMap<PartKey, Share>,
    /// Time of the critical path by class.
    pub(super) critical_ns: FxHashMap<u32, u64>,
}

impl Shares {
    /// Returns the parts of a run's time in a range. `class` gives the class of a node, and `names` the names of
    /// threads by track, where they differ from the tracks'.
    pub(super) fn new(
        trace: &Trace,
        range: &Range<u64>,
        names: &FxHashMap<u32, String>,
        class: impl Fn(u32) -> Option<u32>,
    ) -> Self {
        let graph = trace.run_graph();
        let mut shares = Self::default();
        let builds = BuildTimes::new(trace);
        for (number, piece) in graph.path.pieces.iter().enumerate() {
            cancel::row(number);
            let Some(piece) = piece.within(range) else { continue };
            let ns = piece.to - piece.from;
            match piece.kind {
                PieceKind::Start => shares.whole(PartKind::Start, ns),
                PieceKind::Thread(track) => {
                    let own = || trace.tracks.get(track).map_or("host", |row| trace.strings.get(row.name));
                    let thread = names.get(&track).map_or_else(own, String::as_str);
                    shares.host(trace, &builds, &class, (track, thread), piece.from..piece.to);
                }
                PieceKind::Wait(slice) => shares.wait(trace, slice, ns),
                PieceKind::Launch(_) => shares.whole(PartKind::Delay, ns),
                PieceKind::Command(row) => shares.command(trace, &class, row, ns),
                PieceKind::Native(slice) => shares.native(trace, slice, ns),
                // The host task ran in that time, and need not have filled it.
                PieceKind::HostTask(row) => shares.host_task(trace, row, ns),
                PieceKind::Unknown => shares.whole(PartKind::Host, ns),
                PieceKind::End => shares.whole(PartKind::End, ns),
            }
        }
        shares
    }

    fn whole(&mut self, kind: PartKind, ns: u64) {
        self.add(PartKey::Name(kind, String::new(), String::new()), ns, None);
    }

    fn host_task(&mut self, trace: &Trace, row: u32, ns: u64) {
        let name = trace.strings.get(trace.nodes.name.at(row as usize)).to_owned();
        self.add(PartKey::Name(PartKind::Host, name, String::new()), ns, Some(row));
    }

    fn command(&mut self, trace: &Trace, class: &impl Fn(u32) -> Option<u32>, row: u32, ns: u64) {
        let kind = part_of(trace.nodes.kind.at(row as usize));
        match class(row) {
            Some(class) => {
                *self.critical_ns.entry(class).or_default() += ns;
                self.add(PartKey::Class(kind, class), ns, Some(row));
            }
            None => {
                let name = trace.strings.get(trace.nodes.name.at(row as usize)).to_owned();
                self.add(PartKey::Name(kind, name, String::new()), ns, Some(row));
            }
        }
    }

    fn native(&mut self, trace: &Trace, slice: u32, ns: u64) {
        let name = trace.strings.get(trace.slices.name.at(slice as usize)).to_owned();
        let kind = part_of(trace.executions.kind.at(slice as usize));
        self.add(PartKey::Name(kind, name, String::new()), ns, None);
    }

    fn wait(&mut self, trace: &Trace, slice: u32, ns: u64) {
        let block = trace.blocking().of_slice(slice);
        let (name, place) = block.map_or(("wait", LocationId(0)), |block| (block.name(trace), block.place));
        let function = trace.locations.place(place, &trace.strings).map_or("", |place| place.function);
        let share = self.add(PartKey::Name(PartKind::Wait, name.to_owned(), function.to_owned()), ns, None);
        share.location = place;
    }

    fn host(
        &mut self,
        trace: &Trace,
        builds: &BuildTimes,
        class: &impl Fn(u32) -> Option<u32>,
        (track, thread): (u32, &str),
        range: Range<u64>,
    ) {
        let mut left = range.end - range.start;
        each_call(trace, track, range, |slice, part| {
            let length = part.end - part.start;
            left -= length.min(left);
            let built = builds.within(track, part).min(length);
            if built > 0 {
                self.add(PartKey::Name(PartKind::Build, String::new(), String::new()), built, None);
            }
            let node = some(trace.slices.node.at(slice));
            let is_submission = trace.slices.category(slice) == Category::Submission;
            let part = match node.and_then(class).filter(|_| is_submission) {
                Some(class) => PartKey::Class(PartKind::Submission, class),
                None => {
                    let name = trace.strings.get(trace.slices.name.at(slice)).to_owned();
                    let kind = if is_submission { PartKind::Submission } else { PartKind::Call };
                    PartKey::Name(kind, name, String::new())
                }
            };
            if length > built {
                self.add(part, length - built, node.filter(|_| is_submission));
            }
        });
        if left > 0 {
            self.add(PartKey::Name(PartKind::Host, thread.to_owned(), String::new()), left, None);
        }
    }

    fn add(&mut self, part: PartKey, ns: u64, node: Option<u32>) -> &mut Share {
        let share = self.list.entry(part).or_default();
        share.ns += ns.cast_signed();
        share.count += 1;
        if let Some(node) = node {
            // A wait inside a submission divides it into several pieces.
            let known = share.nodes.iter().position(|(_, other)| *other == node);
            let ns = ns + known.map_or(0, |known| share.nodes.remove(known).0);
            let place = share.nodes.partition_point(|(longer, _)| *longer >= ns);
            if place < MAX_NAMED_COMMANDS {
                share.nodes.insert(place, (ns, node));
                share.nodes.truncate(MAX_NAMED_COMMANDS);
            }
        }
        share
    }
}

fn part_of(kind: NodeKind) -> PartKind {
    match kind {
        NodeKind::Kernel => PartKind::Kernel,
        NodeKind::Copy => PartKind::Copy,
        _ => PartKind::Command,
    }
}

//! Lines that stand for many tracks: tracks without slices, threads with similar names, counters, and tracks that the
//! user merged.

use syclscope_language::event::TrackKind;
use syclscope_language::machine_counters;

use super::arrange::{Branch, Forest, searched};
use super::{FOLD_IDS, Source, TreeTrack};
use crate::format;
use crate::views::timeline::pattern::Pattern;

/// Minimum number of tracks without slices in one line.
const MIN_IDLE_TRACKS: usize = 4;
/// Minimum number of threads with similar names in one line.
const MIN_SIMILAR_THREADS: usize = 8;
/// Limit of a trace's track ids, and of its kernels' after them.
const MAX_TRACKS: u32 = 1 << 26;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folded {
    Idle,
    /// Tracks with similar names.
    Alike,
    /// Tracks that the user merged.
    Merged,
    Counters,
}

#[derive(PartialEq, Eq)]
struct Likeness {
    why: Folded,
    kind: TrackKind,
    name: String,
}

/// Folds tracks with the same parent into groups; counters only on request.
pub(super) fn fold(forest: &mut Forest, merged: &[Pattern], folds_counters: bool) {
    let mut folded = vec![false; forest.branches.len()];
    for parent in std::iter::once(None).chain((0..forest.branches.len()).map(Some)) {
        if forest.children_mut(parent).len() < 2 {
            continue;
        }
        let children = std::mem::take(forest.children_mut(parent));
        let mut found: Vec<(Likeness, Vec<usize>)> = Vec::new();
        for child in &children {
            let branch = &forest.branches[*child];
            let is_left = branch.track.counter.is_some() && !folds_counters;
            let Some(likeness) = likeness(branch, merged).filter(|_| !is_left) else { continue };
            match found.iter_mut().find(|(other, _)| *other == likeness) {
                Some((_, members)) => members.push(*child),
                None => found.push((likeness, vec![*child])),
            }
        }
        found.retain(|(likeness, members)| members.len() >= likeness.min());
        for (_, members) in &found {
            members.iter().for_each(|member| folded[*member] = true);
        }
        let mut rows = Vec::with_capacity(children.len());
        let mut found: Vec<_> = found.into_iter().map(Some).collect();
        let mut last = Vec::new();
        for child in children {
            // A line takes the place of its first track. A line of idle tracks takes that of the last one, so that it
            // comes after the tracks with slices.
            let place = found.iter_mut().find(|fold| {
                fold.as_ref().is_some_and(|(likeness, members)| {
                    let end = if likeness.why == Folded::Idle { members.last() } else { members.first() };
                    end == Some(&child)
                })
            });
            if let Some((likeness, members)) = place.and_then(Option::take) {
                // Threads are near the queues that they submit to, and counters below them.
                let list = if likeness.why == Folded::Counters { &mut last } else { &mut rows };
                list.push(forest.group(parent, &likeness, members));
            } else if !folded[child] {
                rows.push(child);
            }
        }
        rows.append(&mut last);
        *forest.children_mut(parent) = rows;
    }
}

/// Names each line by its visible tracks. If `is_filtered`, a few tracks are shown one by one.
pub(super) fn name(forest: &mut Forest, is_shown: &[bool], is_filtered: bool) {
    for place in 0..forest.branches.len() {
        let Branch { track, children, .. } = &forest.branches[place];
        let Source::Folded(why) = track.source else { continue };
        let Some(first) = children.first().map(|child| &forest.branches[*child].track) else { continue };
        let count = children.iter().filter(|child| is_shown[**child]).count();
        let what = match first.kind {
            TrackKind::Queue => ("queue", "queues"),
            TrackKind::Thread => ("thread", "threads"),
            TrackKind::Counter => ("counter", "counters"),
            _ => ("track", "tracks"),
        };
        let count_text = format::counted(count as u64, what.0, what.1);
        let name = match (why, first.kind) {
            (Folded::Idle, TrackKind::Queue) => format!("{count_text} without executions"),
            (Folded::Idle, _) => format!("{count_text} without slices"),
            (Folded::Alike, _) => format!("{count_text}: {}", without_digits(&first.name)),
            (Folded::Merged, _) => format!("{count_text}: {}", track.name),
            (Folded::Counters, _) => count_text,
        };
        let track = &mut forest.branches[place].track;
        track.name = name;
        track.is_closed_at_first = !is_filtered || why == Folded::Merged || count > MIN_SIMILAR_THREADS;
    }
}

impl Likeness {
    fn min(&self) -> usize {
        match self.why {
            Folded::Idle => MIN_IDLE_TRACKS,
            Folded::Alike => MIN_SIMILAR_THREADS,
            Folded::Merged | Folded::Counters => 2,
        }
    }
}

impl Forest {
    fn children_mut(&mut self, parent: Option<usize>) -> &mut Vec<usize> {
        match parent {
            Some(parent) => &mut self.branches[parent].children,
            None => &mut self.roots,
        }
    }

    /// Creates a branch for a line, which its parent does not list yet.
    fn group(&mut self, parent: Option<usize>, likeness: &Likeness, members: Vec<usize>) -> usize {
        let Likeness { why, kind, name } = likeness;
        let first = &self.branches[members[0]].track;
        // Kernels are numbered separately.
        let number = match first.source {
            Source::Kernel(kernel) => MAX_TRACKS / 2 + kernel % (MAX_TRACKS / 2),
            _ => first.id % (MAX_TRACKS / 2),
        };
        let track = TreeTrack {
            id: FOLD_IDS + *why as u32 * MAX_TRACKS + number,
            source: Source::Folded(*why),
            kind: *kind,
            process: first.process,
            name: name.clone(),
            ..TreeTrack::default()
        };
        let mut path = parent.map(|parent| self.branches[parent].path.clone()).unwrap_or_default();
        path.push(name.clone());
        self.branches.push(Branch { track, path, children: members });
        self.branches.len() - 1
    }
}

fn likeness(branch: &Branch, merged: &[Pattern]) -> Option<Likeness> {
    let Branch { track, path, children } = branch;
    let holds_slices = track.lanes > 0 || is_host_or_queue(track.kind);
    let of = |why, name: &str| Some(Likeness { why, kind: track.kind, name: name.to_owned() });
    if track.counter.is_some() {
        // Counters of the process and of the machine have a separate group, which is initially closed.
        let is_grouped = path.iter().any(|name| name == machine_counters::GROUP);
        let is_recorded = track.source == Source::Recorded && children.is_empty() && !is_grouped;
        return of(Folded::Counters, "").filter(|_| is_recorded);
    }
    if !children.is_empty() || !holds_slices {
        return None;
    }
    if !merged.is_empty() {
        let text = searched(path, track.kind);
        if let Some(pattern) = merged.iter().find(|pattern| pattern.is_in(&text)) {
            return of(Folded::Merged, pattern.text());
        }
    }
    if track.source != Source::Recorded || !is_host_or_queue(track.kind) {
        return None;
    }
    if track.slices == 0 {
        return of(Folded::Idle, "");
    }
    let name = without_digits(&track.name);
    if track.kind == TrackKind::Thread && name != track.name { of(Folded::Alike, &name) } else { None }
}

fn is_host_or_queue(kind: TrackKind) -> bool {
    matches!(kind, TrackKind::Queue | TrackKind::Thread)
}

/// Removes the digits of a name, so that `worker 12` and `worker 7` become equal.
fn without_digits(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for letter in name.chars() {
        match letter.is_ascii_digit() {
            true if text.ends_with('…') => {}
            true => text.push('…'),
            false => text.push(letter),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::{KernelSummary, TraceInfo, TrackInfo};
    use syclscope_language::event::NodeKind;

    use super::*;
    use crate::ordered::OrderedSet;
    use crate::views::timeline::draw::tests::track;
    use crate::views::timeline::layout::{Layout, RowKind};
    use crate::views::timeline::model::{LoadedAnswers, TrackTree};
    use crate::views::timeline::tracks::{Grouping, TrackChoice};

    /// Returns the trace of a device with many queues, of which two ran something, and a program with many threads.
    fn crowd() -> TraceInfo {
        let mut tracks = vec![track(0, None, TrackKind::Device, "gpu", 0)];
        let mut add = |parent, kind, name: String, slices| {
            let id = tracks.len() as u32;
            tracks.push(TrackInfo { slices, ..track(id, Some(parent), kind, &name, 1) });
            id
        };
        for number in 0..3_539 {
            add(0, TrackKind::Queue, format!("queue {number} · in-order"), u64::from(number < 2) * 5);
        }
        let process = add(0, TrackKind::Process, "app".into(), 0);
        for name in ["main thread", "thread 71", "idle"] {
            add(process, TrackKind::Thread, name.into(), 3);
        }
        for number in 0..9 {
            add(process, TrackKind::Thread, format!("pool 2 worker {number}"), 4);
        }
        tracks[process as usize].parent = None;
        tracks[process as usize].lanes = 0;
        TraceInfo { duration_ns: 1_000, tracks, ..TraceInfo::default() }
    }

    fn rows(filter: &str) -> Vec<String> {
        let choice = TrackChoice { filter: filter.into(), ..TrackChoice::default() };
        let tree = TrackTree::arranged(&crowd(), &choice, LoadedAnswers::default());
        let layout = Layout::new(&tree, &OrderedSet::default());
        layout.rows.iter().map(|row| tree.tracks[row.place].name.clone()).collect()
    }

    #[test]
    fn queues_without_executions_and_a_crowd_of_threads_are_a_line_each() {
        let (one, other) = ("queue 0 · in-order", "queue 1 · in-order");
        let threads = ["main thread", "thread 71", "idle", "9 threads: pool … worker …"];
        let idle = "3,537 queues without executions";
        assert_eq!(rows(""), [&["gpu", one, other, idle, "app"][..], &threads].concat());
        assert_eq!(rows("thread"), [&["app"][..], &threads].concat());
        assert_eq!(rows("queue*3536"), ["gpu", "1 queue without executions", "queue 3536 · in-order"]);
        assert_eq!(rows("-queue -worker")[..2], ["app".to_owned(), "main thread".to_owned()]);
    }

    #[test]
    fn what_the_user_merges_is_a_line_and_can_be_taken_apart() {
        let merged = rows("+queue*order +thread");
        assert_eq!(merged, ["gpu", "3,539 queues: queue*order", "app", "12 threads: thread"]);
        let choice = TrackChoice { filter: "+queue*order".into(), ..TrackChoice::default() };
        let tree = TrackTree::arranged(&crowd(), &choice, LoadedAnswers::default());
        let line = tree.tracks[1].clone();
        let shape = |open| {
            let layout = Layout::new(&tree, &open);
            (layout.rows[1].kind, layout.rows.len())
        };
        assert_eq!(shape(OrderedSet::default()).0, RowKind::Condensed);
        assert!(shape(OrderedSet::from_iter([line.id])).1 > 3_539);
        assert_eq!((line.tiles(), line.descendants), (None, 3_539));
    }

    #[test]
    fn a_line_of_kernels_and_one_of_threads_are_two() {
        let kernel = |name: &str| {
            let (kind, count, total_ns, min_ns, max_ns) = (NodeKind::Kernel, 1, 1, 1, 1);
            KernelSummary { name: name.into(), kind, count, total_ns, min_ns, max_ns }
        };
        let info = TraceInfo {
            tracks: vec![
                track(0, None, TrackKind::Process, "app", 0),
                track(1, Some(0), TrackKind::Thread, "worker 1", 1),
                track(2, Some(0), TrackKind::Thread, "worker 2", 1),
            ],
            kernels: ["copy", "gemm a", "gemm b"].map(kernel).into(),
            ..TraceInfo::default()
        };
        let filter = "+gemm +worker".into();
        let choice = TrackChoice { grouping: Grouping::Kernel, filter, ..TrackChoice::default() };
        let tree = TrackTree::arranged(&info, &choice, LoadedAnswers::default());
        let lines = tree.tracks.iter().filter(|track| matches!(track.source, Source::Folded(_)));
        let lines: Vec<_> = lines.map(|track| (track.name.as_str(), track.id)).collect();
        let [(kernels, one), (threads, other)] = lines[..] else { panic!("{lines:?}") };
        assert_eq!((kernels, threads), ("2 queues: gemm", "2 threads: worker"));
        assert_ne!(one, other, "each opens and closes by itself");
    }

    #[test]
    fn a_line_without_slices_is_a_heading_and_can_be_hidden() {
        let tree = TrackTree::new(&crowd());
        let layout = Layout::new(&tree, &OrderedSet::default());
        let row = &layout.rows[3];
        assert_eq!((row.kind, tree.tracks[row.place].descendants), (RowKind::Heading, 3_537));
        let choice = TrackChoice { hidden: OrderedSet::from_iter([row.track]), ..TrackChoice::default() };
        let tree = TrackTree::arranged(&crowd(), &choice, LoadedAnswers::default());
        assert_eq!((tree.hidden, tree.tracks[3].name.as_str()), (3_537, "app"));
        assert_eq!(FOLD_IDS + 3 * MAX_TRACKS, 0x5C00_0000, "below the counters' ids");
    }
}

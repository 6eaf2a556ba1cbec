//! Arrangement of tracks into the user's tree: grouped, ordered, pinned, hidden and filtered.

use syclscope_language::api::{ActivityCounter, ActivityKind, TraceInfo, TrackInfo};
use syclscope_language::event::TrackKind;
use syclscope_language::machine_counters;

use super::{ACTIVITY_GROUP_IDS, ACTIVITY_IDS, LoadedAnswers, Source, TrackTree, TreeTrack, fold};
use crate::state::tracks::{KERNEL_IDS, OBJECT_IDS};
use crate::views::timeline::objects::ObjectLane;
use crate::views::timeline::pattern::Patterns;
use crate::views::timeline::tracks::{Grouping, TrackChoice};
use syclscope_language::sorting::Sorting as _;

pub(super) struct Branch {
    pub(super) track: TreeTrack,
    pub(super) path: Vec<String>,
    pub(super) children: Vec<usize>,
}

/// Every branch, and the roots among them.
#[derive(Default)]
pub(super) struct Forest {
    pub(super) branches: Vec<Branch>,
    pub(super) roots: Vec<usize>,
}

impl Forest {
    fn add(&mut self, parent: Option<usize>, track: TreeTrack) -> usize {
        let mut path = parent.map(|parent| self.branches[parent].path.clone()).unwrap_or_default();
        path.push(track.name.clone());
        self.branches.push(Branch { track, path, children: Vec::new() });
        let place = self.branches.len() - 1;
        match parent {
            Some(parent) => self.branches[parent].children.push(place),
            None => self.roots.push(place),
        }
        place
    }

    fn below(&self, top: usize) -> Vec<usize> {
        let (mut found, mut stack) = (Vec::new(), vec![top]);
        while let Some(place) = stack.pop() {
            found.push(place);
            stack.extend(self.branches[place].children.iter().rev());
        }
        found
    }

    fn find(&self, id: u32) -> Option<usize> {
        self.branches.iter().position(|branch| branch.track.id == id)
    }
}

pub(super) fn arrange(info: &TraceInfo, choice: &TrackChoice, loaded: LoadedAnswers<'_>) -> TrackTree {
    let mut forest = match choice.grouping {
        Grouping::Device => recorded(info, loaded),
        Grouping::Queue => by_queue(info, loaded),
        Grouping::Kernel => by_kernel(info, loaded),
    };
    let patterns = Patterns::new(&choice.filter);
    fold::fold(&mut forest, &patterns.merged, !info.is_foreign());
    objects(&mut forest, choice, loaded);
    sort(&mut forest, choice);
    let mut tree = TrackTree::default();
    let mut is_shown = vec![true; forest.branches.len()];
    hide(&forest, choice, &mut is_shown, &mut tree);
    let mut is_taken = vec![false; forest.branches.len()];
    for place in choice.pinned.iter().filter_map(|track| forest.find(*track)) {
        if is_shown[place] && !is_taken[place] {
            let path = forest.branches[place].path.join(" › ");
            emit(&forest, (place, &is_shown, &mut is_taken), Some(path), &mut tree);
        }
    }
    tree.pinned = tree.tracks.len();
    filter(&forest, &patterns, &is_taken, &mut is_shown, &mut tree);
    fold::name(&mut forest, &is_shown, patterns.filters());
    for root in &forest.roots {
        emit(&forest, (*root, &is_shown, &mut is_taken), None, &mut tree);
    }
    for place in (0..tree.tracks.len()).rev() {
        if let Some(parent) = tree.tracks[place].parent {
            tree.tracks[parent].descendants += 1 + tree.tracks[place].descendants;
        }
    }
    tree.overview = with_slices(info, TrackKind::Queue);
    if tree.overview.is_empty() {
        tree.overview = with_slices(info, TrackKind::Thread);
    }
    tree.by_id = tree.tracks.iter().enumerate().map(|(place, track)| (track.id, place)).collect();
    tree.by_id.arrange();
    tree
}

fn with_slices(info: &TraceInfo, kind: TrackKind) -> Vec<u32> {
    let tracks = info.tracks.iter().enumerate();
    let holds = tracks.filter(|(_, track)| track.kind == kind && track.slices > 0 && track.lanes > 0);
    holds.map(|(index, _)| index as u32).collect()
}

/// Appends a visible branch that has not been appended yet, with all its descendants.
fn emit(
    forest: &Forest,
    (top, is_shown, is_taken): (usize, &[bool], &mut [bool]),
    name: Option<String>,
    tree: &mut TrackTree,
) {
    // Depth first without recursion: a file may nest groups arbitrarily deep.
    let mut stack: Vec<(usize, Option<usize>, usize)> = vec![(top, None, 0)];
    while let Some((place, parent, depth)) = stack.pop() {
        if is_taken[place] || !is_shown[place] {
            continue;
        }
        is_taken[place] = true;
        let Branch { track, children, .. } = &forest.branches[place];
        let name = name.clone().filter(|_| place == top).unwrap_or_else(|| track.name.clone());
        tree.tracks.push(TreeTrack { name, parent, depth, ..track.clone() });
        let own = tree.tracks.len() - 1;
        stack.extend(children.iter().rev().map(|child| (*child, Some(own), depth + 1)));
    }
}

/// Returns the tree as recorded. A parent that does not exist, or comes after its child, counts as none.
fn recorded(info: &TraceInfo, loaded: LoadedAnswers<'_>) -> Forest {
    let mut forest = Forest::default();
    let mut places = Vec::with_capacity(info.tracks.len());
    for (index, track) in info.tracks.iter().enumerate() {
        let parent = track.parent.and_then(|parent| places.get(parent as usize)).copied();
        let place = forest.add(parent, tree_track(track, index));
        places.push(place);
    }
    for (index, _) in info.tracks.iter().enumerate().filter(|(_, track)| track.kind == TrackKind::Device) {
        activity(&mut forest, Some(places[index]), info, loaded, Some(index as u32));
    }
    forest
}

/// Arranges queues first, each under its device's name; the rest as recorded, without groups that would be empty.
fn by_queue(info: &TraceInfo, loaded: LoadedAnswers<'_>) -> Forest {
    let mut forest = Forest::default();
    for (index, track) in info.tracks.iter().enumerate().filter(|(_, track)| is_queue(track)) {
        let device = track.parent.and_then(|parent| info.tracks.get(parent as usize));
        let name = device.map_or(track.name.clone(), |device| format!("{} › {}", device.name, track.name));
        forest.add(None, TreeTrack { name, ..tree_track(track, index) });
    }
    activity(&mut forest, None, info, loaded, None);
    without_queues(info, &mut forest);
    forest
}

/// Arranges a track per kernel; the rest as recorded, without queues.
fn by_kernel(info: &TraceInfo, loaded: LoadedAnswers<'_>) -> Forest {
    let mut forest = Forest::default();
    let name = "Kernels and commands".to_owned();
    let group = TreeTrack { id: KERNEL_IDS - 1, kind: TrackKind::Device, name, ..TreeTrack::default() };
    let group = forest.add(None, group);
    for (index, kernel) in info.kernels.iter().enumerate() {
        let track = TreeTrack {
            id: KERNEL_IDS + index as u32,
            source: Source::Kernel(index as u32),
            kind: TrackKind::Queue,
            name: kernel.name.clone(),
            lanes: loaded.kernel_lanes.get(index).copied().unwrap_or(1).max(1),
            slices: kernel.count,
            ..TreeTrack::default()
        };
        forest.add(Some(group), track);
    }
    activity(&mut forest, None, info, loaded, None);
    without_queues(info, &mut forest);
    forest
}

/// Adds the recorded tracks except for queues, and for groups that contain only queues.
fn without_queues(info: &TraceInfo, forest: &mut Forest) {
    let mut holds_other = vec![false; info.tracks.len()];
    for (index, track) in info.tracks.iter().enumerate().rev() {
        let is_group = track.lanes == 0 && track.counter.is_none();
        holds_other[index] |= !is_queue(track) && !is_group;
        if let Some(parent) = track.parent.filter(|parent| (*parent as usize) < index && holds_other[index]) {
            holds_other[parent as usize] = true;
        }
    }
    let mut places: Vec<Option<usize>> = Vec::with_capacity(info.tracks.len());
    for (index, track) in info.tracks.iter().enumerate() {
        let parent = track.parent.and_then(|parent| places.get(parent as usize).copied().flatten());
        places.push(holds_other[index].then(|| forest.add(parent, tree_track(track, index))));
    }
}

fn is_queue(track: &TrackInfo) -> bool {
    track.kind == TrackKind::Queue && track.lanes > 0
}

/// Adds the counters of one device, or of all devices, in a group that is collapsed by default. The group exists before
/// its counters are loaded, so that their arrival moves no row.
fn activity(
    forest: &mut Forest,
    parent: Option<usize>,
    info: &TraceInfo,
    loaded: LoadedAnswers<'_>,
    device: Option<u32>,
) {
    let track_of = |counter: &ActivityCounter| info.tracks.get(counter.track as usize);
    let device_of = |counter: &ActivityCounter| match counter.kind {
        ActivityKind::QueueDepth => track_of(counter).and_then(|queue| queue.parent),
        _ => Some(counter.track),
    };
    let is_wanted = |counter: &ActivityCounter| device.is_none() || device_of(counter) == device;
    let counters = (0..).zip(loaded.activity).filter(|(_, counter)| is_wanted(counter));
    // With several devices, a counter's name includes its device, unless it is in the device's own group.
    let devices = info.tracks.iter().filter(|track| track.kind == TrackKind::Device).count();
    let named = |counter: &ActivityCounter, name: String| match device_of(counter) {
        Some(of) if device.is_none() && devices > 1 => {
            let device = info.tracks.get(of as usize).map_or("", |device| device.name.as_str());
            format!("{device} › {name}")
        }
        _ => name,
    };
    let row = |place: u32, counter: &ActivityCounter, name: String| TreeTrack {
        id: ACTIVITY_IDS + place,
        source: Source::Activity(place, counter.track),
        kind: TrackKind::Counter,
        process: track_of(counter).map_or(0, |track| track.process),
        name,
        counter: Some((0.0, counter.max, counter.unit.clone())),
        ..TreeTrack::default()
    };
    let group = TreeTrack {
        id: ACTIVITY_GROUP_IDS + device.map_or(0, |device| device + 1),
        kind: TrackKind::Counter,
        process: device.and_then(|device| info.tracks.get(device as usize)).map_or(0, |track| track.process),
        name: "counters".to_owned(),
        is_closed_at_first: true,
        ..TreeTrack::default()
    };
    let (plain, grouped): (Vec<_>, Vec<_>) = counters.partition(|(_, counter)| {
        matches!(counter.kind, ActivityKind::KernelsInFlight | ActivityKind::Memory)
    });
    let runs = |queue: &TrackInfo| is_queue(queue) && queue.slices > 0;
    let is_coming = info.counts.executions > 0
        && info.tracks.iter().any(|queue| runs(queue) && (device.is_none() || queue.parent == device));
    if !is_coming && plain.is_empty() && grouped.is_empty() {
        return;
    }
    let group = forest.add(parent, group);
    for (place, counter) in plain {
        forest.add(Some(group), row(place, counter, named(counter, counter.name.clone())));
    }
    for (place, counter) in grouped {
        let name = match (counter.kind, track_of(counter)) {
            (ActivityKind::QueueDepth, Some(queue)) => format!("depth of {}", queue.name),
            _ => counter.name.clone(),
        };
        forest.add(Some(group), row(place, counter, named(counter, name)));
    }
}

/// Adds a track for each chosen object, before all others.
fn objects(forest: &mut Forest, choice: &TrackChoice, loaded: LoadedAnswers<'_>) {
    if choice.objects.is_empty() {
        return;
    }
    let name = "Objects".to_owned();
    let group = forest.add(None, TreeTrack { id: OBJECT_IDS - 1, name, ..TreeTrack::default() });
    for id in choice.objects.iter().copied().filter(|id| *id < u32::MAX - OBJECT_IDS) {
        let lane = loaded.objects.iter().find(|lane| lane.id == id).cloned();
        let lane = lane.unwrap_or_else(|| ObjectLane::pending(id));
        let track = TreeTrack {
            id: OBJECT_IDS + id,
            source: Source::Object(id),
            name: lane.name,
            lanes: lane.lanes,
            slices: lane.uses,
            ..TreeTrack::default()
        };
        forest.add(Some(group), track);
    }
    forest.roots.rotate_right(1);
}

fn sort(forest: &mut Forest, choice: &TrackChoice) {
    if choice.order.is_empty() {
        return;
    }
    let ranks: Vec<usize> = forest.branches.iter().map(|branch| choice.rank(branch.track.id)).collect();
    for branch in &mut forest.branches {
        branch.children.arrange_by_key(|child| ranks[*child]);
    }
    forest.roots.arrange_by_key(|root| ranks[*root]);
}

/// Hides tracks, with all unpinned ones below them.
fn hide(forest: &Forest, choice: &TrackChoice, is_shown: &mut [bool], tree: &mut TrackTree) {
    for place in choice.hidden.iter().filter_map(|track| forest.find(*track)) {
        for below in forest.below(place) {
            let is_pinned = below != place && choice.pinned.contains(&forest.branches[below].track.id);
            if is_shown[below] && !is_pinned {
                is_shown[below] = false;
                let is_line = matches!(forest.branches[below].track.source, Source::Folded(_));
                tree.hidden += usize::from(!is_line);
            }
        }
    }
}

/// Removes tracks that don't match the filter. A track matches by its name, its kind and the names of its groups; a
/// group stays if a track below it does.
fn filter(
    forest: &Forest,
    patterns: &Patterns,
    is_taken: &[bool],
    is_shown: &mut [bool],
    tree: &mut TrackTree,
) {
    if !patterns.filters() {
        return;
    }
    let fits = |place: usize| {
        let branch = &forest.branches[place];
        patterns.fits(&searched(&branch.path, branch.track.kind))
    };
    // Children come after their parents, except in folded lines, which have no grandchildren: when a parent is visited,
    // the matches of all its children are known.
    let mut stays: Vec<bool> =
        (0..forest.branches.len()).map(|place| fits(place) && is_shown[place]).collect();
    for place in (0..forest.branches.len()).rev() {
        let branch = &forest.branches[place];
        // A track with slices of its own stays if it matches, a group only if a track in it does.
        let is_alone = branch.children.is_empty() || !branch.track.is_group();
        stays[place] = (stays[place] && is_alone) || branch.children.iter().any(|child| stays[*child]);
    }
    for place in (0..forest.branches.len()).filter(|place| !is_taken[*place]) {
        if is_shown[place] && !stays[place] {
            is_shown[place] = false;
            let track = &forest.branches[place].track;
            tree.filtered += usize::from(track.source == Source::Recorded && !track.is_made());
        }
    }
}

/// Returns the search text of a track: its name, the names of its groups, and its kind.
pub(super) fn searched(path: &[String], kind: TrackKind) -> String {
    format!("{} {}", path.join(" ").to_lowercase(), kind.as_str())
}

fn tree_track(track: &TrackInfo, index: usize) -> TreeTrack {
    let counter = track.counter.as_ref();
    TreeTrack {
        id: index as u32,
        process: track.process,
        kind: track.kind,
        name: track.name.clone(),
        lanes: if counter.is_some() { 0 } else { track.lanes },
        slices: track.slices,
        counter: counter.map(|counter| (counter.min, counter.max, counter.unit.clone())),
        is_closed_at_first: track.kind == TrackKind::Other && track.name == machine_counters::GROUP,
        ..TreeTrack::default()
    }
}

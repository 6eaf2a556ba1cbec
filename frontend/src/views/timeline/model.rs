mod arrange;
mod fold;

pub use fold::Folded;

use syclscope_language::api::{ActivityCounter, TraceInfo};
use syclscope_language::event::TrackKind;
use syclscope_language::question::TileView;

use crate::ordered::OrderedSet;
use crate::state::tracks::KERNEL_IDS;
use crate::views::timeline::objects::ObjectLane;
use crate::views::timeline::tracks::TrackChoice;

/// First id of activity counters, numbered by index in the answer. Below it are ids of their groups, by the track that
/// they belong to.
const ACTIVITY_IDS: u32 = KERNEL_IDS - (1 << 29);
const ACTIVITY_GROUP_IDS: u32 = 1 << 30;
/// First id of folded lines, numbered by reason and first track.
const FOLD_IDS: u32 = 5 << 28;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Source {
    #[default]
    Recorded,
    /// Executions of a kernel on all queues, by index among the trace's kernels.
    Kernel(u32),
    /// An activity counter: its index in the answer, and the queue's or device's track.
    Activity(u32, u32),
    /// Events of a memory object, by id.
    Object(u32),
    Folded(Folded),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeTrack {
    pub id: u32,
    pub source: Source,
    pub depth: usize,
    /// Index into [`TraceInfo::processes`].
    pub process: u32,
    pub kind: TrackKind,
    pub name: String,
    /// Lanes of slices; 0 for a counter and for a pure group.
    pub lanes: u32,
    pub slices: u64,
    /// Minimum, maximum and unit of a counter.
    pub counter: Option<(f64, f64, String)>,
    pub is_closed_at_first: bool,
    /// Tracks below it, at any depth.
    pub descendants: usize,
    /// Index of its parent in [`TrackTree::tracks`].
    pub parent: Option<usize>,
}

impl TreeTrack {
    pub fn is_group(&self) -> bool {
        self.lanes == 0 && self.counter.is_none()
    }

    pub fn is_collapsible(&self) -> bool {
        self.descendants > 0 || self.lanes > 1
    }

    /// True for a group that the page creates from other tracks: the trace has no track with its id.
    pub fn is_made(&self) -> bool {
        self.source == Source::Recorded && self.id >= ACTIVITY_GROUP_IDS
    }

    /// True for a device, queue or thread of the trace: the engine finds its idle time.
    pub fn may_be_idle(&self) -> bool {
        matches!(self.kind, TrackKind::Device | TrackKind::Queue | TrackKind::Thread)
            && self.source == Source::Recorded
            && !self.is_made()
    }

    /// Returns kind and track of the track's tiles; `None` for a pure group.
    pub fn tiles(&self) -> Option<(TileView, u32)> {
        match self.source {
            Source::Activity(counter, _) => Some((TileView::Activity, counter)),
            Source::Kernel(kernel) => Some((TileView::Kernel, kernel)),
            Source::Object(object) => Some((TileView::Object, object)),
            Source::Recorded if self.counter.is_some() => Some((TileView::Counter, self.id)),
            Source::Recorded if self.lanes > 0 => Some((TileView::Timeline, self.id)),
            Source::Recorded | Source::Folded(_) => None,
        }
    }
}

/// Loaded answers from which further tracks are derived.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadedAnswers<'a> {
    pub kernel_lanes: &'a [u32],
    /// Counters derived from the commands.
    pub activity: &'a [ActivityCounter],
    pub objects: &'a [ObjectLane],
}

/// The visible tracks, every parent right before its children; pinned ones come first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrackTree {
    /// In display order.
    pub tracks: Vec<TreeTrack>,
    pub pinned: usize,
    /// Number of hidden tracks of the trace, including those below them.
    pub hidden: usize,
    /// Number of the trace's tracks that the filter removes.
    pub filtered: usize,
    /// Tracks in the overview, whatever the user's choice: queues with executions, else threads.
    pub overview: Vec<u32>,
    /// Sorted ids with indices.
    by_id: Vec<(u32, usize)>,
}

impl TrackTree {
    pub fn new(info: &TraceInfo) -> Self {
        Self::arranged(info, &TrackChoice::default(), LoadedAnswers::default())
    }

    pub fn arranged(info: &TraceInfo, choice: &TrackChoice, loaded: LoadedAnswers<'_>) -> Self {
        arrange::arrange(info, choice, loaded)
    }

    /// Changes a choice so that a track is visible. The track and its groups are no longer hidden, and a filter that
    /// excludes it is cleared.
    pub fn make_visible(info: &TraceInfo, choice: &mut TrackChoice, loaded: LoadedAnswers<'_>, track: u32) {
        let all = TrackChoice { hidden: OrderedSet::default(), filter: String::new(), ..choice.clone() };
        let all = Self::arranged(info, &all, loaded);
        // Grouped by kernel, a queue has no track of its own.
        if all.place(track).is_none() {
            return;
        }
        let mut around = all.place(track);
        while let Some(place) = around {
            choice.hidden.remove(all.tracks[place].id);
            around = all.tracks[place].parent;
        }
        if Self::arranged(info, choice, loaded).place(track).is_none() {
            choice.filter.clear();
        }
    }

    pub fn subtree(&self, place: usize) -> &[TreeTrack] {
        &self.tracks[place..=place + self.tracks[place].descendants]
    }

    pub fn place(&self, track: u32) -> Option<usize> {
        let found = self.by_id.binary_search_by_key(&track, |(id, _)| *id).ok()?;
        Some(self.by_id[found].1)
    }

    /// Returns the tracks with the same parent, in display order, including the track itself.
    pub fn siblings(&self, place: usize) -> Vec<u32> {
        let Some(track) = self.tracks.get(place) else { return Vec::new() };
        let of_parent = |(other, sibling): (usize, &TreeTrack)| {
            (sibling.parent == track.parent && (other < self.pinned) == (place < self.pinned))
                .then_some(sibling.id)
        };
        self.tracks.iter().enumerate().filter_map(of_parent).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use syclscope_language::api::{ActivityKind, KernelSummary, TrackInfo};
    use syclscope_language::event::NodeKind;

    use super::*;
    use crate::state::tracks::OBJECT_IDS;
    use crate::views::timeline::draw::tests::{counter, track};
    use crate::views::timeline::layout::Layout;
    use crate::views::timeline::tracks::Grouping;

    #[test]
    fn only_tracks_of_the_trace_may_be_idle() {
        let thread = |index: u32| TrackInfo {
            name: format!("worker {index}"),
            ..track(index, None, TrackKind::Thread, "worker", 1)
        };
        let info = TraceInfo { tracks: (0..9).map(thread).collect(), ..TraceInfo::default() };
        for grouping in Grouping::ALL.iter().copied() {
            let choice = TrackChoice { grouping, ..TrackChoice::default() };
            let tree = TrackTree::arranged(&info, &choice, LoadedAnswers::default());
            let is_known = |track: &TreeTrack| (track.id as usize) < info.tracks.len();
            assert!(tree.tracks.iter().all(|track| !track.may_be_idle() || is_known(track)));
            assert!(tree.tracks.iter().any(TreeTrack::may_be_idle));
        }
    }

    #[test]
    fn children_follow_their_parents_whatever_the_order_of_the_file() {
        let info = TraceInfo {
            tracks: vec![
                track(0, None, TrackKind::Device, "gpu", 0),
                track(1, None, TrackKind::Process, "app", 0),
                track(2, Some(0), TrackKind::Queue, "queue 1", 2),
                counter(3, Some(0), "memory"),
                track(4, Some(1), TrackKind::Thread, "main", 1),
                track(5, Some(9), TrackKind::Thread, "orphan", 1),
            ],
            ..TraceInfo::default()
        };
        let tree = TrackTree::new(&info);
        let shown: Vec<_> =
            tree.tracks.iter().map(|track| (track.id, track.depth, track.descendants)).collect();
        assert_eq!(shown, [(0, 0, 2), (2, 1, 0), (3, 1, 0), (1, 0, 1), (4, 1, 0), (5, 0, 0)]);
        assert_eq!(tree.subtree(0).len(), 3);
        assert!(tree.tracks[0].is_group() && tree.tracks[0].is_collapsible());
        assert!(tree.tracks[1].is_collapsible() && !tree.tracks[5].is_collapsible());
        assert_eq!(tree.tracks[2].tiles(), Some((TileView::Counter, 3)));
        assert_eq!(tree.tracks[3].tiles(), None);
    }

    fn names(tree: &TrackTree) -> Vec<&str> {
        tree.tracks.iter().map(|track| track.name.as_str()).collect()
    }

    fn loaded() -> LoadedAnswers<'static> {
        static ACTIVITY: LazyLock<[ActivityCounter; 3]> = LazyLock::new(|| {
            let counter = |kind, track, name: &str| ActivityCounter {
                kind,
                track,
                name: name.into(),
                unit: String::new(),
                max: 2.0,
            };
            [
                counter(ActivityKind::QueueDepth, 1, "queue depth"),
                counter(ActivityKind::QueueDepth, 2, "queue depth"),
                counter(ActivityKind::KernelsInFlight, 0, "kernels in flight"),
            ]
        });
        LoadedAnswers { kernel_lanes: &[3, 1], activity: &*ACTIVITY, objects: &[] }
    }

    fn two_devices() -> TraceInfo {
        TraceInfo {
            tracks: vec![
                track(0, None, TrackKind::Device, "gpu", 0),
                track(1, Some(0), TrackKind::Queue, "queue 1", 2),
                track(2, Some(0), TrackKind::Queue, "queue 2", 1),
                track(3, None, TrackKind::Process, "app", 0),
                track(4, Some(3), TrackKind::Thread, "main", 1),
                track(5, Some(3), TrackKind::Thread, "worker", 1),
            ],
            kernels: vec![kernel("matmul", 7), kernel("copy", 2)],
            ..TraceInfo::default()
        }
    }

    fn kernel(name: &str, count: u64) -> KernelSummary {
        let (total_ns, min_ns, max_ns) = (count, 1, 1);
        KernelSummary { name: name.into(), kind: NodeKind::Kernel, count, total_ns, min_ns, max_ns }
    }

    #[test]
    fn pinned_tracks_come_first_and_hidden_ones_not_at_all() {
        let choice =
            TrackChoice { pinned: vec![5, 2], hidden: OrderedSet::from_iter([1]), ..TrackChoice::default() };
        let tree = TrackTree::arranged(&two_devices(), &choice, loaded());
        assert_eq!(
            names(&tree),
            [
                "app › worker",
                "gpu › queue 2",
                "gpu",
                "counters",
                "kernels in flight",
                "depth of queue 1",
                "depth of queue 2",
                "app",
                "main"
            ]
        );
        assert_eq!((tree.pinned, tree.hidden), (2, 1));
        assert_eq!(tree.tracks[2].descendants, 4);
        assert_eq!(tree.siblings(0), [5, 2]);
    }

    #[test]
    fn no_row_moves_when_the_counters_of_the_commands_come() {
        let mut info = two_devices();
        info.counts.executions = 7;
        info.tracks.extend([counter(6, Some(3), "host memory"), counter(7, Some(3), "device memory")]);
        for grouping in Grouping::ALL.iter().copied() {
            let choice = TrackChoice { grouping, ..TrackChoice::default() };
            let rows = |loaded| {
                let layout =
                    Layout::new(&TrackTree::arranged(&info, &choice, loaded), &OrderedSet::default());
                layout.rows.iter().map(|row| (row.track, row.y_css_px as u32)).collect::<Vec<_>>()
            };
            let kernels = loaded().kernel_lanes;
            assert_eq!(
                rows(LoadedAnswers { kernel_lanes: kernels, ..LoadedAnswers::default() }),
                rows(loaded())
            );
        }
        let tree = TrackTree::new(&info);
        assert_eq!(
            tree.tracks.iter().find(|track| track.name == "2 counters").map(|track| track.descendants),
            Some(2)
        );
        info.process.recorder = "PyTorch profiler".to_owned();
        info.counts.slices = 5;
        assert!(TrackTree::new(&info).tracks.iter().all(|track| track.name != "2 counters"));
    }

    #[test]
    fn a_track_is_shown_whatever_hides_it_and_a_filter_that_it_fits_stays() {
        let shown = |hidden: &[u32], filter: &str| {
            let hidden = OrderedSet::from_iter(hidden.iter().copied());
            let mut choice = TrackChoice { hidden, filter: filter.into(), ..TrackChoice::default() };
            TrackTree::make_visible(&two_devices(), &mut choice, loaded(), 4);
            assert!(TrackTree::arranged(&two_devices(), &choice, loaded()).place(4).is_some());
            (choice.hidden.iter().copied().collect::<Vec<_>>(), choice.filter)
        };
        assert_eq!(shown(&[3, 1], ""), (vec![1], String::new()), "its group was hidden");
        assert_eq!(shown(&[3, 4, 5], "main"), (vec![5], "main".to_owned()));
        assert_eq!(shown(&[0], "queue"), (vec![0], String::new()), "it does not fit");
        let hidden = OrderedSet::from_iter([3]);
        let choice = TrackChoice { hidden, filter: "main".to_owned(), ..TrackChoice::default() };
        let mut same = choice.clone();
        TrackTree::make_visible(&two_devices(), &mut same, loaded(), 99);
        assert_eq!(same, choice, "no choice shows what is not there");
    }

    #[test]
    fn tracks_are_in_the_order_that_the_user_gave_them() {
        let choice = TrackChoice { order: vec![5, 4, 3], ..TrackChoice::default() };
        let tree = TrackTree::arranged(&two_devices(), &choice, loaded());
        assert_eq!(
            names(&tree),
            [
                "app",
                "worker",
                "main",
                "gpu",
                "queue 1",
                "queue 2",
                "counters",
                "kernels in flight",
                "depth of queue 1",
                "depth of queue 2"
            ]
        );
        assert_eq!(tree.siblings(1), [5, 4]);
    }

    #[test]
    fn a_filter_leaves_what_fits_and_the_groups_around_it() {
        let with = |filter: &str| {
            let choice = TrackChoice { filter: filter.into(), ..TrackChoice::default() };
            TrackTree::arranged(&two_devices(), &choice, LoadedAnswers::default())
        };
        assert_eq!(names(&with("QUEUE 2")), ["gpu", "queue 2"]);
        assert_eq!(names(&with("thread -worker")), ["app", "main"]);
        assert_eq!(names(&with("app")), ["app", "main", "worker"]);
        let none = with("nothing like it");
        assert_eq!((none.tracks.len(), none.filtered), (0, 6));
        // The page's own group of counters is no track of the trace.
        let mut info = two_devices();
        info.counts.executions = 7;
        let choice = TrackChoice { filter: "nothing like it".into(), ..TrackChoice::default() };
        assert_eq!(TrackTree::arranged(&info, &choice, LoadedAnswers::default()).filtered, 6);
    }

    #[test]
    fn a_thread_stays_without_the_streams_below_it() {
        let info = TraceInfo {
            tracks: vec![
                track(0, None, TrackKind::Process, "app", 0),
                track(1, Some(0), TrackKind::Thread, "main", 2),
                track(2, Some(1), TrackKind::Stream, "Level Zero calls", 1),
                track(3, Some(1), TrackKind::Stream, "nvtx", 1),
            ],
            ..TraceInfo::default()
        };
        let with = |filter: &str| {
            let choice = TrackChoice { filter: filter.into(), ..TrackChoice::default() };
            let tree = TrackTree::arranged(&info, &choice, LoadedAnswers::default());
            tree.tracks.into_iter().map(|track| track.name).collect::<Vec<_>>()
        };
        assert_eq!(with("-stream"), ["app", "main"]);
        assert_eq!(with("-zero"), ["app", "main", "nvtx"]);
        assert_eq!(with("thread"), ["app", "main"]);
        assert_eq!(with("nvtx"), ["app", "main", "nvtx"]);
    }

    #[test]
    fn objects_with_tracks_come_first_whatever_the_grouping() {
        let known =
            [ObjectLane { id: 7, name: "Buffer 3".into(), lanes: 3, uses: 12, ..ObjectLane::default() }];
        for grouping in Grouping::ALL.iter().copied() {
            let choice = TrackChoice { objects: vec![9, 7], grouping, ..TrackChoice::default() };
            let loaded = LoadedAnswers { objects: &known, ..loaded() };
            let tree = TrackTree::arranged(&two_devices(), &choice, loaded);
            assert_eq!(names(&tree)[..3], ["Objects", "Loading object…", "Buffer 3"]);
            assert!(tree.tracks[0].is_group() && tree.tracks[0].descendants == 2);
            let buffer = &tree.tracks[2];
            assert_eq!((buffer.id, &buffer.source), (OBJECT_IDS + 7, &Source::Object(7)));
            assert_eq!((buffer.lanes, buffer.slices, buffer.tiles()), (3, 12, Some((TileView::Object, 7))));
            assert_eq!(tree.siblings(1), [OBJECT_IDS + 9, OBJECT_IDS + 7]);
        }
        let choice = TrackChoice { objects: vec![7], pinned: vec![OBJECT_IDS + 7], ..TrackChoice::default() };
        let tree =
            TrackTree::arranged(&two_devices(), &choice, LoadedAnswers { objects: &known, ..loaded() });
        assert_eq!((tree.pinned, tree.tracks[0].name.as_str()), (1, "Objects › Buffer 3"));
    }

    #[test]
    fn executions_are_grouped_by_queue_or_kernel() {
        let with = |grouping| {
            let choice = TrackChoice { grouping, ..TrackChoice::default() };
            TrackTree::arranged(&two_devices(), &choice, loaded())
        };
        let by_queue = with(Grouping::Queue);
        assert_eq!(
            names(&by_queue),
            [
                "gpu › queue 1",
                "gpu › queue 2",
                "counters",
                "kernels in flight",
                "depth of queue 1",
                "depth of queue 2",
                "app",
                "main",
                "worker"
            ]
        );
        assert_eq!(by_queue.tracks[3].source, Source::Activity(2, 0));
        assert_eq!(by_queue.tracks[4].tiles(), Some((TileView::Activity, 0)));
        assert!(by_queue.tracks[2].is_closed_at_first);
        let by_kernel = with(Grouping::Kernel);
        assert_eq!(
            names(&by_kernel),
            [
                "Kernels and commands",
                "matmul",
                "copy",
                "counters",
                "kernels in flight",
                "depth of queue 1",
                "depth of queue 2",
                "app",
                "main",
                "worker"
            ]
        );
        let matmul = &by_kernel.tracks[1];
        assert_eq!((matmul.lanes, matmul.slices, matmul.tiles()), (3, 7, Some((TileView::Kernel, 0))));
    }
}

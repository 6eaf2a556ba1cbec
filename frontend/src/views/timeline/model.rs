//! The tree of tracks.

use syclscope_trace::api::{TraceInfo, TrackInfo};
use syclscope_trace::event::TrackKind;
use syclscope_trace::source::TileView;

/// A track with its place in the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeTrack {
    /// The track's id.
    pub id: u32,
    /// Groups above it.
    pub depth: usize,
    /// Its process, an index into [`TraceInfo::processes`].
    pub process: u32,
    /// What it shows.
    pub kind: TrackKind,
    /// Shown name.
    pub name: String,
    /// Lanes of slices; 0 for a counter and for a track that only groups others.
    pub lanes: u32,
    /// Slices on it.
    pub slices: u64,
    /// For a counter: lowest value, highest value and unit.
    pub counter: Option<(f64, f64, String)>,
    /// Tracks below it, at any depth.
    pub descendants: usize,
    /// Index of its parent in [`TrackTree::tracks`].
    pub parent: Option<usize>,
}

impl TreeTrack {
    /// Whether it only groups others.
    pub fn is_group(&self) -> bool {
        self.lanes == 0 && self.counter.is_none()
    }

    /// Whether it can be collapsed to one line.
    pub fn is_collapsible(&self) -> bool {
        self.descendants > 0 || self.lanes > 1
    }

    /// The tiles that show it; `None` for a track that only groups others.
    pub fn tile_view(&self) -> Option<TileView> {
        match (&self.counter, self.lanes) {
            (Some(_), _) => Some(TileView::Counter),
            (None, 0) => None,
            (None, _) => Some(TileView::Timeline),
        }
    }
}

/// The tracks of a trace, every parent right before its children.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrackTree {
    /// Tracks in the order in which they are shown.
    pub tracks: Vec<TreeTrack>,
}

impl TrackTree {
    /// The tree of a trace. A parent that does not exist, or comes after its child, counts as none.
    pub fn new(info: &TraceInfo) -> Self {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); info.tracks.len()];
        let mut roots = Vec::new();
        for (index, track) in info.tracks.iter().enumerate() {
            match track.parent.map(|parent| parent as usize).filter(|parent| *parent < index) {
                Some(parent) => children[parent].push(index),
                None => roots.push(index),
            }
        }
        let mut tree = Self::default();
        // Depth first without recursion: a file may nest groups as deep as it likes.
        let mut stack: Vec<(usize, Option<usize>, usize)> =
            roots.into_iter().rev().map(|root| (root, None, 0)).collect();
        while let Some((index, parent, depth)) = stack.pop() {
            let place = tree.tracks.len();
            tree.tracks.push(tree_track(&info.tracks[index], index, depth, parent));
            stack.extend(children[index].iter().rev().map(|child| (*child, Some(place), depth + 1)));
        }
        for place in (0..tree.tracks.len()).rev() {
            if let Some(parent) = tree.tracks[place].parent {
                tree.tracks[parent].descendants += 1 + tree.tracks[place].descendants;
            }
        }
        tree
    }

    /// A track and all below it.
    pub fn subtree(&self, place: usize) -> &[TreeTrack] {
        &self.tracks[place..=place + self.tracks[place].descendants]
    }

    /// Where a track is in [`Self::tracks`].
    pub fn place(&self, track: u32) -> Option<usize> {
        self.tracks.iter().position(|candidate| candidate.id == track)
    }
}

fn tree_track(track: &TrackInfo, index: usize, depth: usize, parent: Option<usize>) -> TreeTrack {
    let counter = track.counter.as_ref();
    TreeTrack {
        id: index as u32,
        depth,
        process: track.process,
        kind: track.kind,
        name: track.name.clone(),
        lanes: if counter.is_some() { 0 } else { track.lanes },
        slices: track.slices,
        counter: counter.map(|counter| (counter.min, counter.max, counter.unit.clone())),
        descendants: 0,
        parent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::timeline::draw::tests::{counter, track};

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
        assert!(tree.tracks[1].is_collapsible() && !tree.tracks[4].is_collapsible());
        assert_eq!(tree.tracks[2].tile_view(), Some(TileView::Counter));
        assert_eq!(tree.tracks[3].tile_view(), None);
    }
}

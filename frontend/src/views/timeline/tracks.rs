//! The user's choice of tracks and their order.

use syclscope_language::words;

use crate::ordered::OrderedSet;
use crate::state::tracks::{OBJECT_IDS, object_of};

words! {
    /// Grouping of executions into tracks.
    #[derive(Default)]
    Grouping {
        /// Queues below their devices, as recorded.
        #[default]
        Device = "device",
        /// Each queue by itself, without a device above it.
        Queue = "queue",
        /// A track for each kernel, with its executions on any queue.
        Kernel = "kernel",
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrackChoice {
    /// Tracks at the top, in this order, each with the tracks below it.
    pub pinned: Vec<u32>,
    /// Hidden tracks; the tracks below them are hidden, too.
    pub hidden: OrderedSet,
    /// Tracks that the user moved among their siblings: they come first, in this order.
    pub order: Vec<u32>,
    /// Words in the names of visible tracks. A `-` prefix excludes tracks with a word, and a `+` prefix merges them.
    pub filter: String,
    pub grouping: Grouping,
    /// Ids of buffers, images and USM with a track, in this order.
    pub objects: Vec<u32>,
}

impl TrackChoice {
    pub fn toggle_pin(&mut self, track: u32) {
        match self.pinned.iter().position(|pinned| *pinned == track) {
            Some(place) => {
                self.pinned.remove(place);
            }
            None => {
                self.hidden.remove(track);
                self.pinned.push(track);
            }
        }
    }

    /// Hides a track of the trace, or removes the track of an object.
    pub fn hide(&mut self, track: u32) {
        self.pinned.retain(|pinned| *pinned != track);
        match object_of(track) {
            Some(object) => self.objects.retain(|other| *other != object),
            None if track == OBJECT_IDS - 1 => {
                self.pinned.retain(|pinned| object_of(*pinned).is_none());
                self.objects.clear();
            }
            None => {
                self.hidden.insert(track);
            }
        }
    }

    pub fn show_object(&mut self, object: u32) -> Option<u32> {
        let track = OBJECT_IDS.checked_add(object)?;
        if !self.objects.contains(&object) {
            self.objects.push(object);
        }
        Some(track)
    }

    /// Moves a track among its siblings, given in display order; `by` is −1 or 1. True if it moved.
    pub fn shift(&mut self, track: u32, siblings: &[u32], by: isize) -> bool {
        let list = if self.pinned.contains(&track) { self.pinned.clone() } else { siblings.to_vec() };
        let Some(place) = list.iter().position(|sibling| *sibling == track) else { return false };
        let Some(other) = place.checked_add_signed(by).filter(|other| *other < list.len()) else {
            return false;
        };
        let mut list = list;
        list.swap(place, other);
        if self.pinned.contains(&track) {
            self.pinned = list;
        } else {
            self.order.retain(|moved| !list.contains(moved));
            self.order.extend(list);
        }
        true
    }

    /// Returns the sort key of a track among its siblings.
    pub fn rank(&self, track: u32) -> usize {
        self.order.iter().position(|moved| *moved == track).unwrap_or(usize::MAX)
    }

    pub fn write(&self, part: &mut impl FnMut(&str, String)) {
        let numbers =
            |tracks: &mut dyn Iterator<Item = &u32>| tracks.map(u32::to_string).collect::<Vec<_>>().join(".");
        let lists = [
            ("pin", numbers(&mut self.pinned.iter())),
            ("hide", numbers(&mut self.hidden.iter())),
            ("order", numbers(&mut self.order.iter())),
            ("ob", numbers(&mut self.objects.iter())),
            ("tf", self.filter.clone()),
        ];
        for (name, text) in lists {
            if !text.is_empty() {
                part(name, text);
            }
        }
        if self.grouping != Grouping::default() {
            part("by", self.grouping.as_str().to_owned());
        }
    }

    /// Reads a decoded part of an address, if its name is known.
    pub fn read(&mut self, name: &str, value: &str) -> bool {
        fn numbers<C: FromIterator<u32>>(value: &str) -> C {
            value.split('.').filter_map(|track| track.parse().ok()).collect()
        }
        match name {
            "pin" => self.pinned = numbers(value),
            "hide" => self.hidden = numbers(value),
            "order" => self.order = numbers(value),
            "ob" => self.objects = numbers(value),
            "tf" => value.clone_into(&mut self.filter),
            "by" => {
                let grouping = Grouping::from_word(value);
                self.grouping = grouping.unwrap_or_default();
            }
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::tracks::{KERNEL_IDS, kernel_of};

    fn reopened(choice: &TrackChoice) -> TrackChoice {
        let mut read = TrackChoice::default();
        choice.write(&mut |name, value| assert!(read.read(name, &value)));
        read
    }

    #[test]
    fn choices_survive_an_address() {
        let choice = TrackChoice {
            pinned: vec![4, 1],
            hidden: OrderedSet::from_iter([2, 9]),
            order: vec![7, 5],
            filter: "queue -copy ü".into(),
            grouping: Grouping::Kernel,
            objects: vec![12, 3],
        };
        assert_eq!(reopened(&choice), choice);
        assert_eq!(reopened(&TrackChoice::default()), TrackChoice::default());
        assert!(!TrackChoice::default().read("x", "1"));
    }

    #[test]
    fn a_track_is_pinned_or_hidden_but_not_both() {
        let mut choice = TrackChoice::default();
        choice.toggle_pin(3);
        choice.toggle_pin(5);
        choice.hide(3);
        assert_eq!((choice.pinned.clone(), choice.hidden.contains(3)), (vec![5], true));
        choice.toggle_pin(3);
        assert_eq!((choice.pinned.clone(), choice.hidden.is_empty()), (vec![5, 3], true));
        choice.toggle_pin(5);
        assert_eq!(choice.pinned, [3]);
    }

    #[test]
    fn an_object_has_a_track_until_it_is_taken_away() {
        let mut choice = TrackChoice::default();
        let track = choice.show_object(7).unwrap();
        assert_eq!((choice.show_object(7), choice.objects.clone()), (Some(track), vec![7]));
        assert_eq!((object_of(track), kernel_of(track), kernel_of(OBJECT_IDS - 1)), (Some(7), None, None));
        assert_eq!((kernel_of(KERNEL_IDS + 2), object_of(KERNEL_IDS + 2)), (Some(2), None));
        assert_eq!(choice.show_object(u32::MAX), None);
        choice.show_object(9);
        choice.pinned = vec![track, 4];
        choice.hide(track);
        assert_eq!((choice.objects.clone(), choice.pinned.clone()), (vec![9], vec![4]));
        choice.hide(OBJECT_IDS - 1);
        assert_eq!((choice.objects.is_empty(), choice.hidden.is_empty()), (true, true));
    }

    #[test]
    fn a_track_moves_among_its_siblings_only() {
        let mut choice = TrackChoice::default();
        assert!(choice.shift(6, &[5, 6, 7], -1));
        assert_eq!(choice.order, [6, 5, 7]);
        assert!(!choice.shift(6, &[6, 5, 7], -1), "it is the first");
        assert!(choice.shift(2, &[1, 2], -1));
        assert_eq!(choice.order, [6, 5, 7, 2, 1]);
        assert!((choice.rank(6), choice.rank(5)) < (choice.rank(5), choice.rank(7)));
        choice.pinned = vec![8, 6];
        assert!(choice.shift(6, &[], -1));
        assert_eq!(choice.pinned, [6, 8]);
    }
}

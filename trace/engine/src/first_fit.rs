//! Search for the first of many places with enough room, in logarithmic time.

#[derive(Clone, Debug, Default)]
pub(crate) struct FirstFit {
    /// A binary tree in an array, its root at 1 and its leaves from the middle on: for each node, the largest room
    /// below it.
    most: Vec<u64>,
    places: usize,
}

impl FirstFit {
    /// Appends a place; returns its position.
    pub(crate) fn push(&mut self, room: u64) -> usize {
        let place = self.places;
        self.places += 1;
        if self.most.len() < 2 * self.places {
            self.grow();
        }
        self.set(place, room);
        place
    }

    fn grow(&mut self) {
        let before = self.most.len() / 2;
        let places = (2 * before).max(8);
        let mut most = vec![0; 2 * places];
        most[places..places + before].copy_from_slice(&self.most[before..]);
        for node in (1..places).rev() {
            most[node] = most[2 * node].max(most[2 * node + 1]);
        }
        self.most = most;
    }

    pub(crate) fn set(&mut self, place: usize, room: u64) {
        let mut node = self.most.len() / 2 + place;
        self.most[node] = room;
        while node > 1 {
            node /= 2;
            let most = self.most[2 * node].max(self.most[2 * node + 1]);
            if self.most[node] == most {
                return;
            }
            self.most[node] = most;
        }
    }

    pub(crate) fn first(&self, room: u64) -> Option<usize> {
        let places = self.most.len() / 2;
        let mut node = 1;
        if self.most.get(node).is_none_or(|most| *most < room) {
            return None;
        }
        while node < places {
            node *= 2;
            node += usize::from(self.most[node] < room);
        }
        // Places beyond the last one have no room.
        Some(node - places).filter(|place| *place < self.places)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_the_first_that_a_search_finds(
            steps in prop::collection::vec((any::<prop::sample::Index>(), 0..20_u64, 0..20_u64), 1..200),
        ) {
            let (mut fit, mut rooms) = (FirstFit::default(), Vec::new());
            for (place, room, wanted) in steps {
                if room % 3 == 0 && !rooms.is_empty() {
                    let place = place.index(rooms.len());
                    rooms[place] = room;
                    fit.set(place, room);
                } else {
                    prop_assert_eq!(fit.push(room), rooms.len());
                    rooms.push(room);
                }
                prop_assert_eq!(fit.first(wanted), rooms.iter().position(|room| *room >= wanted));
            }
        }
    }
}

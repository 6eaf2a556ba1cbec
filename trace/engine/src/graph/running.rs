//! The commands of a device, with a search for one that runs at a given time.

/// Commands of a device by end.
#[derive(Debug, Default)]
pub(super) struct Running {
    /// End and node.
    rows: Vec<(u64, u32)>,
    /// A binary tree of the earliest starts: the leaves in the order of `rows`, the root at 1.
    starts: Vec<u64>,
}

impl Running {
    /// Returns the search among commands, given by end and node. `start` returns the start of a node's command.
    pub(super) fn new(mut rows: Vec<(u64, u32)>, start: impl Fn(u32) -> u64) -> Self {
        rows.sort_unstable();
        let leaves = rows.len().next_power_of_two();
        let mut starts = vec![u64::MAX; 2 * leaves];
        for (place, (_, node)) in rows.iter().enumerate() {
            starts[leaves + place] = start(*node);
        }
        for place in (1..leaves).rev() {
            starts[place] = starts[2 * place].min(starts[2 * place + 1]);
        }
        Self { rows, starts }
    }

    /// Returns the first command to end among those that started before a time and end after it.
    pub(super) fn at(&self, time: u64) -> Option<u32> {
        let after = self.rows.partition_point(|(end, _)| *end <= time);
        let leaves = self.starts.len() / 2;
        if after == leaves {
            return None;
        }
        let mut place = leaves + after;
        while self.starts[place] >= time {
            // The next subtree to the right.
            while place % 2 == 1 {
                place /= 2;
            }
            if place == 0 {
                return None;
            }
            place += 1;
        }
        while place < leaves {
            place *= 2;
            place += usize::from(self.starts[place] >= time);
        }
        self.rows.get(place - leaves).map(|(_, node)| *node)
    }

    /// Returns the command that ended last after `from`, and no later than the start `to` of a node's command.
    pub(super) fn ended(&self, node: u32, from: u64, to: u64) -> Option<u32> {
        // Of simultaneous commands without a duration, those with lower rows precede.
        let upto = self.rows.partition_point(|row| *row < (to, node));
        self.rows[..upto].last().filter(|(end, _)| *end > from).map(|(_, node)| *node)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_long_command_is_found_behind_any_number_of_short_ones() {
        let times = |node: u32| if node == 0 { (0, 1_000_000) } else { (1_000, 2_000 + u64::from(node)) };
        let rows = (0..=1_000).map(|node| (times(node).1, node)).collect();
        let running = Running::new(rows, |node| times(node).0);
        assert_eq!((running.at(0), running.at(1_000), running.at(2_000)), (None, Some(0), Some(1)));
        assert_eq!((running.at(999_999), running.at(1_000_000)), (Some(0), None));
        assert_eq!(Running::new(Vec::new(), |_| 0).at(5), None);
    }

    proptest! {
        #[test]
        fn the_search_is_that_of_all_commands(
            times in prop::collection::vec((0..40_u64, 0..40_u64), 0..40),
            from in 0..80_u64,
            to in 0..80_u64,
            node in 0..40_u32,
        ) {
            let end = |node: u32| times[node as usize].0 + times[node as usize].1;
            let nodes = 0..times.len() as u32;
            let rows = nodes.clone().map(|node| (end(node), node)).collect();
            let running = Running::new(rows, |node| times[node as usize].0);
            let at_once = nodes.clone().filter(|node| times[*node as usize].0 < to && end(*node) > to);
            prop_assert_eq!(running.at(to), at_once.min_by_key(|node| (end(*node), *node)));
            let precedes = |other: &u32| end(*other) < to || end(*other) == to && *other < node;
            let ended = nodes.filter(|other| end(*other) > from && precedes(other));
            prop_assert_eq!(running.ended(node, from, to), ended.max_by_key(|other| (end(*other), *other)));
        }
    }
}

//! Dependences of nodes that have not run yet, in bounded memory: the writer lives inside the recorded program, and
//! many nodes (host accessors, host tasks, allocations) never run on a device.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

/// Maximum number of stored edges, the newest ones; `docs/FORMAT.md` gives it too.
const MAX_EDGES: usize = 1 << 18;

/// An edge, and the number of the previous edge to the same target.
#[derive(Clone, Copy, Debug)]
struct Wait {
    target: u64,
    source: u64,
    previous: Option<u64>,
}

/// The newest edges, in order of arrival.
#[derive(Debug, Default)]
pub(super) struct Waits {
    edges: VecDeque<Wait>,
    /// The number of the first edge in `edges`.
    first: u64,
    /// The number of the last edge to each node that has not run.
    last_of: FxHashMap<u64, u64>,
    sources: Vec<u64>,
}

impl Waits {
    /// Adds an edge, and drops the oldest one if there are too many.
    pub(super) fn add(&mut self, target: u64, source: u64) {
        if self.edges.len() == MAX_EDGES {
            self.forget_oldest();
        }
        let number = self.first + self.edges.len() as u64;
        let previous = self.last_of.insert(target, number);
        self.edges.push_back(Wait { target, source, previous });
    }

    /// Returns the sources of the stored edges to a node, in order of arrival; parallel edges give a source several
    /// times.
    pub(super) fn take(&mut self, target: u64) -> &[u64] {
        self.sources.clear();
        let mut next = self.last_of.remove(&target);
        while let Some(wait) =
            next.and_then(|number| self.edges.get(number.checked_sub(self.first)? as usize))
        {
            self.sources.push(wait.source);
            next = wait.previous;
        }
        self.sources.reverse();
        while self.edges.front().is_some_and(|wait| !self.last_of.contains_key(&wait.target)) {
            self.forget_oldest();
        }
        &self.sources
    }

    fn forget_oldest(&mut self) {
        let Some(wait) = self.edges.pop_front() else { return };
        if self.last_of.get(&wait.target) == Some(&self.first) {
            self.last_of.remove(&wait.target);
        }
        self.first += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_come_once_and_in_order() {
        let mut waits = Waits::default();
        for (target, source) in [(7, 1), (8, 2), (7, 3), (7, 3), (9, 4)] {
            waits.add(target, source);
        }
        assert_eq!(waits.take(7), [1, 3, 3]);
        assert_eq!(waits.take(7), [0; 0]);
        waits.add(7, 5);
        assert_eq!(waits.take(9), [4]);
        assert_eq!(waits.take(8), [2]);
        assert_eq!(waits.take(7), [5]);
        assert!(waits.edges.is_empty() && waits.last_of.is_empty());
    }

    #[test]
    fn nodes_that_never_run_keep_no_more_than_the_newest_edges() {
        let mut waits = Waits::default();
        let count = 3 * MAX_EDGES as u64;
        waits.add(0, 1);
        for node in 1..count {
            waits.add(node, node - 1);
        }
        assert_eq!(waits.edges.len(), MAX_EDGES);
        assert_eq!(waits.last_of.len(), MAX_EDGES);
        assert!(waits.edges.capacity() <= 2 * MAX_EDGES && waits.last_of.capacity() <= 4 * MAX_EDGES);
        assert_eq!(waits.take(0), [0; 0]);
        assert_eq!(waits.take(count - 1), [count - 2]);
        assert_eq!(waits.take(count - MAX_EDGES as u64), [count - MAX_EDGES as u64 - 1]);
    }

    #[test]
    fn one_node_that_never_runs_keeps_no_more_than_its_newest_edges() {
        let mut waits = Waits::default();
        let count = MAX_EDGES as u64 + 2;
        for source in 0..count {
            waits.add(1, source);
        }
        assert_eq!(waits.edges.len(), MAX_EDGES);
        assert_eq!(waits.take(1), (2..count).collect::<Vec<_>>());
        assert!(waits.edges.is_empty() && waits.last_of.is_empty());
    }
}

//! A directed graph of numbered nodes: adjacency by either end, topological order, connected components.

use std::collections::VecDeque;

use crate::store::adjacency::Adjacency;
use crate::store::cache::cached;

/// Links between numbered nodes, as (source, target). A link's number is its index in the list given to [`Links::new`].
#[derive(Clone, Debug, Default)]
pub struct Links {
    count: usize,
    pairs: Vec<(u32, u32)>,
    incoming: Adjacency,
    outgoing: Adjacency,
}

cached!(Links { pairs, incoming, outgoing });

impl Links {
    /// Returns a graph of `count` nodes. The ends of each link are below `count`.
    pub fn new(count: usize, pairs: Vec<(u32, u32)>) -> Self {
        let incoming = Adjacency::new(count, pairs.iter().map(|(_, target)| *target));
        let outgoing = Adjacency::new(count, pairs.iter().map(|(source, _)| *source));
        Self { count, pairs, incoming, outgoing }
    }

    /// Returns the number of nodes.
    pub fn nodes(&self) -> usize {
        self.count
    }

    /// Returns source and target of every link.
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// Returns the numbers of the links that end at a node.
    pub fn incoming(&self, node: u32) -> &[u32] {
        self.incoming.get(node)
    }

    /// Returns the numbers of the links that start at a node.
    pub fn outgoing(&self, node: u32) -> &[u32] {
        self.outgoing.get(node)
    }

    /// Returns the sources of a node's incoming links, one for each link.
    pub fn sources(&self, node: u32) -> impl Iterator<Item = u32> {
        self.incoming(node).iter().map(|link| self.pairs[*link as usize].0)
    }

    /// Returns the targets of a node's outgoing links, one for each link.
    pub fn targets(&self, node: u32) -> impl Iterator<Item = u32> {
        self.outgoing(node).iter().map(|link| self.pairs[*link as usize].1)
    }

    /// Returns the nodes, sources before targets, by a first-in, first-out queue of nodes without remaining sources
    /// (Kahn, 1962). Nodes on a cycle, and those reachable from one, are left out.
    pub fn topological_order(&self) -> Vec<u32> {
        let mut missing: Vec<u32> =
            (0..self.count as u32).map(|node| self.incoming(node).len() as u32).collect();
        let mut ready: VecDeque<u32> =
            (0..self.count as u32).filter(|node| missing[*node as usize] == 0).collect();
        let mut order = Vec::with_capacity(self.count);
        while let Some(node) = ready.pop_front() {
            order.push(node);
            for target in self.targets(node) {
                let left = &mut missing[target as usize];
                *left -= 1;
                if *left == 0 {
                    ready.push_back(target);
                }
            }
        }
        order
    }

    /// Returns the connected component of each node, ignoring directions; numbered from 0 by lowest node.
    pub fn components(&self) -> Vec<u32> {
        const NOT_YET: u32 = u32::MAX;
        let mut component = vec![NOT_YET; self.count];
        let mut count = 0;
        let mut next = Vec::new();
        for first in 0..self.count as u32 {
            if component[first as usize] != NOT_YET {
                continue;
            }
            component[first as usize] = count;
            next.push(first);
            while let Some(node) = next.pop() {
                for other in self.targets(node).chain(self.sources(node)) {
                    let place = &mut component[other as usize];
                    if *place == NOT_YET {
                        *place = count;
                        next.push(other);
                    }
                }
            }
            count += 1;
        }
        component
    }
}

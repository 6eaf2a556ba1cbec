//! Steps that take time, and arcs between them that may take time too: a directed graph.

use std::collections::VecDeque;

use crate::store::adjacency::Adjacency;

/// `target` starts no earlier than `lag_ns` after `source` has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arc {
    /// Step that must end first.
    pub source: u32,
    /// Step that must wait.
    pub target: u32,
    /// Time between the two, in nanoseconds.
    pub lag_ns: u64,
}

/// Steps with durations, and arcs between them by either end. Arcs whose ends don't exist are left out.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    durations_ns: Vec<u64>,
    arcs: Vec<Arc>,
    incoming: Adjacency,
    outgoing: Adjacency,
}

impl Steps {
    /// Steps with these durations in nanoseconds.
    pub fn new(durations_ns: Vec<u64>, mut arcs: Vec<Arc>) -> Self {
        let count = durations_ns.len();
        let exists = |step: u32| (step as usize) < count;
        arcs.retain(|arc| exists(arc.source) && exists(arc.target) && arc.source != arc.target);
        let incoming = Adjacency::new(count, arcs.iter().map(|arc| arc.target));
        let outgoing = Adjacency::new(count, arcs.iter().map(|arc| arc.source));
        Self { durations_ns, arcs, incoming, outgoing }
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.durations_ns.len()
    }

    /// Whether there are no steps.
    pub fn is_empty(&self) -> bool {
        self.durations_ns.is_empty()
    }

    /// How long a step takes, in nanoseconds.
    pub fn duration_ns(&self, step: u32) -> u64 {
        self.durations_ns.get(step as usize).copied().unwrap_or_default()
    }

    /// What a step waits for.
    pub fn incoming(&self, step: u32) -> impl Iterator<Item = Arc> {
        self.incoming.of(step).iter().filter_map(|arc| self.arcs.get(*arc as usize)).copied()
    }

    /// What waits for a step.
    pub fn outgoing(&self, step: u32) -> impl Iterator<Item = Arc> {
        self.outgoing.of(step).iter().filter_map(|arc| self.arcs.get(*arc as usize)).copied()
    }

    /// The steps, sources before targets and lower numbers first where either is possible; steps on a circle,
    /// and those behind one, are left out.
    pub fn topological_order(&self) -> Vec<u32> {
        let mut missing: Vec<u32> =
            (0..self.len() as u32).map(|step| self.incoming.of(step).len() as u32).collect();
        let mut ready: VecDeque<u32> =
            (0..self.len() as u32).filter(|step| missing[*step as usize] == 0).collect();
        let mut order = Vec::with_capacity(self.len());
        while let Some(step) = ready.pop_front() {
            order.push(step);
            for arc in self.outgoing(step) {
                let left = &mut missing[arc.target as usize];
                *left -= 1;
                if *left == 0 {
                    ready.push_back(arc.target);
                }
            }
        }
        order
    }

    /// Number of the connected component of each step, arcs taken both ways; numbered by lowest step from 0.
    pub fn components(&self) -> Vec<u32> {
        const NOT_YET: u32 = u32::MAX;
        let mut component = vec![NOT_YET; self.len()];
        let mut count = 0;
        for first in 0..self.len() as u32 {
            if component[first as usize] != NOT_YET {
                continue;
            }
            component[first as usize] = count;
            let mut next = vec![first];
            while let Some(step) = next.pop() {
                let sources = self.incoming(step).map(|arc| arc.source);
                for other in self.outgoing(step).map(|arc| arc.target).chain(sources) {
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

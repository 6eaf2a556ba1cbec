//! A directed graph whose vertices take time and whose arcs may take time too.

use std::collections::VecDeque;

/// `target` starts no earlier than `lag_ns` after `source` has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arc {
    /// Vertex that must end first.
    pub source: u32,
    /// Vertex that must wait.
    pub target: u32,
    /// Time between the two, in nanoseconds.
    pub lag_ns: u64,
}

/// Vertices with durations, and arcs between them by either end. Arcs whose ends don't exist are left out.
#[derive(Clone, Debug, Default)]
pub struct Dag {
    durations_ns: Vec<u64>,
    arcs: Vec<Arc>,
    incoming: Adjacency,
    outgoing: Adjacency,
}

/// Positions of arcs by vertex.
#[derive(Clone, Debug, Default)]
struct Adjacency {
    starts: Vec<u32>,
    arcs: Vec<u32>,
}

impl Adjacency {
    fn new(vertices: usize, ends: impl Iterator<Item = u32> + Clone) -> Self {
        let mut starts = vec![0_u32; vertices + 1];
        for vertex in ends.clone() {
            starts[vertex as usize + 1] += 1;
        }
        for vertex in 0..vertices {
            starts[vertex + 1] += starts[vertex];
        }
        let mut next = starts.clone();
        let mut arcs = vec![0; starts[vertices] as usize];
        for (arc, vertex) in ends.enumerate() {
            let place = &mut next[vertex as usize];
            arcs[*place as usize] = arc as u32;
            *place += 1;
        }
        Self { starts, arcs }
    }

    fn of(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        match (self.starts.get(vertex), self.starts.get(vertex + 1)) {
            (Some(start), Some(end)) => self.arcs.get(*start as usize..*end as usize).unwrap_or_default(),
            _ => &[],
        }
    }
}

impl Dag {
    /// A graph of vertices with these durations in nanoseconds.
    pub fn new(durations_ns: Vec<u64>, mut arcs: Vec<Arc>) -> Self {
        let count = durations_ns.len();
        let exists = |vertex: u32| (vertex as usize) < count;
        arcs.retain(|arc| exists(arc.source) && exists(arc.target) && arc.source != arc.target);
        let incoming = Adjacency::new(count, arcs.iter().map(|arc| arc.target));
        let outgoing = Adjacency::new(count, arcs.iter().map(|arc| arc.source));
        Self { durations_ns, arcs, incoming, outgoing }
    }

    /// How many vertices there are.
    pub fn len(&self) -> usize {
        self.durations_ns.len()
    }

    /// Whether there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.durations_ns.is_empty()
    }

    /// How long a vertex takes, in nanoseconds.
    pub fn duration_ns(&self, vertex: u32) -> u64 {
        self.durations_ns.get(vertex as usize).copied().unwrap_or_default()
    }

    /// What a vertex waits for.
    pub fn incoming(&self, vertex: u32) -> impl Iterator<Item = Arc> {
        self.incoming.of(vertex).iter().filter_map(|arc| self.arcs.get(*arc as usize)).copied()
    }

    /// What waits for a vertex.
    pub fn outgoing(&self, vertex: u32) -> impl Iterator<Item = Arc> {
        self.outgoing.of(vertex).iter().filter_map(|arc| self.arcs.get(*arc as usize)).copied()
    }

    /// The vertices, sources before targets and lower numbers first where either is possible; vertices on a circle,
    /// and those behind one, are left out.
    pub fn topological_order(&self) -> Vec<u32> {
        let mut missing: Vec<u32> =
            (0..self.len() as u32).map(|vertex| self.incoming.of(vertex).len() as u32).collect();
        let mut ready: VecDeque<u32> =
            (0..self.len() as u32).filter(|vertex| missing[*vertex as usize] == 0).collect();
        let mut order = Vec::with_capacity(self.len());
        while let Some(vertex) = ready.pop_front() {
            order.push(vertex);
            for arc in self.outgoing(vertex) {
                let left = &mut missing[arc.target as usize];
                *left -= 1;
                if *left == 0 {
                    ready.push_back(arc.target);
                }
            }
        }
        order
    }

    /// Number of the connected component of each vertex, arcs taken both ways; numbered by lowest vertex from 0.
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
            while let Some(vertex) = next.pop() {
                let sources = self.incoming(vertex).map(|arc| arc.source);
                for other in self.outgoing(vertex).map(|arc| arc.target).chain(sources) {
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

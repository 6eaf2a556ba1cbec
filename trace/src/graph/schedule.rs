//! Earliest and latest starts, slack, and the critical path (the critical path method of Kelley and Walker, 1959).

use super::Dag;

/// When each vertex of a [`Dag`] can start at the earliest, and must start at the latest for the whole to end as early
/// as it can. Vertices on circles are left out: they have no slack and are on no path.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    earliest_ns: Vec<u64>,
    latest_ns: Vec<u64>,
    /// The vertex that decided the earliest start.
    decided_by: Vec<Option<u32>>,
    length_ns: u64,
    last: Option<u32>,
    left_out: usize,
}

impl Schedule {
    /// The schedule of a graph with devices and threads without end.
    pub fn new(dag: &Dag) -> Self {
        let order = dag.topological_order();
        let mut earliest_ns = vec![0_u64; dag.len()];
        let mut decided_by = vec![None; dag.len()];
        let (mut length_ns, mut last) = (0, None);
        for &vertex in &order {
            let place = vertex as usize;
            let end = earliest_ns[place].saturating_add(dag.duration_ns(vertex));
            if end > length_ns || last.is_none() {
                (length_ns, last) = (end, Some(vertex));
            }
            for arc in dag.outgoing(vertex) {
                let start = end.saturating_add(arc.lag_ns);
                let target = arc.target as usize;
                if start > earliest_ns[target] || decided_by[target].is_none() {
                    earliest_ns[target] = start;
                    decided_by[target] = Some(vertex);
                }
            }
        }
        let mut latest_ns = vec![0_u64; dag.len()];
        for &vertex in order.iter().rev() {
            let must_end = dag
                .outgoing(vertex)
                .map(|arc| latest_ns[arc.target as usize].saturating_sub(arc.lag_ns))
                .fold(length_ns, u64::min);
            latest_ns[vertex as usize] = must_end.saturating_sub(dag.duration_ns(vertex));
        }
        let left_out = dag.len() - order.len();
        Self { earliest_ns, latest_ns, decided_by, length_ns, last, left_out }
    }

    /// Length of the longest chain in nanoseconds: no run can be shorter.
    pub fn length_ns(&self) -> u64 {
        self.length_ns
    }

    /// How many vertices lie on or behind a circle, and are left out.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Earliest start of a vertex, in nanoseconds.
    pub fn earliest_ns(&self, vertex: u32) -> u64 {
        self.earliest_ns.get(vertex as usize).copied().unwrap_or_default()
    }

    /// How much later a vertex could start without making the whole longer, in nanoseconds.
    pub fn slack_ns(&self, vertex: u32) -> u64 {
        self.latest_ns
            .get(vertex as usize)
            .map_or(0, |latest| latest.saturating_sub(self.earliest_ns(vertex)))
    }

    /// The vertices of the longest chain, first to last.
    pub fn critical_path(&self) -> Vec<u32> {
        let mut path: Vec<u32> =
            std::iter::successors(self.last, |vertex| *self.decided_by.get(*vertex as usize)?).collect();
        path.reverse();
        path
    }
}

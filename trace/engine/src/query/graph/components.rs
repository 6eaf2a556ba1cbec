//! Connected components of the task graph.

use syclscope_language::api::{GraphComponent, GraphComponents};

use super::folding::trace_links;
use super::standing::{Extent, Run, bytes};
use crate::store::Trace;
use syclscope_language::sorting::Sorting as _;

/// Maximum number of listed components.
const MAX_LISTED: usize = 1_000;

impl Trace {
    /// Returns the weakly connected components of the recorded dependences, those with most nodes first.
    pub fn graph_components(&self) -> GraphComponents {
        let links = trace_links(self);
        let component = links.components();
        let count = component.iter().max().map_or(0, |last| *last as usize + 1);
        let mut all: Vec<(GraphComponent, Extent)> = vec![Default::default(); count];
        for (node, number) in component.iter().enumerate() {
            let (known, extent) = &mut all[*number as usize];
            let run = Run::new(self, node as u32);
            if known.nodes == 0 {
                known.node = self.nodes.number.at(node);
            }
            extent.add(&run);
            known.nodes += 1;
            known.total_ns = known.total_ns.saturating_add(run.duration_ns());
            known.bytes = known.bytes.saturating_add(bytes(self, node as u32));
            let kind = self.nodes.kind.at(node);
            match known.kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, count)) => *count += 1,
                None => known.kinds.push((kind, 1)),
            }
        }
        for (source, _) in links.pairs() {
            all[component[*source as usize] as usize].0.edges += 1;
        }
        let mut components: Vec<GraphComponent> = all
            .into_iter()
            .map(|(known, extent)| GraphComponent {
                begin_ns: extent.begin_ns,
                end_ns: extent.end_ns,
                ..known
            })
            .collect();
        let single = components.iter().filter(|known| known.nodes == 1 && known.edges == 0).count() as u64;
        // The sort is stable: components of equal size are ordered by their first nodes.
        components.arrange_by_key(|known| std::cmp::Reverse(known.nodes));
        let left_out = components.len().saturating_sub(MAX_LISTED) as u64;
        components.truncate(MAX_LISTED);
        for known in &mut components {
            known.kinds.arrange_by_key(|(kind, count)| (std::cmp::Reverse(*count), *kind));
        }
        GraphComponents { count: count as u64, single, components, left_out }
    }
}

//! Search for links to leave out so that a directed graph has no cycle.

use super::adjacency::Adjacency;
use crate::id::NONE;

/// Returns a flag for each link of a graph of `nodes` nodes: true if it is on a cycle and against `order`. Without
/// these links the graph has no cycle.
pub(crate) fn against_order<K: Ord>(
    nodes: usize,
    links: &[(u32, u32)],
    order: impl Fn(u32) -> K,
) -> Vec<bool> {
    let component = strong_components(nodes, links);
    let is_against = |(source, target): &(u32, u32)| {
        component[*source as usize] == component[*target as usize]
            && (order(*source), *source) >= (order(*target), *target)
    };
    links.iter().map(is_against).collect()
}

/// Returns the strongly connected component of each node (Tarjan, 1972, with an explicit stack, because the depth
/// depends on the file).
fn strong_components(nodes: usize, links: &[(u32, u32)]) -> Vec<u32> {
    let outgoing = Adjacency::new(nodes, links.iter().map(|(source, _)| *source));
    let (mut index, mut low) = (vec![NONE; nodes], vec![0_u32; nodes]);
    let mut component = vec![NONE; nodes];
    let (mut found, mut components) = (0, 0);
    let mut path = Vec::new();
    let mut open: Vec<(u32, usize)> = Vec::new();
    for root in 0..nodes as u32 {
        if index[root as usize] != NONE {
            continue;
        }
        open.push((root, 0));
        while let Some((node, next)) = open.last_mut() {
            let (node, place) = (*node, *node as usize);
            if *next == 0 {
                (index[place], low[place]) = (found, found);
                found += 1;
                path.push(node);
            }
            if let Some(link) = outgoing.get(node).get(*next) {
                *next += 1;
                let target = links[*link as usize].1 as usize;
                if index[target] == NONE {
                    open.push((target as u32, 0));
                } else if component[target] == NONE {
                    low[place] = low[place].min(index[target]);
                }
                continue;
            }
            if low[place] == index[place] {
                while let Some(member) = path.pop() {
                    component[member as usize] = components;
                    if member == node {
                        break;
                    }
                }
                components += 1;
            }
            open.pop();
            if let Some((parent, _)) = open.last() {
                low[*parent as usize] = low[*parent as usize].min(low[place]);
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// True if `to` can be reached from `from`, by brute force.
    fn reaches(pairs: &[(u32, u32)], from: u32, to: u32) -> bool {
        let (mut seen, mut next) = (vec![from], vec![from]);
        while let Some(node) = next.pop() {
            for (_, target) in pairs.iter().filter(|(source, _)| *source == node) {
                if *target == to {
                    return true;
                }
                if !seen.contains(target) {
                    seen.push(*target);
                    next.push(*target);
                }
            }
        }
        false
    }

    proptest! {
        #[test]
        fn what_is_left_has_no_cycle_and_only_cycles_lose_links(
            pairs in prop::collection::vec((0..9_u32, 0..9_u32), 0..30),
            order in prop::collection::vec(0..4_u32, 9),
        ) {
            let against = against_order(9, &pairs, |node| order[node as usize]);
            let left: Vec<_> =
                pairs.iter().zip(&against).filter(|(_, against)| !**against).map(|(pair, _)| *pair).collect();
            prop_assert!((0..9).all(|node| !reaches(&left, node, node)));
            for ((source, target), against) in pairs.iter().zip(against) {
                prop_assert!(!against || source == target || reaches(&pairs, *target, *source));
            }
        }
    }
}

//! Redundant links: another path leads from their source to their target (the transitive reduction of Aho, Garey and
//! Ullman, 1972).

use super::Links;

/// Maximum work of one search, and of all searches together, in visited nodes and their links. Links not decided within
/// that work count as unchecked.
const SEARCH: usize = 20_000;
const SEARCHES: usize = 32_000_000;

/// Links whose removal does not change the order of nodes. Links in cycles and reachable from them are never redundant
/// here: the choice among them would be arbitrary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reduction {
    redundant: Vec<bool>,
    unchecked: usize,
}

impl Reduction {
    /// Checks every link. Parallel links get the same result.
    pub fn new(links: &Links) -> Self {
        let mut place = vec![u32::MAX; links.nodes()];
        for (at, node) in links.topological_order().iter().enumerate() {
            place[*node as usize] = at as u32;
        }
        let mut search = Search { links, place, reached: vec![u32::MAX; links.nodes()], left: SEARCHES };
        let mut reduction = Self { redundant: vec![false; links.pairs().len()], unchecked: 0 };
        for node in 0..links.nodes() as u32 {
            search.of_node(node, &mut reduction);
        }
        reduction
    }

    /// True if a link, by its number, is redundant.
    pub fn is_redundant(&self, link: u32) -> bool {
        self.redundant.get(link as usize).copied().unwrap_or_default()
    }

    /// Returns the number of links that were not checked, to bound the time.
    pub fn unchecked(&self) -> usize {
        self.unchecked
    }
}

struct Search<'l> {
    links: &'l Links,
    /// Index of each node in the topological order; `u32::MAX` on cycles and behind them.
    place: Vec<u32>,
    /// The last node whose search reached each node.
    reached: Vec<u32>,
    left: usize,
}

impl Search<'_> {
    /// Checks the outgoing links of a node: a link is redundant if its target is reachable from an earlier target.
    fn of_node(&mut self, node: u32, reduction: &mut Reduction) {
        if self.place[node as usize] == u32::MAX || self.links.outgoing(node).len() < 2 {
            return;
        }
        let target = |link: u32| self.links.pairs()[link as usize].1;
        let mut leaving: Vec<(u32, u32)> = self
            .links
            .outgoing(node)
            .iter()
            .map(|link| (self.place[target(*link) as usize], *link))
            .filter(|(place, _)| *place != u32::MAX)
            .collect();
        leaving.sort_unstable();
        let Some((last, _)) = leaving.last().copied() else { return };
        let mut left = SEARCH.min(self.left);
        let granted = left;
        let mut next = Vec::new();
        let mut was: Option<(u32, bool)> = None;
        for (number, (place, link)) in leaving.iter().enumerate() {
            let (_, target) = self.links.pairs()[*link as usize];
            if let Some((_, is_redundant)) = was.filter(|(before, _)| *before == target) {
                reduction.redundant[*link as usize] = is_redundant;
                continue;
            }
            let is_redundant = self.reached[target as usize] == node;
            was = Some((target, is_redundant));
            reduction.redundant[*link as usize] = is_redundant;
            if is_redundant || *place == last {
                continue;
            }
            self.reached[target as usize] = node;
            next.push(target);
            while let Some(from) = next.pop() {
                for to in self.links.targets(from) {
                    if self.place[to as usize] <= last && self.reached[to as usize] != node {
                        self.reached[to as usize] = node;
                        next.push(to);
                    }
                }
                left = left.saturating_sub(1 + self.links.outgoing(from).len());
                if left == 0 {
                    break;
                }
            }
            if left == 0 {
                // Nodes reached so far are certain; the rest is not.
                let rest = leaving[number + 1..].iter().filter(|(_, link)| {
                    let (_, target) = self.links.pairs()[*link as usize];
                    let is_redundant = self.reached[target as usize] == node;
                    reduction.redundant[*link as usize] = is_redundant;
                    !is_redundant
                });
                reduction.unchecked += rest.count();
                break;
            }
        }
        self.left -= granted - left;
    }
}

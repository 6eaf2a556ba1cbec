//! Two call trees merged, with the time on both sides.

use syclscope_language::api::{CallNode, CallTree};

/// Two call trees, merged by the paths of names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BothCalls {
    /// Nodes, parents before children, with the sum of both sides' time.
    pub nodes: Vec<CallNode>,
    pub names: Vec<String>,
    /// Time of each node in A and in B.
    pub sides_ns: Vec<[u64; 2]>,
    /// True for a side whose tree may have left the node out: its time there is at most the one of `sides_ns`.
    pub at_most: Vec<[bool; 2]>,
}

impl BothCalls {
    pub fn new(a: &CallTree, b: &CallTree) -> Self {
        let mut both = Self::default();
        let bounds_ns = [a, b].map(bound_ns);
        for (side, tree) in [a, b].into_iter().enumerate() {
            for group in &tree.groups {
                both.add(side, &group.nodes, &tree.names, bounds_ns);
            }
        }
        both
    }

    fn add(&mut self, side: usize, nodes: &[CallNode], names: &[String], bounds_ns: [u64; 2]) {
        // Merged index by node of the tree.
        let mut places: Vec<u32> = Vec::new();
        for node in nodes {
            let parent = node.parent.and_then(|parent| places.get(parent as usize).copied());
            let name = names.get(node.name as usize).map_or("", String::as_str);
            let is_same =
                |other: &CallNode| other.parent == parent && self.names[other.name as usize] == name;
            let place = self.nodes.iter().position(is_same).unwrap_or_else(|| {
                self.names.push(name.to_owned());
                let name = self.names.len() as u32 - 1;
                self.nodes.push(CallNode { parent, name, count: 0, total_ns: 0, ..*node });
                self.sides_ns.push(bounds_ns);
                self.at_most.push(bounds_ns.map(|bound_ns| bound_ns > 0));
                self.nodes.len() - 1
            });
            self.nodes[place].count += node.count;
            self.nodes[place].total_ns += node.total_ns;
            if std::mem::take(&mut self.at_most[place][side]) {
                self.sides_ns[place][side] = 0;
            }
            self.sides_ns[place][side] += node.total_ns;
            places.push(place as u32);
        }
    }
}

/// Returns the maximum time of a node that a tree left out: those in it take most time.
fn bound_ns(tree: &CallTree) -> u64 {
    let kept = tree.groups.iter().flat_map(|group| &group.nodes).map(|node| node.total_ns);
    kept.min().filter(|_| tree.left_out > 0).unwrap_or_default()
}

/// Returns the direction of a node's change: from -1, only in A, to 1, only in B.
pub fn tendency([a_ns, b_ns]: [u64; 2]) -> f64 {
    (b_ns as f64 - a_ns as f64) / (a_ns + b_ns).max(1) as f64
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::CallGroup;
    use syclscope_language::event::Category;

    use super::*;

    fn tree(names: &[&str], nodes: &[(Option<u32>, u32, u64)]) -> CallTree {
        let node = |&(parent, name, total_ns): &(Option<u32>, u32, u64)| {
            let (count, errors, self_ns, max_ns, total_bytes, self_bytes) = (1, 0, 0, total_ns, None, None);
            let category = Category::Call;
            CallNode {
                parent,
                name,
                category,
                count,
                errors,
                total_ns,
                self_ns,
                max_ns,
                total_bytes,
                self_bytes,
            }
        };
        let group = CallGroup { nodes: nodes.iter().map(node).collect(), ..CallGroup::default() };
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        CallTree { groups: vec![group], names, ..CallTree::default() }
    }

    #[test]
    fn nodes_are_the_same_where_the_same_names_lead_to_them() {
        let a = tree(&["run", "copy"], &[(None, 0, 10), (Some(0), 1, 4)]);
        let b =
            tree(&["copy", "run", "wait"], &[(None, 1, 30), (Some(0), 2, 5), (Some(0), 0, 4), (None, 0, 1)]);
        let both = BothCalls::new(&a, &b);
        let names: Vec<&str> =
            both.nodes.iter().map(|node| both.names[node.name as usize].as_str()).collect();
        assert_eq!(names, ["run", "copy", "wait", "copy"]);
        assert_eq!(both.sides_ns, [[10, 30], [4, 4], [0, 5], [0, 1]]);
        assert_eq!((both.nodes[0].total_ns, both.nodes[2].parent), (40, Some(0)));
        assert_eq!(both.at_most, [[false; 2]; 4]);
        assert_eq!([[10, 30], [4, 4], [0, 5], [0, 0]].map(tendency), [0.5, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn what_a_side_left_out_takes_at_most_the_least_that_it_has() {
        let a = tree(&["run", "copy"], &[(None, 0, 10), (Some(0), 1, 4)]);
        let b = tree(&["run", "wait"], &[(None, 0, 30), (Some(0), 1, 5)]);
        let both = BothCalls::new(&a, &CallTree { left_out: 7, ..b });
        assert_eq!(both.sides_ns, [[10, 30], [4, 5], [0, 5]]);
        assert_eq!(both.at_most, [[false; 2], [false, true], [false; 2]]);
    }
}

//! A call tree as boxes: each below its caller, as wide as its time or its bytes, largest to the left.

use syclscope_language::api::CallNode;

/// Nodes narrower than this share of the width are left out, with all below them.
const MIN_SHARE: f64 = 0.001;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlameBox {
    pub node: u32,
    pub depth: u32,
    pub left: f64,
    pub width: f64,
}

/// Lays out the boxes of a tree whose parents come before their children. With `focus`, that node takes the whole
/// width, below its ancestors.
pub fn boxes(nodes: &[CallNode], focus: Option<u32>) -> Vec<FlameBox> {
    let mut boxes = Vec::new();
    // Box of each node, and the width that its children occupy.
    let mut places: Vec<Option<(FlameBox, f64)>> = vec![None; nodes.len()];
    let focus = focus.filter(|focus| (*focus as usize) < nodes.len());
    let path = path_to(nodes, focus);
    let sum: u64 = nodes.iter().filter(|node| node.parent.is_none()).map(CallNode::total).sum();
    let (mut taken, whole) = (0.0, sum.max(1) as f64);
    for (number, node) in (0_u32..).zip(nodes) {
        let place = if path.contains(&number) {
            Some((path.iter().position(|step| *step == number).unwrap_or(0) as u32, 0.0, 1.0))
        } else {
            match node.parent {
                None if focus.is_some() => None,
                None => {
                    let width = node.total() as f64 / whole;
                    let left = taken;
                    taken += width;
                    Some((0, left, width))
                }
                // Only the path to the focus is shown above it.
                Some(parent) if path.contains(&parent) && Some(parent) != focus => None,
                Some(parent) => places[parent as usize].as_mut().map(|(above, used)| {
                    let share = node.total() as f64 / nodes[parent as usize].total().max(1) as f64;
                    let width = above.width * share;
                    let left = above.left + *used;
                    *used += width;
                    (above.depth + 1, left, width)
                }),
            }
        };
        if let Some((depth, left, width)) = place.filter(|(_, _, width)| *width >= MIN_SHARE) {
            let own = FlameBox { node: number, depth, left, width };
            places[number as usize] = Some((own, 0.0));
            boxes.push(own);
        }
    }
    boxes
}

/// Returns the nodes on the path from the root to a node.
fn path_to(nodes: &[CallNode], goal: Option<u32>) -> Vec<u32> {
    let mut path = Vec::new();
    let mut at = goal;
    while let Some(node) = at {
        path.push(node);
        // A parent comes before its children, so the loop ends.
        at = nodes[node as usize].parent.filter(|parent| *parent < node);
    }
    path.reverse();
    path
}

pub fn names_to(nodes: &[CallNode], names: &[String], node: u32) -> Vec<String> {
    let name = |node: u32| names.get(nodes[node as usize].name as usize).cloned().unwrap_or_default();
    path_to(nodes, Some(node).filter(|node| (*node as usize) < nodes.len())).into_iter().map(name).collect()
}

/// Returns the node at a path of names; the first of several equal ones, which has most time or bytes.
pub fn node_of(nodes: &[CallNode], names: &[String], path: &[String]) -> Option<u32> {
    let mut at = None;
    for name in path {
        let is_next = |node: &CallNode| {
            node.parent == at && names.get(node.name as usize).is_some_and(|other| other == name)
        };
        at = Some(nodes.iter().position(is_next)? as u32);
    }
    at
}

#[cfg(test)]
mod tests {
    use syclscope_language::event::Category;

    use super::*;

    fn node(parent: Option<u32>, total_ns: u64) -> CallNode {
        let (count, errors, self_ns, max_ns, total_bytes, self_bytes) = (1, 0, 0, total_ns, None, None);
        let (name, category) = (0, Category::Call);
        CallNode { parent, name, category, count, errors, total_ns, self_ns, max_ns, total_bytes, self_bytes }
    }

    fn tree() -> Vec<CallNode> {
        vec![
            node(None, 600),
            node(None, 400),
            node(Some(0), 300),
            node(Some(0), 150),
            node(Some(2), 300),
            node(Some(1), 0),
        ]
    }

    fn shown(focus: Option<u32>) -> Vec<(u32, u32, f64, f64)> {
        let rounded = |value: f64| (value * 1_000.0).round() / 1_000.0;
        boxes(&tree(), focus)
            .into_iter()
            .map(|found| (found.node, found.depth, rounded(found.left), rounded(found.width)))
            .collect()
    }

    #[test]
    fn boxes_of_bytes_are_as_wide_as_those_of_as_much_time() {
        let bytes = |node: CallNode| CallNode { total_ns: 0, total_bytes: Some(node.total_ns), ..node };
        let of_bytes: Vec<CallNode> = tree().into_iter().map(bytes).collect();
        assert_eq!(boxes(&of_bytes, Some(2)), boxes(&tree(), Some(2)));
        assert_eq!(boxes(&of_bytes, None), boxes(&tree(), None));
    }

    #[test]
    fn children_lie_below_their_parents_from_the_left() {
        assert_eq!(
            shown(None),
            [(0, 0, 0.0, 0.6), (1, 0, 0.6, 0.4), (2, 1, 0.0, 0.3), (3, 1, 0.3, 0.15), (4, 2, 0.0, 0.3)]
        );
    }

    #[test]
    fn nodes_are_found_again_by_the_names_that_lead_to_them() {
        let names = ["a", "b", "c", "a", "b", "c"].map(str::to_owned);
        let nodes: Vec<CallNode> = (0..).zip(tree()).map(|(name, node)| CallNode { name, ..node }).collect();
        for node in 0..6 {
            assert_eq!(node_of(&nodes, &names, &names_to(&nodes, &names, node)), Some(node));
        }
        let path = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        assert_eq!(names_to(&nodes, &names, 4), path("acb"));
        assert_eq!(node_of(&nodes, &names, &path("ax")), None);
        assert_eq!(node_of(&nodes, &names, &path("xa")), None);
        assert_eq!((node_of(&nodes, &names, &[]), names_to(&nodes, &names, 9)), (None, Vec::new()));
    }

    #[test]
    fn a_focused_node_takes_the_width_below_the_way_to_it() {
        assert_eq!(shown(Some(2)), [(0, 0, 0.0, 1.0), (2, 1, 0.0, 1.0), (4, 2, 0.0, 1.0)]);
        assert_eq!(shown(Some(99)), shown(None));
        assert!(boxes(&[], None).is_empty());
    }
}

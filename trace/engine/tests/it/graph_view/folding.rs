//! Folding of any graph.

use proptest::prelude::*;

use super::*;

/// Source location, queue and duration of each command.
type Commands = Vec<(u32, u64, u64)>;
type Pairs = Vec<(usize, usize)>;

/// Returns programs of a few source locations, with edges forward in time.
fn programs() -> impl Strategy<Value = (Commands, Pairs)> {
    (1..60_usize).prop_flat_map(|count| {
        let commands = prop::collection::vec((0..5_u32, 1..3_u64, 0..500_u64), count);
        (commands, prop::collection::vec((0..count, 0..count), 0..90))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_node_and_edge_is_there_once(
        (commands, edges) in programs(),
        opened in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
    ) {
        let mut program = Program::new();
        for (place, queue, ns) in &commands {
            program.command(NodeKind::Kernel, ["a", "b", "c", "d", "e"][*place as usize], *place, *queue, (*ns, *ns));
        }
        let mut pairs: Vec<(u64, u64)> =
            edges.iter().filter(|(a, b)| a != b).map(|(a, b)| (1 + *a.min(b) as u64, 1 + *a.max(b) as u64)).collect();
        for (source, target) in &pairs {
            program.edge(*source, *target, EdgeReason::Event, "");
        }
        let trace = program.build();
        let slack = trace.slack();
        for level in ["source", "kernels", "iterations", "full"] {
            // Unfolds some of the nodes, one after the other.
            let mut open: Vec<String> = Vec::new();
            let mut question = format!("graph?level={level}");
            let mut view: GraphView = ask(&trace, &question);
            for index in &opened {
                open.push(index.get(&view.nodes).id.clone());
                question = format!("graph?level={level}&open={}", open.join("."));
                view = ask(&trace, &question);
            }
            let of_nodes = |value: fn(&ViewNode) -> u64| view.nodes.iter().map(value).sum::<u64>();
            prop_assert_eq!(of_nodes(|node| node.count), commands.len() as u64, "{}", question);
            let total: u64 = commands.iter().map(|(_, _, ns)| ns).sum();
            prop_assert_eq!((of_nodes(|node| node.total_ns), of_nodes(|node| node.bytes)), (total, total));
            // Every member is in one group, and the sums of a group follow from its members.
            let mut group_of = vec![usize::MAX; commands.len() + 1];
            for (at, node) in view.nodes.iter().enumerate() {
                let page: GraphMembers = ask(&trace, &format!("graph_members?level={level}&group={}", node.id));
                prop_assert_eq!(page.members.len() as u64, node.count);
                prop_assert_eq!(page.members[0].node.node, node.node);
                for member in &page.members {
                    let place = &mut group_of[member.node.node as usize];
                    prop_assert_eq!(std::mem::replace(place, at), usize::MAX);
                }
                let least = page.members.iter().map(|member| slack[member.node.node as usize - 1].slack_ns).min();
                prop_assert_eq!(least, Some(node.slack_ns));
                let longest = page.members.iter().map(|member| member.duration_ns).max();
                prop_assert_eq!(longest, Some(node.max_ns));
                prop_assert_eq!(node.critical, page.members.iter().filter(|member| member.is_critical).count() as u64);
            }
            let mut expected: Vec<(u32, u32)> = pairs
                .iter()
                .map(|(source, target)| (group_of[*source as usize] as u32, group_of[*target as usize] as u32))
                .collect();
            expected.sort_unstable();
            let told = view.edges.iter().flat_map(|edge| vec![(edge.source, edge.target); edge.count as usize]);
            prop_assert_eq!(told.collect::<Vec<_>>(), expected);
        }
        pairs.sort_unstable();
        pairs.dedup();
        let full: GraphView = ask(&trace, "graph?level=full");
        prop_assert_eq!(full.edges.len(), pairs.len());
    }

    #[test]
    fn unfolding_moves_nothing_past_anything((commands, edges) in programs()) {
        unfolding_keeps_the_order(&commands, &edges);
    }
}

fn unfolding_keeps_the_order(commands: &[(u32, u64, u64)], edges: &[(usize, usize)]) {
    let mut program = Program::new();
    for (place, queue, ns) in commands {
        let name = ["a", "b", "c", "d", "e"][*place as usize];
        program.command(NodeKind::Kernel, name, *place, *queue, (*ns, 0));
    }
    for (a, b) in edges.iter().filter(|(a, b)| a != b) {
        program.edge(1 + *a.min(b) as u64, 1 + *a.max(b) as u64, EdgeReason::Event, "");
    }
    let trace = program.build();
    let before: GraphView = ask(&trace, "graph?level=source");
    for opened in &before.nodes {
        let after: GraphView = ask(&trace, &format!("graph?level=source&open={}", opened.id));
        let find = |node: &ViewNode| after.nodes.iter().find(|known| known.id == node.id);
        for a in &before.nodes {
            for b in before.nodes.iter().filter(|b| b.y == a.y && b.x > a.x) {
                if let (Some(now_a), Some(now_b)) = (find(a), find(b))
                    && now_a.y == now_b.y
                {
                    assert!(now_a.x < now_b.x, "{} came past {} when {} opened", a.id, b.id, opened.id);
                }
            }
        }
    }
}

#[test]
fn a_part_that_stood_between_the_nodes_of_another_is_not_moved_past_them() {
    let commands = [
        (1, 1, 0),
        (0, 1, 0),
        (4, 1, 0),
        (0, 1, 0),
        (0, 1, 0),
        (4, 1, 0),
        (1, 1, 0),
        (0, 1, 0),
        (0, 1, 3),
        (1, 1, 250),
        (1, 1, 428),
        (4, 1, 198),
        (1, 2, 495),
        (1, 2, 110),
        (4, 2, 160),
        (4, 2, 168),
        (2, 1, 384),
        (1, 2, 185),
        (4, 2, 358),
        (3, 1, 274),
        (1, 1, 331),
    ];
    let edges = [(11, 12), (5, 20), (10, 15), (3, 9), (11, 16), (17, 13), (6, 19), (5, 15), (2, 12), (11, 8)];
    unfolding_keeps_the_order(&commands, &edges);
}

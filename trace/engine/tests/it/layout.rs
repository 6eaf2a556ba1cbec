//! Layouts: invariants on any graph, and fixed results for a few small ones.

use std::fmt::Write as _;

use proptest::prelude::*;
use syclscope_engine::graph::layout::{Layout, Plan, Point, Spot};
use syclscope_language::question::Size;

use crate::golden::assert_golden;

const USUAL: Size = Size { width: 100, height: 40 };

fn layout(sizes: &[Size], links: &[(u32, u32)]) -> Layout {
    Layout::new(&Plan { sizes, links, before: &[], together: &[] })
}

/// Returns any graph: with cycles, several links of a pair, links of a node to itself and to missing nodes.
fn graphs() -> impl Strategy<Value = (Vec<Size>, Vec<(u32, u32)>)> {
    (1..40_u32).prop_flat_map(|count| {
        let size = (1..300_i32, 1..120_i32).prop_map(|(width, height)| Size { width, height });
        let links = prop::collection::vec((0..count + 1, 0..count + 1), 0..80);
        (prop::collection::vec(size, count as usize), links)
    })
}

fn edges(spot: &Spot, size: &Size) -> (i32, i32, i32, i32) {
    let (left, top) = (spot.middle.x - size.width / 2, spot.middle.y - size.height / 2);
    (left, top, left + size.width, top + size.height)
}

/// True if a segment of a line crosses the inside of a node (Liang and Barsky, 1984).
fn goes_through(a: Point, b: Point, (left, top, right, bottom): (i32, i32, i32, i32)) -> bool {
    let (x, y) = (f64::from(a.x), f64::from(a.y));
    let (dx, dy) = (f64::from(b.x) - x, f64::from(b.y) - y);
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for (delta, low, high) in
        [(dx, f64::from(left) - x, f64::from(right) - x), (dy, f64::from(top) - y, f64::from(bottom) - y)]
    {
        if delta == 0.0 {
            if low >= 0.0 || high <= 0.0 {
                return false;
            }
        } else {
            let (enters, leaves) = if delta > 0.0 { (low, high) } else { (high, low) };
            from = from.max(enters / delta);
            to = to.min(leaves / delta);
        }
    }
    to - from > 1e-9
}

fn check(layout: &Layout, sizes: &[Size], links: &[(u32, u32)]) -> Result<(), TestCaseError> {
    let nodes: Vec<_> = layout.spots.iter().zip(sizes).map(|(spot, size)| edges(spot, size)).collect();
    for (number, a) in nodes.iter().enumerate() {
        prop_assert!(a.0 >= 0 && a.1 >= 0 && a.2 <= layout.size.width && a.3 <= layout.size.height);
        for b in &nodes[..number] {
            prop_assert!(a.2 <= b.0 || b.2 <= a.0 || a.3 <= b.1 || b.3 <= a.1, "{a:?} overlaps {b:?}");
        }
    }
    prop_assert_eq!(layout.routes.len(), links.len());
    for (route, (source, target)) in layout.routes.iter().zip(links) {
        let (Some(from), Some(to)) = (nodes.get(*source as usize), nodes.get(*target as usize)) else {
            prop_assert!(route.is_empty());
            continue;
        };
        let touches = |point: &Point, node: &(i32, i32, i32, i32)| {
            (node.0..=node.2).contains(&point.x) && (node.1..=node.3).contains(&point.y)
        };
        prop_assert!(touches(&route[0], from) && touches(&route[route.len() - 1], to), "{route:?}");
        for piece in route.windows(2) {
            prop_assert!(piece[0] != piece[1]);
            for node in &nodes {
                prop_assert!(!goes_through(piece[0], piece[1], *node), "{piece:?} through {node:?}");
            }
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn nothing_overlaps_and_lines_go_around_nodes((sizes, links) in graphs()) {
        let layout = layout(&sizes, &links);
        check(&layout, &sizes, &links)?;
        prop_assert_eq!(layout, self::layout(&sizes, &links));
    }

    #[test]
    fn links_go_down_unless_they_close_a_circle((sizes, links) in graphs()) {
        let forward: Vec<_> = links.iter().filter(|(a, b)| a != b).map(|(a, b)| (*a.min(b), *a.max(b))).collect();
        let layout = layout(&sizes, &forward);
        for (source, target) in &forward {
            if let Some(target) = layout.spots.get(*target as usize) {
                let source = &layout.spots[*source as usize];
                prop_assert!(source.middle.y < target.middle.y && source.row == target.row);
            }
        }
    }

    /// If a node is replaced by several at its position, the other nodes keep their order in a layer.
    #[test]
    fn what_stood_somewhere_keeps_its_order(
        (sizes, links) in graphs(),
        taken in any::<prop::sample::Index>(),
        parts in 2..6_u32,
    ) {
        let old = layout(&sizes, &links);
        let count = sizes.len() as u32;
        let taken = taken.index(sizes.len()) as u32;
        // The first part takes the node's number; the others follow all nodes.
        let mut new_sizes = sizes.clone();
        new_sizes.extend((1..parts).map(|_| sizes[taken as usize]));
        let part = |link: usize| match link as u32 % parts { 0 => taken, part => count + part - 1 };
        let exists = |(a, b): &&(u32, u32)| *a < count && *b < count;
        let new_links: Vec<_> = links.iter().filter(exists).enumerate().map(|(link, (a, b))| {
            let end = |node: u32| if node == taken { part(link) } else { node };
            (end(*a), end(*b))
        }).collect();
        let before: Vec<_> =
            (0..new_sizes.len()).map(|node| old.spots.get(node).or(old.spots.get(taken as usize)).copied()).collect();
        let new = Layout::new(&Plan { sizes: &new_sizes, links: &new_links, before: &before, together: &[] });
        check(&new, &new_sizes, &new_links)?;
        for a in (0..count as usize).filter(|a| *a != taken as usize) {
            for b in (0..count as usize).filter(|b| *b != taken as usize) {
                let (was, is) = ([old.spots[a], old.spots[b]], [new.spots[a], new.spots[b]]);
                let beside = |spots: &[Spot; 2]| spots[0].row == spots[1].row && spots[0].middle.y == spots[1].middle.y;
                if beside(&was) && beside(&is) && was[0].middle.x < was[1].middle.x {
                    prop_assert!(is[0].middle.x < is[1].middle.x, "{was:?} became {is:?}");
                }
            }
        }
    }

    /// Nodes of a region that are linked only to each other are in a rectangle that no other node touches.
    #[test]
    fn regions_are_their_own(
        (sizes, links) in graphs(),
        regions in prop::collection::vec(prop::option::of(0..4_u64), 40),
    ) {
        let count = sizes.len() as u32;
        let region = |node: u32| regions[node as usize];
        let links: Vec<_> =
            links.into_iter().filter(|(a, b)| *a < count && *b < count && region(*a) == region(*b)).collect();
        let together = &regions[..sizes.len()];
        let layout = Layout::new(&Plan { sizes: &sizes, links: &links, before: &[], together });
        check(&layout, &sizes, &links)?;
        let nodes: Vec<_> = layout.spots.iter().zip(&sizes).map(|(spot, size)| edges(spot, size)).collect();
        for number in 0..4 {
            let of_region = |node: &usize| regions[*node] == Some(number);
            let mut inside = (0..nodes.len()).filter(of_region).map(|node| nodes[node]);
            let Some(first) = inside.next() else { continue };
            let around = inside.fold(first, |a, b| (a.0.min(b.0), a.1.min(b.1), a.2.max(b.2), a.3.max(b.3)));
            for other in (0..nodes.len()).filter(|node| !of_region(node)).map(|node| nodes[node]) {
                let apart =
                    around.2 <= other.0 || other.2 <= around.0 || around.3 <= other.1 || other.3 <= around.1;
                prop_assert!(apart, "{other:?} in {around:?}");
            }
        }
    }

    /// A layout from its own result as the previous one: the order stays, and nodes move only to make way for lines.
    #[test]
    fn a_layout_is_almost_its_own_successor((sizes, links) in graphs()) {
        let first = layout(&sizes, &links);
        let before: Vec<_> = first.spots.iter().copied().map(Some).collect();
        let again = Layout::new(&Plan { sizes: &sizes, links: &links, before: &before, together: &[] });
        let moved: i32 = first.spots.iter().zip(&again.spots).map(|(a, b)| (a.middle.x - b.middle.x).abs()).sum();
        prop_assert!(moved / sizes.len() as i32 <= 200, "{moved} for {} nodes", sizes.len());
        for (a, b) in first.spots.iter().zip(&again.spots) {
            prop_assert_eq!((a.middle.y, a.row), (b.middle.y, b.row));
        }
    }
}

fn text(layout: &Layout) -> String {
    let mut text =
        format!("{} x {}, {} crossings\n", layout.size.width, layout.size.height, layout.crossings);
    for (node, spot) in layout.spots.iter().enumerate() {
        let _ = writeln!(text, "{node} at {},{} in row {}", spot.middle.x, spot.middle.y, spot.row);
    }
    for route in &layout.routes {
        let points: Vec<String> = route.iter().map(|point| format!("{},{}", point.x, point.y)).collect();
        let _ = writeln!(text, "{}", points.join(" "));
    }
    text
}

#[test]
fn small_graphs() {
    type Links = &'static [(u32, u32)];
    let graphs: [(&str, usize, Links); 5] = [
        ("a chain", 3, &[(0, 1), (1, 2)]),
        ("a fork, a join and a long way round", 5, &[(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4), (0, 4)]),
        ("a loop with a link to itself", 4, &[(0, 1), (1, 2), (2, 2), (2, 1), (2, 3)]),
        ("two parts and single nodes", 7, &[(0, 2), (1, 2), (3, 4)]),
        (
            "one source of many long links",
            6,
            &[(0, 1), (1, 2), (2, 3), (3, 4), (0, 2), (0, 3), (0, 4), (0, 5)],
        ),
    ];
    let mut told = String::new();
    for (name, count, links) in graphs {
        let _ = writeln!(told, "{name}: {}", text(&layout(&vec![USUAL; count], links)));
    }
    assert_golden("layouts.txt", &told);
}

/// With links that need more bends than the limit, the longest links get no line, and the layout takes no long time.
#[test]
fn the_longest_links_go_without_a_line() {
    let count = 3_000;
    let chain = (1..count).map(|node| (node - 1, node));
    let links: Vec<_> = chain.chain((2..count).map(|node| (0, node))).collect();
    let layout = layout(&vec![USUAL; count as usize], &links);
    let drawn = layout.routes.iter().filter(|route| !route.is_empty()).count();
    assert!((count as usize..links.len()).contains(&drawn), "{drawn} of {}", links.len());
    // The chain is drawn, and so are the shorter ones of the other links.
    assert!(layout.routes[..count as usize + 100].iter().all(|route| !route.is_empty()));
    assert!(layout.routes[links.len() - 1].is_empty());
}

/// Chains in the order of time, every fourth a long one: in that order, each row would have the height of a long chain.
#[test]
fn high_components_share_rows_where_that_saves_much_room() {
    let chain =
        |first: u32, count: u32| (first + 1..first + count).map(|node| (node - 1, node)).collect::<Vec<_>>();
    let (mut links, mut count) = (Vec::new(), 0);
    for number in 0..40 {
        let length = if number % 4 == 1 { 12 } else { 2 };
        links.extend(chain(count, length));
        count += length;
    }
    let many = layout(&vec![USUAL; count as usize], &links);
    let high = layout(&[USUAL; 12], &chain(0, 12));
    assert!(many.size.height < 2 * high.size.height, "{:?} of {:?}", many.size, high.size);
    assert_eq!(many.spots[2].row, 0, "a long chain is in the first row");
    // Chains of equal length keep the order of time.
    let few = layout(&[USUAL; 6], &[(0, 1), (2, 3), (4, 5)]);
    assert!(few.spots[0].middle.x < few.spots[2].middle.x && few.spots[2].middle.x < few.spots[4].middle.x);
}

/// A folded node that is opened, or hidden nodes that are shown.
#[test]
fn many_new_components_are_in_several_rows() {
    let first = layout(&[USUAL; 2], &[]);
    let sizes = [USUAL; 200];
    for from in [Some(first.spots[1]), None] {
        let mut before = vec![from; sizes.len()];
        before[0] = Some(first.spots[0]);
        let opened = Layout::new(&Plan { sizes: &sizes, links: &[], before: &before, together: &[] });
        assert!(opened.size.width < 4 * opened.size.height, "{:?}", opened.size);
        assert_eq!((opened.spots[0].row, opened.spots[0].middle.y), (0, first.spots[0].middle.y));
        // The next drawing keeps the rows.
        let before: Vec<_> = opened.spots.iter().copied().map(Some).collect();
        let next = Layout::new(&Plan { sizes: &sizes, links: &[], before: &before, together: &[] });
        let places = |layout: &Layout| -> Vec<(u32, i32)> {
            layout.spots.iter().map(|spot| (spot.row, spot.middle.y)).collect()
        };
        assert_eq!(places(&next), places(&opened));
    }
}

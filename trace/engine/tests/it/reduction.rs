//! The transitive reduction and the components, against brute force.

use proptest::prelude::*;
use syclscope_engine::graph::{Links, Reduction};

/// True if a path leads from one node to another without the links of a given pair.
fn leads(links: &[(u32, u32)], from: u32, to: u32, without: (u32, u32)) -> bool {
    let mut reached = vec![from];
    let mut next = vec![from];
    while let Some(node) = next.pop() {
        for (source, target) in links {
            if *source == node && (*source, *target) != without && !reached.contains(target) {
                reached.push(*target);
                next.push(*target);
            }
        }
    }
    from != to && reached.contains(&to)
}

fn links(any: bool) -> impl Strategy<Value = (u32, Vec<(u32, u32)>)> {
    (2..12_u32).prop_flat_map(move |count| {
        let link =
            (0..count, 0..count).prop_map(move |(a, b)| if any { (a, b) } else { (a.min(b), a.max(b)) });
        (Just(count), prop::collection::vec(link, 0..30))
    })
}

proptest! {
    #[test]
    fn redundant_is_what_another_way_says((count, mut pairs) in links(false)) {
        pairs.retain(|(source, target)| source != target);
        let reduction = Reduction::new(&Links::new(count as usize, pairs.clone()));
        for (number, (source, target)) in pairs.iter().enumerate() {
            let other_way = leads(&pairs, *source, *target, (*source, *target));
            prop_assert_eq!(reduction.is_redundant(number as u32), other_way, "{} to {}", source, target);
        }
        prop_assert_eq!(reduction.unchecked(), 0);
    }

    /// With any cycles: without all redundant links, every pair of nodes stays connected or unconnected.
    #[test]
    fn nothing_is_lost_without_redundant_links((count, pairs) in links(true)) {
        let reduction = Reduction::new(&Links::new(count as usize, pairs.clone()));
        let numbered = pairs.iter().enumerate();
        let rest: Vec<_> =
            numbered.filter(|(number, _)| !reduction.is_redundant(*number as u32)).map(|(_, pair)| *pair).collect();
        for from in 0..count {
            for to in 0..count {
                let nothing = (u32::MAX, u32::MAX);
                prop_assert_eq!(leads(&pairs, from, to, nothing), leads(&rest, from, to, nothing));
            }
        }
    }

    #[test]
    fn components_are_what_links_connect((count, pairs) in links(true)) {
        let components = Links::new(count as usize, pairs.clone()).components();
        let both: Vec<_> = pairs.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]).collect();
        for a in 0..count {
            for b in 0..count {
                let together = a == b || leads(&both, a, b, (u32::MAX, u32::MAX));
                prop_assert_eq!(components[a as usize] == components[b as usize], together);
            }
        }
    }
}

#[test]
fn what_takes_too_long_is_counted() {
    let count = 40_000_u32;
    let chain = (1..count).map(|node| (node - 1, node));
    let jumps = [(0, 100), (0, count - 1)];
    let links = Links::new(count as usize, chain.chain(jumps).collect());
    let reduction = Reduction::new(&links);
    assert!(reduction.is_redundant(count - 1));
    assert!(!reduction.is_redundant(count));
    assert_eq!(reduction.unchecked(), 1);
}

//! Joins connected components that belong together, such as those of one command graph, into one region.

use rustc_hash::FxHashMap;

use super::{Part, Point, rows};

/// Joins the components that have nodes with the same number. The order of the others stays.
pub(super) fn join(parts: Vec<Part>, together: &[Option<u64>]) -> Vec<Part> {
    if together.iter().all(Option::is_none) {
        return parts;
    }
    // Each component leads to an earlier one that it is joined with, or to itself.
    let mut leads_to: Vec<usize> = (0..parts.len()).collect();
    let mut first_of: FxHashMap<u64, usize> = FxHashMap::default();
    for (number, part) in parts.iter().enumerate() {
        for region in part.nodes.iter().filter_map(|node| together.get(*node as usize).copied().flatten()) {
            let first = *first_of.entry(region).or_insert(number);
            let (one, other) = (root(&leads_to, first), root(&leads_to, number));
            leads_to[one.max(other)] = one.min(other);
        }
    }
    let mut joined: Vec<Vec<Part>> = parts.iter().map(|_| Vec::new()).collect();
    for (number, part) in parts.into_iter().enumerate() {
        joined[root(&leads_to, number)].push(part);
    }
    joined.into_iter().filter_map(one).collect()
}

fn root(leads_to: &[usize], mut part: usize) -> usize {
    while leads_to[part] != part {
        part = leads_to[part];
    }
    part
}

/// Combines several components into one, in rows.
fn one(mut parts: Vec<Part>) -> Option<Part> {
    if parts.len() < 2 {
        return parts.pop();
    }
    let rows = rows::rows(&mut parts, &[]);
    let mut whole = Part {
        nodes: Vec::new(),
        links: Vec::new(),
        middles: Vec::new(),
        routes: Vec::new(),
        sides: (0, rows.size.width),
        height: rows.size.height,
        crossings: 0,
    };
    for (part, (_, by)) in parts.into_iter().zip(rows.places) {
        let moved = |point: Point| Point { x: point.x + by.x, y: point.y + by.y };
        whole.nodes.extend(part.nodes);
        whole.links.extend(part.links);
        whole.middles.extend(part.middles.into_iter().map(moved));
        whole.routes.extend(part.routes.into_iter().map(|route| route.into_iter().map(moved).collect()));
        whole.crossings += part.crossings;
    }
    Some(whole)
}

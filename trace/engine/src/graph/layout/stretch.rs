//! Extents of the components in the previous drawing, so that none moves past another.

use rustc_hash::FxHashMap;

use super::Spot;

/// Horizontal extent of nodes in one row of the previous drawing: the row, and the leftmost and the rightmost centre.
pub(super) type Stretch = (u32, i32, i32);

/// Returns the extent of a component in the highest row of its previous nodes; `None` if all are new.
pub(super) fn find(nodes: &[u32], before: &[Option<Spot>]) -> Option<Stretch> {
    let spots = || nodes.iter().filter_map(|node| before.get(*node as usize).copied().flatten());
    let row = spots().map(|spot| spot.row).min()?;
    let (mut left, mut right) = (i32::MAX, i32::MIN);
    for spot in spots().filter(|spot| spot.row == row) {
        (left, right) = (left.min(spot.middle.x), right.max(spot.middle.x));
    }
    Some((row, left, right))
}

/// Returns true for each component that is one of several from a single previous node. These count as new.
pub(super) fn are_new<'n>(components: impl Iterator<Item = &'n [u32]>, before: &[Option<Spot>]) -> Vec<bool> {
    let only_spot = |nodes: &[u32]| {
        let mut spots = nodes.iter().map(|node| before.get(*node as usize).copied().flatten());
        let first = spots.next()??;
        spots.all(|spot| spot == Some(first)).then_some((first.row, first.middle.x, first.middle.y))
    };
    let spots: Vec<Option<(u32, i32, i32)>> = components.map(only_spot).collect();
    let mut sharers: FxHashMap<(u32, i32, i32), u32> = FxHashMap::default();
    for spot in spots.iter().flatten() {
        *sharers.entry(*spot).or_default() += 1;
    }
    spots.iter().map(|spot| spot.is_some_and(|spot| sharers.get(&spot) > Some(&1))).collect()
}

/// Joins components whose extents interleave: side by side, one would have to move past the other. Several components
/// from a single previous node count as new, and are placed where there is space.
pub(super) fn join(members: Vec<(Vec<u32>, Vec<u32>)>, before: &[Option<Spot>]) -> Vec<(Vec<u32>, Vec<u32>)> {
    if before.iter().all(Option::is_none) {
        return members;
    }
    let are_new = are_new(members.iter().map(|(nodes, _)| nodes.as_slice()), before);
    let mut stretches: Vec<(Stretch, usize)> = Vec::with_capacity(members.len());
    for (number, (nodes, _)) in members.iter().enumerate().filter(|(number, _)| !are_new[*number]) {
        stretches.extend(find(nodes, before).map(|stretch| (stretch, number)));
    }
    stretches.sort_unstable();
    // The component with which each is joined.
    let mut leads_to: Vec<usize> = (0..members.len()).collect();
    let mut last: Option<(Stretch, usize)> = None;
    for ((row, left, right), number) in stretches {
        last = match last {
            Some(((of_row, from, end), first)) if of_row == row && left < end => {
                leads_to[number] = first;
                Some(((row, from, end.max(right)), first))
            }
            _ => Some(((row, left, right), number)),
        };
    }
    let mut joined: Vec<(Vec<u32>, Vec<u32>)> = vec![Default::default(); members.len()];
    for (number, (nodes, links)) in members.into_iter().enumerate() {
        let whole = &mut joined[leads_to[number]];
        whole.0.extend(nodes);
        whole.1.extend(links);
    }
    joined.retain(|(nodes, _)| !nodes.is_empty());
    for (nodes, links) in &mut joined {
        nodes.sort_unstable();
        links.sort_unstable();
    }
    joined
}

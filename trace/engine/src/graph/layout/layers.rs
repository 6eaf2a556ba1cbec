//! Layers of the nodes: links lead down, except for links that close a cycle.
//!
//! The first phase of Sugiyama, Tagawa and Toda (1981). Nodes take the layer of their longest chain from above. Nodes
//! with more links below than above then move down to their targets, which shortens links at no cost, as the first
//! passes of the network simplex of Gansner et al. (1993) do.

use std::collections::VecDeque;

use crate::graph::Links;

pub(super) struct Layers {
    pub(super) of_node: Vec<u32>,
    /// For each link, true if it goes up because it closes a cycle.
    pub(super) goes_up: Vec<bool>,
    pub(super) count: u32,
}

impl Layers {
    pub(super) fn new(links: &Links) -> Self {
        let order = order(links);
        let mut place = vec![0_u32; links.nodes()];
        for (at, node) in order.iter().enumerate() {
            place[*node as usize] = at as u32;
        }
        let goes_up: Vec<bool> = links
            .pairs()
            .iter()
            .map(|(source, target)| place[*target as usize] < place[*source as usize])
            .collect();
        let mut of_node = vec![0_u32; links.nodes()];
        for node in &order {
            let above = above(links, &goes_up, *node).map(|other| of_node[other as usize] + 1);
            of_node[*node as usize] = above.max().unwrap_or(0);
        }
        for node in order.iter().rev() {
            let lowest = below(links, &goes_up, *node).map(|other| of_node[other as usize]).min();
            let ways = |up: usize, down: usize| down > up;
            if let Some(lowest) = lowest
                && ways(above(links, &goes_up, *node).count(), below(links, &goes_up, *node).count())
            {
                of_node[*node as usize] = lowest - 1;
            }
        }
        let count = without_empty(&mut of_node);
        Self { of_node, goes_up, count }
    }
}

/// Returns an order with few backward links: sources first, and the lowest remaining node if a cycle leaves no source.
/// Callers number nodes by time, so that the link from one iteration of a loop to the next leads backward.
fn order(links: &Links) -> Vec<u32> {
    let count = links.nodes() as u32;
    let others =
        |node: u32, others: &mut dyn Iterator<Item = u32>| others.filter(|other| *other != node).count();
    let mut missing: Vec<u32> =
        (0..count).map(|node| others(node, &mut links.sources(node)) as u32).collect();
    let mut ready: VecDeque<u32> = (0..count).filter(|node| missing[*node as usize] == 0).collect();
    let mut is_done = vec![false; count as usize];
    let mut order = Vec::with_capacity(count as usize);
    let mut lowest = 0;
    loop {
        let next = ready.pop_front().or_else(|| {
            lowest += (lowest..count).take_while(|node| is_done[*node as usize]).count() as u32;
            (lowest < count).then_some(lowest)
        });
        let Some(node) = next else { return order };
        if std::mem::replace(&mut is_done[node as usize], true) {
            continue;
        }
        order.push(node);
        for target in links.targets(node).filter(|target| *target != node) {
            let left = &mut missing[target as usize];
            *left -= 1;
            if *left == 0 && !is_done[target as usize] {
                ready.push_back(target);
            }
        }
    }
}

/// Returns the nodes that a node's links place above it.
fn above(links: &Links, goes_up: &[bool], node: u32) -> impl Iterator<Item = u32> {
    let other = move |link: &u32, is_incoming: bool| {
        let (source, target) = links.pairs()[*link as usize];
        let other = if is_incoming { source } else { target };
        (goes_up[*link as usize] != is_incoming && source != target).then_some(other)
    };
    let incoming = links.incoming(node).iter().filter_map(move |link| other(link, true));
    incoming.chain(links.outgoing(node).iter().filter_map(move |link| other(link, false)))
}

/// Returns the nodes that a node's links place below it.
fn below(links: &Links, goes_up: &[bool], node: u32) -> impl Iterator<Item = u32> {
    let other = move |link: &u32, is_outgoing: bool| {
        let (source, target) = links.pairs()[*link as usize];
        let other = if is_outgoing { target } else { source };
        (goes_up[*link as usize] != is_outgoing && source != target).then_some(other)
    };
    let outgoing = links.outgoing(node).iter().filter_map(move |link| other(link, true));
    outgoing.chain(links.incoming(node).iter().filter_map(move |link| other(link, false)))
}

/// Removes empty layers; returns the number of layers.
fn without_empty(of_node: &mut [u32]) -> u32 {
    let mut number = vec![0_u32; of_node.iter().max().map_or(0, |layer| *layer as usize + 1)];
    for layer in of_node.iter() {
        number[*layer as usize] = 1;
    }
    let mut count = 0;
    for place in &mut number {
        let is_used = std::mem::replace(place, count);
        count += is_used;
    }
    for layer in of_node {
        *layer = number[*layer as usize];
    }
    count
}

//! Drawings of graphs in layers: where each node stands, and which way each link goes.
//!
//! The method is that of Sugiyama, Tagawa and Toda ("Methods for Visual Understanding of Hierarchical System
//! Structures", 1981): layers, order in the layers, places. Each connected part is drawn on its own; the parts stand in
//! rows. What a layout promises, and tests hold it to:
//! - Nodes never overlap, and a link's line touches no node but its own two.
//! - The same graph gives the same layout on every machine: no clocks, no hashes, no fractions.
//! - Where nodes stood before, they keep their order in a layer and stay as near as the new ones allow.
//! - Cost is near to linear. Links that are too long for it (there may be as many as nodes, each as long as the graph
//!   is high) get no line; a view shows their ends.
//!
//! A server or a worker answers with layouts; a page that must not stop never makes one itself, and so there is no
//! need to do it in slices of time.

mod crossings;
mod items;
mod layers;
mod order;
mod place;
mod routes;
mod rows;
mod stretch;
mod together;

use syclscope_language::question::Size;

use self::items::Items;
use self::layers::Layers;
use self::routes::Bands;
use super::Links;

const NODE_GAP: i32 = 24;
/// Distance of a link's line from nodes and from other lines, where it passes a layer.
const BEND_GAP: i32 = 12;
const LAYER_GAP: i32 = 48;
/// Width of the loop from a node to itself.
const SELF_LINK: i32 = 16;
/// Nodes are at most so wide and high.
const LARGEST: i32 = 4_096;

/// A place in a drawing, in the unit of the nodes' sizes; y grows downwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point {
    /// From the left.
    pub x: i32,
    /// From the top.
    pub y: i32,
}

/// Where a node stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Spot {
    /// Its middle.
    pub middle: Point,
    /// Row of connected parts that it stands in, from 0.
    pub row: u32,
}

/// A graph that is to be drawn.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// Size of each node.
    pub sizes: &'a [Size],
    /// Source and target of each link; their numbers say which nodes come first in time. Links to nodes that don't
    /// exist are left out.
    pub links: &'a [(u32, u32)],
    /// Where each node, or what it was part of, stood in the drawing before this; empty if there was none.
    pub before: &'a [Option<Spot>],
    /// Nodes of one number stand in a region of their own, as far as links to others allow; empty if there are no regions.
    pub together: &'a [Option<u64>],
}

/// A drawing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Where each node stands.
    pub spots: Vec<Spot>,
    /// The line of each link from its source to its target; empty if it has none.
    pub routes: Vec<Vec<Point>>,
    /// Size of the whole; all of it is right of and below 0.
    pub size: Size,
    /// Number of crossings between layers.
    pub crossings: u64,
}

impl Layout {
    /// Draws a graph.
    pub fn new(plan: &Plan<'_>) -> Self {
        let sizes: Vec<Size> = plan.sizes.iter().map(|size| bounded(*size)).collect();
        let count = sizes.len();
        let mut known: Vec<(u32, (u32, u32))> = (0..).zip(plan.links.iter().copied()).collect();
        known.retain(|(_, (source, target))| (*source as usize) < count && (*target as usize) < count);
        let links = Links::new(count, known.iter().map(|(_, pair)| *pair).collect());
        let mut parts = together::join(parts(&links, &sizes, plan.before), plan.together);
        let rows = rows::rows(&mut parts, plan.before);
        let mut layout = Self {
            spots: vec![Spot::default(); count],
            routes: vec![Vec::new(); plan.links.len()],
            size: rows.size,
            crossings: parts.iter().map(|part| part.crossings).sum(),
        };
        for (part, (row, by)) in parts.into_iter().zip(rows.places) {
            let moved = |point: Point| Point { x: point.x + by.x, y: point.y + by.y };
            for (node, middle) in part.nodes.iter().zip(part.middles) {
                layout.spots[*node as usize] = Spot { middle: moved(middle), row };
            }
            for (link, route) in part.links.iter().zip(part.routes) {
                let (number, _) = known[*link as usize];
                layout.routes[number as usize] = route.into_iter().map(moved).collect();
            }
        }
        layout
    }
}

fn bounded(size: Size) -> Size {
    Size { width: size.width.clamp(1, LARGEST), height: size.height.clamp(1, LARGEST) }
}

/// A connected part with a drawing of its own.
struct Part {
    /// Its nodes and links, by their numbers in the whole.
    nodes: Vec<u32>,
    links: Vec<u32>,
    middles: Vec<Point>,
    routes: Vec<Vec<Point>>,
    /// Left and right edge; the upper one is 0.
    sides: (i32, i32),
    height: i32,
    crossings: u64,
}

fn parts(links: &Links, sizes: &[Size], before: &[Option<Spot>]) -> Vec<Part> {
    let component = links.components();
    let count = component.iter().max().map_or(0, |last| *last as usize + 1);
    let mut members: Vec<(Vec<u32>, Vec<u32>)> = vec![Default::default(); count];
    for (node, part) in component.iter().enumerate() {
        members[*part as usize].0.push(node as u32);
    }
    for (link, (source, _)) in links.pairs().iter().enumerate() {
        members[component[*source as usize] as usize].1.push(link as u32);
    }
    let members = stretch::join(members, before);
    // Number of each node in its part.
    let mut number = vec![0_u32; component.len()];
    for (nodes, _) in &members {
        for (at, node) in (0..).zip(nodes) {
            number[*node as usize] = at;
        }
    }
    let part = |(nodes, own): (Vec<u32>, Vec<u32>)| {
        let pair = |link: &u32| {
            let (source, target) = links.pairs()[*link as usize];
            (number[source as usize], number[target as usize])
        };
        let inner = Links::new(nodes.len(), own.iter().map(pair).collect());
        let sizes: Vec<Size> = nodes.iter().map(|node| sizes[*node as usize]).collect();
        let before = nodes.iter().map(|node| Some((*before.get(*node as usize)?)?.middle.x)).collect();
        draw(nodes, own, &inner, &sizes, before)
    };
    members.into_iter().map(part).collect()
}

fn draw(nodes: Vec<u32>, own: Vec<u32>, links: &Links, sizes: &[Size], mut before: Vec<Option<i32>>) -> Part {
    let layers = Layers::new(links);
    let mut items = Items::new(links, &layers);
    before.resize(items.len(), None);
    order::order(&mut items, &before);
    // A line from a node to itself needs room beside the node; for the middle's sake, on both sides.
    let mut width: Vec<i32> = sizes.iter().map(|size| size.width).collect();
    for (source, _) in links.pairs().iter().filter(|(source, target)| source == target) {
        width[*source as usize] = sizes[*source as usize].width + 2 * SELF_LINK;
    }
    let x = place::place(&items, &width, &before);
    let bands = Bands::new(&items, sizes);
    let half = |item: u32| width.get(item as usize).map_or(0, |width| width / 2 + 1);
    let left = (0..items.len() as u32).map(|item| x[item as usize] - half(item)).min();
    let right = (0..items.len() as u32).map(|item| x[item as usize] + half(item)).max();
    let mut place = vec![0; items.len()];
    for layer in &items.layers {
        for (at, item) in layer.iter().enumerate() {
            place[*item as usize] = at as u32;
        }
    }
    Part {
        middles: (0..links.nodes())
            .map(|node| Point { x: x[node], y: bands.middle(items.layer[node]) })
            .collect(),
        routes: routes::routes(&items, links, &layers.goes_up, (&x, &bands, sizes)),
        sides: (left.unwrap_or(0), right.unwrap_or(0)),
        height: bands.height(),
        crossings: crossings::Crossings::default().of_all(&items, &place),
        nodes,
        links: own,
    }
}

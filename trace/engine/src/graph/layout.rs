//! Layered graph layout: positions of nodes and routes of links.
//!
//! The method is that of Sugiyama, Tagawa and Toda ("Methods for Visual Understanding of Hierarchical System
//! Structures", 1981): layers, order within layers, coordinates. Each connected component is drawn on its own; the
//! components are arranged in rows. Guarantees of a layout, which tests check:
//! - Nodes never overlap, and a link's line touches no node but its own two.
//! - The same graph gives the same layout on every machine: no clocks, no hashes, no fractions.
//! - Nodes of a previous layout keep their order in a layer and stay as near as the new ones allow.
//! - The cost is nearly linear. Links that are too long for that (there may be as many as nodes, each as long as the
//!   graph is high) get no route; a view shows their ends.
//!
//! Layouts are computed in a server or a worker, never on the page's main thread, so the computation need not be
//! interruptible.

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
/// Maximum width and height of a node.
const MAX_NODE_SIZE: i32 = 4_096;

/// A point in a drawing, in the unit of the nodes' sizes; y grows downwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point {
    /// From the left.
    pub x: i32,
    /// From the top.
    pub y: i32,
}

/// Position of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Spot {
    /// Centre of the node.
    pub middle: Point,
    /// Row of connected components that contains it, from 0.
    pub row: u32,
}

/// A graph to draw.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// Size of each node.
    pub sizes: &'a [Size],
    /// Source and target of each link; lower numbers are earlier in time. Links to nodes that don't exist are left out.
    pub links: &'a [(u32, u32)],
    /// Position of each node, or of its former group, in the previous drawing; empty if there was none.
    pub before: &'a [Option<Spot>],
    /// Nodes with the same number are kept together in a region, as far as links to others allow; empty if there are no
    /// regions.
    pub together: &'a [Option<u64>],
}

/// A drawing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Position of each node.
    pub spots: Vec<Spot>,
    /// The line of each link from its source to its target; empty if it is not drawn.
    pub routes: Vec<Vec<Point>>,
    /// Size of the drawing; all coordinates are positive.
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
    Size { width: size.width.clamp(1, MAX_NODE_SIZE), height: size.height.clamp(1, MAX_NODE_SIZE) }
}

/// A connected component with a drawing of its own.
struct Part {
    /// Its nodes and links, by their numbers in the whole graph.
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
    // Number of each node in its component.
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
    // A self-link needs space at the node's side. The width grows on both sides to keep the node centred.
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
        crossings: order::Crossings::default().of_all(&items, &place),
        nodes,
        links: own,
    }
}

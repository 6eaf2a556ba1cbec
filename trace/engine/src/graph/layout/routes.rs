//! The lines of links: from node to node through their bends, vertical within a layer and oblique only between layers,
//! where there are no nodes.

use syclscope_language::question::Size;

use super::items::Items;

use super::{LAYER_GAP, Point, SELF_LINK};
use crate::graph::Links;

pub(super) struct Bands {
    edges: Vec<(i32, i32)>,
}

impl Bands {
    pub(super) fn new(items: &Items, sizes: &[Size]) -> Self {
        let mut top = 0_i32;
        let of_layer = |layer: &Vec<u32>| {
            let heights = layer.iter().filter_map(|item| sizes.get(*item as usize)).map(|size| size.height);
            let (from, to) = (top, top.saturating_add(heights.max().unwrap_or(0)));
            top = to.saturating_add(LAYER_GAP);
            (from, to)
        };
        Self { edges: items.layers.iter().map(of_layer).collect() }
    }

    /// Returns the lower edge of the last layer.
    pub(super) fn height(&self) -> i32 {
        self.edges.last().map_or(0, |(_, bottom)| *bottom)
    }

    pub(super) fn middle(&self, layer: u32) -> i32 {
        let (top, bottom) = self.edges[layer as usize];
        top + (bottom - top) / 2
    }
}

/// Returns the line of each link from source to target; empty if it has none.
pub(super) fn routes(
    items: &Items,
    links: &Links,
    goes_up: &[bool],
    (x, bands, sizes): (&[i32], &Bands, &[Size]),
) -> Vec<Vec<Point>> {
    let ports = Ports::new(items, x, sizes);
    let line = |(link, path): (usize, &Option<super::items::Path>)| {
        let (source, target) = links.pairs()[link];
        if source == target {
            let node = source as usize;
            return around(Point { x: x[node], y: bands.middle(items.layer[node]) }, sizes[node]);
        }
        let Some(path) = path else { return Vec::new() };
        let (upper, lower) = if goes_up[link] { (target, source) } else { (source, target) };
        let edges = |item: u32| bands.edges[items.layer[item as usize] as usize];
        let node = |item: u32| {
            let (middle, height) = (bands.middle(items.layer[item as usize]), sizes[item as usize].height);
            (middle - height / 2, middle - height / 2 + height)
        };
        let mut points = Vec::with_capacity(path.bends.len() * 2 + 4);
        let from = ports.lower[path.ends.0 as usize];
        add(&mut points, from, node(upper).1);
        add(&mut points, from, edges(upper).1);
        for bend in &path.bends {
            let (top, bottom) = edges(*bend);
            add(&mut points, x[*bend as usize], top);
            add(&mut points, x[*bend as usize], bottom);
        }
        let to = ports.upper[path.ends.1 as usize];
        add(&mut points, to, edges(lower).0);
        add(&mut points, to, node(lower).0);
        if goes_up[link] {
            points.reverse();
        }
        points
    };
    items.paths.iter().enumerate().map(line).collect()
}

/// Adds a point, or moves the last one if the line continues in the same column.
fn add(points: &mut Vec<Point>, x: i32, y: i32) {
    if let [.., before, last] = points.as_mut_slice()
        && before.x == x
        && last.x == x
    {
        last.y = y;
        return;
    }
    if points.last() != Some(&Point { x, y }) {
        points.push(Point { x, y });
    }
}

/// Returns the self-link of a node, on its right.
fn around(middle: Point, size: Size) -> Vec<Point> {
    let (right, high) = (middle.x - size.width / 2 + size.width, size.height / 4);
    let corner = |x: i32, y: i32| Point { x: right + x, y: middle.y + y };
    let mut points =
        vec![corner(0, high), corner(SELF_LINK, high), corner(SELF_LINK, -high), corner(0, -high)];
    points.dedup();
    points
}

/// Ends of segments at their upper and their lower item.
struct Ports {
    /// Position of each segment's end at its upper item.
    lower: Vec<i32>,
    /// Position of each segment's end at its lower item.
    upper: Vec<i32>,
}

impl Ports {
    /// Spreads the segments of a node over the middle of its side, in the order of their other ends.
    fn new(items: &Items, x: &[i32], sizes: &[Size]) -> Self {
        let mut ports = Self {
            lower: items.segments.iter().map(|(upper, _)| x[*upper as usize]).collect(),
            upper: items.segments.iter().map(|(_, lower)| x[*lower as usize]).collect(),
        };
        let mut sorted: Vec<(i32, u32)> = Vec::new();
        for node in 0..items.nodes {
            let width = i64::from(sizes[node as usize].width) * 3 / 5;
            let mut spread = |segments: &[u32], other: &dyn Fn(u32) -> u32, ports: &mut [i32]| {
                sorted.clear();
                sorted.extend(segments.iter().map(|segment| (x[other(*segment) as usize], *segment)));
                sorted.sort_unstable();
                let count = sorted.len() as i64;
                for (place, (_, segment)) in sorted.iter().enumerate() {
                    let offset = width * (2 * place as i64 + 1 - count) / (2 * count);
                    ports[*segment as usize] += offset as i32;
                }
            };
            spread(items.down.get(node), &|segment| items.segments[segment as usize].1, &mut ports.lower);
            spread(items.up.get(node), &|segment| items.segments[segment as usize].0, &mut ports.upper);
        }
        ports
    }
}

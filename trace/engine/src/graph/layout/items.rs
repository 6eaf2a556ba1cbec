//! The layers' items: nodes, and the bends of long links in the layers between their ends.
//!
//! Long links of one node share their bends as far as they run together: data read by a thousand commands is one line
//! with a thousand branches, not a thousand lines.

use super::layers::Layers;
use crate::graph::Links;
use crate::store::adjacency::Adjacency;

/// Maximum number of bends of all links: this many for each node and link, and [`BENDS_ALWAYS`] more.
const BENDS_EACH: usize = 8;
const BENDS_ALWAYS: usize = 100_000;

/// Nodes and bends in layers; items below the number of nodes are nodes. Segments lead from one layer to the next.
pub(super) struct Items {
    pub(super) nodes: u32,
    pub(super) layer: Vec<u32>,
    /// Items of each layer, left to right.
    pub(super) layers: Vec<Vec<u32>>,
    /// Upper and lower item.
    pub(super) segments: Vec<(u32, u32)>,
    /// Segments by their lower item.
    pub(super) up: Adjacency,
    /// Segments by their upper item.
    pub(super) down: Adjacency,
    /// The path of each link; `None` for self-links and for links beyond the maximum number of bends.
    pub(super) paths: Vec<Option<Path>>,
    /// Consecutive bends on one line.
    pub(super) lines: Vec<Vec<u32>>,
}

pub(super) struct Path {
    pub(super) bends: Vec<u32>,
    /// The segments at its upper and its lower end.
    pub(super) ends: (u32, u32),
}

impl Items {
    pub(super) fn new(links: &Links, layers: &Layers) -> Self {
        let mut items = Self {
            nodes: links.nodes() as u32,
            layer: layers.of_node.clone(),
            layers: Vec::new(),
            segments: Vec::new(),
            up: Adjacency::default(),
            down: Adjacency::default(),
            paths: Vec::new(),
            lines: Vec::new(),
        };
        items.run(links, layers);
        items.layers = vec![Vec::new(); layers.count as usize];
        for (item, layer) in items.layer.iter().enumerate() {
            items.layers[*layer as usize].push(item as u32);
        }
        items.up = Adjacency::new(items.layer.len(), items.segments.iter().map(|(_, lower)| *lower));
        items.down = Adjacency::new(items.layer.len(), items.segments.iter().map(|(upper, _)| *upper));
        items
    }

    pub(super) fn len(&self) -> usize {
        self.layer.len()
    }

    pub(super) fn is_bend(&self, item: u32) -> bool {
        item >= self.nodes
    }

    /// Returns the items above an item, one for each segment.
    pub(super) fn above(&self, item: u32) -> impl Iterator<Item = u32> + Clone {
        self.up.get(item).iter().map(|segment| self.segments[*segment as usize].0)
    }

    /// Returns the items below an item, one for each segment.
    pub(super) fn below(&self, item: u32) -> impl Iterator<Item = u32> + Clone {
        self.down.get(item).iter().map(|segment| self.segments[*segment as usize].1)
    }

    fn run(&mut self, links: &Links, layers: &Layers) {
        let downwards = |link: usize| {
            let (source, target) = links.pairs()[link];
            if layers.goes_up[link] { (target, source) } else { (source, target) }
        };
        let length = |link: usize| {
            let (upper, lower) = downwards(link);
            layers.of_node[lower as usize] - layers.of_node[upper as usize]
        };
        let count = links.pairs().len();
        // Shorter links first, so that the longest ones are left out when there are too many bends.
        let mut long: Vec<(u32, u32)> = (0..count).map(|link| (length(link), link as u32)).collect();
        long.retain(|(length, _)| *length > 1);
        long.sort_unstable();
        let mut left = BENDS_ALWAYS + BENDS_EACH * (links.nodes() + count);
        let runs = long.iter().take_while(|(length, _)| {
            let rest = left.checked_sub(*length as usize - 1);
            left = rest.unwrap_or(0);
            rest.is_some()
        });
        let running = runs.count();
        let mut is_running = vec![false; count];
        // Number of long links below and above each node: several links share a line.
        let mut leaving = vec![(0_u32, 0_u32); links.nodes()];
        for (_, link) in &long[..running] {
            is_running[*link as usize] = true;
            let (upper, lower) = downwards(*link as usize);
            leaving[upper as usize].0 += 1;
            leaving[lower as usize].1 += 1;
        }
        let mut lines: Vec<[Line; 4]> = vec![Default::default(); links.nodes()];
        for (link, is_running) in is_running.into_iter().enumerate() {
            let (upper, lower) = downwards(link);
            let path = match length(link) {
                0 => None,
                1 => {
                    let segment = self.segment(upper, lower);
                    Some(Path { bends: Vec::new(), ends: (segment, segment) })
                }
                _ if !is_running => None,
                length => {
                    let from_above = leaving[upper as usize].0 >= leaving[lower as usize].1;
                    let (node, other) = if from_above { (upper, lower) } else { (lower, upper) };
                    // Links in opposite directions don't share bends: their arrowheads would be ambiguous.
                    let kind = usize::from(from_above) * 2 + usize::from(layers.goes_up[link]);
                    let line = &mut lines[node as usize][kind];
                    Some(self.along(line, (node, other), from_above, length as usize - 1))
                }
            };
            self.paths.push(path);
        }
        self.lines =
            lines.into_iter().flatten().map(|line| line.bends).filter(|bends| bends.len() > 1).collect();
    }

    /// Returns the path along a node's line to another node; extends the line as needed.
    fn along(&mut self, line: &mut Line, (node, other): (u32, u32), from_above: bool, bends: usize) -> Path {
        while line.bends.len() < bends {
            let before = line.bends.last().copied().unwrap_or(node);
            let layer = self.layer[before as usize];
            let bend = self.layer.len() as u32;
            self.layer.push(if from_above { layer + 1 } else { layer - 1 });
            let segment = if from_above { self.segment(before, bend) } else { self.segment(bend, before) };
            if line.bends.is_empty() {
                line.first = segment;
            }
            line.bends.push(bend);
        }
        let mut bends = line.bends[..bends].to_vec();
        let last = bends[bends.len() - 1];
        if from_above {
            let segment = self.segment(last, other);
            Path { bends, ends: (line.first, segment) }
        } else {
            bends.reverse();
            let segment = self.segment(other, last);
            Path { bends, ends: (segment, line.first) }
        }
    }

    fn segment(&mut self, upper: u32, lower: u32) -> u32 {
        self.segments.push((upper, lower));
        self.segments.len() as u32 - 1
    }
}

/// Bends shared by links of a node, starting at the node.
#[derive(Clone, Default)]
struct Line {
    bends: Vec<u32>,
    first: u32,
}

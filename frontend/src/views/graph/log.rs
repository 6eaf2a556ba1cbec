//! The last frame as data, for browser tests.

use serde::Serialize;

use crate::views::graph::draw::{Frame, Scene};
use crate::views::graph::labels;

/// A frame as data. Positions are CSS pixels on the canvas.
#[derive(Debug, Serialize)]
pub struct GraphLog<'a> {
    /// Drawing coordinates of the viewport's centre, and the scale.
    pub place: [f64; 3],
    /// Number of nodes of the drawing, visible or not.
    pub total: usize,
    pub nodes: Vec<LoggedNode<'a>>,
    pub small_nodes: usize,
    pub edges: usize,
    pub left_out_edges: usize,
    pub edge_labels: &'a [String],
    pub titles: &'a [String],
    pub cursor: Option<&'a str>,
    pub selected: Vec<&'a str>,
    pub pinned: Vec<&'a str>,
    pub faded: usize,
    pub critical: usize,
    /// Width and height of the drawing; the column is to its right.
    pub area: [f64; 2],
    /// The overview: left edge, top, width and height.
    pub overview: Option<[f64; 4]>,
}

#[derive(Debug, Serialize)]
pub struct LoggedNode<'a> {
    id: &'a str,
    name: &'a str,
    kind: &'static str,
    count: u64,
    x: f64,
    y: f64,
    w: f64,
    h: f64,
    colour: String,
    texts: &'a [String],
}

pub fn graph_log<'a>(scene: &Scene<'a>, frame: &'a Frame) -> GraphLog<'a> {
    let model = scene.model;
    let id = |number: u32| model.node(number).map(|node| node.id.as_str());
    let nodes = frame.nodes.iter().filter_map(|drawn| {
        let node = model.node(drawn.node)?;
        Some(LoggedNode {
            id: &node.id,
            name: labels::title(model, node),
            kind: node.kind.as_str(),
            count: node.count,
            x: drawn.rect.x,
            y: drawn.rect.y,
            w: drawn.rect.w,
            h: drawn.rect.h,
            colour: scene
                .colours
                .nodes
                .get(drawn.node as usize)
                .map(|colour| colour.css())
                .unwrap_or_default(),
            texts: &drawn.texts,
        })
    });
    let place = scene.camera.place;
    let critical = model.view.nodes.iter().filter(|node| node.critical > 0).count();
    let overview = scene.overview.and_then(|overview| overview.place(scene.camera, &model.whole()));
    GraphLog {
        place: [place.x, place.y, place.scale],
        total: model.view.nodes.len(),
        nodes: nodes.collect(),
        small_nodes: frame.small_nodes,
        edges: frame.edges,
        left_out_edges: frame.left_out_edges,
        edge_labels: &frame.edge_labels,
        titles: &frame.titles,
        cursor: scene.marks.cursor.and_then(id),
        selected: scene.marks.selected.iter().filter_map(|number| id(*number)).collect(),
        pinned: scene.marks.pinned.iter().filter_map(|number| id(*number)).collect(),
        faded: scene.marks.matches.iter().filter(|found| !**found).count(),
        critical: if scene.marks.has_critical { critical } else { 0 },
        area: [scene.camera.width_css_px, scene.camera.height_css_px],
        overview: overview.map(|place| [place.x, place.y, place.w, place.h]),
    }
}

use crate::canvas::draw_list::Rect;
use crate::views::graph::draw::{Scene, distance};
use crate::views::graph::model::node_rect;

const NEAR_CSS_PX: f64 = 5.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    Overview,
    Node(u32),
    Edge(u32),
    Ground,
}

pub fn at(scene: &Scene<'_>, x_css_px: f64, y_css_px: f64) -> Hit {
    let whole = scene.model.whole();
    let overview = scene.overview.and_then(|overview| overview.place(scene.camera, &whole));
    if overview.is_some_and(|place| place.contains(x_css_px, y_css_px)) {
        return Hit::Overview;
    }
    if x_css_px > scene.camera.width_css_px {
        return Hit::Ground;
    }
    let (x, y) = scene.camera.to_drawing(x_css_px, y_css_px);
    let nodes = scene.model.nodes_in(&Rect { x, y, w: 0.0, h: 0.0 });
    let is_on = |number: &u32| scene.model.node(*number).is_some_and(|node| node_rect(node).contains(x, y));
    if let Some(number) = nodes.into_iter().find(is_on) {
        return Hit::Node(number);
    }
    let reach = NEAR_CSS_PX / scene.camera.scale();
    let around = Rect { x: x - reach, y: y - reach, w: 2.0 * reach, h: 2.0 * reach };
    let near = scene.model.edges_in(&around).into_iter().filter_map(|number| {
        let edge = scene.model.edge(number).filter(|edge| scene.choice.shows(edge))?;
        Some((distance(scene, edge, x_css_px, y_css_px)?, number))
    });
    let nearest = near.filter(|(far, _)| *far <= NEAR_CSS_PX).min_by(|one, other| one.0.total_cmp(&other.0));
    nearest.map_or(Hit::Ground, |(_, number)| Hit::Edge(number))
}

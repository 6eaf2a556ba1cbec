//! Edges: smooth lines with heads, coloured by reason, with labels for highlighted ones.

use syclscope_language::api::ViewEdge;

use super::cards::mixed;
use super::{FADED, Frame, Scene};
use crate::canvas::draw_list::{Align, Colour, Font, Op, Rect, Text};
use crate::canvas::palette::{path_colour, reason_colour};
use crate::canvas::text::TextFit;
use crate::views::graph::labels;
use crate::views::graph::model::corners;
use syclscope_language::sorting::Sorting as _;

const MAX_LINES: usize = 4_000;
/// Minimum scale for heads and smooth lines.
const HEADS_FROM: f64 = 0.22;
const SMOOTH_FROM: f64 = 0.30;
/// Minimum scale for labels.
const WORDS_FROM: f64 = 0.45;
const MAX_WORDS: usize = 16;
/// Positions of labels along a line, best first.
const WORDS_AT: [f64; 7] = [0.5, 0.4, 0.6, 0.28, 0.72, 0.16, 0.84];
const HEAD_CSS_PX: f64 = 7.0;

/// Style of a line; later styles are drawn above earlier ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Look {
    Faded,
    Plain,
    Critical,
    Marked,
}

struct Group {
    look: Look,
    colour: Colour,
    lines: Vec<Vec<(f64, f64)>>,
}

pub(super) fn draw(scene: &Scene<'_>, frame: &mut Frame) {
    let visible: Vec<u32> = scene
        .model
        .edges_in(&scene.camera.visible())
        .into_iter()
        .filter(|number| scene.model.edge(*number).is_some_and(|edge| scene.choice.shows(edge)))
        .collect();
    // Choosing edges by number keeps the sample stable under small moves of the drawing.
    let every = (visible.len() / MAX_LINES + 1).next_power_of_two() as u32;
    // Lines fade in once nodes are in place.
    let strength = scene.shift.map_or(1.0, |shift| shift.progress);
    let mut groups: Vec<Group> = Vec::new();
    for number in visible {
        let Some(edge) = scene.model.edge(number) else { continue };
        let look = look(scene, number, edge);
        if look <= Look::Plain && !number.is_multiple_of(every) {
            frame.left_out_edges += 1;
            continue;
        }
        let points = line(scene, edge);
        let Some(points) = points.filter(|points| is_long_enough(points)) else { continue };
        frame.edges += 1;
        let colour = colour(scene, edge, look, strength);
        match groups.iter_mut().find(|group| group.look == look && group.colour == colour) {
            Some(group) => group.lines.push(points),
            None => groups.push(Group { look, colour, lines: vec![points] }),
        }
    }
    groups.arrange_by_key(|group| group.look);
    for Group { look, colour, lines } in groups {
        let width = match look {
            Look::Faded | Look::Plain => 1.2,
            Look::Critical => 2.2,
            Look::Marked => 2.4,
        };
        let heads: Vec<_> = match scene.camera.scale() >= HEADS_FROM {
            true => lines.iter().filter_map(|points| head(points, scene.camera.scale())).collect(),
            false => Vec::new(),
        };
        frame.list.push(Op::Lines(colour, width, lines));
        frame.list.ops.extend(heads.into_iter().map(|head| Op::Polygon(colour, head)));
    }
}

/// Draws the labels of the edges at the cursor and under the pointer.
pub(super) fn draw_labels(scene: &Scene<'_>, fit: &mut TextFit<'_>, frame: &mut Frame) {
    let marks = scene.marks;
    let of_node = |node: Option<u32>| {
        let edges = node.map(|node| scene.model.incoming(node).iter().chain(scene.model.outgoing(node)));
        edges.into_iter().flatten().copied().collect::<Vec<u32>>()
    };
    let mut numbers: Vec<u32> = marks.hovered_edge.into_iter().collect();
    if scene.camera.scale() >= WORDS_FROM && scene.shift.is_none() {
        numbers.extend(of_node(marks.cursor));
    }
    let mut taken: Vec<Rect> = Vec::new();
    for (place, number) in numbers.iter().copied().take(MAX_WORDS).enumerate() {
        // The edge under the pointer may also be one of the node's edges, and a loop is both incoming and outgoing.
        if numbers[..place].contains(&number) {
            continue;
        }
        let Some(edge) = scene.model.edge(number).filter(|edge| scene.choice.shows(edge)) else { continue };
        let Some(points) = line(scene, edge) else { continue };
        let Some(words) = fit.fit(&labels::edge_words(edge), 260.0) else { continue };
        let w = fit.width_css_px(&words) + 10.0;
        let is_free = |ground: &Rect| {
            !taken.iter().chain(frame.nodes.iter().map(|node| &node.rect)).any(|other| other.meets(ground))
        };
        let at = |share: f64| {
            let (x, y) = along(&points, share)?;
            Some(Rect { x: x - w / 2.0, y: y - 9.0, w, h: 18.0 })
        };
        let mut places = WORDS_AT.iter().filter_map(|share| at(*share));
        let Some(ground) =
            places.find(is_free).or_else(|| at(0.5).filter(|_| marks.hovered_edge == Some(number)))
        else {
            continue;
        };
        let colour = reason_colour(scene.theme.scheme, scene.choice.reason(edge));
        frame.list.fill(scene.theme.group, ground);
        frame.list.push(Op::Outline(colour, 1.0, ground));
        let text = Text {
            x: ground.x + w / 2.0,
            y: ground.y + 9.0,
            text: words.clone(),
            colour: scene.theme.text,
            font: Font::Slice,
            align: Align::Centre,
        };
        frame.list.push(Op::Text(text));
        frame.edge_labels.push(words);
        taken.push(ground);
    }
}

fn look(scene: &Scene<'_>, number: u32, edge: &ViewEdge) -> Look {
    let marks = scene.marks;
    let touches = |node: Option<u32>| node.is_some_and(|node| edge.source == node || edge.target == node);
    if marks.hovered_edge == Some(number) || touches(marks.cursor) || touches(marks.hovered) {
        Look::Marked
    } else if marks.has_critical && edge.critical > 0 {
        Look::Critical
    } else if edge.redundant || marks.is_faded(edge.source) || marks.is_faded(edge.target) {
        Look::Faded
    } else {
        Look::Plain
    }
}

fn colour(scene: &Scene<'_>, edge: &ViewEdge, look: Look, strength: f64) -> Colour {
    let scheme = scene.theme.scheme;
    let colour = reason_colour(scheme, scene.choice.reason(edge));
    match look {
        Look::Marked => colour,
        Look::Critical => path_colour(scheme).with_alpha(0.9 * strength),
        // The colour is opaque, because overlapping transparent lines would add up.
        Look::Plain => mixed(scene.theme.ground, colour, 0.62 * strength),
        Look::Faded => mixed(scene.theme.ground, colour, FADED * strength),
    }
}

fn line(scene: &Scene<'_>, edge: &ViewEdge) -> Option<Vec<(f64, f64)>> {
    let points: Vec<(f64, f64)> = corners(edge).map(|(x, y)| scene.camera.to_screen(x, y)).collect();
    if points.len() < 2 {
        return None;
    }
    if scene.camera.scale() < SMOOTH_FROM || edge.source == edge.target {
        return Some(points);
    }
    let mut smooth = vec![points[0]];
    for pair in points.windows(2) {
        bend(pair[0], pair[1], &mut smooth);
    }
    Some(smooth)
}

/// Adds a curve that leaves and arrives vertically. It stays between the heights of its ends, where there are no nodes.
fn bend(from: (f64, f64), to: (f64, f64), points: &mut Vec<(f64, f64)>) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let is_straight = dx.abs() < 2.0 || dy.abs() < 6.0;
    if !is_straight {
        let steps = ((dx.abs() + dy.abs()) / 14.0).clamp(4.0, 14.0) as usize;
        for step in 1..steps {
            let t = step as f64 / steps as f64;
            // A Bézier curve with control points at half height, above and below the ends.
            let across = t * t * (3.0 - 2.0 * t);
            let up = 1.5 * t * (1.0 - t) + t * t * t;
            points.push((from.0 + dx * across, from.1 + dy * up));
        }
    }
    points.push(to);
}

fn is_long_enough(points: &[(f64, f64)]) -> bool {
    match (points.first(), points.last()) {
        (Some(first), Some(last)) => {
            points.len() > 2 || (first.0 - last.0).abs() + (first.1 - last.1).abs() > 1.5
        }
        _ => false,
    }
}

fn head(points: &[(f64, f64)], scale: f64) -> Option<Vec<(f64, f64)>> {
    let [.., before, end] = points else { return None };
    let (dx, dy) = (end.0 - before.0, end.1 - before.1);
    let length = dx.hypot(dy);
    if length < 0.5 {
        return None;
    }
    let size = HEAD_CSS_PX * scale.clamp(0.5, 1.2);
    let (ux, uy) = (dx / length * size, dy / length * size);
    let back = (end.0 - ux, end.1 - uy);
    Some(vec![*end, (back.0 - uy * 0.5, back.1 + ux * 0.5), (back.0 + uy * 0.5, back.1 - ux * 0.5)])
}

/// Returns the point at a share of a line's length.
fn along(points: &[(f64, f64)], share: f64) -> Option<(f64, f64)> {
    let lengths: Vec<f64> =
        points.windows(2).map(|pair| (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1)).collect();
    let mut left = lengths.iter().sum::<f64>() * share;
    for (pair, length) in points.windows(2).zip(lengths) {
        if left <= length {
            let part = left / length.max(1e-9);
            return Some((
                pair[0].0 + (pair[1].0 - pair[0].0) * part,
                pair[0].1 + (pair[1].1 - pair[0].1) * part,
            ));
        }
        left -= length;
    }
    points.last().copied()
}

/// Returns the distance of a point from an edge's line; `None` if the edge has no line.
pub(crate) fn distance(scene: &Scene<'_>, edge: &ViewEdge, x: f64, y: f64) -> Option<f64> {
    let points = line(scene, edge)?;
    let to_part = |pair: &[(f64, f64)]| {
        let (dx, dy) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
        let along = ((x - pair[0].0) * dx + (y - pair[0].1) * dy) / (dx * dx + dy * dy).max(1e-9);
        let along = along.clamp(0.0, 1.0);
        (x - pair[0].0 - dx * along).hypot(y - pair[0].1 - dy * along)
    };
    points.windows(2).map(to_part).min_by(f64::total_cmp)
}

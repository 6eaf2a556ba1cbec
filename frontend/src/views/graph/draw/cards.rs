//! Nodes: cards with name and metrics, coloured blocks when small, cells when tiny.

use syclscope_language::api::ViewNode;

use super::cells::Cells;
use super::{DrawnNode, FADED, Frame, Scene, nodes_in_sight};
use crate::canvas::draw_list::{Align, Colour, FillGroups, Font, Op, Rect, Text};
use crate::canvas::palette::{note_colour, path_colour};
use crate::canvas::text::TextFit;
use crate::views::graph::labels;

/// Minimum heights on screen of cards with one, two and three lines.
const LINES_CSS_PX: [f64; 3] = [14.0, 33.0, 74.0];
/// Minimum width of a card with text.
const MIN_WIDTH_CSS_PX: f64 = 34.0;
/// Size of cells that merge narrower nodes.
const CELL_CSS_PX: f64 = 3.0;
/// Number of visible nodes from which small ones are merged.
const MANY: usize = 3_000;
/// Width of the coloured band at a card's left.
const BAND_CSS_PX: f64 = 18.0;
const PILE_CSS_PX: f64 = 3.0;
/// Height of the bar that compares waiting and running.
const BAR_CSS_PX: f64 = 3.0;
const PADDING_CSS_PX: f64 = 6.0;

pub(super) fn draw(scene: &Scene<'_>, fit: &mut TextFit<'_>, frame: &mut Frame) {
    let visible = nodes_in_sight(scene);
    let is_fine = scene.camera.scale() * 44.0 < 2.0 * CELL_CSS_PX && visible.len() > MANY;
    if is_fine {
        draw_cells(scene, &visible, frame);
    } else {
        draw_bodies(scene, &visible, frame);
        for number in &visible {
            draw_words(scene, fit, *number, frame);
        }
    }
    draw_marks(scene, &visible, frame);
}

/// Draws at least one pixel for each cell of the screen that contains a node.
fn draw_cells(scene: &Scene<'_>, visible: &[u32], frame: &mut Frame) {
    let mut cells = Cells::new(CELL_CSS_PX, scene.camera.width_css_px, scene.camera.height_css_px);
    let mut groups = FillGroups::default();
    for number in visible {
        let rect = scene.camera.rect_to_screen(&scene.rect(*number));
        if let Some((x, y)) = cells.take(rect.x, rect.y) {
            let size = Rect { x, y, w: rect.w.max(CELL_CSS_PX), h: rect.h.max(CELL_CSS_PX - 1.0) };
            groups.fill(body_colour(scene, *number), size);
        }
    }
    groups.finish(&mut frame.list);
    frame.small_nodes = visible.len();
}

fn body_colour(scene: &Scene<'_>, number: u32) -> Colour {
    let colour = scene.colour(number);
    if scene.marks.is_faded(number) { colour.with_alpha(FADED) } else { colour }
}

fn draw_bodies(scene: &Scene<'_>, visible: &[u32], frame: &mut Frame) {
    let theme = scene.theme;
    let (mut under, mut borders, mut grounds, mut bands) =
        (FillGroups::default(), FillGroups::default(), FillGroups::default(), FillGroups::default());
    for number in visible {
        let Some(node) = scene.model.node(*number) else { continue };
        let rect = scene.camera.rect_to_screen(&scene.rect(*number));
        let is_faded = scene.marks.is_faded(*number);
        let faded = |colour: Colour| if is_faded { colour.with_alpha(FADED) } else { colour };
        let colour = scene.colour(*number);
        if rect.h < LINES_CSS_PX[0] || rect.w < MIN_WIDTH_CSS_PX {
            let min = Rect { w: rect.w.max(1.5), h: rect.h.max(1.5), ..rect };
            bands.fill(faded(colour), min);
            frame.nodes.push(DrawnNode { node: *number, rect, texts: Vec::new() });
            continue;
        }
        if node.count > 1 {
            let pile = Rect { x: rect.x + PILE_CSS_PX, y: rect.y + PILE_CSS_PX, ..rect };
            under.fill(faded(mixed(theme.ground, colour, 0.55)), pile);
            // A gap in the background colour between the two.
            under.fill(theme.ground, Rect { w: rect.w + 1.0, h: rect.h + 1.0, ..rect });
        }
        borders.fill(faded(mixed(theme.ground, colour, 0.60)), rect);
        let inner = Rect { x: rect.x + 1.0, y: rect.y + 1.0, w: rect.w - 2.0, h: rect.h - 2.0 };
        let tint = if is_faded { 0.03 } else { 0.13 };
        grounds.fill(mixed(theme.ground, colour, tint), inner);
        bands.fill(faded(colour), Rect { w: band(&rect), ..rect });
    }
    for groups in [under, borders, grounds, bands] {
        groups.finish(&mut frame.list);
    }
}

fn band(rect: &Rect) -> f64 {
    (rect.h * 0.42).clamp(5.0, BAND_CSS_PX)
}

fn draw_words(scene: &Scene<'_>, fit: &mut TextFit<'_>, number: u32, frame: &mut Frame) {
    let Some(node) = scene.model.node(number) else { return };
    let rect = scene.camera.rect_to_screen(&scene.rect(number));
    let Some(lines) = LINES_CSS_PX.iter().rposition(|min| rect.h >= *min) else { return };
    if rect.w < MIN_WIDTH_CSS_PX {
        return;
    }
    let theme = scene.theme;
    let is_faded = scene.marks.is_faded(number);
    let text_colour = if is_faded { theme.quiet.with_alpha(0.45) } else { theme.text };
    let quiet = if is_faded { theme.quiet.with_alpha(0.35) } else { theme.quiet };
    let band = band(&rect);
    let mut texts = Vec::new();
    let mut write = |x: f64, y: f64, text: String, colour: Colour, align: Align, frame: &mut Frame| {
        texts.push(text.clone());
        frame.list.push(Op::Text(Text { x, y, text, colour, font: Font::Slice, align }));
    };
    if band >= 14.0 {
        let letter = labels::letter(node.kind).to_owned();
        let y = rect.y + if lines == 0 { rect.h / 2.0 } else { band / 2.0 + 3.0 };
        let colour = if is_faded { theme.slice_text.with_alpha(0.5) } else { theme.slice_text };
        write(rect.x + band / 2.0, y, letter, colour, Align::Centre, frame);
        if let Some((_, place)) = scene.model.recorded(number).filter(|_| lines >= 1) {
            write(
                rect.x + band / 2.0,
                rect.y + rect.h - 9.0,
                place.to_string(),
                colour,
                Align::Centre,
                frame,
            );
        }
    }
    let padding = if lines == 0 { PADDING_CSS_PX / 2.0 } else { PADDING_CSS_PX };
    // Text starts within the canvas, even if the left edge cuts off the card.
    let left = (rect.x + band).max(0.0) + padding;
    let right = rect.x + rect.w - padding;
    let middle = |line: usize| match lines {
        0 => rect.y + rect.h / 2.0,
        1 => rect.y + rect.h * if line == 0 { 0.29 } else { 0.66 },
        _ => rect.y + 15.0 + 17.0 * line as f64,
    };
    let times = labels::times(node);
    let mut room = right - left;
    if !times.is_empty() {
        let width = fit.width_css_px(&times);
        if room > width + 40.0 {
            room -= width + PADDING_CSS_PX;
            write(right, middle(0), times, quiet, Align::Right, frame);
        }
    }
    if let Some(name) = fit.fit_name(scene.names, labels::title(scene.model, node), room) {
        write(left, middle(0), name, text_colour, Align::Left, frame);
    }
    if lines >= 1 {
        let mut facts: Vec<String> = labels::within(scene.model, node)
            .map(str::to_owned)
            .into_iter()
            .chain(labels::figures(node))
            .collect();
        let device = scene.model.device(node);
        if lines == 1 && !device.is_empty() {
            facts.push(device.to_owned());
        }
        let kind = labels::kind(node.kind);
        if facts.is_empty() && kind != labels::title(scene.model, node) {
            facts.push(kind.to_owned());
        }
        let facts = facts.join(" · ");
        if let Some(facts) = fit.fit(&facts, right - left).filter(|facts| !facts.is_empty()) {
            write(left, middle(1), facts, quiet, Align::Left, frame);
        }
        draw_bar(scene, node, &rect, body_colour(scene, number), left, frame);
    }
    if lines >= 2 {
        let device = scene.model.device(node).to_owned();
        let third =
            labels::place(scene.model, node).into_iter().chain([device]).filter(|text| !text.is_empty());
        if let Some(third) = fit.fit(&third.collect::<Vec<_>>().join(" · "), right - left) {
            write(left, middle(2), third, quiet, Align::Left, frame);
        }
    }
    frame.nodes.push(DrawnNode { node: number, rect, texts });
}

fn draw_bar(scene: &Scene<'_>, node: &ViewNode, rect: &Rect, colour: Colour, left: f64, frame: &mut Frame) {
    let Some((waited, ran)) = labels::shares(node) else { return };
    let room = rect.x + rect.w - PADDING_CSS_PX - left;
    // Inside the border, below the last line's letters.
    let bar = Rect { x: left, y: rect.y + rect.h - BAR_CSS_PX - 1.0, w: room, h: BAR_CSS_PX };
    let waiting = scene.theme.quiet.with_alpha(if colour.alpha < 255 { FADED } else { 0.6 });
    frame.list.fill(waiting, Rect { w: room * waited, ..bar });
    frame.list.fill(colour, Rect { x: bar.x + room * waited, w: room * ran, ..bar });
}

fn draw_marks(scene: &Scene<'_>, visible: &[u32], frame: &mut Frame) {
    let (marks, theme) = (scene.marks, scene.theme);
    let outlined = |number: u32, out: f64| {
        let rect = scene.camera.rect_to_screen(&scene.rect(number));
        Rect { x: rect.x - out, y: rect.y - out, w: rect.w + 2.0 * out, h: rect.h + 2.0 * out }
    };
    if marks.has_critical {
        let colour = path_colour(theme.scheme);
        for number in visible {
            if scene.model.node(*number).is_some_and(|node| node.critical > 0) {
                frame.list.push(Op::Outline(colour, 2.0, outlined(*number, 1.0)));
            }
        }
    }
    for number in &marks.pinned {
        let Rect { x, y, w, .. } = outlined(*number, 0.0);
        let corner = vec![(x + w - 10.0, y), (x + w, y), (x + w, y + 10.0)];
        frame.list.push(Op::Polygon(note_colour(theme.scheme), corner));
    }
    for number in marks.selected.iter().filter(|number| Some(**number) != marks.cursor) {
        frame.list.push(Op::Outline(theme.accent.with_alpha(0.65), 1.5, outlined(*number, 2.0)));
    }
    if let Some(number) = marks.hovered {
        frame.list.push(Op::Outline(theme.accent.with_alpha(0.45), 1.5, outlined(number, 1.5)));
    }
    if let Some(number) = marks.cursor {
        frame.list.push(Op::Outline(theme.accent, 2.0, outlined(number, 3.0)));
    }
}

/// Mixes a colour with a background; the result is opaque.
pub(super) fn mixed(ground: Colour, colour: Colour, share: f64) -> Colour {
    let channel = |index: usize| {
        let (from, to) = (f64::from(ground.rgb[index]), f64::from(colour.rgb[index]));
        (from + (to - from) * share).round() as u8
    };
    Colour { rgb: [channel(0), channel(1), channel(2)], alpha: 255 }
}

//! Lane of an object's life: its memory, the location of its contents, copies, and uses over time.

use syclscope_language::api::{ObjectEvent, ObjectEventKind, ObjectHistory, Side};
use syclscope_language::event::Category;

use super::{Room, draw_ground, draw_moments, draw_ruler, fitting};
use crate::canvas::draw_list::{Align, Colour, DrawList, FillGroups, Op, Rect};
use crate::canvas::palette::{Hues, Scheme, memory_colour, slice_colour, touch_colour};
use crate::state::objects;
use crate::views::memory::names;
use crate::views::memory::state::Moments;

pub const ROW_CSS_PX: f64 = 24.0;
const ROWS: [&str; 4] = ["memory", "content", "copies", "uses"];
/// Minimum width of events.
const MIN_WIDTH_CSS_PX: f64 = 2.0;

#[derive(Clone, Copy)]
pub struct Lane<'a> {
    pub room: Room<'a>,
    pub history: &'a ObjectHistory,
    pub moments: Option<Moments>,
    pub selected: Option<u32>,
}

pub fn height_css_px() -> f64 {
    super::RULER_CSS_PX + ROWS.len() as f64 * ROW_CSS_PX
}

fn row(kind: ObjectEventKind) -> usize {
    match kind {
        ObjectEventKind::CopyIn
        | ObjectEventKind::CopyOut
        | ObjectEventKind::CopyWithin
        | ObjectEventKind::Map
        | ObjectEventKind::Unmap => 2,
        ObjectEventKind::Made
        | ObjectEventKind::Allocated
        | ObjectEventKind::Released
        | ObjectEventKind::Gone => 0,
        _ => 3,
    }
}

fn side_colour(scheme: Scheme, side: Side) -> Option<Colour> {
    match side {
        Side::Host => Some(slice_colour(scheme, Category::Submission, "", &Hues::default())),
        Side::Device => Some(slice_colour(scheme, Category::Kernel, "", &Hues::default())),
        Side::Both | Side::Shared => Some(slice_colour(scheme, Category::Memory, "", &Hues::default())),
        Side::Unknown => Some(slice_colour(scheme, Category::Wait, "", &Hues::default())),
        Side::Nowhere => None,
    }
}

fn row_rect(lane: &Lane<'_>, row: usize) -> Rect {
    let plot = lane.room.plot();
    Rect { y: plot.y + row as f64 * ROW_CSS_PX + 3.0, h: ROW_CSS_PX - 6.0, ..plot }
}

fn span_rect(lane: &Lane<'_>, row: usize, from_ns: u64, to_ns: u64) -> Rect {
    let scale = lane.room.scale();
    let x = scale.px_from_time(from_ns as f64);
    let w = (scale.px_from_time(to_ns as f64) - x).max(MIN_WIDTH_CSS_PX);
    let whole = row_rect(lane, row);
    let seen = Rect { x, w, ..whole }.intersection(&whole);
    if seen.w <= 0.0 { Rect::default() } else { seen }
}

/// Returns the position of an event; `None` if it is not visible.
pub fn event_rect(lane: &Lane<'_>, event: &ObjectEvent) -> Option<Rect> {
    let rect = span_rect(lane, row(event.kind), event.start_ns, event.end_ns);
    (rect.w > 0.0).then_some(rect)
}

pub fn draw(lane: &Lane<'_>) -> DrawList {
    let mut list = DrawList::default();
    let (room, plot) = (&lane.room, lane.room.plot());
    let (theme, scheme) = (room.theme, room.theme.scheme);
    let item = &lane.history.item;
    draw_ground(room, &mut list);
    for (place, name) in ROWS.iter().enumerate() {
        let row = row_rect(lane, place);
        list.text(room.gutter_css_px - 8.0, row.y + row.h / 2.0, *name, theme.quiet, Align::Right);
        list.fill(theme.line, Rect { y: row.y + row.h + 2.0, h: room.hair_css_px(), ..plot });
    }
    list.push(Op::Clip(plot));
    let mut fills = FillGroups::default();
    let mut texts = Vec::new();
    let kind = objects::kind_of(item.what);
    // The lifetime as a thin line, its memory as a bar.
    let end_ns = item.gone_ns.unwrap_or(room.duration_ns);
    let life = span_rect(lane, 0, item.made_ns, end_ns);
    let middle = life.y + life.h / 2.0;
    fills.fill(memory_colour(scheme, kind).with_alpha(0.5), Rect { y: middle - 1.0, h: 2.0, ..life });
    for memory in &item.memory {
        let (from, to) = (memory.from_ns.unwrap_or(item.made_ns), memory.to_ns.unwrap_or(end_ns));
        fills.fill(memory_colour(scheme, kind), span_rect(lane, 0, from, to));
    }
    for stretch in &item.placement {
        let Some(colour) = side_colour(scheme, stretch.side) else { continue };
        let rect = span_rect(lane, 1, stretch.from_ns, stretch.to_ns);
        fills.fill(colour, Rect { w: (rect.w - 1.0).max(1.0), ..rect });
        if let Some(text) = fitting(names::side(stretch.side), rect.w - 8.0) {
            texts.push((rect.x + 4.0, rect.y + rect.h / 2.0, text));
        }
    }
    let mut outlines = Vec::new();
    for event in &lane.history.events {
        if row(event.kind) == 0 {
            continue;
        }
        let Some(rect) = event_rect(lane, event) else { continue };
        fills.fill(touch_colour(scheme, event.kind), rect);
        let name = if event.name.is_empty() { objects::event(event.kind) } else { &event.name };
        if let Some(text) = fitting(name, rect.w - 8.0) {
            texts.push((rect.x + 4.0, rect.y + rect.h / 2.0, text));
        }
        if event.at.is_some_and(|at| Some(at.slice) == lane.selected) {
            outlines.push(rect);
        }
    }
    fills.finish(&mut list);
    for (x, y, text) in texts {
        list.text(x, y, text, theme.slice_text, Align::Left);
    }
    for Rect { x, y, w, h } in outlines {
        list.push(Op::Outline(theme.accent, 2.0, Rect { x: x - 1.0, y: y - 1.0, w: w + 2.0, h: h + 2.0 }));
    }
    list.push(Op::Unclip);
    draw_ruler(room, &mut list);
    draw_moments(room, lane.moments, &mut list);
    list
}

pub fn event_at<'a>(lane: &Lane<'a>, x_css_px: f64, y_css_px: f64) -> Option<&'a ObjectEvent> {
    let reach = |rect: &Rect| Rect { x: rect.x - 2.0, w: rect.w + 4.0, ..*rect };
    let events = lane.history.events.iter().rev().filter(|event| row(event.kind) != 0);
    let mut found = events.filter(|event| {
        event_rect(lane, event).is_some_and(|rect| reach(&rect).contains(x_css_px, y_css_px))
    });
    found.next()
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::{NativeMemory, ObjectItem, ObjectWhat, Placement};

    use super::*;
    use crate::canvas::palette::Theme;
    use crate::state::viewport::Viewport;
    use crate::views::memory::draw::tests::{room, texts};

    #[test]
    fn a_life_is_made_of_memory_content_copies_and_uses() {
        let (viewport, theme) = (Viewport::whole(1_000_000), Theme::default());
        let event = |kind, start_ns, end_ns, name: &str| ObjectEvent {
            kind,
            start_ns,
            end_ns,
            name: name.into(),
            ..ObjectEvent::default()
        };
        let history = ObjectHistory {
            item: ObjectItem {
                what: ObjectWhat::Buffer,
                made_ns: 100_000,
                gone_ns: Some(900_000),
                memory: vec![NativeMemory { from_ns: Some(200_000), ..NativeMemory::default() }],
                placement: vec![
                    Placement { from_ns: 100_000, to_ns: 300_000, side: Side::Host },
                    Placement { from_ns: 300_000, to_ns: 900_000, side: Side::Device },
                ],
                ..ObjectItem::default()
            },
            events: vec![
                event(ObjectEventKind::Made, 100_000, 100_000, ""),
                event(ObjectEventKind::CopyIn, 300_000, 320_000, "copy"),
                event(ObjectEventKind::ReadWrite, 400_000, 600_000, "diffuse"),
            ],
            ..ObjectHistory::default()
        };
        let lane = Lane { room: room(&viewport, &theme), history: &history, moments: None, selected: None };
        let list = draw(&lane);
        let words = texts(&list);
        for word in ["memory", "content", "copies", "uses", "host", "device", "diffuse"] {
            assert!(words.contains(&word), "{word}: {words:?}");
        }
        let rects: Vec<String> = history
            .events
            .iter()
            .filter_map(|event| event_rect(&lane, event))
            .map(|Rect { x, y, w, h }| format!("{x:.0},{y:.0} {w:.0}×{h:.0}"))
            .collect();
        assert_eq!(rects, ["217,27 2×18", "415,75 20×18", "514,99 198×18"]);
        let found = |x, y| event_at(&lane, x, y).map(|event| event.kind);
        assert_eq!(found(600.0, 105.0), Some(ObjectEventKind::ReadWrite));
        assert_eq!((found(425.0, 80.0), found(425.0, 105.0)), (Some(ObjectEventKind::CopyIn), None));
        let late = viewport.with_range(950_000.0, 990_000.0);
        let lane = Lane { room: room(&late, &theme), ..lane };
        assert!(history.events.iter().all(|event| event_rect(&lane, event).is_none()));
    }
}

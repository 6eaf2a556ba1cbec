//! Pictures of the what-if panel on one axis of time: each queue's commands as recorded, and below them as predicted.

use syclscope_language::api::{WhatIfPiece, WhatIfSchedule};
use syclscope_language::question::ScheduleQuestion;

use crate::canvas::draw_list::{Align, DrawList, FillGroups, Font, Op, Rect, Text};
use crate::canvas::palette::{Hues, Theme, slice_colour};
use crate::canvas::scale::{TimeScale, grid_step_ns};
use crate::canvas::text::TextFit;
use crate::format;
use crate::stage::pointer::Point;
use crate::state::viewport::Viewport;

const RULER_CSS_PX: f64 = 20.0;
const TITLE_CSS_PX: f64 = 19.0;
const ROW_CSS_PX: f64 = 13.0;
const QUEUE_CSS_PX: f64 = TITLE_CSS_PX + 2.0 * ROW_CSS_PX + 1.0;
/// Minimum distance of labels.
const MIN_STEP_CSS_PX: f64 = 90.0;
/// Minimum width of a slice with a name.
const MIN_NAME_WIDTH_CSS_PX: f64 = 30.0;
/// Maximum distance of the pointer from a slice.
const REACH_CSS_PX: f64 = 3.0;
/// Minimum filled share of a row's height.
const MIN_HEIGHT_SHARE: f64 = 0.25;
const PREDICTED_ALPHA: f64 = 0.6;
/// Number of columns of a query. The range is twice a power of two, so that a column is one to two pixels of the panel.
const COLUMNS: u32 = 512;

/// A row, two for each queue, and the start of one of its slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub row: usize,
    pub from_ns: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Slice(isize),
    Row(isize),
}

#[derive(Clone, Copy, Debug)]
pub struct Picture<'a> {
    pub schedule: &'a WhatIfSchedule,
    pub viewport: Viewport,
    /// Ends of the recorded and of the predicted run.
    pub ends_ns: [u64; 2],
    pub width_css_px: f64,
}

pub fn height_css_px(queues: usize) -> f64 {
    RULER_CSS_PX + queues as f64 * QUEUE_CSS_PX + 4.0
}

/// Returns the range of the query: a pair of tiles that covers the visible time, so that a small movement needs no
/// other query.
pub fn part(viewport: &Viewport) -> ScheduleQuestion {
    let length_ns = (viewport.span_ns().ceil() as u64).checked_next_power_of_two().unwrap_or(1 << 63);
    let from_ns = viewport.start_ns() as u64 / length_ns * length_ns;
    let to_ns = from_ns.saturating_add(length_ns.saturating_mul(2));
    ScheduleQuestion { from_ns: Some(from_ns), to_ns: Some(to_ns), columns: Some(COLUMNS) }
}

/// Returns the slices of a row, by start.
fn pieces(schedule: &WhatIfSchedule, row: usize) -> &[WhatIfPiece] {
    let queue = schedule.queues.get(row / 2);
    queue.map_or(&[], |queue| if row.is_multiple_of(2) { &queue.recorded } else { &queue.predicted })
}

/// Returns the index of the slice at a place, or of the merged slice that contains it.
fn index(schedule: &WhatIfSchedule, place: Place) -> Option<usize> {
    let begun = pieces(schedule, place.row).partition_point(|piece| piece.from_ns <= place.from_ns);
    begun.checked_sub(1)
}

pub fn piece(schedule: &WhatIfSchedule, place: Place) -> Option<&WhatIfPiece> {
    pieces(schedule, place.row).get(index(schedule, place)?)
}

fn row_title(schedule: &WhatIfSchedule, row: usize) -> String {
    let queue = schedule.queues.get(row / 2).map_or("", |queue| &queue.name);
    format!("{queue}, {}", if row.is_multiple_of(2) { "recorded" } else { "predicted" })
}

/// Returns name, times and row of a slice.
pub fn facts(schedule: &WhatIfSchedule, place: Place) -> Option<[String; 3]> {
    let found = piece(schedule, place)?;
    let name = schedule.names.get(found.name as usize).map_or("", String::as_str);
    let length_ns = found.to_ns.saturating_sub(found.from_ns);
    let times =
        format!("{} from {}", format::duration(length_ns as f64), format::moment(found.from_ns as f64));
    let [name, times] = match found.count {
        1 => [name.to_owned(), times],
        count => [
            format!("{}, the longest {name}", format::counted(count, "command", "commands")),
            format!("{times}, busy {:.0} %", found.busy_ns as f64 / length_ns.max(1) as f64 * 100.0),
        ],
    };
    Some([name, times, row_title(schedule, place.row)])
}

pub fn summaries(schedule: &WhatIfSchedule, viewport: &Viewport) -> Vec<String> {
    let summary = |row: usize| {
        let is_visible = |piece: &&WhatIfPiece| {
            (piece.from_ns as f64) < viewport.end_ns() && piece.to_ns as f64 > viewport.start_ns()
        };
        let count = pieces(schedule, row).iter().filter(is_visible).map(|piece| piece.count).sum();
        format!("{}: {}", row_title(schedule, row), format::counted(count, "command", "commands"))
    };
    (0..schedule.queues.len() * 2).map(summary).collect()
}

/// Returns the next place in a direction; without a start, the first visible one.
pub fn step(picture: &Picture<'_>, from: Option<Place>, by: Step) -> Option<Place> {
    let Picture { schedule, viewport, .. } = picture;
    let rows = schedule.queues.len() * 2;
    let at = |row: usize, index: usize| {
        let piece = pieces(schedule, row).get(index)?;
        Some(Place { row, from_ns: piece.from_ns })
    };
    let nearest = |row: usize, at_ns: f64| {
        let own = pieces(schedule, row);
        let first = own.partition_point(|piece| (piece.to_ns as f64) <= at_ns);
        at(row, first.min(own.len().checked_sub(1)?))
    };
    let Some(place) = from else {
        return (0..rows).find_map(|row| nearest(row, viewport.start_ns()));
    };
    match by {
        Step::Slice(by) => at(place.row, index(schedule, place)?.checked_add_signed(by)?),
        Step::Row(by) => {
            let mut row = place.row.checked_add_signed(by)?;
            while row < rows {
                if let Some(found) = nearest(row, place.from_ns as f64) {
                    return Some(found);
                }
                row = row.checked_add_signed(by)?;
            }
            None
        }
    }
}

impl Picture<'_> {
    pub fn scale(&self) -> TimeScale {
        TimeScale::new(self.viewport.start_ns(), self.viewport.span_ns(), 0.0, self.width_css_px)
    }

    pub fn hit(&self, at: Point) -> Option<Place> {
        let y = at.y - RULER_CSS_PX;
        let within = y.rem_euclid(QUEUE_CSS_PX) - TITLE_CSS_PX;
        if y < 0.0 || within < 0.0 {
            return None;
        }
        let row = (y / QUEUE_CSS_PX) as usize * 2 + usize::from(within > ROW_CSS_PX);
        let distance = |piece: &WhatIfPiece| {
            let (rect, ..) = self.rect(row, piece);
            (rect.x - at.x).max(at.x - rect.x - rect.w).max(0.0)
        };
        let near = pieces(self.schedule, row).iter().map(|piece| (distance(piece), piece.from_ns));
        // Of overlapping slices the last is visible.
        let nearest = near.rev().min_by(|one, other| one.0.total_cmp(&other.0))?;
        (nearest.0 <= REACH_CSS_PX).then_some(Place { row, from_ns: nearest.1 })
    }

    /// Returns the area of a slice in its row, and the share of its height that is filled: its busy time, but at least
    /// [`MIN_HEIGHT_SHARE`].
    fn rect(&self, row: usize, piece: &WhatIfPiece) -> (Rect, f64) {
        let scale = self.scale();
        let x = |at_ns: u64| scale.px_from_time(at_ns as f64).clamp(-2.0, self.width_css_px + 2.0);
        let (left, right) = (x(piece.from_ns), x(piece.to_ns));
        let length_ns = piece.to_ns.saturating_sub(piece.from_ns).max(1);
        let filled = (piece.busy_ns as f64 / length_ns as f64).clamp(MIN_HEIGHT_SHARE, 1.0);
        let rect = Rect { x: left, y: row_y(row), w: (right - left).max(1.0), h: ROW_CSS_PX - 1.0 };
        (rect, filled)
    }

    pub fn area(&self, place: Place) -> Option<Rect> {
        piece(self.schedule, place).map(|piece| self.rect(place.row, piece).0)
    }
}

fn row_y(row: usize) -> f64 {
    RULER_CSS_PX + (row / 2) as f64 * QUEUE_CSS_PX + TITLE_CSS_PX + (row % 2) as f64 * ROW_CSS_PX
}

pub fn draw(
    picture: &Picture<'_>,
    theme: &Theme,
    hues: &Hues,
    marked: [Option<Place>; 2],
    fit: &mut TextFit<'_>,
) -> DrawList {
    let Picture { schedule, width_css_px, .. } = *picture;
    let mut list = DrawList::default();
    let height = height_css_px(schedule.queues.len());
    list.fill(theme.ground, Rect { x: 0.0, y: 0.0, w: width_css_px, h: height });
    draw_ruler(picture, theme, height, fit, &mut list);
    for (number, queue) in schedule.queues.iter().enumerate() {
        let y = row_y(number * 2) - TITLE_CSS_PX / 2.0 + 1.0;
        if let Some(name) = fit.fit(&queue.name, width_css_px) {
            list.text(0.0, y, name, theme.text, Align::Left);
        }
    }
    let end = |row: usize| picture.scale().px_from_time(picture.ends_ns[row % 2] as f64);
    for row in 0..schedule.queues.len() * 2 {
        draw_row(picture, row, theme, hues, fit, &mut list);
        // Draw no mark for an end out of sight, because clamping would put it at the edge.
        if (0.0..=width_css_px).contains(&end(row)) {
            list.fill(theme.text, Rect { x: end(row) - 2.0, y: row_y(row), w: 2.0, h: ROW_CSS_PX - 1.0 });
        }
    }
    for (place, width) in marked.into_iter().zip([1.0, 2.0]) {
        if let Some(area) = place.and_then(|place| picture.area(place)) {
            list.push(Op::Outline(theme.accent, width, Rect { w: area.w.max(3.0), ..area }));
        }
    }
    list
}

fn draw_ruler(picture: &Picture<'_>, theme: &Theme, height: f64, fit: &mut TextFit<'_>, list: &mut DrawList) {
    let (scale, viewport) = (picture.scale(), picture.viewport);
    let step_ns = grid_step_ns(scale.ns_per_css_px * MIN_STEP_CSS_PX);
    let first = (viewport.start_ns() / step_ns).ceil() as i64;
    let last = (viewport.end_ns() / step_ns).floor() as i64;
    for number in first..=last {
        let at_ns = number as f64 * step_ns;
        let x = scale.px_from_time(at_ns).round();
        list.fill(theme.grid, Rect { x, y: 0.0, w: 1.0, h: height });
        let text = format::time_on_grid(at_ns, step_ns);
        if fit.fit(&text, picture.width_css_px - x - 3.0).is_some_and(|fitted| fitted == text) {
            list.text(x + 3.0, RULER_CSS_PX / 2.0, text, theme.quiet, Align::Left);
        }
    }
}

fn draw_row(
    picture: &Picture<'_>,
    row: usize,
    theme: &Theme,
    hues: &Hues,
    fit: &mut TextFit<'_>,
    list: &mut DrawList,
) {
    let mut fills = FillGroups::default();
    let mut texts = Vec::new();
    for piece in pieces(picture.schedule, row) {
        let (rect, filled) = picture.rect(row, piece);
        if rect.x + rect.w < 0.0 || rect.x > picture.width_css_px {
            continue;
        }
        let name = picture.schedule.names.get(piece.name as usize).map_or("", String::as_str);
        let colour = slice_colour(theme.scheme, piece.category, name, hues);
        let alpha = if row.is_multiple_of(2) { 1.0 } else { PREDICTED_ALPHA };
        let h = rect.h * filled;
        fills.fill(colour.with_alpha(alpha), Rect { y: rect.y + rect.h - h, h, ..rect });
        let left = rect.x.max(0.0);
        let room = rect.x + rect.w - left - 6.0;
        if piece.count == 1
            && room >= MIN_NAME_WIDTH_CSS_PX
            && let Some(text) = fit.fit_name(&hues.names, name, room)
        {
            let y = rect.y + rect.h / 2.0;
            let colour = if row.is_multiple_of(2) { theme.slice_text } else { theme.text };
            texts.push(Op::Text(Text {
                x: left + 3.0,
                y,
                text,
                colour,
                font: Font::Small,
                align: Align::Left,
            }));
        }
    }
    fills.finish(list);
    list.ops.extend(texts);
}

#[cfg(test)]
mod tests;

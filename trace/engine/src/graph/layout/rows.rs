//! Connected components in rows, as on shelves. Components of several nodes are ordered by their first nodes (or the
//! highest first, if the drawing is much smaller then); single nodes follow. A component of the previous drawing stays
//! in its row, and moves only as far as its neighbours force it. New components are beside it, or in rows below it if
//! the drawing is much smaller then.

use std::cmp::Reverse;

use syclscope_language::question::Size;

use super::stretch::{self, Stretch};
use syclscope_language::sorting::Sorting as _;

use super::{Part, Point, Spot};

const PART_GAP: i32 = 48;
/// Distance of single nodes.
const SINGLE_GAP: i32 = 24;
/// Width of the assumed view relative to its height.
const VIEW_WIDTH: i64 = 2;

pub(super) struct Rows {
    /// Row of each component, and the offset by which it is moved.
    pub(super) places: Vec<(u32, Point)>,
    pub(super) size: Size,
}

pub(super) fn rows(parts: &mut [Part], before: &[Option<Spot>]) -> Rows {
    let mut rows = if before.iter().any(Option::is_some) { as_before(parts, before) } else { fresh(parts) };
    rows.retain(|row| !row.is_empty());
    let mut places = vec![(0, Point::default()); parts.len()];
    let mut size = Size::default();
    let mut top = 0_i32;
    for (number, row) in rows.iter().enumerate() {
        let (mut left, mut height, mut gap) = (0_i32, 0, SINGLE_GAP);
        for (part, is_kept) in row {
            let Part { sides, height: own, nodes, .. } = &parts[*part];
            // A component of the previous drawing keeps its position if nothing is in the way.
            let at = if *is_kept { left.max(sides.0) } else { left };
            places[*part] = (number as u32, Point { x: at - sides.0, y: top });
            let end = at.saturating_add(sides.1 - sides.0);
            gap = if nodes.len() > 1 { PART_GAP } else { gap };
            left = end.saturating_add(if nodes.len() > 1 { PART_GAP } else { SINGLE_GAP });
            height = height.max(*own);
            size.width = size.width.max(end);
        }
        size.height = top.saturating_add(height);
        top = size.height.saturating_add(gap);
    }
    Rows { places, size }
}

/// Arranges components in rows of about equal width, so that the drawing is largest in a view that is wider than high.
fn fresh(parts: &[Part]) -> Vec<Vec<(usize, bool)>> {
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.arrange_by_key(|part| parts[*part].nodes.len() == 1);
    let mut by_height = order.clone();
    by_height.arrange_by_key(|part| (parts[*part].nodes.len() == 1, Reverse(parts[*part].height)));
    let [in_time, by_height] = [order, by_height].map(|order| {
        let rows = in_order(parts, &order);
        (extent(parts, &rows), rows)
    });
    // The order of time is given up only if that saves more than a tenth of the height.
    if by_height.0.saturating_mul(10) < in_time.0.saturating_mul(9) { by_height.1 } else { in_time.1 }
}

/// Arranges components one after the other, in rows of the width with which the drawing is largest.
fn in_order(parts: &[Part], order: &[usize]) -> Vec<Vec<(usize, bool)>> {
    let area = |part: &usize| {
        (width(&parts[*part]) + i64::from(PART_GAP)) * (i64::from(parts[*part].height) + i64::from(PART_GAP))
    };
    let widest = order.iter().map(|part| width(&parts[*part])).max().unwrap_or(0);
    let area: i64 = order.iter().map(area).fold(0, i64::saturating_add);
    // Components of different heights waste space in their rows: wider rows may give a lower drawing than the area
    // suggests.
    let tried = [3, 4, 6, 8, 12, 16, 24].map(|halves| {
        let limit = widest.max((area.saturating_mul(halves) / 2).isqrt());
        shelves(parts, order, limit)
    });
    tried.into_iter().min_by_key(|rows| extent(parts, rows)).unwrap_or_default()
}

fn width(part: &Part) -> i64 {
    i64::from(part.sides.1) - i64::from(part.sides.0)
}

/// Returns the height of the smallest view, [`VIEW_WIDTH`] times as wide as high, that contains the rows.
fn extent(parts: &[Part], rows: &[Vec<(usize, bool)>]) -> i64 {
    let gap = i64::from(PART_GAP);
    let row_width =
        |row: &Vec<(usize, bool)>| row.iter().map(|(part, _)| width(&parts[*part]) + gap).sum::<i64>();
    let row_height = |row: &Vec<(usize, bool)>| {
        row.iter().map(|(part, _)| i64::from(parts[*part].height)).max().unwrap_or(0)
    };
    let wide = rows.iter().map(row_width).max().unwrap_or(0);
    let high: i64 = rows.iter().map(|row| row_height(row) + gap).sum();
    high.max(wide / VIEW_WIDTH)
}

/// Arranges components one after the other in rows of limited width, single nodes in separate rows.
fn shelves(parts: &[Part], order: &[usize], limit: i64) -> Vec<Vec<(usize, bool)>> {
    let mut rows: Vec<Vec<(usize, bool)>> = Vec::new();
    let mut used = i64::MAX;
    let mut was_single = false;
    for part in order.iter().copied() {
        let is_single = parts[part].nodes.len() == 1;
        if used.saturating_add(width(&parts[part])) > limit || is_single != was_single {
            rows.push(Vec::new());
            used = 0;
        }
        was_single = is_single;
        used += width(&parts[part]) + i64::from(if is_single { SINGLE_GAP } else { PART_GAP });
        if let Some(row) = rows.last_mut() {
            row.push((part, false));
        }
    }
    rows
}

/// Returns the previous rows of the components' nodes, with the new components.
fn as_before(parts: &[Part], before: &[Option<Spot>]) -> Vec<Vec<(usize, bool)>> {
    let stretch = |(number, part): (usize, &Part)| {
        let stretch = stretch::find(&part.nodes, before);
        (stretch.unwrap_or((u32::MAX, 0, 0)), number, stretch.is_some())
    };
    let mut placed: Vec<(Stretch, usize, bool)> = parts.iter().enumerate().map(stretch).collect();
    placed.sort_unstable();
    let are_new = stretch::are_new(parts.iter().map(|part| part.nodes.as_slice()), before);
    let mut beside: Vec<Vec<(usize, bool)>> = Vec::new();
    let mut below: Vec<Vec<(usize, bool)>> = Vec::new();
    for row in placed.chunk_by(|a, b| a.0.0 == b.0.0) {
        let is_new = |part: usize, is_kept: bool| !is_kept || are_new[part];
        let row: Vec<(usize, bool)> = row.iter().map(|(_, part, is_kept)| (*part, *is_kept)).collect();
        below.push(row.iter().copied().filter(|(part, is_kept)| !is_new(*part, *is_kept)).collect());
        let new = row.iter().filter(|(part, is_kept)| is_new(*part, *is_kept));
        let mut new: Vec<usize> = new.map(|(part, _)| *part).collect();
        new.arrange_by_key(|part| parts[*part].nodes.len() == 1);
        below.extend(in_order(parts, &new));
        beside.push(row);
    }
    // New components leave the row of their previous node only if the drawing is less than half as high then.
    if extent(parts, &below).saturating_mul(2) < extent(parts, &beside) { below } else { beside }
}

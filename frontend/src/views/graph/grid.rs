//! Spatial index of rectangles.

use crate::canvas::draw_list::Rect;

/// Maximum number of cells of a rectangle in the grid; larger rectangles are in a separate list.
const MAX_CELLS: usize = 64;
/// Approximate number of cells per rectangle.
const SPREAD: f64 = 0.5;

#[derive(Clone, Debug, Default)]
pub struct Grid {
    boxes: Vec<[f32; 4]>,
    columns: usize,
    rows: usize,
    cell: (f64, f64),
    /// Start of each cell in `items`.
    starts: Vec<u32>,
    items: Vec<u32>,
    large: Vec<u32>,
}

impl Grid {
    pub fn new(boxes: impl Iterator<Item = Rect>, width: f64, height: f64) -> Self {
        let boxes: Vec<[f32; 4]> =
            boxes.map(|Rect { x, y, w, h }| [x as f32, y as f32, (x + w) as f32, (y + h) as f32]).collect();
        let cells = (boxes.len() as f64 * SPREAD).sqrt().ceil().max(1.0);
        let (columns, rows) = (cells as usize, cells as usize);
        let cell = ((width / cells).max(1.0), (height / cells).max(1.0));
        let mut grid =
            Self { boxes, columns, rows, cell, starts: Vec::new(), items: Vec::new(), large: Vec::new() };
        let mut counts = vec![0_u32; columns * rows + 1];
        for index in 0..grid.boxes.len() {
            let spans = grid.spans(grid.boxes[index]);
            if spans.0.len() * spans.1.len() > MAX_CELLS {
                grid.large.push(index as u32);
            } else {
                grid.each_cell(spans, |cell| counts[cell + 1] += 1);
            }
        }
        for cell in 1..counts.len() {
            counts[cell] += counts[cell - 1];
        }
        let mut next = counts.clone();
        let mut items = vec![0; counts.last().copied().unwrap_or(0) as usize];
        for index in 0..grid.boxes.len() {
            let spans = grid.spans(grid.boxes[index]);
            if spans.0.len() * spans.1.len() <= MAX_CELLS {
                grid.each_cell(spans, |cell| {
                    items[next[cell] as usize] = index as u32;
                    next[cell] += 1;
                });
            }
        }
        (grid.starts, grid.items) = (counts, items);
        grid
    }

    /// Returns the sorted indices of the rectangles that touch `rect`.
    pub fn touching(&self, rect: &Rect) -> Vec<u32> {
        let Rect { x, y, w, h } = *rect;
        let area = [x as f32, y as f32, (x + w) as f32, (y + h) as f32];
        let touches = |index: &u32| {
            let [left, top, right, bottom] = self.boxes[*index as usize];
            left <= area[2] && right >= area[0] && top <= area[3] && bottom >= area[1]
        };
        let spans = self.spans(area);
        let mut found: Vec<u32> = self.large.iter().copied().filter(touches).collect();
        if spans.0.len() * spans.1.len() * 2 > self.columns * self.rows {
            // For a query of nearly everything, one scan is faster than one cell after the other.
            return (0..self.boxes.len() as u32).filter(touches).collect();
        }
        self.each_cell(spans, |cell| {
            let items = &self.items[self.starts[cell] as usize..self.starts[cell + 1] as usize];
            found.extend(items.iter().copied().filter(touches));
        });
        found.sort_unstable();
        found.dedup();
        found
    }

    fn spans(
        &self,
        [left, top, right, bottom]: [f32; 4],
    ) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
        let span = |low: f32, high: f32, cell: f64, count: usize| {
            let last = count.saturating_sub(1);
            let at = |value: f32| ((f64::from(value) / cell).max(0.0) as usize).min(last);
            at(low)..at(high) + 1
        };
        (span(left, right, self.cell.0, self.columns), span(top, bottom, self.cell.1, self.rows))
    }

    fn each_cell(
        &self,
        (columns, rows): (std::ops::Range<usize>, std::ops::Range<usize>),
        mut act: impl FnMut(usize),
    ) {
        for row in rows {
            for column in columns.clone() {
                act(row * self.columns + column);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_is_found_as_by_looking_at_all() {
        // Small rectangles everywhere, and one that crosses the whole drawing.
        let mut boxes: Vec<Rect> = (0..500)
            .map(|number| {
                let (x, y) = ((number * 37 % 1_000) as f64, (number * 91 % 700) as f64);
                Rect { x, y, w: (number % 40) as f64, h: (number % 9) as f64 }
            })
            .collect();
        boxes.push(Rect { x: 0.0, y: 300.0, w: 1_000.0, h: 300.0 });
        let grid = Grid::new(boxes.iter().copied(), 1_000.0, 700.0);
        for area in [
            Rect { x: 100.0, y: 100.0, w: 50.0, h: 60.0 },
            Rect { x: -500.0, y: -500.0, w: 3_000.0, h: 3_000.0 },
            Rect { x: 990.0, y: 690.0, w: 0.0, h: 0.0 },
            Rect { x: 2_000.0, y: 0.0, w: 10.0, h: 10.0 },
            Rect { x: -20.0, y: 350.0, w: 30.0, h: 1.0 },
        ] {
            let all: Vec<u32> = (0..boxes.len() as u32)
                .filter(|index| {
                    let own = &boxes[*index as usize];
                    own.x <= area.x + area.w
                        && own.x + own.w >= area.x
                        && own.y <= area.y + area.h
                        && own.y + own.h >= area.y
                })
                .collect();
            assert_eq!(grid.touching(&area), all, "{area:?}");
        }
        assert!(Grid::new([].into_iter(), 0.0, 0.0).touching(&Rect::default()).is_empty());
    }
}

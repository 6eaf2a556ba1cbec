//! Occupancy of the screen's cells. If nodes are too small to be distinguished, one per cell is drawn.

#[derive(Debug, Default)]
pub(super) struct Cells {
    cell_css_px: f64,
    columns: usize,
    occupied: Vec<bool>,
}

impl Cells {
    pub(super) fn new(cell_css_px: f64, width_css_px: f64, height_css_px: f64) -> Self {
        let cells = |css_px: f64| (css_px / cell_css_px).max(0.0) as usize + 1;
        let columns = cells(width_css_px);
        Self { cell_css_px, columns, occupied: vec![false; columns * cells(height_css_px)] }
    }

    /// Marks the cell at a point as taken, and returns its corner if it was free. Points outside are clamped.
    pub(super) fn take(&mut self, x: f64, y: f64) -> Option<(f64, f64)> {
        let rows = self.occupied.len() / self.columns;
        let cell = |at: f64, count: usize| ((at / self.cell_css_px).max(0.0) as usize).min(count - 1);
        let (column, row) = (cell(x, self.columns), cell(y, rows));
        let is_occupied = &mut self.occupied[row * self.columns + column];
        let was_free = !std::mem::replace(is_occupied, true);
        was_free.then_some((column as f64 * self.cell_css_px, row as f64 * self.cell_css_px))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_taken_once() {
        let mut cells = Cells::new(3.0, 30.0, 9.0);
        assert_eq!(cells.take(4.0, 8.9), Some((3.0, 6.0)));
        assert_eq!(cells.take(5.9, 6.0), None);
        assert_eq!(cells.take(6.0, 6.0), Some((6.0, 6.0)));
        assert_eq!((cells.take(-50.0, -1.0), cells.take(0.5, 2.0)), (Some((0.0, 0.0)), None));
        assert_eq!(cells.take(1e9, 1e9), Some((30.0, 9.0)));
        assert_eq!(Cells::new(2.0, 0.0, 0.0).take(0.0, 0.0), Some((0.0, 0.0)));
    }
}

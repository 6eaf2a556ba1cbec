//! Tables with aligned columns that fit a width.

use syclscope_language::names::ShortNames;

use super::{columns, short_names, without_start};

/// Minimum width of a column that shrinks.
const MIN_WIDTH: usize = 12;

/// Minimum width of such a column while the table can still leave out another one.
const COMFORTABLE: usize = 32;

/// Alignment of a column, and how it shrinks if the table is too wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
    /// Names, which lose their namespaces, and then parts that they share with others in their column.
    Name,
    /// Paths, which lose their beginnings.
    Path,
    /// Numbers that a narrow table leaves out, the last column first.
    Optional,
}

#[derive(Clone, Debug)]
pub struct Table {
    aligns: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new<const N: usize>(heading: [(&str, Align); N]) -> Self {
        let aligns = heading.iter().map(|(_, align)| *align).collect();
        Self { aligns, rows: vec![heading.map(|(name, _)| name.to_owned()).to_vec()] }
    }

    /// Creates a table whose number of columns is known only at run time.
    pub fn from_columns(heading: Vec<(String, Align)>) -> Self {
        let (names, aligns) = heading.into_iter().unzip();
        Self { aligns, rows: vec![names] }
    }

    pub fn add(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.aligns.len());
        self.rows.push(cells);
    }

    /// Adds a row with as many cells as the heading.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        debug_assert_eq!(N, self.aligns.len());
        self.rows.push(cells.to_vec());
    }

    /// Returns the table's lines, without trailing blanks, in at most `width` terminal columns if shrinking
    /// suffices for that.
    pub fn lines(&self, width: usize) -> Vec<String> {
        let of_column = |column: usize| self.rows.iter().map(|row| columns(&row[column])).max().unwrap_or(0);
        let mut shown: Vec<(usize, usize)> =
            (0..self.aligns.len()).map(|column| (column, of_column(column))).collect();
        self.leave_out(&mut shown, width);
        self.give_way(&mut shown, width);
        let names: Vec<ShortNames> = shown.iter().map(|(column, _)| self.names(*column)).collect();
        let line = |row: &Vec<String>| {
            let cells = shown.iter().zip(&names);
            let cells =
                cells.map(|((column, width), names)| self.cell(&row[*column], *column, *width, names));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        self.rows.iter().map(line).collect()
    }

    /// Leaves out optional columns until the shrinking ones are wide enough to read.
    fn leave_out(&self, columns: &mut Vec<(usize, usize)>, width: usize) {
        let comfortable = |(column, width): &(usize, usize)| {
            if self.gives_way(*column) { *width.min(&COMFORTABLE) } else { *width }
        };
        while columns.iter().map(comfortable).sum::<usize>() + between(columns) > width {
            match columns.iter().rposition(|(column, _)| self.aligns[*column] == Align::Optional) {
                Some(place) => columns.remove(place),
                None => return,
            };
        }
    }

    /// Shrinks the widest of the shrinking columns until the table fits.
    fn give_way(&self, columns: &mut [(usize, usize)], width: usize) {
        let mut over =
            (columns.iter().map(|(_, width)| width).sum::<usize>() + between(columns)).saturating_sub(width);
        while over > 0 {
            let widest = columns
                .iter_mut()
                .filter(|(column, width)| self.gives_way(*column) && *width > MIN_WIDTH)
                .max_by_key(|(_, width)| *width);
            let Some((_, width)) = widest else { return };
            *width -= 1;
            over -= 1;
        }
    }

    fn gives_way(&self, column: usize) -> bool {
        matches!(self.aligns[column], Align::Name | Align::Path)
    }

    /// Returns the names of a column, without its heading.
    fn names(&self, column: usize) -> ShortNames {
        let is_name = self.aligns[column] == Align::Name;
        short_names(self.rows.iter().skip(1).filter(|_| is_name).map(|row| row[column].as_str()))
    }

    fn cell(&self, text: &str, column: usize, width: usize, names: &ShortNames) -> String {
        let text = match self.aligns[column] {
            Align::Name if columns(text) > width => names.fit(text, width),
            Align::Path => without_start(text, width),
            _ => text.to_owned(),
        };
        let blanks = " ".repeat(width.saturating_sub(columns(&text)));
        match self.aligns[column] {
            Align::Right | Align::Optional => format!("{blanks}{text}"),
            _ => format!("{text}{blanks}"),
        }
    }
}

fn between(columns: &[(usize, usize)]) -> usize {
    2 * columns.len().saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_align() {
        let mut table = Table::new([("name", Align::Left), ("count", Align::Right), ("kind", Align::Left)]);
        table.row(["µkernel".into(), "12".into(), "copy".into()]);
        table.row(["a".into(), "1234567".into(), String::new()]);
        assert_eq!(table.lines(80), ["name       count  kind", "µkernel       12  copy", "a        1234567"]);
    }

    #[test]
    fn wide_characters_align() {
        let mut table = Table::new([("name", Align::Name), ("count", Align::Right)]);
        table.row(["計算".into(), "1".into()]);
        table.row(["scale".into(), "2".into()]);
        assert_eq!(table.lines(80), ["name   count", "計算       1", "scale      2"]);
    }

    #[test]
    fn tables_fit_by_leaving_out_first_and_shortening_then() {
        let mut table = Table::new([
            ("name", Align::Name),
            ("total", Align::Right),
            ("share", Align::Optional),
            ("place", Align::Path),
        ]);
        table.row(["k".repeat(20) + "<int>", "1.000 ms".into(), "9 %".into(), "/home/me/heat.cpp:12".into()]);
        let widths = |width| table.lines(width).iter().map(|line| columns(line)).max().unwrap_or(0);
        assert_eq!((widths(100), widths(64), widths(63)), (64, 64, 57));
        assert_eq!(
            table.lines(46),
            ["name                  total  place", "kkkkkkkkkk…k<int>  1.000 ms  …e/me/heat.cpp:12"]
        );
        assert_eq!(widths(10), 36, "other columns stay");
    }
}

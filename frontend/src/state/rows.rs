//! Rows of paged tables: cells, links, and export.

use syclscope_language::api::SliceRef;

use super::selection::Selection;
use crate::format;

#[derive(Clone, Debug, PartialEq)]
pub enum Link {
    Select(Selection),
    Slice(SliceRef),
    /// An object's own track in the timeline, by the object's id.
    Lane(u32),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    pub text: String,
    /// Exported text, if it differs.
    pub exported: Option<String>,
    pub link: Option<Link>,
}

impl Cell {
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Creates a cell with a formatted number; a dash if unknown.
    pub fn number(value: Option<f64>, form: fn(f64) -> String) -> Self {
        let text = value.map_or_else(|| "–".to_owned(), form);
        Self { text, exported: Some(value.map(|value| value.to_string()).unwrap_or_default()), link: None }
    }

    #[must_use]
    pub fn to(self, link: Option<Link>) -> Self {
        Self { link, ..self }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// One cell for each column.
    pub cells: Vec<Cell>,
    /// Selections made by pressing the row: the first one, and alternatives for the same object.
    pub selections: Vec<Selection>,
    /// Target of a double press.
    pub at: Option<SliceRef>,
    pub objects: Vec<u32>,
}

impl Row {
    /// Returns the columns that have a value here, as bits.
    pub fn filled(&self) -> u32 {
        let has_value = |cell: &Cell| !matches!(cell.text.as_str(), "" | "–" | "unknown location");
        let bits = self.cells.iter().enumerate().map(|(place, cell)| u32::from(has_value(cell)) << place);
        bits.sum()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub title: &'static str,
    /// Sort key in queries; `None` if unsupported.
    pub sort: Option<&'static str>,
    /// True for numbers: they are right-aligned, and the largest come first.
    pub is_number: bool,
    /// Width, as a CSS grid column.
    pub width: &'static str,
}

impl Head {
    pub const fn new(
        title: &'static str,
        sort: Option<&'static str>,
        is_number: bool,
        width: &'static str,
    ) -> Self {
        Self { title, sort, is_number, width }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    pub total: u64,
    pub rows: Vec<T>,
}

/// Returns the columns that a table shows, as bits: the first one, and those with a value in a loaded row. Until all
/// rows are loaded, it also shows those that sort the rows: other rows may have values there.
pub fn shown(heads: &[Head], filled: u32, has_all_rows: bool) -> u32 {
    let sorts = |head: &Head| !has_all_rows && head.sort.is_some();
    let bits = heads.iter().enumerate().map(|(place, head)| u32::from(place == 0 || sorts(head)) << place);
    bits.sum::<u32>() | filled
}

/// Describes the rows related to the selection: their total, the number listed, and the number out of view.
pub fn describe_marks(words: (&str, &str), total: u64, listed: u64, hidden: u64) -> String {
    if total == 0 {
        return "Nothing here is related to the selection".to_owned();
    }
    let mut text = format!("{} related to the selection", format::counted(total, words.0, words.1));
    if hidden > 0 {
        text += &format!("; {} not visible", format::count(hidden));
    }
    if listed < total {
        text += &format!("; {} not listed", format::count(total - listed));
    }
    text
}

/// Returns the order after a press on a heading, in query syntax with `-` for descending. Numbers descend first, text
/// and times ascend; pressing again reverses the order.
pub fn next_order(order: &str, head: &Head) -> String {
    let Some(sort) = head.sort else { return order.to_owned() };
    let down = format!("-{sort}");
    let first = if head.is_number { &down } else { sort };
    if order == first { if head.is_number { sort.to_owned() } else { down } } else { first.to_owned() }
}

pub fn direction(order: &str, head: &Head) -> Option<&'static str> {
    let sort = head.sort?;
    match order.strip_prefix('-') {
        Some(column) => (column == sort).then_some("descending"),
        None => (order == sort).then_some("ascending"),
    }
}

/// Formats rows as comma-separated values (RFC 4180).
pub fn csv(heads: &[Head], rows: &[Row]) -> String {
    let mut text = String::new();
    let mut line = |cells: &mut dyn Iterator<Item = &str>| {
        for (place, cell) in cells.enumerate() {
            if place > 0 {
                text.push(',');
            }
            if cell.contains([',', '"', '\r', '\n']) {
                text += &format!("\"{}\"", cell.replace('"', "\"\""));
            } else {
                text += cell;
            }
        }
        text += "\r\n";
    };
    line(&mut heads.iter().map(|head| head.title));
    for row in rows {
        line(&mut row.cells.iter().map(|cell| cell.exported.as_ref().unwrap_or(&cell.text).as_str()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADS: [Head; 3] = [
        Head { title: "Name", sort: None, is_number: false, width: "1fr" },
        Head { title: "Made", sort: Some("made"), is_number: false, width: "80px" },
        Head { title: "Size", sort: Some("size"), is_number: true, width: "80px" },
    ];

    #[test]
    fn heads_turn_the_order_round() {
        let [name, made, size] = &HEADS;
        assert_eq!(next_order("", size), "-size");
        assert_eq!(next_order("-size", size), "size");
        assert_eq!((next_order("-size", made), next_order("made", made)), ("made".into(), "-made".into()));
        assert_eq!((next_order("made", name), direction("made", name)), ("made".into(), None));
        assert_eq!(
            (direction("-size", size), direction("size", size)),
            (Some("descending"), Some("ascending"))
        );
        assert_eq!(direction("made", size), None);
    }

    #[test]
    fn marked_rows_are_counted() {
        let told = |total, listed, hidden| describe_marks(("object", "objects"), total, listed, hidden);
        assert_eq!(told(0, 0, 0), "Nothing here is related to the selection");
        assert_eq!(told(1, 1, 0), "1 object related to the selection");
        assert_eq!(told(3, 3, 2), "3 objects related to the selection; 2 not visible");
        assert_eq!(told(3, 2, 1), "3 objects related to the selection; 1 not visible; 1 not listed");
    }

    #[test]
    fn dashes_are_no_values() {
        let cells = ["Buffer 1", "", "0 B", "–", "unknown location", "heat.cpp:9"].map(Cell::text);
        assert_eq!(Row { cells: cells.into(), ..Row::default() }.filled(), 0b10_0101);
    }

    #[test]
    fn a_column_that_sorts_is_shown_until_all_rows_are_loaded() {
        assert_eq!(shown(&HEADS, 0b001, true), 0b001);
        assert_eq!(shown(&HEADS, 0b001, false), 0b111, "another row may have a value");
        assert_eq!(shown(&HEADS, 0b100, true), 0b101, "the first column names the row");
        let unsorted = Head { sort: None, ..HEADS[1] };
        assert_eq!(shown(&[HEADS[0], unsorted], 0b01, false), 0b01);
    }

    #[test]
    fn rows_are_saved_with_plain_numbers() {
        let bytes = |value| Cell::number(value, format::bytes);
        let rows = [
            Row {
                cells: vec![Cell::text("a, \"b\""), Cell::text("1 ms"), bytes(Some(2048.0))],
                ..Row::default()
            },
            Row { cells: vec![Cell::text("c"), Cell::text("2 ms"), bytes(None)], ..Row::default() },
        ];
        assert_eq!(csv(&HEADS, &rows), "Name,Made,Size\r\n\"a, \"\"b\"\"\",1 ms,2048\r\nc,2 ms,\r\n");
        assert_eq!((rows[0].cells[2].text.as_str(), rows[1].cells[2].text.as_str()), ("2 KiB", "–"));
    }
}

//! Tables: columns, orders, and export.

pub mod forms;

use std::cmp::Ordering;

use crate::format;
use syclscope_language::sorting::Sorting as _;

enum Key {
    /// By letters, ignoring case.
    Text(String),
    Number(f64),
}

impl Key {
    fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(one), Self::Number(other)) => one.total_cmp(other),
            (Self::Text(one), Self::Text(other)) => one.to_lowercase().cmp(&other.to_lowercase()),
            (Self::Number(_), Self::Text(_)) => Ordering::Less,
            (Self::Text(_), Self::Number(_)) => Ordering::Greater,
        }
    }
}

pub struct Column<T> {
    pub id: &'static str,
    pub title: &'static str,
    cells: Cells<T>,
}

enum Cells<T> {
    Text { text: fn(&T) -> String, exported: fn(&T) -> String },
    Counted { text: fn(&T) -> String, value: fn(&T) -> f64 },
    Number { value: fn(&T) -> f64, form: fn(f64) -> String, is_amount: bool },
    Duration { value_ns: fn(&T) -> f64 },
}

impl<T> Column<T> {
    /// Creates a column of text, compared by letters.
    pub const fn text(id: &'static str, title: &'static str, text: fn(&T) -> String) -> Self {
        Self::words(id, title, text, text)
    }

    /// Creates a column of text whose sort key and exported form differ from its display form.
    pub const fn words(
        id: &'static str,
        title: &'static str,
        text: fn(&T) -> String,
        exported: fn(&T) -> String,
    ) -> Self {
        Self { id, title, cells: Cells::Text { text, exported } }
    }

    /// Creates a column of text that begins with a number and is compared by it.
    pub const fn counted(
        id: &'static str,
        title: &'static str,
        text: fn(&T) -> String,
        value: fn(&T) -> f64,
    ) -> Self {
        Self { id, title, cells: Cells::Counted { text, value } }
    }

    /// Creates a column of amounts: right-aligned, largest first.
    pub const fn amount(
        id: &'static str,
        title: &'static str,
        value: fn(&T) -> f64,
        form: fn(f64) -> String,
    ) -> Self {
        Self { id, title, cells: Cells::Number { value, form, is_amount: true } }
    }

    /// Creates a column of durations: neighbours with equal texts get digits until they differ.
    pub const fn duration(id: &'static str, title: &'static str, value_ns: fn(&T) -> f64) -> Self {
        Self { id, title, cells: Cells::Duration { value_ns } }
    }

    /// Creates a column of positions, such as moments and addresses: smallest first.
    pub const fn place(
        id: &'static str,
        title: &'static str,
        value: fn(&T) -> f64,
        form: fn(f64) -> String,
    ) -> Self {
        Self { id, title, cells: Cells::Number { value, form, is_amount: false } }
    }

    pub fn show(&self, row: &T) -> String {
        match self.cells {
            Cells::Text { text, .. } | Cells::Counted { text, .. } => text(row),
            Cells::Number { value, form, .. } => form(value(row)),
            Cells::Duration { value_ns } => format::duration(value_ns(row)),
        }
    }

    pub fn duration_ns(&self, row: &T) -> Option<f64> {
        match self.cells {
            Cells::Duration { value_ns } => Some(value_ns(row)),
            _ => None,
        }
    }

    pub fn is_amount(&self) -> bool {
        matches!(self.cells, Cells::Number { is_amount: true, .. } | Cells::Duration { .. })
    }

    fn key(&self, row: &T) -> Key {
        match self.cells {
            Cells::Text { exported, .. } => Key::Text(exported(row)),
            Cells::Number { value, .. }
            | Cells::Counted { value, .. }
            | Cells::Duration { value_ns: value } => Key::Number(value(row)),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// The column's name; empty for the original order.
    pub column: String,
    /// True if opposite to the column's default direction.
    pub is_reversed: bool,
}

impl Order {
    pub fn from_text(text: &str) -> Self {
        let (column, is_reversed) = match text.strip_prefix('-') {
            Some(column) => (column, true),
            None => (text, false),
        };
        Self { column: column.to_owned(), is_reversed }
    }

    pub fn to_text(&self) -> String {
        format!("{}{}", if self.is_reversed { "-" } else { "" }, self.column)
    }

    #[must_use]
    pub fn next(&self, column: &str) -> Self {
        let is_reversed = self.column == column && !self.is_reversed;
        Self { column: column.to_owned(), is_reversed }
    }

    /// Returns the sort direction for `aria-sort`; `None` if the table is sorted by another column.
    pub fn direction(&self, column: &str, is_amount: bool) -> Option<&'static str> {
        let descends = is_amount != self.is_reversed;
        (self.column == column).then_some(if descends { "descending" } else { "ascending" })
    }

    pub fn sort<T>(&self, columns: &[Column<T>], rows: &mut [T]) {
        let Some(column) = columns.iter().find(|column| column.id == self.column) else { return };
        let descends = column.is_amount() != self.is_reversed;
        rows.arrange_by(|one, other| {
            let order = column.key(one).compare(&column.key(other));
            if descends { order.reverse() } else { order }
        });
    }
}

/// Formats rows as comma-separated values (RFC 4180), numbers as compared; infinite ones are empty.
pub fn csv<T>(columns: &[Column<T>], rows: &[T]) -> String {
    let heads: Vec<String> = columns.iter().map(|column| quoted(column.title)).collect();
    let mut text = heads.join(",") + "\r\n";
    for row in rows {
        let cells = columns.iter().map(|column| match column.key(row) {
            Key::Number(value) if value.is_infinite() => String::new(),
            Key::Number(value) => value.to_string(),
            Key::Text(text) => quoted(&text),
        });
        text += &(cells.collect::<Vec<_>>().join(",") + "\r\n");
    }
    text
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\r', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::table::forms::whole;

    const COLUMNS: [Column<(&str, u64)>; 2] = [
        Column::text("name", "Name", |row| row.0.to_owned()),
        Column::amount("count", "Count", |row| row.1 as f64, whole),
    ];

    #[test]
    fn the_largest_numbers_and_the_first_letters_come_first() {
        let mut rows = [("b", 1), ("A", 3), ("c", 2)];
        let mut order = Order::default().next("count");
        order.sort(&COLUMNS, &mut rows);
        assert_eq!(rows.map(|row| row.1), [3, 2, 1]);
        assert_eq!(order.direction("count", true), Some("descending"));
        order = order.next("count");
        order.sort(&COLUMNS, &mut rows);
        assert_eq!((rows.map(|row| row.1), order.to_text()), ([1, 2, 3], "-count".to_owned()));
        assert_eq!(Order::from_text("-count"), order);
        order = order.next("name");
        order.sort(&COLUMNS, &mut rows);
        assert_eq!(rows.map(|row| row.0), ["A", "b", "c"]);
        assert_eq!(
            (order.direction("name", false), order.direction("count", true)),
            (Some("ascending"), None)
        );
        Order::from_text("nothing").sort(&COLUMNS, &mut rows);
        assert_eq!(rows.map(|row| row.0), ["A", "b", "c"]);
    }

    #[test]
    fn exported_text_is_quoted_where_it_must_be() {
        let text = csv(&COLUMNS, &[("f<int, \"a\">", 7), ("g", 8)]);
        assert_eq!(text, "Name,Count\r\n\"f<int, \"\"a\"\">\",7\r\ng,8\r\n");
    }
}

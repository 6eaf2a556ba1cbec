//! Tables: columns, orders, and what is exported of them.

use std::cmp::Ordering;

use crate::sorting::sort_by;

/// What a cell is compared by.
#[derive(Clone, Debug, PartialEq)]
pub enum Key {
    /// By letters, without regard to case.
    Text(String),
    /// By size.
    Number(f64),
}

impl Key {
    /// A whole number.
    pub fn count(value: u64) -> Self {
        Self::Number(value as f64)
    }

    fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(one), Self::Number(other)) => one.total_cmp(other),
            (Self::Text(one), Self::Text(other)) => one.to_lowercase().cmp(&other.to_lowercase()),
            (Self::Number(_), Self::Text(_)) => Ordering::Less,
            (Self::Text(_), Self::Number(_)) => Ordering::Greater,
        }
    }
}

/// A column of a table of `T`.
pub struct Column<T> {
    /// Its name in addresses.
    pub id: &'static str,
    /// Its head.
    pub title: &'static str,
    /// What a cell shows.
    pub text: fn(&T) -> String,
    /// What a cell is compared by.
    pub key: fn(&T) -> Key,
    /// Whether it holds numbers: they stand to the right, and the largest come first.
    pub is_number: bool,
}

/// By which column a table is sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// The column's name; empty for the order in which rows come.
    pub column: String,
    /// Against the column's usual direction.
    pub is_reversed: bool,
}

impl Order {
    /// Reads what [`Self::to_text`] wrote.
    pub fn from_text(text: &str) -> Self {
        let (column, is_reversed) = match text.strip_prefix('-') {
            Some(column) => (column, true),
            None => (text, false),
        };
        Self { column: column.to_owned(), is_reversed }
    }

    /// As an address holds it.
    pub fn to_text(&self) -> String {
        format!("{}{}", if self.is_reversed { "-" } else { "" }, self.column)
    }

    /// The order after a press on a column's head.
    #[must_use]
    pub fn pressed(&self, column: &str) -> Self {
        let is_reversed = self.column == column && !self.is_reversed;
        Self { column: column.to_owned(), is_reversed }
    }

    /// How the column is sorted, as `aria-sort` says it; `None` if the table is sorted by another one.
    pub fn direction<T>(&self, column: &Column<T>) -> Option<&'static str> {
        let descends = column.is_number != self.is_reversed;
        (self.column == column.id).then_some(if descends { "descending" } else { "ascending" })
    }

    /// Sorts rows; equal ones stay in the order in which they come.
    pub fn sort<T>(&self, columns: &[Column<T>], rows: &mut [T]) {
        let Some(column) = columns.iter().find(|column| column.id == self.column) else { return };
        let descends = column.is_number != self.is_reversed;
        let key = column.key;
        sort_by(rows, |one, other| {
            let order = key(one).compare(&key(other));
            if descends { order.reverse() } else { order }
        });
    }
}

/// Rows as comma-separated values (RFC 4180), numbers as they are compared.
pub fn csv<T>(columns: &[Column<T>], rows: &[T]) -> String {
    let heads: Vec<String> = columns.iter().map(|column| quoted(column.title)).collect();
    let mut text = heads.join(",") + "\r\n";
    for row in rows {
        let cells = columns.iter().map(|column| match (column.key)(row) {
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

    const COLUMNS: [Column<(&str, u64)>; 2] = [
        Column {
            id: "name",
            title: "Name",
            text: |row| row.0.to_owned(),
            key: |row| Key::Text(row.0.to_owned()),
            is_number: false,
        },
        Column {
            id: "count",
            title: "Count",
            text: |row| row.1.to_string(),
            key: |row| Key::count(row.1),
            is_number: true,
        },
    ];

    #[test]
    fn the_largest_numbers_and_the_first_letters_come_first() {
        let mut rows = [("b", 1), ("A", 3), ("c", 2)];
        let mut order = Order::default().pressed("count");
        order.sort(&COLUMNS, &mut rows);
        assert_eq!(rows.map(|row| row.1), [3, 2, 1]);
        assert_eq!(order.direction(&COLUMNS[1]), Some("descending"));
        order = order.pressed("count");
        order.sort(&COLUMNS, &mut rows);
        assert_eq!((rows.map(|row| row.1), order.to_text()), ([1, 2, 3], "-count".to_owned()));
        assert_eq!(Order::from_text("-count"), order);
        order = order.pressed("name");
        order.sort(&COLUMNS, &mut rows);
        assert_eq!(rows.map(|row| row.0), ["A", "b", "c"]);
        assert_eq!((order.direction(&COLUMNS[0]), order.direction(&COLUMNS[1])), (Some("ascending"), None));
        Order::from_text("nothing").sort(&COLUMNS, &mut rows);
        assert_eq!(rows.map(|row| row.0), ["A", "b", "c"]);
    }

    #[test]
    fn exported_text_is_quoted_where_it_must_be() {
        let text = csv(&COLUMNS, &[("f<int, \"a\">", 7), ("g", 8)]);
        assert_eq!(text, "Name,Count\r\n\"f<int, \"\"a\"\">\",7\r\ng,8\r\n");
    }
}

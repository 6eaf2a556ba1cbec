//! Cells of tables, for other formats than Parquet.

use std::borrow::Cow;

use super::{Table, Values};

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnInfo {
    /// Its name, with the unit as a suffix.
    pub name: &'static str,
    /// Its type in SQL.
    pub type_name: &'static str,
    /// Description of its values.
    pub about: &'static str,
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    /// No value.
    Null,
    /// An integer; booleans are 0 and 1.
    Integer(i64),
    /// An address or handle.
    Address(u64),
    /// A number.
    Float(f64),
    /// A text.
    Text(Cow<'a, str>),
}

impl Table<'_> {
    /// Returns the description of the rows.
    pub fn about(&self) -> &'static str {
        self.about
    }

    /// Returns the columns, from the left.
    pub fn columns(&self) -> impl Iterator<Item = ColumnInfo> {
        self.columns.iter().map(|column| ColumnInfo {
            name: column.name,
            type_name: column.values.type_name(),
            about: column.about,
        })
    }

    /// Returns the value of a column in a row; [`Cell::Null`] if there is no such column.
    pub fn cell(&self, column: usize, row: usize) -> Cell<'_> {
        match self.columns.get(column).map(|column| &column.values) {
            None => Cell::Null,
            Some(Values::Int(value)) => Cell::Integer(value(row).cast_signed()),
            Some(Values::MaybeInt(value)) => value(row).map_or(Cell::Null, Cell::Integer),
            Some(Values::Address(value)) => Cell::Address(value(row)),
            Some(Values::Float(value)) => Cell::Float(value(row)),
            Some(Values::Text(value)) => Cell::Text(value(row)),
            Some(Values::Truth(value)) => Cell::Integer(value(row).into()),
        }
    }
}

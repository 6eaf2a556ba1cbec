//! Rows selected by an SQL statement.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Rows of an SQL statement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SqlRows {
    /// Columns, from the left.
    pub columns: Vec<SqlColumn>,
    /// Rows, each with a cell for each column.
    pub rows: Vec<Vec<SqlCell>>,
    /// True if the statement selects further rows.
    pub is_cut: bool,
}

/// A column of these rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SqlColumn {
    /// Its name.
    pub name: String,
    /// Kind of its values.
    pub kind: SqlKind,
}

answer_words! {
    /// Kinds of columns.
    #[derive(Default)]
    SqlKind {
        /// Every value is null.
        #[default]
        Null = "null",
        /// Integers.
        Integer = "integer",
        /// Numbers.
        Number = "number",
        /// Texts, possibly with numbers among them.
        Text = "text",
    }
}

impl SqlKind {
    /// True for integers and other numbers.
    pub fn is_number(self) -> bool {
        matches!(self, Self::Integer | Self::Number)
    }
}

/// A value in a row. Numbers that are not finite are texts, as are bytes (`x'00ff'`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SqlCell {
    /// No value.
    #[default]
    Null,
    /// An integer; booleans are 0 and 1.
    Integer(i64),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

/// Null is written as an empty text.
impl fmt::Display for SqlCell {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => Ok(()),
            Self::Integer(number) => number.fmt(out),
            Self::Number(number) => number.fmt(out),
            Self::Text(text) => out.write_str(text),
        }
    }
}

//! Rows that a statement of SQL selects.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Rows of a statement of SQL.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SqlRows {
    /// Columns, from the left.
    pub columns: Vec<SqlColumn>,
    /// Rows, each with a cell for each column.
    pub rows: Vec<Vec<SqlCell>>,
    /// True if the statement selects further rows.
    pub is_cut: bool,
}

/// A column of such rows.
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
        /// Whole numbers.
        Integer = "integer",
        /// Numbers.
        Number = "number",
        /// Texts, perhaps with numbers among them.
        Text = "text",
    }
}

impl SqlKind {
    /// True for numbers, whole or not.
    pub fn is_number(self) -> bool {
        matches!(self, Self::Integer | Self::Number)
    }
}

/// A value of a row. A number that is not finite is a text, as are bytes (`x'00ff'`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SqlCell {
    /// No value.
    #[default]
    Null,
    /// A whole number; truths are 0 and 1.
    Integer(i64),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

/// Null is empty.
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

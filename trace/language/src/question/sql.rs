//! A statement of SQL about the tables of a trace.

use super::forms::{Bounded, text};

/// `sql?query=STATEMENT&limit=N`: rows that a statement of SQL selects from the tables of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SqlQuestion {
    /// `query`: the statement. Without one the answer lists the tables with their columns.
    pub statement: String,
    /// `limit`: maximum number of rows.
    pub limit: u32,
}

parameters! {
    SqlQuestion {
        statement: text("query"),
        limit: Bounded { name: "limit", expected: "a number up to 100000", bounds: 0..=SqlQuestion::MOST, usual: SqlQuestion::LIMIT },
    }
}

impl SqlQuestion {
    /// Rows of an answer if the question does not limit them.
    pub const LIMIT: u32 = 10_000;
    /// Maximum rows of an answer.
    pub const MOST: u32 = 100_000;
}

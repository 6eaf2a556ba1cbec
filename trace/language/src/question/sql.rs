//! An SQL statement about the tables of a trace.

use super::forms::{Bounded, text};

/// `sql?query=STATEMENT&limit=N`: rows that an SQL statement selects from the tables of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SqlQuestion {
    /// `query`: the statement. If it is empty, the answer lists the tables and their columns.
    pub statement: String,
    /// `limit`: maximum number of rows.
    pub limit: u32,
}

parameters! {
    SqlQuestion {
        statement: text("query"),
        limit: Bounded { name: "limit", expected: "a number up to 100000", bounds: 0..=SqlQuestion::MAX_LIMIT, usual: SqlQuestion::LIMIT },
    }
}

impl SqlQuestion {
    /// Maximum rows of an answer unless the query sets a limit.
    pub const LIMIT: u32 = 10_000;
    /// Highest valid limit.
    pub const MAX_LIMIT: u32 = 100_000;
}

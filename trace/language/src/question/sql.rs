//! A statement of SQL about the tables of a trace.

use std::fmt;

use super::QuestionError;
use super::params::{ParamWriter, Params};

/// `sql?query=STATEMENT&limit=N`: rows that a statement of SQL selects from the tables of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SqlQuestion {
    /// `query`: the statement. Without one the answer lists the tables with their columns.
    pub statement: String,
    /// `limit`: maximum number of rows.
    pub limit: u32,
}

impl SqlQuestion {
    /// Rows of an answer if the question does not limit them.
    pub const LIMIT: u32 = 10_000;
    /// Maximum rows of an answer.
    pub const MOST: u32 = 100_000;

    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        let statement = params.text("query").unwrap_or_default();
        let of = |text: &str| text.parse().ok().filter(|limit| *limit <= Self::MOST);
        let limit = params.parse("limit", "a number up to 100000", of)?.unwrap_or(Self::LIMIT);
        Ok(Self { statement, limit })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        out.pair("query", Some(&self.statement).filter(|text| !text.is_empty()))?;
        out.pair("limit", Some(self.limit).filter(|limit| *limit != Self::LIMIT))
    }
}

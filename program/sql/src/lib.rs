//! SQL over the tables of a trace ([manual](../../../docs/SQL.md)).
//!
//! A statement is first prepared against empty tables. SQLite reports the columns that it reads, and only
//! these are filled in.

mod database;
mod error;
mod functions;
mod guard;
mod heap;

use syclscope_engine::query::{QueryError, json};
use syclscope_engine::store::Trace;
use syclscope_language::api::SqlRows;
use syclscope_language::question::{Question, SqlQuestion};

pub use heap::begin;

/// Answers a query as JSON, SQL included.
///
/// # Errors
/// Returns an error if the trace lacks an entity that the query names, the statement is wrong, or the answer exceeds
/// its limits.
pub fn answer(trace: &Trace, question: &Question) -> Result<String, QueryError> {
    match question {
        Question::Sql(question) => json(&rows(trace, question)?),
        other => trace.answer(other),
    }
}

/// Returns the rows that a statement selects; without a statement, the tables with their columns.
///
/// # Errors
/// Returns an error if the statement is wrong, or the answer exceeds its limits.
pub fn rows(trace: &Trace, question: &SqlQuestion) -> Result<SqlRows, QueryError> {
    if question.statement.trim().is_empty() {
        return Ok(database::tables_with_columns(trace));
    }
    begin();
    heap::limited(|| database::select(trace, &question.statement, question.limit as usize))
}

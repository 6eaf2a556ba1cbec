//! Answers to queries about a trace, for every command that takes arbitrary queries.

use syclscope_engine::cancel;
use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;
use syclscope_language::question::RangedQuestion;
use syclscope_system::memory;

pub(super) fn answer(trace: &Trace, question: &RangedQuestion) -> Result<String, QueryError> {
    alone(|| syclscope_sql::answer(trace, &trace.question(question)?))
}

/// Runs `work` with the memory budget of a process that has no other work.
pub(super) fn alone<T>(work: impl FnOnce() -> Result<T, QueryError>) -> Result<T, QueryError> {
    cancel::within_memory(&memory::alone(), work)?
}

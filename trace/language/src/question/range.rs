//! `from` and `to`: a range of time.

use std::fmt;

use super::QuestionError;
use super::params::{ParamWriter, Params};

const TIME: &str = "nanoseconds since the trace's start";

/// Begin and end of a range; the trace's where omitted.
type Ends = (Option<u64>, Option<u64>);

/// Parses `from` and `to`. Rejects a range that ends before it begins.
pub(crate) fn read(params: &mut Params) -> Result<Ends, QuestionError> {
    read_named(params, "from", "to")
}

/// Parses the same under other names.
pub(crate) fn read_named(
    params: &mut Params,
    begin: &'static str,
    end: &'static str,
) -> Result<Ends, QuestionError> {
    let (from, to) = (params.get(begin, TIME)?, params.get(end, TIME)?);
    match (from, to) {
        (Some(from), Some(to)) if from > to => Err(QuestionError::Reversed { from, to }),
        ends => Ok(ends),
    }
}

pub(crate) fn write((from, to): Ends, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
    out.pair("from", from)?;
    out.pair("to", to)
}

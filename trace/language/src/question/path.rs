//! `critical_path`: the chain that decided how long a run, or a part of it, took.

use std::fmt;

use super::QuestionError;
use super::params::{ParamWriter, Params};

/// `critical_path?from=NS&to=NS&limit=N`: steps of the critical path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PathQuestion {
    /// `from`: begin of the range; the trace's start if omitted. Steps are cut at the range.
    pub from_ns: Option<u64>,
    /// `to`: end of the range; the trace's end if omitted.
    pub to_ns: Option<u64>,
    /// `limit`: maximum steps in the list, the longest ones; 20,000 if omitted.
    pub limit: Option<u32>,
}

const TIME: &str = "nanoseconds since the trace's start";

impl PathQuestion {
    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        Ok(Self {
            from_ns: params.get("from", TIME)?,
            to_ns: params.get("to", TIME)?,
            limit: params.get("limit", "a number of steps")?,
        })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        out.pair("from", self.from_ns)?;
        out.pair("to", self.to_ns)?;
        out.pair("limit", self.limit)
    }
}

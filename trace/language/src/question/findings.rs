//! `findings`: probable faults of a run, or of a part of it.

use std::fmt;

use super::QuestionError;
use super::params::{ParamWriter, Params};

/// `findings?from=NS&to=NS&limit=N`: findings, the most important ones first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FindingsQuestion {
    /// `from`: begin of the range; the trace's start if omitted.
    pub from_ns: Option<u64>,
    /// `to`: end of the range; the trace's end if omitted.
    pub to_ns: Option<u64>,
    /// `limit`: maximum findings in the list; all if omitted.
    pub limit: Option<u32>,
}

const TIME: &str = "nanoseconds since the trace's start";

impl FindingsQuestion {
    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        Ok(Self {
            from_ns: params.get("from", TIME)?,
            to_ns: params.get("to", TIME)?,
            limit: params.get("limit", "a number of findings")?,
        })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        out.pair("from", self.from_ns)?;
        out.pair("to", self.to_ns)?;
        out.pair("limit", self.limit)
    }
}

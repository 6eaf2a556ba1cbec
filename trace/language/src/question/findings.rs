//! `findings`: probable faults of a run, or of a part of it.

use std::fmt;

use super::params::{ParamWriter, Params};
use super::{QuestionError, range};

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

impl FindingsQuestion {
    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        let (from_ns, to_ns) = range::read(params)?;
        Ok(Self { from_ns, to_ns, limit: params.get("limit", "a number of findings")? })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        range::write((self.from_ns, self.to_ns), out)?;
        out.pair("limit", self.limit)
    }
}

//! `critical_path`: the chain that decided how long a run, or a part of it, took.

use std::fmt;

use super::params::{ParamWriter, Params};
use super::{QuestionError, range};

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

impl PathQuestion {
    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        let (from_ns, to_ns) = range::read(params)?;
        Ok(Self { from_ns, to_ns, limit: params.get("limit", "a number of steps")? })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        range::write((self.from_ns, self.to_ns), out)?;
        out.pair("limit", self.limit)
    }
}

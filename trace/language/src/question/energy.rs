//! `energy`: energy of devices by command.

use std::fmt;

use super::params::{ParamWriter, Params};
use super::selection::{LIMIT, limit, write_limit};
use super::{QuestionError, range};

/// `energy?from=NS&to=NS&limit=100`: energy by command, most energy first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EnergyQuestion {
    /// `from`: begin of the range; the trace's start if omitted.
    pub from_ns: Option<u64>,
    /// `to`: end of the range; the trace's end if omitted.
    pub to_ns: Option<u64>,
    /// `limit`: maximum commands in the list of each counter.
    pub limit: u32,
}

impl Default for EnergyQuestion {
    fn default() -> Self {
        Self { from_ns: None, to_ns: None, limit: LIMIT }
    }
}

impl EnergyQuestion {
    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        let (from_ns, to_ns) = range::read(params)?;
        Ok(Self { from_ns, to_ns, limit: limit(params, "limit")? })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        range::write((self.from_ns, self.to_ns), out)?;
        write_limit(self.limit, "limit", out)
    }
}

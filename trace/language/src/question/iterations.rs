//! `iterations`: the rounds of a run's main loop.

use std::fmt;

use super::QuestionError;
use super::params::{ParamWriter, Params};
use super::selection::{limit, write_limit};

/// `iterations?region=NAME&command=NAME&offset=0&limit=100`: iterations and their times.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IterationsQuestion {
    /// `region`: iterations are the regions of this name; numbers in a name are equal, unless a thread has several of
    /// exactly this name.
    pub region: Option<String>,
    /// `command`: iterations begin where commands of this name start.
    pub command: Option<String>,
    /// `offset`: iterations before the list.
    pub offset: u32,
    /// `limit`: maximum iterations in the list.
    pub limit: u32,
}

impl Default for IterationsQuestion {
    fn default() -> Self {
        Self { region: None, command: None, offset: 0, limit: super::selection::LIMIT }
    }
}

impl IterationsQuestion {
    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        Ok(Self {
            region: params.text("region"),
            command: params.text("command"),
            offset: params.get("offset", "a number of iterations")?.unwrap_or_default(),
            limit: limit(params, "limit")?,
        })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        out.pair("region", self.region.as_ref())?;
        out.pair("command", self.command.as_ref())?;
        out.pair("offset", Some(self.offset).filter(|offset| *offset > 0))?;
        write_limit(self.limit, "limit", out)
    }
}

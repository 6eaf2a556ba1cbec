//! `gaps`: idle stretches of a device, queue or thread.

use std::fmt;

use super::params::{ParamWriter, Params};
use super::selection::{limit, write_limit};
use super::{QuestionError, range};

/// `gaps?track=3&from=NS&to=NS&at=NS&shortest=NS&limit=100`: idle stretches and their causes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GapsQuestion {
    /// `track`: a device's, queue's or thread's track; all devices if omitted.
    pub track: Option<u32>,
    /// `from`: begin of the range; the trace's start if omitted. Stretches are cut at the range.
    pub from_ns: Option<u64>,
    /// `to`: end of the range; the trace's end if omitted.
    pub to_ns: Option<u64>,
    /// `at`: only the stretch around this moment.
    pub at_ns: Option<u64>,
    /// `shortest`: only stretches of at least this length, in nanoseconds. Sums include shorter ones.
    pub shortest_ns: u64,
    /// `limit`: maximum stretches in the list, longest first.
    pub limit: u32,
}

impl Default for GapsQuestion {
    fn default() -> Self {
        let limit = super::selection::LIMIT;
        Self { track: None, from_ns: None, to_ns: None, at_ns: None, shortest_ns: 0, limit }
    }
}

const TIME: &str = "nanoseconds since the trace's start";

impl GapsQuestion {
    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        let (from_ns, to_ns) = range::read(params)?;
        Ok(Self {
            track: params.get("track", "the number of a track")?,
            from_ns,
            to_ns,
            at_ns: params.get("at", TIME)?,
            shortest_ns: params.get("shortest", "a number of nanoseconds")?.unwrap_or_default(),
            limit: limit(params, "limit")?,
        })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        out.pair("track", self.track)?;
        range::write((self.from_ns, self.to_ns), out)?;
        out.pair("at", self.at_ns)?;
        out.pair("shortest", Some(self.shortest_ns).filter(|shortest| *shortest > 0))?;
        write_limit(self.limit, "limit", out)
    }
}

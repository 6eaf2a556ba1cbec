//! Which copies a question is about; and the question about leaks.

use std::fmt;

use super::super::QuestionError;
use super::super::params::{ParamWriter, Params};
use super::super::selection::{flag, limit, write_limit};
use super::TouchedBy;
use super::objects::write_touched;
use crate::api::{Need, Side};

words! {
    /// By what copies are ordered; by time then.
    TransferOrder {
        /// Begin, from the first.
        #[default]
        Start = "start",
        /// Begin, from the last.
        StartDown = "-start",
        /// Bytes, from the fewest.
        Bytes = "bytes",
        /// Bytes, from the most.
        BytesDown = "-bytes",
        /// Device time, from the shortest.
        Duration = "duration",
        /// Device time, from the longest.
        DurationDown = "-duration",
        /// Bytes a nanosecond, from the slowest; what is not known first.
        Rate = "rate",
        /// Bytes a nanosecond, from the fastest.
        RateDown = "-rate",
    }
}

/// `transfers?…`: a part of the list of a run's copies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TransfersQuestion {
    /// `object`: those from or to an object, by its id.
    pub object: Option<u32>,
    /// `from`: those that are not over before this moment.
    pub from_ns: Option<u64>,
    /// `to`: those that begin before this moment.
    pub to_ns: Option<u64>,
    /// `need`: those that were needed, or were not.
    pub need: Option<Need>,
    /// `source`: those from this side.
    pub source: Option<Side>,
    /// `target`: those to this side.
    pub target: Option<Side>,
    /// `text`: those whose name, file or function contains it, whatever the case.
    pub text: String,
    /// Those that move an object that a thing has to do with.
    pub touched_by: Option<TouchedBy>,
    /// `mark=true`: the others are not left out; the answer tells where these are.
    pub mark: bool,
    /// `sort`
    pub sort: TransferOrder,
    /// `offset`: copies before the first one listed.
    pub offset: u64,
    /// `limit`: how many, at most.
    pub limit: u32,
}

/// `leaks?process=P&limit=N`: memory that is never given back, that grows, and that is used wrongly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaksQuestion {
    /// `process`: of a process, an index into [`TraceInfo::processes`](crate::api::TraceInfo::processes).
    pub process: Option<u32>,
    /// `limit`: how many places, growths and misuses, at most.
    pub limit: u32,
}

const TIME: &str = "nanoseconds since the trace's start";

impl Need {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Needed, Self::Unchanged, Self::NeverRead, Self::Unknown];

    /// Its word in questions and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Needed => "needed",
            Self::Unchanged => "unchanged",
            Self::NeverRead => "never_read",
            Self::Unknown => "unknown",
        }
    }
}

impl Side {
    /// Every one.
    pub const ALL: [Self; 6] =
        [Self::Host, Self::Device, Self::Both, Self::Shared, Self::Nowhere, Self::Unknown];

    /// Its word in questions and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Device => "device",
            Self::Both => "both",
            Self::Shared => "shared",
            Self::Nowhere => "nowhere",
            Self::Unknown => "unknown",
        }
    }
}

impl TransfersQuestion {
    pub(crate) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        const SIDE: &str = "one of host device shared unknown";
        let need = |text: &str| Need::ALL.into_iter().find(|known| known.as_str() == text);
        let side = |text: &str| Side::ALL.into_iter().find(|known| known.as_str() == text);
        Ok(Self {
            object: params.get("object", "the id of an object")?,
            from_ns: params.get("from", TIME)?,
            to_ns: params.get("to", TIME)?,
            need: params.parse("need", "one of needed unchanged never_read unknown", need)?,
            source: params.parse("source", SIDE, side)?,
            target: params.parse("target", SIDE, side)?,
            text: params.text("text").unwrap_or_default(),
            touched_by: TouchedBy::read(params)?,
            mark: flag(params, "mark")?,
            sort: TransferOrder::read(params, "sort")?,
            offset: params.get("offset", "a number of copies")?.unwrap_or_default(),
            limit: limit(params, "limit")?,
        })
    }

    pub(crate) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        out.pair("object", self.object)?;
        out.pair("from", self.from_ns)?;
        out.pair("to", self.to_ns)?;
        out.pair("need", self.need.map(Need::as_str))?;
        out.pair("source", self.source.map(Side::as_str))?;
        out.pair("target", self.target.map(Side::as_str))?;
        out.pair("text", Some(&self.text).filter(|text| !text.is_empty()))?;
        write_touched(self.touched_by.as_ref(), self.mark, out)?;
        self.sort.write("sort", out)?;
        out.pair("offset", Some(self.offset).filter(|offset| *offset > 0))?;
        write_limit(self.limit, "limit", out)
    }
}

impl LeaksQuestion {
    pub(crate) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        Ok(Self {
            process: params.get("process", "the number of a process")?,
            limit: limit(params, "limit")?,
        })
    }

    pub(crate) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        out.pair("process", self.process)?;
        write_limit(self.limit, "limit", out)
    }
}

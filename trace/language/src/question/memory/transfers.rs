//! Selection of transfers, and the query about leaks.

use std::fmt;

use super::super::params::{ParamWriter, Params};
use super::super::selection::{flag, limit, write_limit};
use super::super::{QuestionError, range};
use super::TouchedBy;
use super::objects::write_touched;
use crate::api::{Need, Side};

words! {
    /// Order of transfers; ties by time.
    TransferOrder {
        /// Begin, ascending.
        #[default]
        Start = "start",
        /// Begin, descending.
        StartDown = "-start",
        /// Bytes, ascending.
        Bytes = "bytes",
        /// Bytes, descending.
        BytesDown = "-bytes",
        /// Device time, ascending.
        Duration = "duration",
        /// Device time, descending.
        DurationDown = "-duration",
        /// Bytes per nanosecond, ascending; unknown ones first.
        Rate = "rate",
        /// Bytes per nanosecond, descending.
        RateDown = "-rate",
    }
}

/// `transfers?…`: a page of the list of a run's transfers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TransfersQuestion {
    /// `object`: those from or to an object, by its id.
    pub object: Option<u32>,
    /// `from`: those that end at or after this moment.
    pub from_ns: Option<u64>,
    /// `to`: those that begin before this moment.
    pub to_ns: Option<u64>,
    /// `need`: those that were needed, or were not.
    pub need: Option<Need>,
    /// `source`: those from this side.
    pub source: Option<Side>,
    /// `target`: those to this side.
    pub target: Option<Side>,
    /// `text`: those whose name, file or function contains it, ignoring case.
    pub text: String,
    /// Only transfers of an object related to an entity.
    pub touched_by: Option<TouchedBy>,
    /// `mark=true`: other transfers are not removed; the answer has the positions of the related ones.
    pub mark: bool,
    /// `sort`
    pub sort: TransferOrder,
    /// `offset`: number of skipped transfers.
    pub offset: u64,
    /// `limit`: maximum number.
    pub limit: u32,
}

/// `leaks?process=P&limit=N`: memory that is never released, that grows, and that is misused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaksQuestion {
    /// `process`: of a process, an index into [`TraceInfo::processes`](crate::api::TraceInfo::processes).
    pub process: Option<u32>,
    /// `limit`: maximum sites, growths and misuses.
    pub limit: u32,
}

impl Need {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Needed, Self::Unchanged, Self::NeverRead, Self::Unknown];

    /// Word in queries and answers.
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

    /// Word in queries and answers.
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
        let (from_ns, to_ns) = range::read(params)?;
        Ok(Self {
            object: params.get("object", "the id of an object")?,
            from_ns,
            to_ns,
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
        range::write((self.from_ns, self.to_ns), out)?;
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

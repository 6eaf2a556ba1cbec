//! Selection of transfers, and the query about leaks.

use super::super::forms::{Several, flag, from, limit, optional, text, to, usual, usual_word, word};
use super::TouchedBy;
use crate::api::{Need, Side};

words! {
    /// Order of transfers; ties by time.
    #[derive(Default)]
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

parameters! {
    TransfersQuestion {
        object: optional("object", "the id of an object"),
        from_ns: from(),
        to_ns: to(),
        need: word("need"),
        source: word("source"),
        target: word("target"),
        text: text("text"),
        touched_by: Several,
        mark: flag("mark"),
        sort: usual_word("sort"),
        offset: usual("offset", "a number of copies"),
        limit: limit("limit"),
    }
}

/// `leaks?process=P&limit=N`: memory that is never released, that grows, and that is misused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaksQuestion {
    /// `process`: of a process, an index into [`TraceInfo::processes`](crate::api::TraceInfo::processes).
    pub process: Option<u32>,
    /// `limit`: maximum sites, growths and misuses.
    pub limit: u32,
}

parameters! {
    LeaksQuestion {
        process: optional("process", "the number of a process"),
        limit: limit("limit"),
    }
}

//! Selection of transfers, and the query about leaks.

use super::super::forms::{Several, flag, from, limit, optional, text, to, usual, usual_word, word};
use super::TouchedBy;
use crate::api::{Need, Side};

words! {
    /// Order of transfers; ties are sorted by time.
    #[derive(Default)]
    TransferOrder {
        /// Start, ascending.
        #[default]
        Start = "start",
        /// Start, descending.
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

/// `transfers?…`: a page of the list of transfers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TransfersQuestion {
    /// `object`: only transfers from or to the object with this id.
    pub object: Option<u32>,
    /// `from`: only transfers that end at or after this time.
    pub from_ns: Option<u64>,
    /// `to`: only transfers that start before this time.
    pub to_ns: Option<u64>,
    /// `need`: only transfers with this need.
    pub need: Option<Need>,
    /// `source`: only transfers from this side.
    pub source: Option<Side>,
    /// `target`: only transfers to this side.
    pub target: Option<Side>,
    /// `text`: only transfers whose name, file or function contains the text, ignoring case.
    pub text: String,
    /// Only transfers of objects that this entity touches.
    pub touched_by: Option<TouchedBy>,
    /// `mark=true`: keeps unrelated transfers in the list, and returns the positions of the related ones.
    pub mark: bool,
    /// `sort`: order of the copies.
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

/// `leaks?process=P&limit=N`: memory that is never released, that grows, or that is misused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaksQuestion {
    /// `process`: only memory of this process, an index into
    /// [`TraceInfo::processes`](crate::api::TraceInfo::processes).
    pub process: Option<u32>,
    /// `limit`: maximum number of sites, growths and misuses.
    pub limit: u32,
}

parameters! {
    LeaksQuestion {
        process: optional("process", "the number of a process"),
        limit: limit("limit"),
    }
}

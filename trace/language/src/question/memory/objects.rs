//! Selection of objects.

use super::super::forms::{Several, flag, from, limit, optional, text, to, usual, usual_word, words};
use super::TouchedBy;
use crate::api::{ObjectProblem, ObjectWhat};

words! {
    /// Order of objects; ties are sorted by id.
    #[derive(Default)]
    ObjectOrder {
        /// Time of creation, ascending.
        #[default]
        Made = "made",
        /// Time of creation, descending.
        MadeDown = "-made",
        /// Size, ascending.
        Size = "size",
        /// Size, descending.
        SizeDown = "-size",
        /// Lifetime, ascending; up to the trace's end if the object was not destroyed.
        Lifetime = "lifetime",
        /// Lifetime, descending.
        LifetimeDown = "-lifetime",
        /// Bytes copied in and out, ascending.
        Copied = "copied",
        /// Bytes copied in and out, descending.
        CopiedDown = "-copied",
        /// Number of commands that use it, ascending.
        Commands = "commands",
        /// Number of commands that use it, descending.
        CommandsDown = "-commands",
        /// Bytes never touched, ascending; unknown ones first.
        Untouched = "untouched",
        /// Bytes never touched, descending.
        UntouchedDown = "-untouched",
        /// Time from the last use to the end of the lifetime, ascending; unknown ones first.
        Idle = "idle",
        /// Time from the last use to the end of the lifetime, descending.
        IdleDown = "-idle",
    }
}

/// `objects?…`: a page of the list of memory objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ObjectsQuestion {
    /// `process`: only objects of this process, an index into
    /// [`TraceInfo::processes`](crate::api::TraceInfo::processes).
    pub process: Option<u32>,
    /// `what=buffer.device`: only objects of these kinds.
    pub what: Option<Vec<ObjectWhat>>,
    /// `problems=unused.oversize`: only objects with one of these problems.
    pub problems: Option<Vec<ObjectProblem>>,
    /// `from`: only objects that exist at this time or later.
    pub from_ns: Option<u64>,
    /// `to`: only objects created before this time.
    pub to_ns: Option<u64>,
    /// `text`: only objects whose file, function, element type or device contains the text, ignoring case, or whose
    /// address equals it.
    pub text: String,
    /// Only objects that this entity touches.
    pub touched_by: Option<TouchedBy>,
    /// `mark=true`: keeps unrelated objects in the list, and returns the positions of the related ones.
    pub mark: bool,
    /// `sort`: order of the objects.
    pub sort: ObjectOrder,
    /// `offset`: number of skipped objects.
    pub offset: u64,
    /// `limit`: maximum number.
    pub limit: u32,
}

parameters! {
    ObjectsQuestion {
        process: optional("process", "the number of a process"),
        what: words("what", WHAT),
        problems: words("problems", PROBLEMS),
        from_ns: from(),
        to_ns: to(),
        text: text("text"),
        touched_by: Several,
        mark: flag("mark"),
        sort: usual_word("sort"),
        offset: usual("offset", "a number of objects"),
        limit: limit("limit"),
    }
}

/// `objects/ID?offset=N&limit=N`: an object and its history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ObjectQuestion {
    /// Id of the object.
    pub id: u32,
    /// `offset`: number of skipped events.
    pub offset: u64,
    /// `limit`: maximum events.
    pub limit: u32,
}

parameters! {
    ObjectQuestion [id] {
        offset: usual("offset", "a number of events"),
        limit: limit("limit"),
    }
}

const WHAT: &str = "kinds of objects, separated by dots: buffer sub_buffer image device shared host other";
const PROBLEMS: &str = "problems, separated by dots: unused oversize unreleased released_late";

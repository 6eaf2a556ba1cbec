//! Which objects a question is about.

use std::fmt;

use super::super::QuestionError;
use super::super::params::{ParamWriter, Params};
use super::super::selection::{flag, limit, write_limit};
use super::TouchedBy;
use crate::api::{ObjectProblem, ObjectWhat};

words! {
    /// By what objects are ordered; by id then.
    ObjectOrder {
        /// When they were made, from the first.
        #[default]
        Made = "made",
        /// When they were made, from the last.
        MadeDown = "-made",
        /// Size, from the smallest.
        Size = "size",
        /// Size, from the largest.
        SizeDown = "-size",
        /// How long they lived, from the shortest; to the trace's end where they did not end.
        Lifetime = "lifetime",
        /// How long they lived, from the longest.
        LifetimeDown = "-lifetime",
        /// Bytes copied in and out, from the fewest.
        Copied = "copied",
        /// Bytes copied in and out, from the most.
        CopiedDown = "-copied",
        /// Commands that use them, from the fewest.
        Commands = "commands",
        /// Commands that use them, from the most.
        CommandsDown = "-commands",
        /// Bytes never touched, from the fewest; what is not known first.
        Untouched = "untouched",
        /// Bytes never touched, from the most.
        UntouchedDown = "-untouched",
        /// Time from the last use to the end, from the shortest; what is not known first.
        Idle = "idle",
        /// Time from the last use to the end, from the longest.
        IdleDown = "-idle",
    }
}

/// `objects?…`: a part of the list of a program's objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ObjectsQuestion {
    /// `process`: of a process, an index into [`TraceInfo::processes`](crate::api::TraceInfo::processes).
    pub process: Option<u32>,
    /// `what=buffer.device`: what they are.
    pub what: Option<Vec<ObjectWhat>>,
    /// `problems=unused.oversize`: those with one of these problems.
    pub problems: Option<Vec<ObjectProblem>>,
    /// `from`: those live then or later.
    pub from_ns: Option<u64>,
    /// `to`: those made before that moment.
    pub to_ns: Option<u64>,
    /// `text`: those whose file, function, element type or device contains it, whatever the case; or whose address is
    /// this.
    pub text: String,
    /// Those that a thing has to do with.
    pub touched_by: Option<TouchedBy>,
    /// `mark=true`: the others are not left out; the answer tells where these are.
    pub mark: bool,
    /// `sort`
    pub sort: ObjectOrder,
    /// `offset`: objects before the first one listed.
    pub offset: u64,
    /// `limit`: how many, at most.
    pub limit: u32,
}

/// `objects/ID?offset=N&limit=N`: an object and what happened to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ObjectQuestion {
    /// Its id.
    pub id: u32,
    /// `offset`: events before the first one listed.
    pub offset: u64,
    /// `limit`: how many events, at most.
    pub limit: u32,
}

const WHAT: &str = "what objects are, with dots between: buffer sub_buffer image device shared host other";
const PROBLEMS: &str = "problems with dots between them: unused oversize unreleased released_late";
const TIME: &str = "nanoseconds since the trace's start";

impl ObjectWhat {
    /// Every one.
    pub const ALL: [Self; 7] =
        [Self::Buffer, Self::SubBuffer, Self::Image, Self::Device, Self::Shared, Self::Host, Self::Other];

    /// Its word in questions and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Buffer => "buffer",
            Self::SubBuffer => "sub_buffer",
            Self::Image => "image",
            Self::Device => "device",
            Self::Shared => "shared",
            Self::Host => "host",
            Self::Other => "other",
        }
    }
}

impl ObjectProblem {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Unused, Self::Oversize, Self::Unreleased, Self::ReleasedLate];

    /// Its word in questions and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unused => "unused",
            Self::Oversize => "oversize",
            Self::Unreleased => "unreleased",
            Self::ReleasedLate => "released_late",
        }
    }
}

/// Words with dots between them.
fn words<T: Copy>(text: &str, all: &[T], word: fn(T) -> &'static str) -> Option<Vec<T>> {
    let of = |part| all.iter().copied().find(|known| word(*known) == part);
    text.split('.').filter(|part| !part.is_empty()).map(of).collect()
}

fn joined<T: Copy>(words: &[T], word: fn(T) -> &'static str) -> String {
    words.iter().map(|known| word(*known)).collect::<Vec<_>>().join(".")
}

impl ObjectsQuestion {
    pub(crate) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        let what = |text: &str| words(text, &ObjectWhat::ALL, ObjectWhat::as_str);
        let problems = |text: &str| words(text, &ObjectProblem::ALL, ObjectProblem::as_str);
        Ok(Self {
            process: params.get("process", "the number of a process")?,
            what: params.parse("what", WHAT, what)?,
            problems: params.parse("problems", PROBLEMS, problems)?,
            from_ns: params.get("from", TIME)?,
            to_ns: params.get("to", TIME)?,
            text: params.text("text").unwrap_or_default(),
            touched_by: TouchedBy::read(params)?,
            mark: flag(params, "mark")?,
            sort: ObjectOrder::read(params, "sort")?,
            offset: params.get("offset", "a number of objects")?.unwrap_or_default(),
            limit: limit(params, "limit")?,
        })
    }

    pub(crate) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        out.pair("process", self.process)?;
        out.pair("what", self.what.as_ref().map(|what| joined(what, ObjectWhat::as_str)))?;
        out.pair("problems", self.problems.as_ref().map(|words| joined(words, ObjectProblem::as_str)))?;
        out.pair("from", self.from_ns)?;
        out.pair("to", self.to_ns)?;
        out.pair("text", Some(&self.text).filter(|text| !text.is_empty()))?;
        write_touched(self.touched_by.as_ref(), self.mark, out)?;
        self.sort.write("sort", out)?;
        out.pair("offset", Some(self.offset).filter(|offset| *offset > 0))?;
        write_limit(self.limit, "limit", out)
    }
}

/// Writes a thing, and whether what it has to do with is marked.
pub(super) fn write_touched(
    thing: Option<&TouchedBy>,
    mark: bool,
    out: &mut ParamWriter<'_, '_>,
) -> fmt::Result {
    thing.map_or(Ok(()), |thing| thing.write(out))?;
    out.pair("mark", Some(true).filter(|_| mark))
}

impl ObjectQuestion {
    pub(crate) fn read(id: u32, params: &mut Params) -> Result<Self, QuestionError> {
        let offset = params.get("offset", "a number of events")?.unwrap_or_default();
        Ok(Self { id, offset, limit: limit(params, "limit")? })
    }

    pub(crate) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        out.pair("offset", Some(self.offset).filter(|offset| *offset > 0))?;
        write_limit(self.limit, "limit", out)
    }
}

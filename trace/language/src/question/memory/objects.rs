//! Selection of objects.

use std::fmt;

use super::super::params::{ParamWriter, Params};
use super::super::selection::{flag, limit, write_limit};
use super::super::{QuestionError, range};
use super::TouchedBy;
use crate::api::{ObjectProblem, ObjectWhat};

words! {
    /// Order of objects; ties by id.
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
        /// Lifetime, ascending; up to the trace's end if it did not end.
        Lifetime = "lifetime",
        /// Lifetime, descending.
        LifetimeDown = "-lifetime",
        /// Bytes copied in and out, ascending.
        Copied = "copied",
        /// Bytes copied in and out, descending.
        CopiedDown = "-copied",
        /// Commands that use them, ascending.
        Commands = "commands",
        /// Commands that use them, descending.
        CommandsDown = "-commands",
        /// Bytes never touched, ascending; unknown ones first.
        Untouched = "untouched",
        /// Bytes never touched, descending.
        UntouchedDown = "-untouched",
        /// Time from the last use to the end, ascending; unknown ones first.
        Idle = "idle",
        /// Time from the last use to the end, descending.
        IdleDown = "-idle",
    }
}

/// `objects?…`: a page of the list of a program's objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ObjectsQuestion {
    /// `process`: of a process, an index into [`TraceInfo::processes`](crate::api::TraceInfo::processes).
    pub process: Option<u32>,
    /// `what=buffer.device`: kinds of objects.
    pub what: Option<Vec<ObjectWhat>>,
    /// `problems=unused.oversize`: those with one of these problems.
    pub problems: Option<Vec<ObjectProblem>>,
    /// `from`: those live then or later.
    pub from_ns: Option<u64>,
    /// `to`: those made before that moment.
    pub to_ns: Option<u64>,
    /// `text`: those whose file, function, element type or device contains it, ignoring case; or whose address equals
    /// it.
    pub text: String,
    /// Only objects related to an entity.
    pub touched_by: Option<TouchedBy>,
    /// `mark=true`: other objects are not removed; the answer has the positions of the related ones.
    pub mark: bool,
    /// `sort`
    pub sort: ObjectOrder,
    /// `offset`: number of skipped objects.
    pub offset: u64,
    /// `limit`: maximum number.
    pub limit: u32,
}

/// `objects/ID?offset=N&limit=N`: an object and its history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ObjectQuestion {
    /// Its id.
    pub id: u32,
    /// `offset`: number of skipped events.
    pub offset: u64,
    /// `limit`: maximum events.
    pub limit: u32,
}

const WHAT: &str = "what objects are, with dots between: buffer sub_buffer image device shared host other";
const PROBLEMS: &str = "problems with dots between them: unused oversize unreleased released_late";
impl ObjectWhat {
    /// Every one.
    pub const ALL: [Self; 7] =
        [Self::Buffer, Self::SubBuffer, Self::Image, Self::Device, Self::Shared, Self::Host, Self::Other];

    /// Word in queries and answers.
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

    /// Word in queries and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unused => "unused",
            Self::Oversize => "oversize",
            Self::Unreleased => "unreleased",
            Self::ReleasedLate => "released_late",
        }
    }
}

/// Parses words separated by dots.
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
        let (from_ns, to_ns) = range::read(params)?;
        Ok(Self {
            process: params.get("process", "the number of a process")?,
            what: params.parse("what", WHAT, what)?,
            problems: params.parse("problems", PROBLEMS, problems)?,
            from_ns,
            to_ns,
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
        range::write((self.from_ns, self.to_ns), out)?;
        out.pair("text", Some(&self.text).filter(|text| !text.is_empty()))?;
        write_touched(self.touched_by.as_ref(), self.mark, out)?;
        self.sort.write("sort", out)?;
        out.pair("offset", Some(self.offset).filter(|offset| *offset > 0))?;
        write_limit(self.limit, "limit", out)
    }
}

/// Writes an entity, and the mark flag.
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

//! Entity that a memory query refers to.

use std::fmt;

use super::super::QuestionError;
use super::super::forms::Parameters;
use super::super::params::{ParamWriter, Params};

/// An entity that uses memory: one of `number`, `allocation`, `node`, `slice`, `name`, `queue`, or `path` and `line`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TouchedBy {
    /// `number=N`: a buffer or image, by its number in the recording.
    Object(u64),
    /// `allocation=ROW`: the object of an allocation.
    Allocation(u32),
    /// `node=N`: a command, by its number in the recording.
    Node(u64),
    /// `slice=SLICE`: a slice, by the objects of its command or by its own allocations.
    Slice(u32),
    /// `name=NAME`: all commands with this name.
    Name(String),
    /// `queue=N`: all commands of a queue, by its number in the recording.
    Queue(u64),
    /// `path=PATH&line=LINE`: objects created and commands submitted in a source line.
    Line {
        /// Path of the file, as in source locations.
        path: String,
        /// Line, counted from 1.
        line: u32,
    },
}

impl Parameters for Option<TouchedBy> {
    fn read(params: &mut Params) -> Result<Self, QuestionError> {
        const NUMBER: &str = "a number of the recording";
        let number = params.get("number", NUMBER)?.map(TouchedBy::Object);
        let allocation = params.get("allocation", "the row of an allocation")?.map(TouchedBy::Allocation);
        let node = params.get("node", NUMBER)?.map(TouchedBy::Node);
        let slice = params.get("slice", "a slice's number")?.map(TouchedBy::Slice);
        let name = params.text("name").map(TouchedBy::Name);
        let queue = params.get("queue", NUMBER)?.map(TouchedBy::Queue);
        let (path, line) = (params.text("path"), params.get("line", "a line number")?);
        let place = match (path, line) {
            (Some(path), Some(line)) => Some(TouchedBy::Line { path, line }),
            (None, None) => None,
            (path, _) => {
                let (name, text) = ("path", path.unwrap_or_default());
                return Err(QuestionError::Param { name, text, expected: "a path with a `line`" });
            }
        };
        let mut things = [number, allocation, node, slice, name, queue, place].into_iter().flatten();
        let thing = things.next();
        match things.next() {
            None => Ok(thing),
            Some(second) => {
                let (name, text) = second.param();
                Err(QuestionError::Param { name, text, expected: "one thing only" })
            }
        }
    }

    fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        let Some(thing) = self else { return Ok(()) };
        let (name, value) = thing.param();
        out.pair(name, Some(value))?;
        match thing {
            TouchedBy::Line { line, .. } => out.pair("line", Some(line)),
            _ => Ok(()),
        }
    }
}

impl TouchedBy {
    /// Returns the parameter that identifies it, and its value.
    fn param(&self) -> (&'static str, String) {
        match self {
            Self::Object(number) => ("number", number.to_string()),
            Self::Allocation(row) => ("allocation", row.to_string()),
            Self::Node(number) => ("node", number.to_string()),
            Self::Slice(slice) => ("slice", slice.to_string()),
            Self::Name(name) => ("name", name.clone()),
            Self::Queue(number) => ("queue", number.to_string()),
            Self::Line { path, .. } => ("path", path.clone()),
        }
    }
}

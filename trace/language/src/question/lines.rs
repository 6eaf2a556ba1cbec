//! Source file of a query about lines.

use std::fmt;

use super::QuestionError;
use super::forms::Parameters;
use super::params::{ParamWriter, Params};

/// `lines?source=SOURCE` or `lines?path=PATH`: a source file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LinesQuestion {
    /// A recorded file, by its index in [`TraceInfo::sources`](crate::api::TraceInfo::sources).
    Source(u32),
    /// A file by its path as in source locations, recorded or not.
    Path(String),
}

impl Parameters for LinesQuestion {
    fn read(params: &mut Params) -> Result<Self, QuestionError> {
        match (params.get("source", "the number of a source file")?, params.text("path")) {
            (Some(source), None) => Ok(Self::Source(source)),
            (None, Some(path)) => Ok(Self::Path(path)),
            (Some(_), Some(_)) => Err(QuestionError::Both("source", "path")),
            (None, None) => Err(QuestionError::Param {
                name: "path",
                text: String::new(),
                expected: "a path, or `source` in its place",
            }),
        }
    }

    fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        match self {
            Self::Source(source) => out.pair("source", Some(source)),
            Self::Path(path) => out.pair("path", Some(path)),
        }
    }
}

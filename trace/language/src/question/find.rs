//! Entities by name.

use std::fmt;

use super::QuestionError;
use super::params::{ParamWriter, Params};
use super::selection::{limit, write_limit};

/// `find?text=TEXT&limit=N`: entities of a trace with a matching name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FindQuestion {
    /// `text`: the typed text.
    pub text: String,
    /// `limit`: maximum number.
    pub limit: u32,
}

impl FindQuestion {
    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        let text = params.text("text").unwrap_or_default();
        Ok(Self { text, limit: limit(params, "limit")? })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        out.pair("text", Some(&self.text).filter(|text| !text.is_empty()))?;
        write_limit(self.limit, "limit", out)
    }
}

//! Things by their names.

use std::fmt;

use super::QuestionError;
use super::params::{ParamWriter, Params};
use super::selection::{limit, write_limit};

/// `find?text=TEXT&limit=N`: what of a trace is called so, or nearly so.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FindQuestion {
    /// `text`: what somebody typed.
    pub text: String,
    /// `limit`: how many, at most.
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

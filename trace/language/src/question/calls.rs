//! Which calls a question is about, and how they are grouped.

use std::fmt;

use super::QuestionError;
use super::params::{ParamWriter, Params};
use super::selection::{Selection, limit, write_limit};

words! {
    /// What has a tree of calls of its own.
    CallGrouping {
        /// Everything together.
        #[default]
        All = "all",
        /// Each process.
        Process = "process",
        /// Each thread.
        Thread = "thread",
    }
}

/// `calltree?…`: the calls of a selection by what called them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CallTreeQuestion {
    /// Which slices. What the filter leaves out is left out of the tree: what lies within it counts for what is around
    /// it.
    pub selection: Selection,
    /// `by`: what has a tree of its own.
    pub by: CallGrouping,
    /// `limit`: how many nodes, at most.
    pub limit: u32,
}

/// `sandwich?name=…`: what leads to the calls of a name and what they lead to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SandwichQuestion {
    /// The whole name.
    pub name: String,
    /// Among which slices.
    pub selection: Selection,
    /// `limit`: how many nodes up and how many down, at most.
    pub limit: u32,
}

impl CallTreeQuestion {
    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        Ok(Self {
            selection: Selection::read(params)?,
            by: CallGrouping::read(params, "by")?,
            limit: limit(params, "limit")?,
        })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        self.selection.write(out)?;
        self.by.write("by", out)?;
        write_limit(self.limit, "limit", out)
    }
}

impl SandwichQuestion {
    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        let missing =
            || QuestionError::Param { name: "name", text: String::new(), expected: "the name of a call" };
        Ok(Self {
            name: params.text("name").filter(|name| !name.is_empty()).ok_or_else(missing)?,
            selection: Selection::read(params)?,
            limit: limit(params, "limit")?,
        })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        out.pair("name", Some(&self.name))?;
        self.selection.write(out)?;
        write_limit(self.limit, "limit", out)
    }
}

//! Query about the executions of one kernel.

use std::fmt;

use super::QuestionError;
use super::params::{ParamWriter, Params};
use super::selection::{Selection, limit, write_limit};

/// Default number of points.
const POINTS: u32 = 2_000;
/// Maximum number of points.
const MOST_POINTS: u32 = 10_000;

/// `kernel?name=…`: the executions of a kernel or another command.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KernelQuestion {
    /// Full name.
    pub name: String,
    /// Slices to search.
    pub selection: Selection,
    /// `points`: maximum points over time, but never fewer than there are bins with executions; with more executions,
    /// neighbours are merged.
    pub points: u32,
    /// `limit`: maximum queues and sizes.
    pub limit: u32,
}

impl KernelQuestion {
    /// Everything about a kernel.
    pub fn of(name: &str) -> Self {
        let (name, selection) = (name.to_owned(), Selection::default());
        Self { name, selection, points: POINTS, limit: super::selection::LIMIT }
    }

    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        let missing =
            || QuestionError::Param { name: "name", text: String::new(), expected: "the name of a kernel" };
        let points = |text: &str| text.parse().ok().filter(|points| (1..=MOST_POINTS).contains(points));
        Ok(Self {
            name: params.text("name").filter(|name| !name.is_empty()).ok_or_else(missing)?,
            selection: Selection::read(params)?,
            points: params.parse("points", "a number from 1 to 10000", points)?.unwrap_or(POINTS),
            limit: limit(params, "limit")?,
        })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        out.pair("name", Some(&self.name))?;
        self.selection.write(out)?;
        out.pair("points", Some(self.points).filter(|points| *points != POINTS))?;
        write_limit(self.limit, "limit", out)
    }
}

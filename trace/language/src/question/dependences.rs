//! Queries about dependences.

use std::fmt;

use super::QuestionError;
use super::params::{ParamWriter, Params};
use crate::event::EdgeReason;

/// Direction from a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// Predecessors.
    Before,
    /// Successors.
    After,
}

/// `dependences?slice=12&hops=1&way=before&reasons=event.accessor&limit=500`: the dependences around a command.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DependenceQuestion {
    /// A slice of the command.
    pub slice: u32,
    /// Maximum distance in dependences.
    pub hops: u32,
    /// Direction; both if omitted.
    pub way: Option<Way>,
    /// Reasons; all if omitted.
    pub reasons: Option<Vec<EdgeReason>>,
    /// Maximum number.
    pub limit: u32,
}

const HOPS: u32 = 1;
const LIMIT: u32 = 500;
const MOST: u32 = 10_000;
const REASONS: &str =
    "reasons with dots between them: accessor event in_order host_task host_accessor sync_point other";

impl DependenceQuestion {
    /// The dependences one hop away from the command of a slice.
    pub fn near(slice: u32) -> Self {
        Self { slice, hops: HOPS, way: None, reasons: None, limit: LIMIT }
    }

    /// True if edges of this reason are included.
    pub fn has_reason(&self, reason: EdgeReason) -> bool {
        self.reasons.as_ref().is_none_or(|reasons| reasons.contains(&reason))
    }

    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        const SLICE: &str = "the number of a slice";
        let slice = params.get("slice", SLICE)?;
        let missing = QuestionError::Param { name: "slice", text: String::new(), expected: SLICE };
        let way = |text: &str| match text {
            "before" => Some(Way::Before),
            "after" => Some(Way::After),
            _ => None,
        };
        let reason = |text: &str| EdgeReason::ALL.iter().copied().find(|reason| reason.as_str() == text);
        let reasons = |text: &str| {
            text.split('.').filter(|part| !part.is_empty()).map(reason).collect::<Option<Vec<_>>>()
        };
        let most = |text: &str| text.parse().ok().filter(|limit| *limit <= MOST);
        Ok(Self {
            slice: slice.ok_or(missing)?,
            hops: params.get("hops", "a number")?.unwrap_or(HOPS),
            way: params.parse("way", "one of before after", way)?,
            reasons: params.parse("reasons", REASONS, reasons)?,
            limit: params.parse("limit", "a number up to 10000", most)?.unwrap_or(LIMIT),
        })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        out.pair("slice", Some(self.slice))?;
        out.pair("hops", Some(self.hops).filter(|hops| *hops != HOPS))?;
        let way = |way| match way {
            Way::Before => "before",
            Way::After => "after",
        };
        out.pair("way", self.way.map(way))?;
        let joined = |reasons: &Vec<EdgeReason>| {
            reasons.iter().map(|reason| reason.as_str()).collect::<Vec<_>>().join(".")
        };
        out.pair("reasons", self.reasons.as_ref().map(joined))?;
        out.pair("limit", Some(self.limit).filter(|limit| *limit != LIMIT))
    }
}

//! Queries about one slice or command.

use std::fmt;

use super::QuestionError;
use super::forms::{Bounded, Form as _, Where, dotted, limit, required, word, words};
use super::params::{ParamWriter, Params};
use super::selection::TRACKS;
use crate::event::EdgeReason;
use crate::filter::Filter;

/// `slices/SLICE/overlaps?tracks=…&where=…&limit=…`: slices on other tracks that overlap a given one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OverlapQuestion {
    /// The slice.
    pub slice: u32,
    /// Only these tracks and those below them; all if omitted.
    pub tracks: Option<Vec<u32>>,
    /// Only slices that match.
    pub filter: Filter,
    /// Maximum number.
    pub limit: u32,
}

parameters! {
    OverlapQuestion [slice] {
        tracks: dotted("tracks", TRACKS),
        filter: Where,
        limit: limit("limit"),
    }
}

impl OverlapQuestion {
    pub(super) fn path(&self) -> String {
        format!("slices/{}/overlaps", self.slice)
    }
}

/// Waits that start from a command or a host wait.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WaitQuestion {
    /// Start.
    pub start: WaitStart,
    /// Direction.
    pub direction: WaitDirection,
    /// `hops`: maximum distance; 0 for unlimited. A chain is always unlimited.
    pub hops: u32,
    /// `limit`: maximum number of links.
    pub limit: u32,
}

/// Start of a query about waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaitStart {
    /// A slice: a host wait, or any slice of a command.
    Slice(u32),
    /// A command, by number.
    Node(u64),
}

words! {
    /// Direction in which waits are followed.
    WaitDirection {
        /// To predecessors.
        For = "waited_for",
        /// To successors.
        By = "waited_by",
        /// Back to the start of the run, always to the predecessor that finished last.
        Chain = "chain",
    }
}

impl WaitQuestion {
    pub(super) fn read(
        start: WaitStart,
        direction: WaitDirection,
        params: &mut Params,
    ) -> Result<Self, QuestionError> {
        let hops = match direction {
            WaitDirection::Chain => 0,
            _ => params.get("hops", "a number, 0 for all the way")?.unwrap_or(1),
        };
        Ok(Self { start, direction, hops, limit: limit("limit").read(params)? })
    }

    pub(super) fn path(&self) -> String {
        let word = self.direction.as_str();
        match self.start {
            WaitStart::Slice(slice) => format!("slices/{slice}/{word}"),
            WaitStart::Node(node) => format!("nodes/{node}/{word}"),
        }
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        let is_usual = self.direction == WaitDirection::Chain || self.hops == 1;
        out.pair("hops", Some(self.hops).filter(|_| !is_usual))?;
        limit("limit").write(&self.limit, out)
    }
}

words! {
    /// Direction in which dependences are followed.
    Way {
        /// Predecessors.
        Before = "before",
        /// Successors.
        After = "after",
    }
}

/// `dependences?slice=12&hops=1&way=before&reasons=event.accessor&limit=500`: the dependences around a command.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DependenceQuestion {
    /// Any slice of the command.
    pub slice: u32,
    /// Maximum distance in dependences.
    pub hops: u32,
    /// Direction; both if omitted.
    pub way: Option<Way>,
    /// Reasons that are included; all if omitted.
    pub reasons: Option<Vec<EdgeReason>>,
    /// Maximum number.
    pub limit: u32,
}

parameters! {
    DependenceQuestion {
        slice: required("slice", "the number of a slice"),
        hops: Bounded { name: "hops", expected: "a number", bounds: 0..=u32::MAX, usual: HOPS },
        way: word("way"),
        reasons: words("reasons", REASONS),
        limit: Bounded { usual: LIMIT, ..limit("limit") },
    }
}

const HOPS: u32 = 1;
const LIMIT: u32 = 500;
const REASONS: &str =
    "reasons, separated by dots: accessor event in_order host_task host_accessor sync_point other";

impl DependenceQuestion {
    /// Returns the query for the direct dependences of a slice's command.
    pub fn near(slice: u32) -> Self {
        Self { slice, hops: HOPS, way: None, reasons: None, limit: LIMIT }
    }

    /// True if dependences with this reason are included.
    pub fn has_reason(&self, reason: EdgeReason) -> bool {
        self.reasons.as_ref().is_none_or(|reasons| reasons.contains(&reason))
    }
}

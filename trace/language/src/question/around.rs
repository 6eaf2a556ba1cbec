//! Queries about one slice or command.

use std::fmt;

use super::QuestionError;
use super::forms::{Form as _, Where, dotted, limit};
use super::params::{ParamWriter, Params};
use super::selection::TRACKS;
use crate::filter::Filter;

/// `slices/SLICE/overlaps?tracks=…&where=…&limit=…`: slices of other tracks that overlap one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OverlapQuestion {
    /// The slice.
    pub slice: u32,
    /// Restricts to these tracks and those below them; all if omitted.
    pub tracks: Option<Vec<u32>>,
    /// Restricts to slices that match.
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

/// Waits from one command or wait of the host.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WaitQuestion {
    /// Start.
    pub of: WaitOf,
    /// Direction.
    pub direction: WaitDirection,
    /// `hops`: distance; 0 for unlimited. A chain is unlimited.
    pub hops: u32,
    /// `limit`: maximum number of links.
    pub limit: u32,
}

/// Start of a query about waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaitOf {
    /// A slice: a wait of the host, or the command of another slice.
    Slice(u32),
    /// A command, by its number.
    Node(u64),
}

words! {
    /// Direction in which waits are followed.
    WaitDirection {
        /// Predecessors.
        For = "waited_for",
        /// Successors.
        By = "waited_by",
        /// Back to the start, always along the deciding predecessor.
        Chain = "chain",
    }
}

impl WaitQuestion {
    pub(super) fn read(
        of: WaitOf,
        direction: WaitDirection,
        params: &mut Params,
    ) -> Result<Self, QuestionError> {
        let hops = match direction {
            WaitDirection::Chain => 0,
            _ => params.get("hops", "a number, 0 for all the way")?.unwrap_or(1),
        };
        Ok(Self { of, direction, hops, limit: limit("limit").read(params)? })
    }

    pub(super) fn path(&self) -> String {
        let word = self.direction.as_str();
        match self.of {
            WaitOf::Slice(slice) => format!("slices/{slice}/{word}"),
            WaitOf::Node(node) => format!("nodes/{node}/{word}"),
        }
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        let is_usual = self.direction == WaitDirection::Chain || self.hops == 1;
        out.pair("hops", Some(self.hops).filter(|_| !is_usual))?;
        limit("limit").write(&self.limit, out)
    }
}

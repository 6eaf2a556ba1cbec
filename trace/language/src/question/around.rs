//! Queries about one slice or command.

use std::fmt;

use super::QuestionError;
use super::params::{ParamWriter, Params};
use super::selection::{filter, limit, tracks, write_filter, write_limit};
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

impl OverlapQuestion {
    pub(super) fn read(slice: u32, params: &mut Params) -> Result<Self, QuestionError> {
        Ok(Self { slice, tracks: tracks(params)?, filter: filter(params)?, limit: limit(params, "limit")? })
    }

    pub(super) fn path(&self) -> String {
        format!("slices/{}/overlaps", self.slice)
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        out.numbers("tracks", self.tracks.as_deref())?;
        write_filter(&self.filter, out)?;
        write_limit(self.limit, "limit", out)
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

/// Direction in which waits are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaitDirection {
    /// `waited_for`: predecessors.
    For,
    /// `waited_by`: successors.
    By,
    /// `chain`: back to the start, always along the deciding predecessor.
    Chain,
}

impl WaitDirection {
    const ALL: [(&'static str, Self); 3] =
        [("waited_for", Self::For), ("waited_by", Self::By), ("chain", Self::Chain)];

    pub(super) fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| *known == word).map(|(_, direction)| direction)
    }

    fn word(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, known)| *known == self).map_or("", |(word, _)| word)
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
        Ok(Self { of, direction, hops, limit: limit(params, "limit")? })
    }

    pub(super) fn path(&self) -> String {
        let word = self.direction.word();
        match self.of {
            WaitOf::Slice(slice) => format!("slices/{slice}/{word}"),
            WaitOf::Node(node) => format!("nodes/{node}/{word}"),
        }
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        let is_usual = self.direction == WaitDirection::Chain || self.hops == 1;
        out.pair("hops", Some(self.hops).filter(|_| !is_usual))?;
        write_limit(self.limit, "limit", out)
    }
}

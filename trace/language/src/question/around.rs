//! What is asked about one slice or command.

use std::fmt;

use super::QuestionError;
use super::params::{ParamWriter, Params};
use super::selection::{filter, limit, tracks, write_filter, write_limit};
use crate::filter::Filter;

/// `slices/SLICE/overlaps?tracks=…&where=…&limit=…`: slices of other tracks that run while one does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OverlapQuestion {
    /// The slice.
    pub slice: u32,
    /// On these tracks and those below them; on all if it's left out.
    pub tracks: Option<Vec<u32>>,
    /// What they are.
    pub filter: Filter,
    /// How many, at most.
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

/// What waited for what, from one command or wait of the host.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WaitQuestion {
    /// From where.
    pub of: WaitOf,
    /// Which way.
    pub direction: WaitDirection,
    /// `hops`: how far; 0 for all the way. A chain goes all the way.
    pub hops: u32,
    /// `limit`: how many links, at most.
    pub limit: u32,
}

/// Whose waits are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaitOf {
    /// Those of a slice: of a wait of the host, or of the command that it belongs to.
    Slice(u32),
    /// Those of a command, by its number.
    Node(u64),
}

/// Which way waits are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaitDirection {
    /// `waited_for`: what had to end before.
    For,
    /// `waited_by`: what could not start before.
    By,
    /// `chain`: back to the start, always to what decided.
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

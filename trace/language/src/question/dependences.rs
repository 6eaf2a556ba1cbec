//! Queries about dependences.

use super::forms::{Bounded, limit, required, word, words};
use crate::event::EdgeReason;

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
    /// Returns the direct dependences of a slice's command.
    pub fn near(slice: u32) -> Self {
        Self { slice, hops: HOPS, way: None, reasons: None, limit: LIMIT }
    }

    /// True if dependences with this reason are included.
    pub fn has_reason(&self, reason: EdgeReason) -> bool {
        self.reasons.as_ref().is_none_or(|reasons| reasons.contains(&reason))
    }
}

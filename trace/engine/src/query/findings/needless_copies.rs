//! The finding of copies that a program can omit.

use super::run::{Command, Draft, Run};
use super::touched;
use super::words::{size, time};
use crate::id::LocationId;

/// Fewer copies may be chance.
const MIN_COPIES: usize = 3;

/// Needless copies at a source location, each with its bytes.
pub(super) struct Needless<'c> {
    pub(super) kind: &'static str,
    pub(super) process: u32,
    pub(super) location: LocationId,
    pub(super) copies: &'c [(Command, u64)],
    /// Continues "N copies at PLACE moved SIZE".
    pub(super) message: &'static str,
    pub(super) remedy: &'static str,
    pub(super) assumption: &'static str,
}

impl Needless<'_> {
    /// Returns the finding if the copies are numerous and took long enough.
    pub(super) fn finding(&self, run: &Run<'_>) -> Option<Draft> {
        // Kernels that were left out may read and write, too.
        if run.trace.kernels_left_out().next().is_some() {
            return None;
        }
        let Self { kind, process, location, copies, message, remedy, assumption } = *self;
        let times = copies.iter().filter_map(|(copy, _)| copy.execution);
        let touches_ns = touched::busy(times.clone().map(|execution| execution.span()));
        if copies.len() < MIN_COPIES || !run.is_worth(touches_ns) {
            return None;
        }
        let bytes = copies.iter().fold(0, |sum: u64, (_, bytes)| sum.saturating_add(*bytes));
        let change = run.without_commands(copies.iter().map(|(copy, _)| copy));
        let (count, place) = (copies.len(), run.at_place(location));
        Some(Draft {
            kind,
            message: format!("{count} copies{place} moved {} {message}", size(bytes)),
            remedy: remedy.to_owned(),
            evidence: vec![
                format!("The copies took {} on the device.", time(touches_ns)),
                assumption.to_owned(),
            ],
            process,
            location,
            slices: times.map(|execution| execution.slice).collect(),
            nodes: copies.iter().map(|(copy, _)| copy.node).collect(),
            count: count as u64,
            touches_ns,
            change: Ok(change),
            bytes,
            how: "At most: the run replayed without these copies.",
            filter: run.filter_at(location, "kind:copy"),
        })
    }
}

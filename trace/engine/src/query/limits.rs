//! Limits of lists in an answer. A file can claim a million lanes or tracks: too many for a view, and hundreds of
//! megabytes in an answer. The trace's diagnostics count the rest.

use syclscope_language::api::{DiagnosticInfo, Severity};

use crate::store::Trace;
use crate::store::table::Table as _;

/// Maximum number of lanes of a track, kernel or object in tiles.
pub(super) const LANES: u32 = 1 << 11;
/// Maximum number of tracks of a trace. Those of devices precede the others.
pub(super) const TRACKS: usize = 1 << 15;
/// Maximum number of kernels, those with the most time on devices.
pub(super) const KERNELS: usize = 1 << 14;
/// Maximum number of facts, source files, pauses, and processes each.
pub(super) const OTHERS: usize = 1 << 14;

pub(super) fn left_out(trace: &Trace) -> impl Iterator<Item = DiagnosticInfo> {
    let lanes = trace.tracks.lanes.iter().map(|lanes| u64::from(lanes.saturating_sub(LANES))).sum();
    let beyond = |length: usize, most: usize| length.saturating_sub(most) as u64;
    let lists = [
        (
            "lanes_not_shown",
            lanes,
            "Tracks show their first 2,048 lanes: slices that lie deeper can be searched, but are not drawn.",
        ),
        (
            "tracks_not_listed",
            beyond(trace.tracks.len(), TRACKS),
            "Only the first 32,768 tracks are listed and drawn; the slices of others can be searched.",
        ),
        (
            "kernels_not_listed",
            beyond(trace.kernels().len(), KERNELS),
            "Only the 16,384 kernels with the most time on devices are listed.",
        ),
        (
            "processes_not_listed",
            beyond(trace.processes.len(), OTHERS),
            "Only the first 16,384 processes are listed.",
        ),
        (
            "facts_not_listed",
            beyond(trace.machine.facts.len(), OTHERS),
            "Only the first 16,384 facts of the processes are listed.",
        ),
        (
            "sources_not_listed",
            beyond(trace.machine.sources.len(), OTHERS),
            "Only the first 16,384 source files are listed.",
        ),
        (
            "pauses_not_listed",
            beyond(trace.machine.pauses.len(), OTHERS),
            "Only the first 16,384 pauses are listed.",
        ),
    ];
    let lists = lists.into_iter().filter(|(_, count, _)| *count > 0);
    lists.map(|(kind, count, message)| DiagnosticInfo {
        kind: kind.to_owned(),
        severity: Severity::Info,
        message: message.to_owned(),
        count,
        first_offset: None,
    })
}

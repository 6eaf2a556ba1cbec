//! Regions of the program, by track.

use syclscope_language::event::Category;

use super::Trace;
use super::cache::cached;
use super::table::Table as _;
use crate::cancel;

/// Tracks and rows of the slices that are regions, by track.
pub(crate) struct RegionSlices(Vec<(u32, u32)>);

cached!(RegionSlices { 0 });

impl Trace {
    /// Returns the tracks and rows of the slices that are regions, by track. The first call walks over the slices of
    /// the host.
    pub(crate) fn region_slices(&self) -> &[(u32, u32)] {
        let regions: &RegionSlices = self.shelf.slot().get_or_init(|| RegionSlices::new(self));
        &regions.0
    }
}

impl RegionSlices {
    fn new(trace: &Trace) -> Self {
        // Executions are the first slices, and are not regions.
        let first = trace.executions.len();
        let mut found = Vec::new();
        for (track, row) in (0..).zip(trace.tracks.iter()) {
            for lane in row.lane_range() {
                let rows = trace.slices.lane(lane);
                for slice in rows.start.max(first)..rows.end {
                    cancel::row(slice);
                    if trace.slices.category(slice) == Category::User {
                        found.push((track, slice as u32));
                    }
                }
            }
        }
        Self(found)
    }
}

//! Samples of host threads, by thread and time.

use rustc_hash::FxHashMap;
use syclscope_language::event::Sample;

use super::TraceBuilder;
use crate::diagnostics::{DiagnosticKind, Diagnostics};
use crate::id::NONE;
use crate::store::samples::{SampleRow, Samples};
use crate::store::table::Table as _;

/// Samples in the order of the file, with tracks by their rows in the builder.
#[derive(Debug, Default)]
pub(super) struct SampleBuilder {
    rows: Vec<SampleRow>,
}

impl SampleBuilder {
    pub(super) fn shift(&mut self, origin: u64) {
        for row in &mut self.rows {
            row.at = row.at.saturating_sub(origin);
        }
    }

    pub(super) fn finish(
        mut self,
        positions: &FxHashMap<u32, u32>,
        diagnostics: &mut Diagnostics,
    ) -> Samples {
        self.rows.retain_mut(|row| {
            let position = positions.get(&row.track);
            row.track = position.copied().unwrap_or(NONE);
            if position.is_none() {
                diagnostics.count(DiagnosticKind::UnknownTrack);
            }
            position.is_some()
        });
        self.rows.sort_by_key(|row| (row.track, row.at));
        Samples::of_rows(self.rows.into_iter())
    }
}

impl TraceBuilder {
    pub(super) fn host_sample(&mut self, sample: &Sample) {
        let at = self.time(sample.at);
        if self.host_samples.rows.len() >= (NONE / 4) as usize {
            return self.diagnostics.count(DiagnosticKind::TooManyRows);
        }
        let row = SampleRow {
            track: self.track_row(sample.track, false),
            at,
            stack: sample.stack.map_or(NONE, |frame| self.stacks.row_of(frame)),
            period_ns: sample.period_ns,
            missed: sample.missed,
            is_blocked: sample.is_blocked,
            system_call: sample
                .system_call
                .and_then(|call| u32::try_from(call).ok()?.checked_add(1))
                .unwrap_or(0),
        };
        self.host_samples.rows.push(row);
    }
}

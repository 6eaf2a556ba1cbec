//! Native handles, paired with their releases.

use rustc_hash::FxHashMap;
use syclscope_language::event::{NativeHandle, NativeHandleRelease};

use super::TraceBuilder;
use crate::store::native::{HandleRow, Handles};

/// Native handles in the order of the file.
#[derive(Debug, Default)]
pub(super) struct HandleBuilder {
    rows: Vec<HandleRow>,
    /// Process, moment and handle of each release.
    releases: Vec<(u32, u64, u64)>,
}

impl HandleBuilder {
    /// Returns the table. A release ends all earlier uses of a handle. Files also contain releases of other handles, so
    /// an unmatched release is no problem.
    pub(super) fn finish(self) -> Handles {
        let Self { mut rows, mut releases } = self;
        rows.sort_by_key(|row| row.at);
        releases.sort_by_key(|(_, at, _)| *at);
        let mut live: FxHashMap<(u32, u64), Vec<usize>> = FxHashMap::default();
        let mut next = 0;
        for (process, at, handle) in releases {
            while let Some(row) = rows.get(next).filter(|row| row.at <= at) {
                live.entry((row.process, row.handle)).or_default().push(next);
                next += 1;
            }
            for row in live.remove(&(process, handle)).unwrap_or_default() {
                rows[row].released = Some(at);
            }
        }
        Handles::new(rows)
    }
}

impl TraceBuilder {
    pub(super) fn native_handle(&mut self, handle: &NativeHandle<'_>) {
        let row = HandleRow {
            process: self.processes.number(),
            tid: handle.tid,
            at: self.time(handle.at),
            object: self.strings.intern(handle.object),
            handle: handle.handle,
            native: handle.native,
            direction: handle.direction,
            ownership: handle.ownership,
            location: self.location(&handle.location),
            released: None,
        };
        self.handles.rows.push(row);
    }

    pub(super) fn native_handle_release(&mut self, release: &NativeHandleRelease<'_>) {
        let at = self.time(release.at);
        self.handles.releases.push((self.processes.number(), at, release.handle));
    }
}

//! The native handles that a call imported into SYCL or exported from it.

use syclscope_language::api::NativeHandleDetail;
use syclscope_language::event::Category;

use super::{location, pointer};
use crate::store::Trace;
use crate::store::native::HandleRow;
use crate::store::table::Table as _;

pub(super) fn of_slice(trace: &Trace, row: usize) -> Vec<NativeHandleDetail> {
    let slices = &trace.slices;
    if trace.handles.len() == 0 || slices.category(row) != Category::Call {
        return Vec::new();
    }
    let track = trace.tracks.of_lane(slices.lane_of(row));
    let track = trace.tracks.row(track);
    let handles = trace.handles.on_thread(track.process, track.tid, slices.start.at(row), slices.end(row));
    handles.map(|handle| detail(trace, &handle)).collect()
}

fn detail(trace: &Trace, row: &HandleRow) -> NativeHandleDetail {
    NativeHandleDetail {
        object: trace.strings.get(row.object).to_owned(),
        handle: pointer(row.handle),
        native: pointer(row.native),
        direction: row.direction,
        ownership: row.ownership,
        at_ns: row.at,
        released_ns: row.released,
        location: location(trace, row.location),
    }
}

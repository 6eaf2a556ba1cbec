//! Slices with the same name, category and kind.

use syclscope_language::api::Alike;

use crate::query::detail::slice_ref;
use crate::query::matcher::kind_of;
use crate::query::select::item;
use crate::store::Trace;
use crate::store::table::Table as _;

/// Returns the previous and the next slice with the same name. Visits every slice's name.
pub(super) fn alike(trace: &Trace, row: usize, same_track: bool) -> Alike {
    let slices = &trace.slices;
    let rows = if same_track {
        let track = trace.tracks.row(slice_ref(trace, row as u32).track as usize);
        let first = track.first_lane as usize;
        let last = first + (track.lanes as usize).max(1) - 1;
        slices.lane(first).start..slices.lane(last).end
    } else {
        0..slices.len()
    };
    let (name, category, kind) = (slices.name.at(row), slices.category(row), kind_of(trace, row));
    let own = (slices.start.at(row), row);
    let names = slices.name.raw().get(rows.clone()).unwrap_or_default();
    let mut alike = Alike::default();
    let (mut previous, mut next) = (None, None);
    for other in rows.zip(names).filter(|(_, other)| **other == name.0).map(|(other, _)| other) {
        if slices.category(other) != category || kind_of(trace, other) != kind {
            continue;
        }
        let key = (slices.start.at(other), other);
        alike.total += 1;
        if key < own {
            alike.position += 1;
            previous = previous.max(Some(key));
        } else if key > own {
            next = Some(next.map_or(key, |next: (u64, usize)| next.min(key)));
        }
    }
    alike.previous = previous.map(|(_, row)| item(trace, row));
    alike.next = next.map(|(_, row)| item(trace, row));
    alike
}

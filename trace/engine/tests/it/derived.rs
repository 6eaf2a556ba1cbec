//! Derived files: a round trip, and safe reading of any changed bytes.

use std::sync::Arc;

use proptest::prelude::*;
use syclscope_engine::store::Trace;
use syclscope_engine::tables::derived::{self, DerivedError};
use syclscope_language::question::{TILE_BUCKETS, TileKey, TileView};

use crate::tiles;

const SOURCE_BYTES: u64 = 4711;

fn trace() -> Trace {
    let slices: Vec<_> = (0..3_000).map(|row| (row * 7 % 9_000, row % 40)).collect();
    let samples: Vec<_> = (0..500).map(|row| (row * 20, row % 17)).collect();
    tiles::trace(&slices, &samples)
}

fn written(trace: &Trace) -> Vec<u8> {
    let mut bytes = Vec::new();
    derived::write(trace, SOURCE_BYTES, &mut bytes).unwrap();
    bytes
}

fn open(bytes: Vec<u8>) -> Result<Trace, DerivedError> {
    let shared: derived::SharedBytes = Arc::new(bytes);
    derived::open(&shared, SOURCE_BYTES)
}

fn ask(trace: &Trace) {
    let info = trace.info();
    for track in &info.tracks {
        for level in [0, 4, 9, 20, 52] {
            for index in [0, 1, info.duration_ns / (TILE_BUCKETS << level)] {
                let _ =
                    trace.timeline_tile(TileKey { view: TileView::Timeline, track: track.id, level, index });
                let _ =
                    trace.counter_tile(TileKey { view: TileView::Counter, track: track.id, level, index });
            }
        }
    }
    for slice in (0..info.counts.slices as u32).step_by(97) {
        let _ = trace.slice(slice);
    }
}

#[test]
fn a_trace_comes_back_without_being_copied() {
    let built = trace();
    let bytes = written(&built);
    assert_eq!(derived::verify(&bytes), Ok(()));
    let opened = open(bytes).unwrap();
    assert_eq!(opened.dump(), built.dump());
    assert_eq!(opened.info(), built.info());
    assert_eq!(opened.memory_bytes(), 0, "everything lies in the file");
    assert!(opened.mapped_bytes() > 3_000 * 2 * 30, "{}", opened.mapped_bytes());
    let thread = built.info().tracks.iter().find(|track| track.name == "thread").unwrap().id;
    let key = TileKey { view: TileView::Timeline, track: thread, level: 5, index: 0 };
    assert_eq!(opened.timeline_tile(key), built.timeline_tile(key));
}

#[test]
fn what_does_not_fit_is_refused() {
    let bytes = written(&trace());
    let shared: derived::SharedBytes = Arc::new(bytes.clone());
    assert_eq!(derived::open(&shared, SOURCE_BYTES + 1).err(), Some(DerivedError::OtherSource));
    assert_eq!(open(Vec::new()).err(), Some(DerivedError::NotDerived));
    assert_eq!(open(b"ARROW1".to_vec()).err(), Some(DerivedError::NotDerived));
    for length in (0..bytes.len()).step_by(bytes.len() / 200) {
        assert!(open(bytes[..length].to_vec()).is_err(), "cut at {length}");
    }
    // The version is in the text at the end of the file.
    const FIELD: &[u8] = b"\"version\":";
    let place = bytes.windows(FIELD.len()).rposition(|text| text == FIELD).unwrap() + FIELD.len();
    let mut newer = bytes.clone();
    newer[place] = if newer[place] == b'9' { b'8' } else { newer[place] + 1 };
    assert_eq!(open(newer).err(), Some(DerivedError::OtherVersion));
}

#[test]
fn a_changed_number_is_found() {
    let bytes = written(&trace());
    // The middle of the file consists of columns; bytes between them belong to none.
    let found = (0..256).filter(|number| {
        let mut changed = bytes.clone();
        let place = bytes.len() / 4 + number * 37;
        changed[place] ^= 0x10;
        derived::verify(&changed).is_err()
    });
    assert!(found.count() > 240);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn no_damage_makes_a_query_fail(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
        is_at_end in any::<bool>(),
    ) {
        let mut bytes = written(&trace());
        // The end of the file has the positions of everything, and gets as much damage as the rest.
        let from = if is_at_end { bytes.len().saturating_sub(12_000) } else { 0 };
        for (place, value) in changes {
            let place = from + place.index(bytes.len() - from);
            bytes[place] = value;
        }
        let _ = derived::verify(&bytes);
        if let Ok(trace) = open(bytes) {
            ask(&trace);
        }
    }

    #[test]
    fn no_bytes_do_harm(mut bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        bytes.extend_from_slice(b"\x40\0\0\0ARROW1");
        prop_assert!(open(bytes).is_err());
    }
}

//! What each fuzz target does with bytes. Nothing may panic, hang or take memory out of proportion.

use syclscope_trace::api::{CounterTile, SliceDetail, TimelineTile};
use syclscope_trace::event::{Event, EventSink};
use syclscope_trace::export::{Exporter as _, perfetto};
use syclscope_trace::import::{self, TraceImporter};
use syclscope_trace::replay::replay;
use syclscope_trace::source::{TileKey, TraceSource as _};
use syclscope_trace::store::Trace;

/// A target: its name, and what it does with bytes.
pub type Target = (&'static str, fn(&[u8]));

/// Every target. The name is that of its corpus too.
pub const TARGETS: &[Target] =
    &[("perfetto", perfetto), ("chrome_json", chrome_json), ("compressed", compressed), ("tile", tile)];

/// Perfetto files.
pub fn perfetto(bytes: &[u8]) {
    with_start(bytes, |bytes| bytes.first() == Some(&0x0a), b"\x0a\x02\x50\x01");
}

/// Chrome JSON files.
pub fn chrome_json(bytes: &[u8]) {
    with_start(bytes, |bytes| matches!(bytes.first(), Some(b'[' | b'{')), b"[");
}

/// Compressed files.
pub fn compressed(bytes: &[u8]) {
    if let Ok(trace) = import::open(bytes) {
        ask(&trace);
    }
}

/// Names of tiles, and tiles as they come to a page.
pub fn tile(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Ok(key) = text.parse::<TileKey>()
    {
        assert_eq!(key.to_string().parse(), Ok(key));
        assert!(key.span_ns().0 <= key.span_ns().1);
    }
    if let Ok(tile) = serde_json::from_slice::<TimelineTile>(bytes) {
        same(&tile);
    }
    if let Ok(tile) = serde_json::from_slice::<CounterTile>(bytes) {
        let _ = serde_json::to_vec(&tile);
    }
    if let Ok(slice) = serde_json::from_slice::<SliceDetail>(bytes) {
        let _ = serde_json::to_vec(&slice);
    }
}

fn same(tile: &TimelineTile) {
    let text = serde_json::to_vec(tile).expect("a tile has a JSON form");
    assert_eq!(serde_json::from_slice::<TimelineTile>(&text).as_ref().ok(), Some(tile));
}

/// Opens the bytes, past the sniffing if need be.
fn with_start(bytes: &[u8], begins: impl Fn(&[u8]) -> bool, start: &[u8]) {
    let whole = if begins(bytes) { bytes.to_vec() } else { [start, bytes].concat() };
    let opened = import::open(&whole);
    // Pieces must make no difference.
    let size = usize::from(*bytes.last().unwrap_or(&0)) + 1;
    let mut importer = TraceImporter::new();
    let fed = whole.chunks(size).try_for_each(|piece| importer.feed(piece));
    let in_pieces = fed.and_then(|()| importer.finish());
    match (opened, in_pieces) {
        (Ok(trace), Ok(other)) => {
            assert_eq!(trace.dump(), other.dump(), "pieces of {size} bytes make a difference");
            ask(&trace);
        }
        (Err(one), Err(other)) => assert_eq!(one, other),
        (one, other) => panic!("pieces of {size} bytes: {:?}, {:?}", one.is_ok(), other.is_ok()),
    }
}

/// Keeps nothing.
struct Nothing;

impl EventSink for Nothing {
    fn event(&mut self, _event: &Event<'_>) {}
}

/// Asks a trace everything.
fn ask(trace: &Trace) {
    let info = trace.info();
    for track in &info.tracks {
        for level in [0, 10, 30, 52] {
            let key = |view: &str| format!("{view}/{}/{level}/0", track.id).parse::<TileKey>();
            if let (Ok(timeline), Ok(counter)) = (key("timeline"), key("counter")) {
                if let Ok(tile) = trace.timeline_tile(timeline) {
                    same(&tile);
                }
                let _ = trace.counter_tile(counter);
            }
        }
    }
    for slice in (0..info.counts.slices as u32).step_by((info.counts.slices as usize / 100).max(1)) {
        let _ = trace.slice(slice);
    }
    replay(trace, &mut Nothing);
    let mut writer = perfetto::Writer::new();
    replay(trace, &mut writer);
    assert!(import::open(&writer.take_bytes()).is_ok(), "what is written can be read");
}

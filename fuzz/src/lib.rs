//! Functions of the fuzz targets. They may not panic, hang or use memory out of proportion to the input.

use std::sync::{Arc, LazyLock};

use syclscope_engine::emit::emit;
use syclscope_engine::export::{Exporter as _, perfetto};
use syclscope_engine::import::{self, TraceImporter};
use syclscope_engine::store::Trace;
use syclscope_engine::tables::derived::{self, SharedBytes};
use syclscope_language::api::{CounterTile, DensityTile, MemoryTile, SliceDetail, TimelineTile};
use syclscope_language::event::{Event, EventSink};
use syclscope_language::question::{MemoryKey, Question, TileKey};

/// Name and function of a target.
pub type Target = (&'static str, fn(&[u8]));

/// All targets. A target's name is also that of its corpus.
pub const TARGETS: &[Target] = &[
    ("perfetto", perfetto),
    ("chrome_json", chrome_json),
    ("compressed", compressed),
    ("tile", tile),
    ("derived", derived_file),
    ("question", question),
];

/// A recording with events of every kind.
static RECORDING: LazyLock<Trace> = LazyLock::new(|| {
    import::open(include_bytes!("../corpus/perfetto/small")).expect("our own recording can be read")
});

/// The derived file of that recording.
static DERIVED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut bytes = Vec::new();
    derived::write(&RECORDING, SOURCE_BYTES, &mut bytes).expect("memory takes it");
    bytes
});

/// Size of the recording, as written in its derived file.
const SOURCE_BYTES: u64 = 4711;

pub fn perfetto(bytes: &[u8]) {
    with_start(bytes, |bytes| bytes.first() == Some(&0x0a), b"\x0a\x02\x50\x01");
}

pub fn chrome_json(bytes: &[u8]) {
    with_start(bytes, |bytes| matches!(bytes.first(), Some(b'[' | b'{')), b"[");
}

pub fn compressed(bytes: &[u8]) {
    if let Ok(trace) = import::open(bytes) {
        ask(&trace);
    }
}

/// Names of tiles, and encoded tiles as a page receives them.
pub fn tile(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Ok(key) = text.parse::<TileKey>()
    {
        assert_eq!(key.to_string().parse(), Ok(key));
        assert!(key.span_ns().0 <= key.span_ns().1);
    }
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Ok(key) = text.parse::<MemoryKey>()
    {
        assert_eq!(key.to_string().parse(), Ok(key));
        assert!(key.span_bytes().0 <= key.span_bytes().1);
    }
    if let Ok(tile) = serde_json::from_slice::<TimelineTile>(bytes) {
        same(&tile);
    }
    if let Ok(tile) = serde_json::from_slice::<CounterTile>(bytes) {
        let _ = serde_json::to_vec(&tile);
    }
    if let Ok(tile) = serde_json::from_slice::<DensityTile>(bytes) {
        let _ = serde_json::to_vec(&tile);
    }
    if let Ok(tile) = serde_json::from_slice::<MemoryTile>(bytes) {
        let _ = serde_json::to_vec(&tile);
    }
    if let Ok(slice) = serde_json::from_slice::<SliceDetail>(bytes) {
        let _ = serde_json::to_vec(&slice);
    }
}

/// Derived files with damage. Each eight bytes of input make one change, so that most of the file stays valid whatever
/// its columns are: three bytes of position, one of operation, four of value.
pub fn derived_file(bytes: &[u8]) {
    let mut file = DERIVED.clone();
    for change in bytes.chunks_exact(8) {
        let place = usize::from(change[0]) | usize::from(change[1]) << 8 | usize::from(change[2]) << 16;
        let what = change[3];
        // The end of the file contains its index, so it gets half of the damage.
        let span = if what & 1 == 0 { file.len() } else { file.len().min(16 << 10) };
        let at = file.len() - span + place % span.max(1);
        match what >> 1 & 7 {
            0 => file.truncate(at),
            1 => drop(file.drain(at..(at + usize::from(change[4])).min(file.len()))),
            width @ 2..=5 => {
                let number = &change[4..8][..usize::from(width) - 1];
                file[at..].iter_mut().zip(number).for_each(|(byte, new)| *byte = *new);
            }
            _ => file[at..].iter_mut().take(8).for_each(|byte| *byte = change[4]),
        }
        if file.is_empty() {
            break;
        }
    }
    let _ = derived::verify(&file);
    let shared: SharedBytes = Arc::new(file);
    if let Ok(trace) = derived::open(&shared, SOURCE_BYTES) {
        ask(&trace);
    }
}

/// Queries as text, run on a recording.
pub fn question(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(question) = text.parse::<Question>() else { return };
    let name = question.to_string();
    let again = name.parse::<Question>().map(|question| question.to_string());
    assert_eq!(again.as_ref(), Ok(&name), "{text} comes back as another question");
    let _ = RECORDING.answer(&question);
}

fn same(tile: &TimelineTile) {
    let text = serde_json::to_vec(tile).expect("a tile has a JSON form");
    assert_eq!(serde_json::from_slice::<TimelineTile>(&text).as_ref().ok(), Some(tile));
}

/// Opens the bytes, with a valid start of the format if they have none.
fn with_start(bytes: &[u8], begins: impl Fn(&[u8]) -> bool, start: &[u8]) {
    let whole = if begins(bytes) { bytes.to_vec() } else { [start, bytes].concat() };
    let opened = import::open(&whole);
    // The result must not depend on the size of the chunks.
    let size = usize::from(*bytes.last().unwrap_or(&0)) + 1;
    let mut importer = TraceImporter::new();
    let fed = whole.chunks(size).try_for_each(|piece| importer.feed(piece));
    let in_pieces = fed.and_then(|()| importer.finish());
    match (opened, in_pieces) {
        (Ok(trace), Ok(other)) => {
            let (whole, in_pieces) = (trace.dump(), other.dump());
            let differs = whole.lines().zip(in_pieces.lines()).find(|(one, other)| one != other);
            assert!(differs.is_none(), "pieces of {size} bytes make a difference: {differs:?}");
            assert_eq!(whole.len(), in_pieces.len(), "pieces of {size} bytes make a difference");
            ask(&trace);
        }
        (Err(one), Err(other)) => assert_eq!(one, other),
        (one, other) => panic!("pieces of {size} bytes: {:?}, {:?}", one.is_ok(), other.is_ok()),
    }
}

/// Discards all events.
struct Nothing;

impl EventSink for Nothing {
    fn event(&mut self, _event: &Event<'_>) {}
}

/// Runs all kinds of queries on a trace.
fn ask(trace: &Trace) {
    let info = trace.info();
    for track in &info.tracks {
        for level in [0, 10, 30, 52] {
            let track = track.id;
            if let Ok(key) = format!("timeline/{track}/{level}/0").parse()
                && let Ok(tile) = trace.timeline_tile(key)
            {
                same(&tile);
            }
            for name in ["tiles/counter", "tiles/density", "memory"] {
                let end = if name == "memory" { "/52/0" } else { "" };
                answer(trace, &format!("{name}/{track}/{level}/0{end}"));
            }
        }
    }
    for slice in (0..info.counts.slices as u32).step_by((info.counts.slices as usize / 100).max(1)) {
        let _ = trace.slice(slice);
    }
    for question in ["calls", "report", "sources/0"] {
        answer(trace, question);
    }
    emit(trace, &mut Nothing);
    let mut writer = perfetto::Writer::new();
    emit(trace, &mut writer);
    assert!(import::open(&writer.take_bytes()).is_ok(), "what is written can be read");
}

fn answer(trace: &Trace, question: &str) {
    let question: Question = question.parse().expect("a question");
    let _ = trace.answer(&question);
}

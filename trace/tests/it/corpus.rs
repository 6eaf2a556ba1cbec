//! Replays the corpus of the fuzz targets: whatever the bytes are, nothing panics, and it ends.

use std::path::{Path, PathBuf};

use syclscope_trace::api::{CounterTile, SliceDetail, TimelineTile};
use syclscope_trace::import::{self, TraceImporter};
use syclscope_trace::source::{TileKey, TraceSource as _};

fn files(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    files.into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

#[test]
fn importers() {
    for target in ["perfetto", "chrome_json", "compressed"] {
        for (path, bytes) in files(target) {
            let whole = import::open(&bytes);
            let mut importer = TraceImporter::new();
            let mut pieces = bytes.chunks(7);
            let fed = pieces.try_for_each(|piece| importer.feed(piece));
            let in_pieces = fed.and_then(|()| importer.finish());
            let dump = |trace: Result<_, _>| trace.map(|trace: syclscope_trace::store::Trace| trace.dump());
            assert_eq!(dump(whole), dump(in_pieces), "{}", path.display());
        }
    }
}

#[test]
fn tiles() {
    for (_, bytes) in files("tile") {
        let text = String::from_utf8_lossy(&bytes);
        // Whatever is found: nothing panics.
        let _ = text.parse::<TileKey>();
        let _ = serde_json::from_slice::<TimelineTile>(&bytes);
        let _ = serde_json::from_slice::<CounterTile>(&bytes);
        let _ = serde_json::from_slice::<SliceDetail>(&bytes);
    }
    let trace = import::open(&files("perfetto")[0].1);
    assert!(trace.is_ok() || trace.is_err());
    if let Ok(trace) = trace {
        for (_, bytes) in files("tile") {
            if let Ok(key) = String::from_utf8_lossy(&bytes).parse::<TileKey>() {
                let _ = (trace.timeline_tile(key), trace.counter_tile(key));
            }
        }
    }
}

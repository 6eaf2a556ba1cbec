//! The importers as the browser runs them. `e2e/bench/import.mjs` writes a recording with this module and times its
//! import.

/// The recording of the native benchmark.
#[path = "../../../trace/engine/examples/support/recording.rs"]
mod recording;

use std::sync::Mutex;

use syclscope_engine::export::{chrome_json, perfetto};
use syclscope_engine::import::TraceImporter;

/// The file to import.
static FILE: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Writes a recording of `commands` commands, in Perfetto's format (0) or as Chrome JSON (1), and returns its length in
/// bytes.
#[unsafe(no_mangle)]
pub extern "C" fn prepare(format: u32, commands: u32) -> u32 {
    let bytes = match format {
        0 => recording::write::<perfetto::Writer>(commands.into()),
        _ => recording::write::<chrome_json::Writer>(commands.into()),
    };
    let length = bytes.len() as u32;
    if let Ok(mut file) = FILE.lock() {
        *file = bytes;
    }
    length
}

/// Imports the file in chunks of 1 MiB. Returns the number of slices, or 0 if the import fails.
#[unsafe(no_mangle)]
pub extern "C" fn import() -> u32 {
    let Ok(file) = FILE.lock() else { return 0 };
    let mut importer = TraceImporter::new();
    for piece in file.chunks(1 << 20) {
        if importer.feed(piece).is_err() {
            return 0;
        }
    }
    let Ok(trace) = importer.finish() else { return 0 };
    let slices = trace.info().counts.slices;
    assert_eq!(slices % recording::SLICES_OF_COMMAND, 0, "whole commands");
    slices as u32
}

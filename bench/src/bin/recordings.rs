//! Writes recordings with fifty lanes for benchmarks that open files, and measures the engine's import of a file of 200
//! MB: `recordings FOLDER`.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant as Clock;

use syclscope_bench::figure::plain;
use syclscope_bench::large;
use syclscope_engine::export::{Exporter as _, perfetto};
use syclscope_engine::import;
use syclscope_language::event::{Event, EventSink};

/// Names and numbers of slices of the server's traces.
const HOSTED: [(&str, u64); 2] = [("small.pftrace", 100_000), ("large.pftrace", 10_000_000)];
/// Size of the file that the page opens without a server.
const LOCAL_BYTES: usize = 200_000_000;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("recordings FOLDER");
        return ExitCode::from(2);
    };
    match write_all(Path::new(&folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("recordings: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write_all(folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let (_, slices) = HOSTED[0];
    let small = recording(slices);
    // Size is proportional to the number of slices.
    let local = recording(slices * LOCAL_BYTES as u64 / small.len() as u64);
    std::fs::write(folder.join(HOSTED[0].0), small)?;
    std::fs::write(folder.join("local.pftrace"), &local)?;
    let begun = Clock::now();
    let trace = import::open(&local)?;
    plain(
        "local 200 MB file: import by a native program",
        begun.elapsed().as_secs_f64() * 1e3,
        "ms",
        "lower",
    );
    drop((trace, local));
    let (name, slices) = HOSTED[1];
    std::fs::write(folder.join(name), recording(slices))?;
    Ok(())
}

fn recording(slices: u64) -> Vec<u8> {
    let mut file = File::default();
    large::record(&mut file, slices);
    file.writer.finish();
    file.writer.drain_into(&mut file.bytes);
    file.bytes
}

/// Recording under construction.
#[derive(Default)]
struct File {
    writer: perfetto::Writer,
    bytes: Vec<u8>,
}

impl EventSink for File {
    fn event(&mut self, event: &Event<'_>) {
        self.writer.event(event);
        if self.writer.buffered_bytes() > 1 << 16 {
            self.writer.drain_into(&mut self.bytes);
        }
    }
}

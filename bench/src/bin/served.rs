//! Measures what a hosted trace of 10⁷ slices costs after a server has been started again: its first tile through HTTP,
//! and the server's memory. One JSON line a figure; `cargo xtask bench tiles` runs it with the program it built.
//!
//! `served PROGRAM`

#[path = "../../../trace/engine/examples/support/recording.rs"]
mod recording;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant as Clock};

use syclscope_bench::figure::{figure, plain};
use syclscope_engine::export::perfetto;
use syclscope_engine::tables::derived::{self, SharedBytes};

/// Commands of the recording; each has five slices.
const COMMANDS: u64 = 10_000_000 / recording::SLICES_OF_COMMAND;
/// Number of starts of the server; the fastest counts.
const STARTS: usize = 5;
/// Maximum time of the first import.
const PATIENCE: Duration = Duration::from_secs(600);

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let Some(program) = std::env::args_os().nth(1) else {
        eprintln!("served PROGRAM");
        return ExitCode::from(2);
    };
    let folder = std::env::temp_dir().join(format!("syclscope-served-{}", std::process::id()));
    let measured =
        std::fs::create_dir_all(&folder).map_err(Into::into).and_then(|()| measure(&program, &folder));
    // A folder that can't be removed only wastes space.
    let _ = std::fs::remove_dir_all(&folder);
    if let Err(error) = measured {
        eprintln!("served: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn measure(program: &std::ffi::OsStr, folder: &Path) -> Result<()> {
    let data = folder.join("data");
    let server = Server::start(program, &data)?;
    let file = recording::write::<perfetto::Writer>(COMMANDS);
    let megabytes = file.len() as f64 / 1e6;
    let begun = Clock::now();
    let answer = server.ask("POST", "/api/v1/traces?name=large.pftrace", &file)?;
    drop(file);
    let stored: serde_json::Value = serde_json::from_slice(&answer)?;
    let id = stored["id"].as_str().ok_or("the answer to an upload names no trace")?.to_owned();
    let info: serde_json::Value = server.json(&format!("/api/v1/traces/{id}"))?;
    let slices = info["counts"]["slices"].as_f64().unwrap_or_default();
    plain(
        "upload and first answer, 10^7 slices",
        megabytes / begun.elapsed().as_secs_f64(),
        "MB/s",
        "higher",
    );
    let folder = data.join("traces").join(&id);
    let derived = loop {
        if let Some(derived) = derived_in(&folder)? {
            break derived;
        }
        if begun.elapsed() > PATIENCE {
            return Err(format!("there is no derived file in {}", folder.display()).into());
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    plain("server after its import, 10^7 slices", server.resident_bytes() as f64 / 1e6, "MB", "lower");
    drop(server);
    let tile = first_tile(&info).ok_or("the trace has no track with slices")?;
    let alone = alone(&derived, &folder.join("trace.bin"), &tile)?;
    again(program, &data, &format!("/api/v1/traces/{id}/tiles/{tile}"), slices, alone)
}

/// Returns the path of the derived file in a trace's folder. Its name contains the build that wrote it, so only the
/// extension is known.
fn derived_in(folder: &Path) -> Result<Option<std::path::PathBuf>> {
    let mut paths = std::fs::read_dir(folder)?.flatten().map(|file| file.path());
    Ok(paths.find(|path| path.extension().is_some_and(|extension| extension == "arrow")))
}

/// Returns the name of the tile that shows the whole run of the first track with slices.
fn first_tile(info: &serde_json::Value) -> Option<String> {
    let track = info["tracks"].as_array()?.iter().find(|track| track["lanes"].as_u64() > Some(0))?;
    let duration = info["duration_ns"].as_u64()?;
    let level = (duration / 1024 + 1).next_power_of_two().ilog2();
    Some(format!("timeline/{}/{level}/0", track["id"]))
}

/// Measures several starts of the server, each with a request for a tile as soon as it listens. `alone` is the engine's
/// share.
fn again(program: &std::ffi::OsStr, data: &Path, tile: &str, slices: f64, alone: f64) -> Result<()> {
    let (mut from_start, mut from_listening) = (f64::INFINITY, f64::INFINITY);
    let mut resident = u64::MAX;
    for _ in 0..STARTS {
        let start = Clock::now();
        let server = Server::start(program, data)?;
        let listening = Clock::now();
        let body = server.ask("GET", tile, &[])?;
        from_listening = from_listening.min(listening.elapsed().as_secs_f64() * 1e3);
        from_start = from_start.min(start.elapsed().as_secs_f64() * 1e3);
        resident = resident.min(server.resident_bytes());
        assert!(body.len() > 1_000, "the tile shows something: {}", String::from_utf8_lossy(&body));
    }
    let name = "first tile through HTTP, 10^7 slices";
    figure(&format!("{name}, server listening"), from_listening, "ms", Some(alone), 50.0, "lower");
    figure(&format!("{name}, from its start"), from_start, "ms", Some(alone), 50.0, "lower");
    let megabytes = resident as f64 / 1e6;
    figure("server after its first tile, 10^7 slices", megabytes, "MB", None, 1_000.0, "lower");
    plain("the same, of a slice", resident as f64 / slices, "bytes", "lower");
    Ok(())
}

/// Returns the milliseconds for opening and the first tile in this process: the engine's share.
fn alone(derived: &Path, original: &Path, tile: &str) -> Result<f64> {
    let bytes = std::fs::read(derived)?;
    plain("derived file, 10^7 slices", bytes.len() as f64 / 1e6, "MB", "lower");
    let source_bytes = std::fs::metadata(original)?.len();
    let shared: SharedBytes = Arc::new(bytes);
    let start = Clock::now();
    let trace = derived::open(&shared, source_bytes)?;
    let shown = trace.timeline_tile(tile.parse()?)?.lanes.len();
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    assert!(shown > 0, "the tile shows something");
    figure("first tile in the engine alone, 10^7 slices", milliseconds, "ms", None, 50.0, "lower");
    Ok(milliseconds)
}

/// A running server; dropping it kills the process.
struct Server {
    child: Child,
    address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// Starts the server and waits until it prints its address.
    fn start(program: &std::ffi::OsStr, data: &Path) -> Result<Self> {
        let mut command = Command::new(program);
        command.arg("serve").arg("--data").arg(data).args(["--listen", "127.0.0.1:0"]);
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut line)?;
        }
        let mut server = Self { child, address: String::new() };
        let address =
            line.trim().split("http://").nth(1).ok_or_else(|| format!("it says no address: {line}"))?;
        server.address = address.trim_end_matches('/').to_owned();
        Ok(server)
    }

    fn json(&self, path: &str) -> Result<serde_json::Value> {
        Ok(serde_json::from_slice(&self.ask("GET", path, &[])?)?)
    }

    /// Sends a request and returns the body of the response.
    fn ask(&self, method: &str, path: &str, body: &[u8]) -> Result<Vec<u8>> {
        let mut stream = TcpStream::connect(&self.address)?;
        let (address, length) = (&self.address, body.len());
        write!(stream, "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n")?;
        write!(stream, "Accept: */*\r\nContent-Length: {length}\r\n\r\n")?;
        stream.write_all(body)?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").ok_or("no HTTP answer")?;
        let head = String::from_utf8_lossy(&answer[..end]).to_lowercase();
        if !head.starts_with("http/1.1 2") {
            let body = String::from_utf8_lossy(&answer[end..]).into_owned();
            return Err(format!("{method} {path}: {head} {body}").into());
        }
        let body = answer.split_off(end + 4);
        Ok(if head.contains("transfer-encoding: chunked") { joined(&body) } else { body })
    }

    /// Returns the process's anonymous memory in bytes, without mapped files.
    fn resident_bytes(&self) -> u64 {
        let path = PathBuf::from(format!("/proc/{}/status", self.child.id()));
        let status = std::fs::read_to_string(path).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let kibibytes = line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok());
        kibibytes.unwrap_or(0) * 1024
    }
}

/// Joins the chunks of a body.
fn joined(mut chunks: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = chunks.windows(2).position(|two| two == b"\r\n") {
        let length = std::str::from_utf8(&chunks[..end]).ok();
        let length = length.and_then(|length| usize::from_str_radix(length.trim(), 16).ok()).unwrap_or(0);
        let (from, to) = (end + 2, end + 2 + length);
        if length == 0 || to > chunks.len() {
            break;
        }
        body.extend_from_slice(&chunks[from..to]);
        chunks = chunks.get(to + 2..).unwrap_or_default();
    }
    body
}

//! Measures how long tiles take for viewers that pan over a hosted trace. Prints one JSON line for each figure;
//! `cargo xtask bench viewers` runs it against two replicas of the server behind nginx.
//!
//! `viewers HOST:PORT TRACE VIEWERS SECONDS_BETWEEN_PANS SECONDS`
//!
//! A viewer has a screen of sixteen tracks at a random place and zoom of the run. After each pause it pans by half a
//! screen and requests, all at once, the tiles that it has not seen yet, as the page does. A tile's time runs from the
//! pan to the arrival of its last byte, so that waiting behind other tiles counts.

mod connection;

use std::collections::HashSet;
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant as Clock};

use connection::Connection;
use serde_json::Value;
use syclscope_bench::figure::{figure, plain};
use syclscope_bench::large::{Random, SCREEN_PX};
use syclscope_language::question::TILE_BUCKETS;

/// Number of tracks on a screen.
const TRACKS_OF_SCREEN: usize = 16;
/// Number of zooms in use, from the whole run to a few thousand slices.
const ZOOMS: u64 = 12;
/// Stack size of a viewer's thread: small, because there are a thousand viewers.
const STACK_BYTES: usize = 256 << 10;
/// Goal for 99 of 100 tiles, in milliseconds.
const GOAL_MS: f64 = 100.0;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

struct Options {
    host: String,
    trace: String,
    viewers: u64,
    pause: Duration,
    duration: Duration,
}

/// The trace that all viewers show.
struct Run {
    duration_ns: u64,
    tracks: Vec<u64>,
}

/// Results of the requests for tiles.
#[derive(Default)]
struct Outcome {
    milliseconds: Vec<f64>,
    bytes: usize,
    errors: Vec<String>,
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        eprintln!("viewers HOST:PORT TRACE VIEWERS SECONDS_BETWEEN_PANS SECONDS");
        return ExitCode::from(2);
    };
    match measure(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("viewers: {error}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> Option<Options> {
    let mut rest = std::env::args().skip(1);
    Some(Options {
        host: rest.next()?,
        trace: rest.next()?,
        viewers: rest.next()?.parse().ok()?,
        pause: Duration::try_from_secs_f64(rest.next()?.parse().ok()?).ok()?,
        duration: Duration::from_secs(rest.next()?.parse().ok()?),
    })
}

fn measure(options: &Options) -> Result<()> {
    let run = run_of(options)?;
    let all = Mutex::new(Outcome::default());
    let begin = Clock::now();
    thread::scope(|scope| -> Result<()> {
        for number in 0..options.viewers {
            let (run, all) = (&run, &all);
            thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, move || {
                let outcome = Viewer::new(number, run, options).watch(begin);
                let mut all = all.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                all.milliseconds.extend(outcome.milliseconds);
                all.bytes += outcome.bytes;
                all.errors.extend(outcome.errors);
            })?;
        }
        Ok(())
    })?;
    report(options, all.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()), begin.elapsed())
}

fn run_of(options: &Options) -> Result<Run> {
    let mut connection = Connection::open(&options.host, "identity")?;
    connection.ask([format!("/api/v1/traces/{}", options.trace).as_str()])?;
    let answer = connection.answer()?;
    if answer.status != 200 {
        return Err(format!("the trace: {} {}", answer.status, String::from_utf8_lossy(&answer.body)).into());
    }
    let info: Value = serde_json::from_slice(&answer.body)?;
    let duration_ns = info["duration_ns"].as_u64().ok_or("the trace has no duration")?;
    let with_slices = |track: &&Value| track["lanes"].as_u64() > Some(0);
    let tracks = info["tracks"].as_array().into_iter().flatten().filter(with_slices);
    let tracks: Vec<_> = tracks.filter_map(|track| track["id"].as_u64()).collect();
    if tracks.is_empty() {
        return Err("the trace has no track with slices".into());
    }
    Ok(Run { duration_ns, tracks })
}

fn report(options: &Options, mut outcome: Outcome, took: Duration) -> Result<()> {
    if outcome.milliseconds.is_empty() {
        return Err(format!("no tile came: {:?}", outcome.errors.first()).into());
    }
    outcome.milliseconds.sort_by(f64::total_cmp);
    let share = |share: f64| {
        let place = (outcome.milliseconds.len() - 1) as f64 * share;
        outcome.milliseconds[place.round() as usize]
    };
    let who = format!("{} viewers, a pan each {} s", options.viewers, options.pause.as_secs_f64());
    plain(&format!("{who}: tiles"), outcome.milliseconds.len() as f64 / took.as_secs_f64(), "1/s", "higher");
    plain(&format!("{who}: bytes"), outcome.bytes as f64 / 1e6 / took.as_secs_f64(), "MB/s", "higher");
    plain(&format!("{who}: tile, median"), share(0.5), "ms", "lower");
    figure(&format!("{who}: tile, p99"), share(0.99), "ms", None, GOAL_MS, "lower");
    plain(&format!("{who}: tile, slowest"), share(1.0), "ms", "lower");
    figure(&format!("{who}: errors"), outcome.errors.len() as f64, "", None, 0.0, "lower");
    for error in outcome.errors.iter().take(5) {
        eprintln!("viewers: {error}");
    }
    Ok(())
}

struct Viewer<'a> {
    options: &'a Options,
    run: &'a Run,
    random: Random,
    /// Index of the screen's first track among the run's tracks.
    first_track: usize,
    level: u32,
    /// Left edge of the screen.
    at_ns: u64,
    seen: HashSet<String>,
    connection: Option<Connection>,
    outcome: Outcome,
}

impl<'a> Viewer<'a> {
    fn new(number: u64, run: &'a Run, options: &'a Options) -> Self {
        let mut random = Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let first_track = random.below(run.tracks.len().saturating_sub(TRACKS_OF_SCREEN) as u64 + 1) as usize;
        let shown_ns = (run.duration_ns >> random.below(ZOOMS)).max(SCREEN_PX);
        let level = shown_ns.div_ceil(SCREEN_PX).next_power_of_two().ilog2();
        let room_ns = run.duration_ns.saturating_sub(shown_ns);
        let at_ns = random.below(room_ns);
        let (seen, outcome) = (HashSet::new(), Outcome::default());
        Self { options, run, random, first_track, level, at_ns, seen, connection: None, outcome }
    }

    /// Pans until the time is over.
    fn watch(mut self, begin: Clock) -> Outcome {
        let pause = self.options.pause.as_secs_f64();
        let within = |random: &mut Random| random.below(1 << 20) as f64 / f64::from(1 << 20);
        // Viewers don't start together, nor do they pan in step.
        let mut next = begin + Duration::from_secs_f64(pause * within(&mut self.random));
        while next.duration_since(begin) < self.options.duration {
            thread::sleep(next.saturating_duration_since(Clock::now()));
            // The time counts from when the viewer wanted to pan, so late tiles of the last pan count too.
            if let Err(error) = self.look(next) {
                self.outcome.errors.push(error.to_string());
                self.connection = None;
            }
            self.pan();
            next += Duration::from_secs_f64(pause * (0.5 + within(&mut self.random)));
        }
        self.outcome
    }

    /// Moves by half a screen to either side.
    fn pan(&mut self) {
        let half = (SCREEN_PX << self.level) / 2;
        let is_left = self.random.below(2) == 0;
        let moved = if is_left { self.at_ns.saturating_sub(half) } else { self.at_ns + half };
        self.at_ns = moved.min(self.run.duration_ns.saturating_sub(half));
    }

    fn look(&mut self, since: Clock) -> std::io::Result<()> {
        let width = TILE_BUCKETS << self.level;
        let end = (self.at_ns + (SCREEN_PX << self.level)).min(self.run.duration_ns);
        let columns = self.at_ns / width..=end / width;
        let tracks = self.run.tracks.iter().skip(self.first_track).take(TRACKS_OF_SCREEN);
        let (trace, level) = (&self.options.trace, self.level);
        let tile =
            |track: &u64, column| format!("/api/v1/traces/{trace}/tiles/timeline/{track}/{level}/{column}");
        let shown = tracks.flat_map(|track| columns.clone().map(move |column| tile(track, column)));
        let wanted: Vec<_> = shown.filter(|path| !self.seen.contains(path)).collect();
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => none.insert(Connection::open(&self.options.host, "gzip, deflate, br")?),
        };
        connection.ask(wanted.iter().map(String::as_str))?;
        for path in wanted {
            let answer = connection.answer()?;
            if answer.status == 200 {
                self.outcome.milliseconds.push(since.elapsed().as_secs_f64() * 1e3);
                self.outcome.bytes += answer.body.len();
                self.seen.insert(path);
            } else {
                let body = String::from_utf8_lossy(&answer.body).into_owned();
                self.outcome.errors.push(format!("{path}: {} {body}", answer.status));
            }
        }
        Ok(())
    }
}

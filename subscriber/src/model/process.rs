//! Facts of the recorded process.

use syclscope_language::event::{Event, EventSink, Process, Track, TrackKind};

use syclscope_language::rank::{self, Rank};

use crate::os;
use crate::{private, target_process};

/// Track of the process itself; tracks of threads have higher numbers.
pub(super) const PROCESS_TRACK: u64 = 1;

/// Describes the process and its track group. Without `has_environment` the command line's arguments and the names of
/// folder and host are left out.
pub(super) fn describe(start_ns: u64, has_environment: bool, sink: &mut dyn EventSink) {
    let pid = target_process::pid();
    let words: Vec<String> = target_process::command_line()
        .split(|byte| *byte == 0)
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect();
    let command_line = private::command_line(words.iter().map(String::as_str));
    let command_line = command_line.trim_end();
    let program = words.first().map_or("", String::as_str);
    let name = program.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("program");
    let rank = Rank::of_variables(|name| std::env::var(name).ok());
    // Both clocks are read together here: the start in the file must be a single moment.
    let elapsed_ns = os::monotonic_ns().saturating_sub(start_ns);
    sink.event(&Event::Process(Process {
        pid,
        name,
        command_line: if has_environment { command_line } else { name },
        host: &if has_environment { os::host_name() } else { String::new() },
        start_unix_ns: os::realtime_ns().saturating_sub(elapsed_ns),
        start_monotonic_ns: start_ns,
        start_ns: 0,
        from_ns: None,
        recorder: concat!("syclscope ", env!("CARGO_PKG_VERSION")),
        rank: rank.map(|rank| rank.rank),
        rank_count: rank.and_then(|rank| rank.count),
        local_rank: rank.and_then(|rank| rank.local),
    }));
    let group_name = rank::ranked_name(rank.map(|rank| rank.rank), rank.and_then(|rank| rank.count), name);
    sink.event(&Event::Track(Track {
        track: PROCESS_TRACK,
        parent: None,
        kind: TrackKind::Process,
        name: &group_name,
        tid: pid,
    }));
}

/// Returns the current name of a thread; for an ended thread its known name, or its number.
pub(super) fn thread_name(thread: u32, name: &str) -> String {
    match std::fs::read_to_string(target_process::file(&format!("task/{thread}/comm"))) {
        Ok(name) if !name.trim_end().is_empty() => name.trim_end().to_owned(),
        _ if !name.is_empty() => name.to_owned(),
        _ => format!("thread {thread}"),
    }
}

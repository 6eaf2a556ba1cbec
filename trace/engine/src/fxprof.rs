//! Writer of the Firefox Profiler's processed profile format: tracks as threads, slices as markers with their
//! arguments, counters as counters. The format is that of the crate `fxprof-processed-profile`.
//!
//! The whole profile is built in memory, which limits traces to some million slices. The format has no flows, edges or
//! task graph; these are left out.

mod marker;

use std::io;
use std::time::Duration;

use fxprof_processed_profile::{
    ProcessHandle, Profile, ReferenceTimestamp, SamplingInterval, ThreadHandle, Timestamp,
};
use syclscope_language::event::TrackKind;

use self::marker::Markers;
use crate::cancel;
use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::store::tracks::TrackRow;

/// Writes a trace as a profile.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write(trace: &Trace, out: impl io::Write) -> io::Result<()> {
    serde_json::to_writer(out, &profile(trace)).map_err(io::Error::from)
}

fn profile(trace: &Trace) -> Profile {
    let main = trace.processes.first().cloned().unwrap_or_default();
    let product = if main.name.is_empty() { "syclscope" } else { &main.name };
    let start = Duration::from_nanos(main.start_unix_ns.saturating_sub(main.start_ns));
    let reference = ReferenceTimestamp::from_duration_since_unix_epoch(start);
    let mut profile = Profile::new(product, reference, SamplingInterval::from_millis(1));
    profile.set_symbolicated(true);
    let rows: Vec<TrackRow> = trace.tracks.iter().collect();
    let mut writer = Writer {
        markers: Markers::new(&mut profile),
        profile,
        trace,
        main: rows.iter().position(|track| track.kind == TrackKind::Process),
        processes: Vec::new(),
        threads: 0,
        end: Timestamp::from_nanos_since_reference(trace.duration_ns),
    };
    for row in 0..rows.len() {
        writer.track(&rows, row);
    }
    writer.profile
}

/// A root track group: a process of the profile.
struct Group {
    root: usize,
    handle: ProcessHandle,
    has_main: bool,
}

struct Writer<'t> {
    profile: Profile,
    markers: Markers,
    trace: &'t Trace,
    /// The track of the recorded process.
    main: Option<usize>,
    processes: Vec<Group>,
    threads: u32,
    end: Timestamp,
}

impl Writer<'_> {
    fn track(&mut self, rows: &[TrackRow], row: usize) {
        let track = &rows[row];
        let has_slices = track.lanes > 0;
        let counter = some(track.counter);
        if !has_slices && counter.is_none() {
            return;
        }
        let root = root_of(rows, row);
        let group = self.group(rows, root);
        if has_slices {
            let thread = self.thread(rows, row, root, group);
            for lane in track.lane_range() {
                for slice in self.trace.slices.lane(lane) {
                    cancel::row(slice);
                    self.markers.add(&mut self.profile, self.trace, thread, slice);
                }
            }
        }
        if let Some(counter) = counter {
            self.counter(track, counter, group);
        }
    }

    fn group(&mut self, rows: &[TrackRow], root: usize) -> usize {
        // Counters without a process belong to the recorded process: the profiler shows no counters of a process
        // without threads.
        let is_own = matches!(rows[root].kind, TrackKind::Process | TrackKind::Device);
        let root = if is_own { root } else { self.main.unwrap_or(usize::MAX) };
        if let Some(known) = self.processes.iter().position(|group| group.root == root) {
            return known;
        }
        let main = self.trace.processes.first();
        let number = self.processes.len() as u32;
        let (name, pid) = match rows.get(root) {
            Some(track) => {
                let recorded = self.trace.processes.get(track.process as usize);
                let pid = recorded.map(|process| process.pid).filter(|pid| *pid != 0);
                let is_process = track.kind == TrackKind::Process;
                // The profile makes duplicate numbers unique itself.
                (self.trace.strings.get(track.name), pid.filter(|_| is_process).unwrap_or(1_000_000 + number))
            }
            None => (main.map_or("", |process| process.name.as_str()), 1_000_000 + number),
        };
        let start = Timestamp::from_nanos_since_reference(0);
        let handle = self.profile.add_process(name, pid, start);
        self.profile.set_process_end_time(handle, self.end);
        self.processes.push(Group { root, handle, has_main: false });
        self.processes.len() - 1
    }

    fn thread(&mut self, rows: &[TrackRow], row: usize, root: usize, group: usize) -> ThreadHandle {
        let track = &rows[row];
        self.threads += 1;
        let tid = if track.tid != 0 { track.tid } else { 2_000_000 + self.threads };
        let group = &mut self.processes[group];
        // The profiler first shows the markers of a process's main thread.
        let is_main = !std::mem::replace(&mut group.has_main, true);
        let start = Timestamp::from_nanos_since_reference(0);
        let thread = self.profile.add_thread(group.handle, tid, start, is_main);
        self.profile.set_thread_end_time(thread, self.end);
        self.profile.set_thread_show_markers_in_timeline(thread, true);
        if self.threads == 1 {
            self.markers.add_start(&mut self.profile, thread);
        }
        let name = self.trace.strings.get(track.name);
        // A group between the process and the thread becomes part of the name.
        let parent = some(track.parent).map(|parent| parent as usize).filter(|parent| *parent != root);
        let outer =
            parent.and_then(|parent| rows.get(parent)).map(|outer| self.trace.strings.get(outer.name));
        match outer {
            Some(outer) => self.profile.set_thread_name(thread, &format!("{outer} · {name}")),
            None => self.profile.set_thread_name(thread, name),
        }
        thread
    }

    fn counter(&mut self, track: &TrackRow, counter: u32, group: usize) {
        let counters = &self.trace.counters;
        let name = self.trace.strings.get(track.name);
        let unit = counters.units.at(counter as usize);
        let is_bytes = self.trace.strings.get(unit) == "bytes";
        let category = if is_bytes { "Memory" } else { "Other" };
        let handle = self.profile.add_counter(self.processes[group].handle, name, category, name);
        let mut before = 0.0;
        for sample in counters.rows(counter) {
            let at = counters.at[sample];
            let value = counters.value[sample];
            // The profiler interpolates between samples: a step needs a sample of the old value right before it.
            let just_before = Timestamp::from_nanos_since_reference(at.saturating_sub(1));
            self.profile.add_counter_sample(handle, just_before, 0.0, 0);
            self.profile.add_counter_sample(
                handle,
                Timestamp::from_nanos_since_reference(at),
                value - before,
                1,
            );
            before = value;
        }
    }
}

fn root_of(rows: &[TrackRow], row: usize) -> usize {
    let mut root = row;
    // Parents come before their children.
    while let Some(parent) =
        some(rows[root].parent).map(|parent| parent as usize).filter(|parent| *parent < root)
    {
        root = parent;
    }
    root
}

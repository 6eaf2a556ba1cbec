//! Merge of several recordings of ours into one, with a process for each: the ranks of an MPI run, a program and its
//! children.
//!
//! Numbers that recordings assign themselves (tracks, queues, nodes, …) are replaced where they would collide, and
//! times are converted to one clock. The inputs are read one after the other: memory is bounded by the largest input
//! and by the sink's own.

mod clock;

use std::borrow::Cow;
use std::io;

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::event::{
    Accessor, Allocation, CounterSample, DeviceClock, Edge, Event, EventSink, Execution, GraphChange,
    GraphChangeKind, GraphCommand, GraphRun, HandleDirection, NativeHandle, ObjectBinding, Process,
    SliceBegin, Value,
};
use syclscope_language::time::{Duration, Timestamp};

use self::clock::Start;
use crate::diagnostics::{DiagnosticKind, Diagnostics};
use crate::hash::hash_bytes;
use crate::import::{self, ImportError};
use crate::numbers::Numbers;
use syclscope_language::sorting::Sorting as _;

/// A recording to merge: its name, and its bytes on request.
pub trait Input {
    /// Returns its name in errors: usually a path.
    fn name(&self) -> Cow<'_, str>;

    /// Returns the first `most` bytes, or all if there are fewer. [`merge`] requests a growing start of the file, then
    /// the whole file.
    ///
    /// # Errors
    /// Returns an error if the bytes can't be read.
    fn read(&self, most: usize) -> io::Result<Cow<'_, [u8]>>;
}

/// Bytes in memory with a name.
impl Input for (&str, &[u8]) {
    fn name(&self) -> Cow<'_, str> {
        self.0.into()
    }

    fn read(&self, most: usize) -> io::Result<Cow<'_, [u8]>> {
        Ok(self.1[..self.1.len().min(most)].into())
    }
}

/// Result of a merge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergeReport {
    /// The inputs in the order of the result: by the rank of their process, then by its start.
    pub inputs: Vec<MergedInput>,
    /// Names of empty inputs: recordings of processes that were killed right after their start.
    pub empty: Vec<String>,
    /// Names of inputs with the same bytes as another input, which are left out.
    pub copies: Vec<String>,
}

/// One input of a merge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergedInput {
    /// Its name.
    pub name: String,
    /// Id of its first process.
    pub pid: u32,
    /// Name of its first process.
    pub program: String,
    /// Host of its first process.
    pub host: String,
    /// Rank of its first process, if an MPI launcher started it.
    pub rank: Option<u32>,
    /// Offset of its start from the result's, in nanoseconds.
    pub shift_ns: u64,
    /// True if the recording ended in an orderly way.
    pub complete: bool,
    /// Problems found while it was read.
    pub diagnostics: Diagnostics,
}

/// Error while merging recordings.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// There is nothing to merge.
    #[error("no recording to merge: name at least one that is not empty")]
    NoInput,
    /// An input can't be read.
    #[error("cannot read {name}: {source}")]
    Read {
        /// The input.
        name: String,
        /// The cause.
        source: io::Error,
    },
    /// An input is not a trace.
    #[error("cannot merge {name}: {source}")]
    NotATrace {
        /// The input.
        name: String,
        /// The cause.
        source: ImportError,
    },
    /// An input was not written by syclscope.
    #[error(
        "cannot merge {name}: it was not recorded by syclscope, so the start of its clock is not known; leave it out"
    )]
    Foreign {
        /// The input.
        name: String,
    },
    /// Two inputs have the same process: one of them is a merged recording, or the other in another format.
    #[error("cannot merge {name}: process {pid} is in {other}, too; leave one of the two out")]
    SameProcess {
        /// The input.
        name: String,
        /// The earlier input with the process.
        other: String,
        /// Id of the process.
        pid: u32,
    },
}

/// Passes the events of several recordings to `sink` as those of one, and returns a report. For a file, `sink` is a
/// [`crate::export::Streamed`] exporter.
///
/// The parts of one process (same host, id and start: a recording that was written as several files) become one
/// process. What a later part repeats of an earlier one is passed on once. The process starts as its first part does, and
/// ends as the part with its last events, in whatever order the parts are given.
///
/// # Errors
/// Returns an error if an input can't be read, is not a recording of syclscope, shares a process with another input
/// (unless both are parts of that process alone), or has the same part of a process as another input. The sink may have
/// received events.
pub fn merge<I: Input>(inputs: &[I], sink: &mut (impl EventSink + Send)) -> Result<MergeReport, MergeError> {
    let mut report = MergeReport::default();
    let mut starts = Vec::new();
    for input in inputs {
        match read_start(input)? {
            Some(start) => starts.push((input, start)),
            None => report.empty.push(input.name().into_owned()),
        }
    }
    if starts.is_empty() {
        return Err(MergeError::NoInput);
    }
    let shifts = clock::shifts(starts.iter().map(|(_, start)| &start.start));
    let mut order: Vec<usize> = (0..starts.len()).collect();
    // Parts of one process stay together, in the order in which they were given.
    order.arrange_by_key(|row| {
        let start = &starts[*row].1.start;
        (start.rank, shifts[*row], start.pid, &start.host)
    });
    let mut numbers = Numbers::default();
    let mut before = None;
    let mut files_of_processes: FxHashMap<Identity, usize> = FxHashMap::default();
    let mut processes_before = 0;
    let mut files_of_parts: FxHashMap<Landmark, usize> = FxHashMap::default();
    let mut contents = FxHashSet::default();
    let mut known = FxHashSet::default();
    let mut last = (Timestamp(0), None);
    for (place, row) in order.iter().copied().enumerate() {
        let (input, FirstProcess { start, .. }) = &starts[row];
        let bytes = read(*input, usize::MAX)?;
        if !contents.insert((bytes.len(), hash_bytes(&bytes))) {
            report.copies.push(input.name().into_owned());
            continue;
        }
        let goes_on = before == Some(start);
        if !goes_on {
            pass_finish(&mut last.1, sink);
            last.0 = Timestamp(0);
            numbers.next_input();
            files_of_parts.clear();
            known.clear();
        }
        let has_next = order.get(place + 1).is_some_and(|next| starts[*next].1.start == *start);
        // The part with the start of the process has no such time.
        let parts = starts.iter().filter(|(_, first)| first.start == *start);
        let from_ns = parts.map(|(_, first)| first.from_ns).min().flatten();
        let mut part = Part {
            sink: &mut *sink,
            numbers: &mut numbers,
            shift: shifts[row],
            goes_on,
            from_ns,
            complete: false,
            processes: FxHashSet::default(),
            landmark: None,
            known: &known,
            states: has_next.then(Vec::new),
            has_other_parts: goes_on || has_next,
            latest: Timestamp(0),
            finish: None,
        };
        let read = import::read(&bytes, &mut part).map_err(|source| not_a_trace(*input, source))?;
        let (complete, processes, landmark) = (part.complete, part.processes, part.landmark);
        if part.latest >= last.0 {
            last = (part.latest, part.finish);
        }
        let states = part.states.unwrap_or_default();
        known.extend(states);
        if let Some(other) = landmark.and_then(|landmark| files_of_parts.insert(landmark, row)) {
            let [name, other] = [row, other].map(|row| starts[row].0.name().into_owned());
            return Err(MergeError::SameProcess { name, other, pid: start.pid });
        }
        // Parts of one process contain no other process.
        let is_part = goes_on && processes_before == 1 && processes.len() == 1;
        processes_before = processes.len();
        for process in processes.into_iter().filter(|process| !is_part && process.has_start()) {
            let pid = process.pid;
            if let Some(other) = files_of_processes.insert(process, row) {
                let [name, other] = [row, other].map(|row| starts[row].0.name().into_owned());
                return Err(MergeError::SameProcess { name, other, pid });
            }
        }
        report.inputs.push(MergedInput {
            name: input.name().into_owned(),
            pid: start.pid,
            program: start.program.clone(),
            host: start.host.clone(),
            rank: start.rank,
            shift_ns: shifts[row],
            complete: complete && read.diagnostics.get(DiagnosticKind::TruncatedFile) == 0,
            diagnostics: read.diagnostics,
        });
        before = Some(start);
    }
    pass_finish(&mut last.1, sink);
    Ok(report)
}

/// Passes on the end of a process, if there is one.
fn pass_finish(finish: &mut Option<Event<'static>>, sink: &mut impl EventSink) {
    if let Some(end) = finish.take() {
        sink.event(&end);
    }
}

/// Bytes at an input's start that are read first to find its process's start.
const FIRST_LOOK_BYTES: usize = 1 << 16;

/// Returns the start of an input's first process; `None` for an input without a byte.
fn read_start(input: &impl Input) -> Result<Option<FirstProcess>, MergeError> {
    let mut most = FIRST_LOOK_BYTES;
    loop {
        let bytes = read(input, most)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let is_whole = bytes.len() < most;
        let mut first = First::default();
        match import::read(&bytes, &mut first) {
            Ok(report) if report.own_convention && first.process.is_some() => return Ok(first.process),
            Ok(_) if first.has_event || is_whole => {
                return Err(MergeError::Foreign { name: input.name().into_owned() });
            }
            Err(source) if is_whole => return Err(not_a_trace(input, source)),
            // The record of the process is longer than the bytes read so far.
            Ok(_) | Err(_) => most = most.saturating_mul(16),
        }
    }
}

fn read(input: &impl Input, most: usize) -> Result<Cow<'_, [u8]>, MergeError> {
    input.read(most).map_err(|source| MergeError::Read { name: input.name().into_owned(), source })
}

fn not_a_trace(input: &impl Input, source: ImportError) -> MergeError {
    MergeError::NotATrace { name: input.name().into_owned(), source }
}

/// The first process of an input.
struct FirstProcess {
    start: Start,
    /// Time from which the input has its events, if it lacks earlier ones.
    from_ns: Option<u64>,
}

#[derive(Default)]
struct First {
    process: Option<FirstProcess>,
    has_event: bool,
}

impl EventSink for First {
    fn event(&mut self, event: &Event<'_>) {
        self.has_event = true;
        if let Event::Process(process) = event {
            let Process { from_ns, .. } = *process;
            self.process.get_or_insert_with(|| FirstProcess { start: Start::from(process), from_ns });
        }
    }
}

/// Identity of a process, the same in a recording and in a merge of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Identity {
    pid: u32,
    host: String,
    rank: Option<u32>,
    start_unix_ns: u64,
    start_monotonic_ns: u64,
}

impl Identity {
    fn has_start(&self) -> bool {
        self.start_unix_ns != 0 || self.start_monotonic_ns != 0
    }
}

impl From<&Process<'_>> for Identity {
    fn from(process: &Process<'_>) -> Self {
        let Process { pid, rank, start_unix_ns, start_monotonic_ns, .. } = *process;
        Self { pid, host: process.host.to_owned(), rank, start_unix_ns, start_monotonic_ns }
    }
}

/// An event that only one part of a process has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Landmark {
    Slice { track: u64, at: Timestamp },
    Execution { node: u64 },
}

fn landmark(event: &Event<'_>) -> Option<Landmark> {
    match event {
        // A part repeats slices that were open at its start.
        Event::SliceBegin(SliceBegin { args, .. }) if args.contains(&("continued", Value::Bool(true))) => {
            None
        }
        Event::SliceBegin(SliceBegin { track, at, .. }) => Some(Landmark::Slice { track: *track, at: *at }),
        Event::Execution(Execution { node, .. }) => Some(Landmark::Execution { node: *node }),
        _ => None,
    }
}

/// A state that lasts. A part repeats those that began in earlier parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Accessor { at: Timestamp, object: u64, address: u64, node: Option<u64> },
    Allocation { at: Timestamp, pointer: u64 },
    Binding { at: Timestamp, object: u64, handle: u64 },
    Command { graph: u64, position: u64, node: u64 },
    Change { at: Timestamp, graph: u64, change: GraphChangeKind },
    Clock { at: Timestamp, device: u64 },
    Counter { at: Timestamp, track: u64 },
    Edge { at: Timestamp, source: u64, target: u64, memory_object: u64 },
    Run { graph: u64, node: u64 },
    Native { at: Timestamp, handle: u64, native: u64, direction: HandleDirection },
}

/// Returns the state of an event; `None` for events whose repetition changes nothing.
fn state(event: &Event<'_>) -> Option<State> {
    Some(match *event {
        Event::Accessor(Accessor { object, at, address, node, .. }) => {
            State::Accessor { at, object, address, node }
        }
        Event::Allocation(Allocation { at, pointer, .. }) => State::Allocation { at, pointer },
        Event::ObjectBinding(ObjectBinding { object, at, handle, .. }) => {
            State::Binding { at, object, handle }
        }
        Event::GraphCommand(GraphCommand { graph, position, node, .. }) => {
            State::Command { graph, position, node }
        }
        Event::GraphChange(GraphChange { graph, at, change, .. }) => State::Change { at, graph, change },
        Event::DeviceClock(DeviceClock { device_handle: device, at, .. }) => State::Clock { at, device },
        Event::Counter(CounterSample { at, track, .. }) => State::Counter { at, track },
        Event::Edge(Edge { at, source, target, memory_object, .. }) => {
            State::Edge { at, source, target, memory_object }
        }
        Event::GraphRun(GraphRun { graph, node, .. }) => State::Run { graph, node },
        Event::NativeHandle(NativeHandle { at, handle, native, direction, .. }) => {
            State::Native { at, handle, native, direction }
        }
        _ => return None,
    })
}

/// Returns the time of an event that a part has in the order of time.
fn time(event: &Event<'_>) -> Option<Timestamp> {
    match event {
        Event::SliceBegin(slice) => Some(slice.at),
        Event::Instant(instant) => Some(instant.at),
        Event::Node(node) => Some(node.at),
        Event::Finish { at } | Event::PartEnd { at } => Some(*at),
        _ => None,
    }
}

struct Part<'a, S> {
    sink: &'a mut S,
    numbers: &'a mut Numbers,
    /// Offset to add to its times.
    shift: u64,
    /// True if it continues the process of the previous input.
    goes_on: bool,
    /// Time from which the parts of its first process have events, if they lack earlier ones.
    from_ns: Option<u64>,
    complete: bool,
    processes: FxHashSet<Identity>,
    landmark: Option<Landmark>,
    /// The states in earlier parts of the process.
    known: &'a FxHashSet<State>,
    /// The states in this part; `None` if no part follows.
    states: Option<Vec<State>>,
    /// True if other inputs have the same process.
    has_other_parts: bool,
    /// Time of the part's latest event.
    latest: Timestamp,
    /// The end of the last process, if the process has other parts.
    finish: Option<Event<'static>>,
}

impl<S: EventSink> EventSink for Part<'_, S> {
    fn event(&mut self, event: &Event<'_>) {
        if let Event::Process(process) = event {
            self.processes.insert(Identity::from(process));
        }
        if self.landmark.is_none() {
            self.landmark = landmark(event);
        }
        self.latest = self.latest.max(time(event).unwrap_or_default());
        if let Some(state) = state(event) {
            if self.known.contains(&state) {
                return;
            }
            self.states.iter_mut().for_each(|states| states.push(state));
        }
        match event {
            Event::Process(Process { .. }) if std::mem::take(&mut self.goes_on) => return,
            Event::Process(process) => {
                pass_finish(&mut self.finish, &mut *self.sink);
                let start_ns = process.start_ns.saturating_add(self.shift);
                let is_first = self.processes.len() == 1;
                let from_ns = if is_first { self.from_ns } else { process.from_ns };
                let from_ns = from_ns.map(|from| from.saturating_add(self.shift));
                self.sink.event(&Event::Process(Process { start_ns, from_ns, ..*process }));
                return;
            }
            Event::Finish { at } | Event::PartEnd { at } => {
                self.complete = true;
                if self.has_other_parts {
                    let at = at.after(Duration(self.shift));
                    let is_part = matches!(event, Event::PartEnd { .. });
                    self.finish = Some(if is_part { Event::PartEnd { at } } else { Event::Finish { at } });
                    return;
                }
            }
            _ => {}
        }
        self.numbers.pass(event, self.shift, &mut *self.sink);
    }
}

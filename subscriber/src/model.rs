//! State of the recorded run, which turns records, ordered by time, into events.
//!
//! The runtime identifies objects by addresses that it reuses: universal ids, event, queue and kernel handles. The
//! model resolves each at its time, and numbers nodes and queues itself.
//!
//! These files hold the state, one file per kind of object. `rules` has the changes that a record makes to it, and the
//! resulting events. The files here don't depend on the rules.

mod accessors;
mod args;
mod commands;
mod counters;
mod described;
mod device_calls;
mod device_work;
mod devices;
mod graphs;
mod handles;
mod kernel_names;
mod location;
mod memory;
mod node_content;
mod node_words;
mod nodes;
mod objects;
mod open;
mod owned_location;
mod parts;
mod process;
mod python;
mod queues;
mod ranges;
mod rules;
mod stacks;
mod streams;
mod threads;
mod words;

use rustc_hash::FxHashMap;
use syclscope_language::event::EventSink;
use syclscope_language::time::Timestamp;

use crate::config::Config;
use crate::lines::Lines;
use crate::xpti::Names;
use accessors::Accessors;
use commands::Commands;
use counters::CounterTracks;
use described::Meanings;
use device_work::DeviceWorks;
use devices::Devices;
use graphs::Graphs;
use handles::NativeHandles;
use kernel_names::Kernel;
use memory::Memory;
use node_content::NodeContents;
use nodes::Nodes;
use objects::Objects;
use python::PythonLines;
use queues::Queues;
use ranges::Ranges;
use stacks::Stacks;
use streams::Streams;
use threads::Threads;

pub(crate) struct Model {
    start_ns: u64,
    threads: Threads,
    nodes: Nodes,
    meanings: Meanings,
    contents: NodeContents,
    queues: Queues,
    memory: Memory,
    names: Names,
    objects: Objects,
    accessors: Accessors,
    streams: Streams,
    ranges: Ranges,
    graphs: Graphs,
    devices: Devices,
    handles: NativeHandles,
    /// The program's source, by the addresses of its code.
    lines: Lines,
    python: PythonLines,
    stacks: Stacks,
    kernels: FxHashMap<u64, Kernel>,
    /// Events by handle: the node whose completion they signal.
    events: FxHashMap<u64, u64>,
    /// Commands whose device work is in a vendor's records.
    works: DeviceWorks,
    counters: CounterTracks,
    pub(crate) commands: Commands,
}

impl Model {
    pub(crate) fn begin(start_ns: u64, config: &'static Config, sink: &mut dyn EventSink) -> Self {
        process::describe(start_ns, config.has_environment, sink);
        Self {
            start_ns,
            threads: Threads::default(),
            nodes: Nodes::default(),
            meanings: Meanings::default(),
            contents: NodeContents::default(),
            queues: Queues::default(),
            memory: Memory::default(),
            names: Names::default(),
            objects: Objects::default(),
            accessors: Accessors::default(),
            streams: Streams::default(),
            ranges: Ranges::default(),
            graphs: Graphs::default(),
            devices: Devices::default(),
            handles: NativeHandles::default(),
            lines: Lines::default(),
            python: PythonLines::default(),
            stacks: Stacks::default(),
            kernels: FxHashMap::default(),
            events: FxHashMap::default(),
            works: DeviceWorks::default(),
            counters: CounterTracks::default(),
            commands: Commands::default(),
        }
    }

    /// `CLOCK_MONOTONIC` at the start of the trace, in nanoseconds.
    pub(crate) fn start_ns(&self) -> u64 {
        self.start_ns
    }

    /// Converts a time of `CLOCK_MONOTONIC` to time since the start of the trace.
    pub(crate) fn timestamp(&self, at_ns: u64) -> Timestamp {
        Timestamp(at_ns.saturating_sub(self.start_ns))
    }

    /// Takes notes for the user about events that could not be recorded, each once.
    pub(crate) fn take_notes(&mut self) -> Vec<String> {
        self.lines.take_notes()
    }

    pub(crate) fn has_queue(&self) -> bool {
        self.queues.has_any()
    }
}

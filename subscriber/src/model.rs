//! From records in the order of time to events.
//!
//! The runtime names things by addresses that it uses again: universal ids, event, queue and kernel handles. The model
//! takes each name for what it means at that moment, and gives nodes and queues numbers of their own.

mod args;
mod calls;
mod location;
mod memory;
mod nodes;
mod pause;
mod process;
mod queues;
mod threads;
mod waits;

use std::collections::HashMap;
use std::sync::Arc;

use syclscope_trace::event::{Category, Edge, EdgeReason, Event, EventSink, Instant};
use syclscope_trace::time::Timestamp;

use crate::config::Config;
use crate::device_time::Outstanding;
use crate::record::{Header, Kind, Tracepoint};
use crate::writer::Origin;
use crate::xpti::Names;
use location::location;
use memory::Memory;
use nodes::Nodes;
use queues::Queues;
use threads::Threads;

/// What is known of the run at the moment of the record that is being handled.
pub(crate) struct Model {
    start_ns: u64,
    threads: Threads,
    nodes: Nodes,
    queues: Queues,
    memory: Memory,
    names: Names,
    /// Kernels by handle.
    kernels: HashMap<u64, Arc<str>>,
    /// Events by handle: the node whose completion they tell.
    events: HashMap<u64, u64>,
    /// Commands whose device times are still to be read.
    pub(crate) outstanding: Outstanding,
}

impl Model {
    /// Begins a recording with the facts of the process.
    pub(crate) fn begin(start_ns: u64, _config: &'static Config, sink: &mut dyn EventSink) -> Self {
        process::describe(start_ns, sink);
        Self {
            start_ns,
            threads: Threads::default(),
            nodes: Nodes::default(),
            queues: Queues::default(),
            memory: Memory::default(),
            names: Names::default(),
            kernels: HashMap::new(),
            events: HashMap::new(),
            outstanding: Outstanding::default(),
        }
    }

    /// `CLOCK_MONOTONIC` at the start of the trace, in nanoseconds.
    pub(crate) fn start_ns(&self) -> u64 {
        self.start_ns
    }

    /// A moment of `CLOCK_MONOTONIC` as time since the start of the trace.
    pub(crate) fn timestamp(&self, at_ns: u64) -> Timestamp {
        Timestamp(at_ns.saturating_sub(self.start_ns))
    }

    /// Handles the next record.
    pub(crate) fn record(
        &mut self,
        header: Header,
        at_ns: u64,
        origin: Origin<'_>,
        sink: &mut dyn EventSink,
    ) {
        let at = self.timestamp(at_ns);
        let Origin { thread, first_of, mut cursor, ahead } = origin;
        if let Some(lane) = first_of {
            self.threads.thread_begin(thread, &lane.thread_name(), sink);
        }
        match header.kind {
            Kind::CallBegin => self.call_begin(header.detail, at_ns, thread, cursor, sink),
            Kind::CallEnd => self.call_end(header.detail, at, thread, cursor, sink),
            Kind::Node => self.node(at, thread, &Tracepoint::read(&mut cursor), ahead, sink),
            Kind::Edge => self.edge(at, &Tracepoint::read(&mut cursor), sink),
            Kind::TaskBegin => self.task_begin(at, thread, [cursor.word(), cursor.word()], sink),
            Kind::WaitBegin => self.wait_begin(at, thread, &Tracepoint::read(&mut cursor), sink),
            Kind::TaskEnd | Kind::WaitEnd => {
                let id = [cursor.word(), cursor.word()];
                self.threads.end(thread, header.kind, id, at, &[], sink);
            }
            Kind::Signal => self.signal(at, thread, [cursor.word(), cursor.word()], cursor.word(), sink),
            Kind::QueueCreate => self.queue_create(at, &Tracepoint::read(&mut cursor), sink),
            Kind::QueueDestroy => self.queue_destroy(at, &Tracepoint::read(&mut cursor), sink),
            Kind::Diagnostic => self.diagnostic(at, thread, &Tracepoint::read(&mut cursor), sink),
            Kind::AllocateBegin | Kind::ReleaseBegin => {
                self.memory_begin(header.kind, at, thread, &Tracepoint::read(&mut cursor), sink);
            }
            Kind::AllocateEnd | Kind::ReleaseEnd => {
                let id = [cursor.word(), cursor.word()];
                self.memory_end(header.kind, at, thread, id, cursor.word(), sink);
            }
            Kind::Raw => {}
        }
    }

    fn diagnostic(
        &mut self,
        at: Timestamp,
        thread: u32,
        tracepoint: &Tracepoint<'_>,
        sink: &mut dyn EventSink,
    ) {
        let track = self.threads.track(thread, sink);
        let texts = args::Texts::of(tracepoint);
        sink.event(&Event::Instant(Instant {
            track,
            at,
            category: Category::Diagnostic,
            name: &tracepoint.text,
            node: self.threads.node(thread),
            location: location(tracepoint),
            args: &args::of(tracepoint, &texts),
        }));
    }

    /// Adds a dependence, unless the same two nodes are joined already.
    fn depend(
        &mut self,
        at: Timestamp,
        source: u64,
        target: u64,
        reason: EdgeReason,
        sink: &mut dyn EventSink,
    ) {
        if source != target && self.nodes.join(source, target) {
            sink.event(&Event::Edge(Edge { at, source, target, reason, access_mode: "", memory_object: 0 }));
        }
    }
}

/// The hexadecimal number between the brackets of `event.wait[…]`, `virtual_node[…]`; nothing for zero.
fn handle_in_brackets(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once('[')?;
    let digits = rest.split(']').next()?.trim_start_matches("0x");
    u64::from_str_radix(digits, 16).ok().filter(|handle| *handle != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_read_from_brackets() {
        assert_eq!(handle_in_brackets("event.wait[0x55d0c0ffee]"), Some(0x0055_d0c0_ffee));
        assert_eq!(handle_in_brackets("virtual_node[55d0]"), Some(0x55d0));
        assert_eq!(handle_in_brackets("event.wait[0]"), None);
        assert_eq!(handle_in_brackets("Event[nil]"), None);
        assert_eq!(handle_in_brackets("queue.wait"), None);
    }
}

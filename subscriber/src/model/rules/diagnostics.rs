//! Messages of the runtime, and their commands.

use syclscope_language::event::{Category, Event, EventSink, Instant};
use syclscope_language::time::Timestamp;

use crate::model::location::location;
use crate::model::{Model, args};
use crate::record::Tracepoint;

impl Model {
    /// Records an exception or error that the runtime has reported.
    ///
    /// During a submission, the message belongs to the submission's command. An error of a host task comes from a
    /// thread of the runtime. It has the command's source location, which identifies the command if only one was
    /// created there.
    pub(super) fn diagnostic(
        &mut self,
        at: Timestamp,
        thread: u32,
        tracepoint: &Tracepoint<'_>,
        sink: &mut dyn EventSink,
    ) {
        let track = self.threads.track(thread, sink);
        let location = location(tracepoint);
        let node =
            self.threads.node(thread).or_else(|| self.nodes.only_node_at(location.file, location.line));
        let decoded = args::Decoded::new(tracepoint);
        sink.event(&Event::Instant(Instant {
            track,
            at,
            category: Category::Diagnostic,
            name: &tracepoint.text,
            node,
            location,
            args: &decoded.args(),
        }));
    }

    pub(super) fn graph_create(
        &mut self,
        at: Timestamp,
        thread: u32,
        tracepoint: &Tracepoint<'_>,
        sink: &mut dyn EventSink,
    ) {
        let track = self.threads.track(thread, sink);
        let decoded = args::Decoded::new(tracepoint);
        let mut args = decoded.args();
        args.push(("graph", syclscope_language::event::Value::Str(&tracepoint.name)));
        sink.event(&Event::Instant(Instant {
            track,
            at,
            category: Category::Other,
            name: "task graph created",
            node: None,
            location: Default::default(),
            args: &args,
        }));
    }
}

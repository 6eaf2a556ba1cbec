//! Rules for waits of the host: for events and queues, and at barriers of the runtime.

use syclscope_language::event::{Category, Event, EventSink, SliceBegin, SourceLocation, Value};
use syclscope_language::time::Timestamp;

use crate::buffer::Kind;
use crate::model::location::location;
use crate::model::node_words::handle_in_brackets;
use crate::model::open::{Memo, Open};
use crate::model::owned_location::OwnedLocation;
use crate::model::{Model, args};
use crate::record::Tracepoint;

/// Argument of a wait whose location is the caller's: the return address of its call, or [`PYTHON`].
const CALLER: &str = "caller";
const PYTHON: &str = "python";

impl Model {
    pub(super) fn wait_begin(
        &mut self,
        at: Timestamp,
        thread: u32,
        tracepoint: &Tracepoint<'_>,
        callers: &[u64],
        sink: &mut dyn EventSink,
    ) {
        let track = self.threads.track(thread, sink);
        let waits_for = tracepoint.text.split('[').next().unwrap_or_default();
        let handle = handle_in_brackets(&tracepoint.text);
        let waits_for_event = waits_for.starts_with("event");
        let node = handle.filter(|_| waits_for_event).and_then(|event| self.events.get(&event).copied());
        // A host command has no event: the tracepoint is its node's.
        let node =
            node.or_else(|| self.nodes.newest(tracepoint.universal_id, false).filter(|_| waits_for_event));
        let queue =
            handle.filter(|_| waits_for.starts_with("queue")).and_then(|queue| self.queues.number(queue));
        let decoded = args::Decoded::new(tracepoint);
        let mut args = decoded.args();
        if let Some(queue) = queue {
            args.push(("queue", Value::Uint(queue)));
        }
        let name = match waits_for {
            "" => "wait",
            name => name,
        };
        // The tracepoint of a wait for an event is the command's, with the location of its submission.
        let caller = self.lines.caller(callers);
        let file = caller.as_ref().map(|line| self.nodes.short_name(&line.file));
        let place = match (&caller, &file) {
            (Some(line), Some(file)) => {
                SourceLocation { function: "", file, line: line.line, column: line.column }
            }
            _ if waits_for_event => SourceLocation::default(),
            _ => location(tracepoint),
        };
        let place = self.python.place(OwnedLocation::at(place));
        match caller.filter(|_| file.as_ref() == Some(place.file())) {
            Some(line) => args.push((CALLER, Value::Pointer(line.address))),
            None if waits_for_event && !place.file().is_empty() => args.push((CALLER, Value::Str(PYTHON))),
            None => {}
        }
        args.extend(self.stacks.arg());
        sink.event(&Event::SliceBegin(SliceBegin {
            track,
            at,
            category: Category::Wait,
            name,
            node,
            location: place.location(),
            args: &args,
        }));
        let id = [tracepoint.universal_id, tracepoint.instance];
        self.threads.begin(thread, at, Open { end: Kind::WaitEnd, id, node, memo: Memo::Nothing }, sink);
    }

    pub(super) fn barrier_begin(
        &mut self,
        at: Timestamp,
        thread: u32,
        tracepoint: &Tracepoint<'_>,
        sink: &mut dyn EventSink,
    ) {
        let track = self.threads.track(thread, sink);
        let node = self.nodes.newest(tracepoint.universal_id, false);
        let decoded = args::Decoded::new(tracepoint);
        let mut args = decoded.args();
        let place = self.python.place(OwnedLocation::new(tracepoint));
        let (name, reason) = match tracepoint.text.split_once('[') {
            Some((name, reason)) => (name, reason.strip_suffix(']').unwrap_or(reason)),
            None => (tracepoint.text.as_ref(), ""),
        };
        if !reason.is_empty() {
            args.push(("reason", Value::Str(reason)));
        }
        args.extend(self.stacks.arg());
        sink.event(&Event::SliceBegin(SliceBegin {
            track,
            at,
            category: Category::Barrier,
            name: if name.is_empty() { "enqueue.barrier" } else { name },
            node,
            location: place.location(),
            args: &args,
        }));
        let id = [tracepoint.universal_id, tracepoint.instance];
        self.threads.begin(thread, at, Open { end: Kind::BarrierEnd, id, node, memo: Memo::Nothing }, sink);
    }
}

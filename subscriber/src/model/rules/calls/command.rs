//! Commands that calls put on queues: their nodes, what they wait for, and the events by which their times are read.

use std::sync::Arc;

use syclscope_language::event::{EdgeReason, Event, EventSink, NoTime, Node, NodeKind, QueueOrder, Value};
use syclscope_language::time::Timestamp;

use crate::device_time::{Kept, Launch, Wait};
use crate::model::open::{Command, OpenCall};
use crate::model::owned_location::OwnedLocation;
use crate::model::{Model, node_words};
use crate::record::call::Inputs;

impl Model {
    /// A command is put on a queue: its node, what it depends on, and the queue's number.
    pub(super) fn command_begins(
        &mut self,
        at: Timestamp,
        thread: u32,
        kind: NodeKind,
        handle: u64,
        inputs: &Inputs<'_>,
        sink: &mut dyn EventSink,
    ) -> (u64, u64) {
        let queue = self.queues.of_command(at, handle, sink);
        let kernel = self.kernel_of(inputs);
        let owner = self
            .threads
            .task(thread)
            .unwrap_or_else(|| self.command_of_its_own(at, thread, kind, kernel.as_ref(), queue.queue, sink));
        for event in inputs.list("phEventWaitList") {
            if let Some(source) = self.events.get(&event).copied() {
                self.depend(at, source, owner, EdgeReason::Event, sink);
            }
        }
        if queue.order == QueueOrder::InOrder
            && let Some(last) = queue.last
        {
            self.depend(at, last, owner, EdgeReason::InOrder, sink);
        }
        self.queues.known(handle).last = Some(owner);
        (owner, queue.queue)
    }

    /// The name of the kernel that a call launches.
    fn kernel_of(&self, inputs: &Inputs<'_>) -> Option<Arc<str>> {
        self.kernels.get(&inputs.word("hKernel")?).cloned()
    }

    /// What is remembered of a command until it has been put on its queue.
    pub(super) fn command(&self, kind: NodeKind, queue: u64, inputs: &Inputs<'_>) -> Command {
        let kernel = self.kernel_of(inputs);
        let (size_bytes, launch) = (size_bytes(inputs), launch(inputs));
        Command { queue, kind, kernel, size_bytes, launch, is_blocking: is_blocking(kind, inputs) }
    }

    /// A command for which the runtime has announced no node: a command graph's execution, a barrier, advice.
    fn command_of_its_own(
        &mut self,
        at: Timestamp,
        thread: u32,
        kind: NodeKind,
        kernel: Option<&Arc<str>>,
        queue: u64,
        sink: &mut dyn EventSink,
    ) -> u64 {
        let name: Arc<str> = kernel.cloned().unwrap_or_else(|| match kind {
            NodeKind::CommandGraph => "command graph".into(),
            other => other.as_str().into(),
        });
        let node = self.nodes.add(kind, Arc::clone(&name), OwnedLocation::default());
        let no_time =
            [("device_time", Value::Str("unknown: the runtime reports only when a command graph ends"))];
        sink.event(&Event::Node(Node {
            node,
            at,
            kind,
            name: &name,
            queue: Some(queue),
            tid: thread,
            location: Default::default(),
            args: if kind == NodeKind::CommandGraph && !self.works.is_active { &no_time } else { &[] },
        }));
        node
    }

    /// A command was put on its queue: with its event, and whether that is ours to ask; `told` is the call's instance and thread where
    /// a vendor's records tell of the work.
    pub(super) fn submitted(
        &mut self,
        at: Timestamp,
        node: u64,
        kind: NodeKind,
        open: OpenCall,
        (event, is_retained, told): (Option<u64>, bool, Option<(u64, u32)>),
        sink: &mut dyn EventSink,
    ) {
        let OpenCall { called_ns, command, .. } = open;
        let Some(command) = command else { return };
        if let Some(event) = event {
            self.events.insert(event, node);
        }
        if kind == NodeKind::CommandGraph && told.is_none() {
            return;
        }
        let event = match (event.filter(|_| is_retained), told) {
            (Some(event), _) => event,
            (None, Some(_)) => 0,
            (None, None) => {
                // An event that is there and can't be kept is one of a runtime that the recorder can't ask.
                let reason = if event.is_some() { NoTime::Device } else { NoTime::NoEvent };
                self.outstanding.untimed(node, at, reason, sink);
                return;
            }
        };
        let queue = *self.queues.known(command.queue);
        let known = self.nodes.known(node);
        let name = match (&command.kernel, known) {
            // The launch may have come too late for the node to be named after it.
            (Some(kernel), _) if node_words::is_foreign(kernel) => Arc::clone(kernel),
            (_, Some(known)) => Arc::clone(&known.name),
            (Some(kernel), None) => Arc::clone(kernel),
            (None, None) => command.kind.as_str().into(),
        };
        let kept = Kept {
            event,
            node,
            queue: queue.queue,
            device: queue.device,
            kind: command.kind,
            name,
            device_name: self.devices.name(queue.device),
            called_ns,
            returned_ns: self.start_ns + at.0,
            pending_ns: 0,
            done_ns: if command.is_blocking { self.start_ns + at.0 } else { u64::MAX },
            size_bytes: command.size_bytes,
            launch: command.launch,
            is_unfinished: false,
        };
        match told {
            Some(call) => self.works.submitted(call, kept),
            None => self.outstanding.push(kept),
        }
    }

    /// The program has waited for a queue or for events: what it waited for is done.
    pub(super) fn waited(&mut self, at: Timestamp, begin_ns: u64, inputs: &Inputs<'_>) {
        if !self.outstanding.wants_waits() {
            return;
        }
        let queue = inputs.word("hQueue").and_then(|handle| self.queues.number(handle)).unwrap_or(0);
        let events = inputs.list("phEventWaitList");
        if queue != 0 || !events.is_empty() {
            let end_ns = self.start_ns + at.0;
            self.outstanding.waited(Wait { queue, events, begin_ns, end_ns });
        }
    }
}

/// Whether a call returns when its command is done.
fn is_blocking(kind: NodeKind, inputs: &Inputs<'_>) -> bool {
    const NAMES: [&str; 4] = ["blocking", "blockingRead", "blockingWrite", "blockingMap"];
    let may_be = matches!(kind, NodeKind::Copy | NodeKind::Map);
    may_be && NAMES.iter().any(|name| inputs.word(name).is_some_and(|value| value & 0xff != 0))
}

/// How many bytes a command handles.
fn size_bytes(inputs: &Inputs<'_>) -> Option<u64> {
    if let (Some(width), Some(height)) = (inputs.word("width"), inputs.word("height")) {
        return Some(width.saturating_mul(height));
    }
    // Of an image it is in pixels.
    let is_of_bytes = inputs.function().is_some_and(|function| function.known_as.contains("Buffer"));
    let region = |side: &str| inputs.field("region", side).filter(|_| is_of_bytes);
    if let (Some(width), Some(height), Some(depth)) = (region("width"), region("height"), region("depth")) {
        return Some(width.saturating_mul(height).saturating_mul(depth));
    }
    inputs.word("size").or_else(|| inputs.word("count"))
}

/// Global and local size of a kernel's launch; zeros for dimensions that it does not have or leaves to the runtime.
fn launch(inputs: &Inputs<'_>) -> Option<Launch> {
    let sizes = |name: &str| {
        let mut sizes = [0; 3];
        sizes.iter_mut().zip(inputs.list(name)).for_each(|(size, given)| *size = given);
        sizes
    };
    inputs.word("workDim").map(|_| (sizes("pGlobalWorkSize"), sizes("pLocalWorkSize")))
}

//! Rules for commands enqueued by calls: their nodes, dependences, and the events from which their times are read.

use std::sync::Arc;

use syclscope_language::event::{EdgeReason, Event, EventSink, NoTime, Node, NodeKind, QueueOrder, Value};
use syclscope_language::time::Timestamp;

use crate::model::Model;
use crate::model::commands::{Launch, PendingCommand};
use crate::model::kernel_names::Kernel;
use crate::model::open::OpenCall;
use crate::model::owned_location::OwnedLocation;
use crate::record::call::Inputs;
use crate::xpti::Slot;

impl Model {
    /// A command is being enqueued: its node, its dependences, and the queue's number.
    pub(super) fn command_begins(
        &mut self,
        at: Timestamp,
        thread: u32,
        (kind, kernel): (NodeKind, Option<&Kernel>),
        handle: u64,
        inputs: &Inputs<'_>,
        sink: &mut dyn EventSink,
    ) -> (u64, u64, Option<u64>) {
        let queue = self.queues.of_command(at, handle, sink);
        let owner = self
            .threads
            .task(thread)
            .unwrap_or_else(|| self.command_of_its_own(at, thread, kind, kernel, queue.queue, sink));
        let dependences = inputs.function().map_or(Slot::NONE, |function| function.dependences);
        for event in inputs.list_at(dependences) {
            if let Some(source) = self.events.get(&event).copied() {
                self.depend(at, source, owner, EdgeReason::Event, sink);
            }
        }
        if queue.order == QueueOrder::InOrder
            && let Some(last) = queue.last
        {
            self.depend(at, last, owner, EdgeReason::InOrder, sink);
        }
        self.queues.entry(handle).last = Some(owner);
        (owner, queue.queue, queue.last)
    }

    pub(super) fn kernel_of(&self, inputs: &Inputs<'_>) -> Option<Kernel> {
        self.kernels.get(&inputs.of(|function| function.launch.kernel)?).cloned()
    }

    /// Returns a command without a node of the runtime's: a command graph's execution, a barrier, advice.
    fn command_of_its_own(
        &mut self,
        at: Timestamp,
        thread: u32,
        kind: NodeKind,
        kernel: Option<&Kernel>,
        queue: u64,
        sink: &mut dyn EventSink,
    ) -> u64 {
        let name: Arc<str> = match (kernel, kind) {
            (Some(kernel), _) => Arc::clone(&kernel.name),
            (None, NodeKind::CommandGraph) => "command graph".into(),
            (None, other) => other.as_str().into(),
        };
        let place = self.python.place(OwnedLocation::default());
        let node = self.nodes.add(kind, Arc::clone(&name), place.clone());
        let no_time =
            [("device_time", Value::Str("unknown: the runtime reports only when a command graph ends"))];
        sink.event(&Event::Node(Node {
            node,
            at,
            kind,
            name: &name,
            queue: Some(queue),
            tid: thread,
            location: place.location(),
            args: if kind == NodeKind::CommandGraph && !self.works.is_active { &no_time } else { &[] },
        }));
        node
    }

    pub(super) fn submitted(
        &mut self,
        at: Timestamp,
        node: u64,
        kind: NodeKind,
        open: OpenCall,
        call: Submission,
        sink: &mut dyn EventSink,
    ) {
        let OpenCall { called_ns, command, .. } = open;
        let Some(command) = command else { return };
        if let Some(event) = call.event {
            self.events.insert(event, node);
        }
        if kind == NodeKind::CommandGraph && !call.has_vendor_record {
            return;
        }
        if !call.has_vendor_record && !call.is_retained {
            // An event that exists and can't be retained belongs to a runtime that the recorder can't query.
            let reason = if call.event.is_some() { NoTime::Device } else { NoTime::NoEvent };
            self.commands.untimed(node, at, reason, sink);
            return;
        }
        let queue = *self.queues.entry(command.queue);
        let state = self.nodes.get(node);
        let name = match (&command.kernel, state) {
            // The launch may have arrived too late to name the node.
            (Some(kernel), _) if kernel.is_foreign => Arc::clone(&kernel.name),
            (_, Some(state)) => Arc::clone(&state.name),
            (Some(kernel), None) => Arc::clone(&kernel.name),
            (None, None) => command.kind.as_str().into(),
        };
        let pending = PendingCommand {
            node,
            queue: queue.queue,
            kind: command.kind,
            name,
            // Only a vendor's records need it.
            device_name: match call.is_retained {
                true => Arc::default(),
                false => self.devices.name(queue.device),
            },
            called_ns,
            returned_ns: self.start_ns + at.0,
            size_bytes: command.size_bytes,
            launch: command.launch,
        };
        if call.is_retained {
            self.commands.submitted(call.instance, pending);
        } else {
            self.works.submitted((call.instance, call.thread), pending);
        }
    }
}

pub(super) struct Submission {
    pub(super) instance: u64,
    pub(super) thread: u32,
    pub(super) event: Option<u64>,
    /// True if the recorder has a reference to the event.
    pub(super) is_retained: bool,
    /// True if a vendor's records cover the work.
    pub(super) has_vendor_record: bool,
}

pub(super) fn size_bytes(inputs: &Inputs<'_>) -> Option<u64> {
    if let Some(width) = inputs.word("width")
        && let Some(height) = inputs.word("height")
    {
        return Some(width.saturating_mul(height));
    }
    // An image's region is in pixels.
    let is_of_bytes = || inputs.function().is_some_and(|function| function.ur_name.contains("Buffer"));
    let region = |side: &str| inputs.field("region", side).filter(|_| is_of_bytes());
    if let (Some(width), Some(height), Some(depth)) = (region("width"), region("height"), region("depth")) {
        return Some(width.saturating_mul(height).saturating_mul(depth));
    }
    inputs.word("size").or_else(|| inputs.word("count"))
}

/// Returns global and local size of a kernel's launch; zeros for unused dimensions or those left to the runtime.
pub(super) fn launch(inputs: &Inputs<'_>) -> Option<Launch> {
    let slots = inputs.function()?.launch;
    let sizes = |slot: Slot| {
        let mut sizes = [0; 3];
        sizes.iter_mut().zip(inputs.list_at(slot)).for_each(|(size, given)| *size = given);
        sizes
    };
    slots.dimensions.exists().then(|| (sizes(slots.global_size), sizes(slots.local_size)))
}

//! Calls of the Unified Runtime, and what follows from them: commands, dependences, queues, kernels, memory.

use std::sync::Arc;

use syclscope_trace::event::{
    AllocationKind, Category, EdgeReason, Event, EventSink, Node, NodeKind, QueueOrder, SliceBegin, Value,
};
use syclscope_trace::time::Timestamp;

use super::memory::{Allocated, Claim};
use super::threads::{Memo, Open, Place};
use super::{Model, queues};
use crate::device_time::{Kept, Launch};
use crate::record::call::{CallBegin, CallEnd, IS_RETAINED};
use crate::record::{Cursor, Kind};
use crate::xpti::{Role, function_at};

/// What is remembered of a call until it returns.
pub(super) struct OpenCall {
    called_ns: u64,
    command: Option<Command>,
    /// What a release is about to give back.
    claim: Claim,
}

/// The command that a call puts on a queue.
struct Command {
    queue: u64,
    kind: NodeKind,
    kernel: Option<Arc<str>>,
    size_bytes: Option<u64>,
    launch: Option<Launch>,
}

/// `UR_MEM_FLAG_USE_HOST_POINTER`
const USE_HOST_POINTER: u64 = 1 << 3;

impl Model {
    /// A call begins.
    pub(super) fn call_begin(
        &mut self,
        detail: u32,
        at_ns: u64,
        thread: u32,
        cursor: Cursor<'_>,
        sink: &mut dyn EventSink,
    ) {
        let at = self.timestamp(at_ns);
        let call = CallBegin::read(detail, cursor);
        let function = function_at(call.function);
        let name = function.map_or("unknown call", |function| function.name);
        let mut args: Vec<(&str, Value<'_>)> = Vec::new();
        let (mut node, mut command) = (None, None);
        match (function.map(|function| function.role), call.queue) {
            (Some(Role::Enqueue(kind)), Some(handle)) => {
                let queue = self.queue_of_command(at, handle, sink);
                let kernel = call.kernel.and_then(|kernel| self.kernels.get(&kernel).cloned());
                let owner = self.threads.task(thread).unwrap_or_else(|| {
                    self.command_of_its_own(at, thread, kind, kernel.as_ref(), queue.queue, sink)
                });
                for event in call.waits {
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
                node = Some(owner);
                args.push(("queue", Value::Uint(queue.queue)));
                let (size_bytes, launch) = (call.size_bytes, call.launch);
                command = Some(Command { queue: handle, kind, kernel, size_bytes, launch });
            }
            (_, Some(handle)) => {
                args.extend(self.queues.number(handle).map(|queue| ("queue", Value::Uint(queue))))
            }
            _ => {}
        }
        let track = self.threads.track(thread, sink);
        sink.event(&Event::SliceBegin(SliceBegin {
            track,
            at,
            category: Category::Call,
            name,
            node,
            location: Default::default(),
            args: &args,
        }));
        let claim = call.given_back.map_or(Claim::Unknown, |pointer| self.releasing(thread, pointer));
        let memo = Memo::Call(OpenCall { called_ns: at_ns, command, claim });
        self.threads.begin(thread, at, Open { end: Kind::CallEnd, id: [0, call.instance], node, memo }, sink);
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
        let node = self.nodes.add(kind, Arc::clone(&name), Place::default());
        let no_time = [("device_time", Value::Str("the event of a command graph tells its end only"))];
        sink.event(&Event::Node(Node {
            node,
            at,
            kind,
            name: &name,
            queue: Some(queue),
            tid: thread,
            location: Default::default(),
            args: if kind == NodeKind::CommandGraph { &no_time } else { &[] },
        }));
        node
    }

    /// A call has returned.
    pub(super) fn call_end(
        &mut self,
        detail: u32,
        at: Timestamp,
        thread: u32,
        cursor: Cursor<'_>,
        sink: &mut dyn EventSink,
    ) {
        let call = CallEnd::read(detail, cursor);
        let mut args: Vec<(&str, Value<'_>)> = Vec::new();
        if call.result != 0 {
            args.push(("result", Value::Int(call.result.into())));
        }
        let open = self.threads.end(thread, Kind::CallEnd, [0, call.instance], at, &args, sink);
        let Some(function) = function_at(call.function) else { return };
        if call.result != 0 {
            if let Some(Open { memo: Memo::Call(open), .. }) = open {
                self.not_released(open.claim);
            }
            return;
        }
        let output = call.output.unwrap_or(0);
        let handle = call.handle.unwrap_or(0);
        let size_bytes = call.size_bytes.unwrap_or(0);
        match function.role {
            Role::Enqueue(kind) => match open {
                Some(Open { node: Some(node), memo: Memo::Call(open), .. }) => {
                    self.submitted(node, kind, open, call.event);
                }
                // The begin was dropped: whose event it is can't be told.
                _ => {
                    if let Some((event, done)) = call.event {
                        self.events.remove(&event);
                        self.outstanding.forget(event, done & IS_RETAINED != 0);
                    }
                }
            },
            Role::QueueCreate => {
                self.queues.made(output, call.device, call.context, queues::order_of_flags(call.flags));
            }
            Role::QueueCreateNative => self.queues.made(output, call.device, call.context, QueueOrder::Other),
            Role::KernelCreate | Role::KernelInfo => {
                if let Some(name) = call.name {
                    self.kernels.insert(output, name.as_ref().into());
                }
            }
            Role::DeviceInfo => self.queues.device_type(handle, output),
            Role::Allocate(kind) => {
                let memory = Allocated { kind, pointer: output, size_bytes, device: call.device };
                self.allocated(at, thread, memory, sink);
            }
            // Such a buffer uses the program's own memory: nothing was allocated.
            Role::BufferCreate if call.flags & USE_HOST_POINTER == 0 => {
                let kind = AllocationKind::Buffer;
                self.allocated(at, thread, Allocated { kind, pointer: output, size_bytes, device: 0 }, sink);
            }
            Role::MemoryRetain => self.retained(handle),
            Role::Free | Role::MemoryRelease => {
                let claim = match open {
                    Some(Open { memo: Memo::Call(open), .. }) => open.claim,
                    _ => Claim::Unknown,
                };
                self.released(at, thread, handle, claim, sink);
            }
            _ => {}
        }
    }

    /// A command was put on its queue.
    fn submitted(&mut self, node: u64, kind: NodeKind, open: OpenCall, event: Option<(u64, u64)>) {
        let OpenCall { called_ns, command, .. } = open;
        let Some(command) = command else { return };
        if let Some((event, _)) = event {
            self.events.insert(event, node);
        }
        if kind == NodeKind::CommandGraph {
            return;
        }
        let Some((event, _)) = event.filter(|(_, done)| done & IS_RETAINED != 0) else {
            self.outstanding.missing += 1;
            return;
        };
        let queue = *self.queues.known(command.queue);
        let known = self.nodes.known(node);
        let name = match (&command.kernel, known) {
            (_, Some(known)) => Arc::clone(&known.name),
            (Some(kernel), None) => Arc::clone(kernel),
            (None, None) => command.kind.as_str().into(),
        };
        self.outstanding.push(Kept {
            event,
            node,
            queue: queue.queue,
            device: queue.device,
            kind: command.kind,
            name,
            called_ns,
            size_bytes: command.size_bytes,
            launch: command.launch,
        });
    }
}

//! Calls of the Unified Runtime, and what follows from them: commands, dependences, queues, kernels, memory.

mod arguments;

use std::borrow::Cow;
use std::sync::Arc;

use syclscope_trace::event::{
    AllocationKind, Category, EdgeReason, Event, EventSink, Node, NodeKind, QueueOrder, SliceBegin, Value,
};
use syclscope_trace::time::Timestamp;

use super::memory::{Allocated, Claim};
use super::threads::{Memo, Open, Place};
use super::{Model, location, nodes, queues};
use crate::config::{Detail, detail};
use crate::device_time::{Kept, Launch};
use crate::record::call::{CallBegin, CallEnd, Inputs, Outputs};
use crate::record::{Cursor, Kind};
use crate::xpti::{Function, Interface, Role, Shape, Slot};
pub(super) use arguments::Arguments;

/// What is remembered of a call until it returns.
pub(super) struct OpenCall {
    called_ns: u64,
    command: Option<Command>,
    /// What a release is about to give back.
    claim: Claim,
    /// Source code that caused it, where the runtime tells.
    place: Place,
    /// What the call was given, where that is asked for at its end.
    inputs: Box<[u8]>,
}

impl OpenCall {
    /// What the call was given; asked for once.
    pub(super) fn take_inputs(&mut self) -> Box<[u8]> {
        std::mem::take(&mut self.inputs)
    }
}

/// The command that a call puts on a queue.
struct Command {
    queue: u64,
    kind: NodeKind,
    kernel: Option<Arc<str>>,
    size_bytes: Option<u64>,
    launch: Option<Launch>,
}

/// A call that has succeeded, with what it was given and what it gave, by the names of its parameters.
///
/// Of every function that the model follows ([`Function::is_followed`]) the parameters are there whatever the level of
/// detail; of others only if arguments are recorded.
pub(super) struct Call<'a> {
    pub(super) function: &'static Function,
    pub(super) inputs: Inputs<'a>,
    pub(super) outputs: Outputs<'a>,
}

impl<'a> Call<'a> {
    /// The value of a parameter: what the call put there, where it is one for a result.
    pub(super) fn word(&self, name: &str) -> Option<u64> {
        let slot = self.function.slot(name)?;
        if self.function.outputs.contains(&slot) { self.outputs.word(name) } else { self.inputs.word(name) }
    }

    /// The values of a list.
    pub(super) fn list(&self, name: &str) -> Vec<u64> {
        let is_output = self.function.slot(name).is_some_and(|slot| self.function.outputs.contains(&slot));
        if is_output { self.outputs.list(name) } else { self.inputs.list(name) }
    }

    /// A field of the structure that a parameter points to.
    pub(super) fn field(&self, name: &str, field: &str) -> Option<u64> {
        self.inputs.field(name, field)
    }

    /// Whether the call asks for a property: its number in the Unified Runtime and in the Plugin Interface.
    pub(super) fn asks_for(&self, [in_unified_runtime, in_plugin_interface]: [u64; 2]) -> bool {
        let wanted = match self.function.interface {
            Interface::Plugin => in_plugin_interface,
            _ => in_unified_runtime,
        };
        self.word("propName") == Some(wanted)
    }

    /// A string, or a property that is one.
    pub(super) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        self.outputs.text(name).or_else(|| self.inputs.text(name))
    }
}

/// How the names of functions begin that append a command to a command graph.
const APPEND: &str = "urCommandBufferAppend";
/// `UR_MEM_FLAG_USE_HOST_POINTER`
const USE_HOST_POINTER: u64 = 1 << 3;
/// `UR_DEVICE_INFO_TYPE`, `PI_DEVICE_INFO_TYPE`
const DEVICE_TYPE: [u64; 2] = [0, 0x1000];
/// `UR_KERNEL_INFO_FUNCTION_NAME`, `PI_KERNEL_INFO_FUNCTION_NAME`
const FUNCTION_NAME: [u64; 2] = [0, 0x1190];

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
        let inputs = &call.inputs;
        let mut arguments = Arguments::default();
        if shows_arguments() {
            arguments.add_inputs(inputs, &mut self.names);
        }
        let mut args: Vec<(&str, Value<'_>)> = Vec::new();
        let (mut node, mut command) = (None, None);
        let role = call.function.map_or(Role::Plain, |function| function.role);
        match (role, inputs.word("hQueue")) {
            (Role::Enqueue(kind), Some(handle)) => {
                let (owner, queue) = self.command_begins(at, thread, kind, handle, inputs, sink);
                node = Some(owner);
                args.push(("queue", Value::Uint(queue)));
                command = Some(self.command(kind, handle, inputs));
            }
            (_, None) if call.function.is_some_and(|function| function.name.starts_with(APPEND)) => {
                node = self.threads.task(thread);
            }
            (_, Some(handle)) => {
                args.extend(self.queues.number(handle).map(|queue| ("queue", Value::Uint(queue))));
            }
            _ => {}
        }
        args.extend(arguments.values());
        let track = self.threads.track(thread, sink);
        let place = call.place.as_ref();
        sink.event(&Event::SliceBegin(SliceBegin {
            track,
            at,
            category: Category::Call,
            name: call.function.map_or("unknown call", |function| function.name),
            node,
            location: place
                .map(|place| location::of(&place.function, &place.file, place.line, place.column))
                .unwrap_or_default(),
            args: &args,
        }));
        let claim = match role {
            Role::Free | Role::MemoryRelease => {
                let given_back = inputs.word("pMem").or_else(|| inputs.word("hMem"));
                given_back.map_or(Claim::Unknown, |pointer| self.releasing(thread, pointer))
            }
            _ => Claim::Unknown,
        };
        let is_kept = call.function.is_some_and(|function| function.is_followed || has_property(function));
        let inputs = if is_kept { inputs.to_bytes() } else { Box::default() };
        let place = place.map(|place| location::of(&place.function, &place.file, place.line, place.column));
        let place = place.map(Place::at).unwrap_or_default();
        let memo = Memo::Call(OpenCall { called_ns: at_ns, command, claim, place, inputs });
        self.threads.begin(thread, at, Open { end: Kind::CallEnd, id: [0, call.instance], node, memo }, sink);
    }

    /// A command is put on a queue: its node, what it depends on, and the queue's number.
    fn command_begins(
        &mut self,
        at: Timestamp,
        thread: u32,
        kind: NodeKind,
        handle: u64,
        inputs: &Inputs<'_>,
        sink: &mut dyn EventSink,
    ) -> (u64, u64) {
        let queue = self.queue_of_command(at, handle, sink);
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
    fn command(&self, kind: NodeKind, queue: u64, inputs: &Inputs<'_>) -> Command {
        let kernel = self.kernel_of(inputs);
        Command { queue, kind, kernel, size_bytes: size_bytes(inputs), launch: launch(inputs) }
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
        let end = CallEnd::read(detail, cursor);
        let id = [0, end.instance];
        let position = self.threads.find(thread, Kind::CallEnd, id);
        let kept = position.and_then(|position| self.threads.inputs(thread, position)).unwrap_or_default();
        let inputs = Inputs::of_bytes(end.function, &kept);
        let event = end.function.map_or(Slot::NONE, |function| function.event);
        let mut arguments = Arguments::default();
        if end.result != 0 {
            let interface = end.function.map_or(Interface::UnifiedRuntime, |function| function.interface);
            arguments.add_result(end.result, interface, &mut self.names);
        } else if shows_arguments() {
            let hidden = if end.is_requested { event } else { Slot::NONE };
            arguments.add_outputs(&inputs, &end.outputs, hidden, &mut self.names);
        }
        let args: Vec<_> = arguments.values().collect();
        let open = position.and_then(|position| self.threads.close(thread, position, at, &args, sink));
        let Some(function) = end.function else { return };
        let (node, open) = match open {
            Some(Open { node, memo: Memo::Call(open), .. }) => (node, Some(open)),
            _ => (None, None),
        };
        if end.result != 0 {
            if let Some(open) = open {
                self.not_released(open.claim);
            }
            return;
        }
        if let Role::Enqueue(kind) = function.role {
            self.graphs.interrupted(thread);
            if let Some(node) = node.filter(|_| kind == NodeKind::CommandGraph) {
                let graph = inputs.word("hCommandBuffer").or_else(|| inputs.word("hGraph"));
                self.graph_run(at, graph, node, sink);
            }
            let event = end.outputs.word("phEvent").filter(|event| *event != 0);
            match (node, open) {
                (Some(node), Some(open)) => self.submitted(node, kind, open, event, end.is_retained),
                // The begin was dropped: whose event it is can't be told.
                _ => {
                    if let Some(event) = event {
                        self.events.remove(&event);
                        self.outstanding.forget(event, end.is_retained);
                    }
                }
            }
            return;
        }
        let call = Call { function, inputs, outputs: end.outputs };
        let (claim, place) = match open {
            Some(open) => (open.claim, open.place),
            None => (Claim::Unknown, Place::default()),
        };
        self.returned(at, thread, &call, claim, sink);
        self.followed(at, thread, &call, &place, sink);
    }

    /// A call has returned that may have to do with more than commands and memory.
    fn followed(
        &mut self,
        at: Timestamp,
        thread: u32,
        call: &Call<'_>,
        place: &Place,
        sink: &mut dyn EventSink,
    ) {
        if !call.function.is_followed {
            return;
        }
        let enclosing = if place.is_unknown() { self.enclosing_place(thread) } else { None };
        let place = enclosing.as_ref().unwrap_or(place);
        self.graph_call(at, thread, call, place, sink);
        self.handle_call(at, thread, call, place, sink);
        self.device_call(at, call, sink);
    }

    /// Source code of what a thread is doing: of the command that it submits or waits for, or the memory that it handles.
    fn enclosing_place(&mut self, thread: u32) -> Option<Place> {
        let node = self.threads.node(thread).and_then(|node| self.nodes.known(node));
        let place = node.map(|node| node.place.clone());
        place.or_else(|| self.threads.memory(thread).map(|memory| memory.place.clone()))
    }

    /// A call has done what it is for.
    fn returned(
        &mut self,
        at: Timestamp,
        thread: u32,
        call: &Call<'_>,
        claim: Claim,
        sink: &mut dyn EventSink,
    ) {
        let word = |name: &str| call.word(name).unwrap_or(0);
        match call.function.role {
            Role::QueueCreate => {
                let flags = call.field("pProperties", "flags").unwrap_or(0);
                let order = queues::order_of_flags(flags);
                self.queues.made(word("phQueue"), word("hDevice"), word("hContext"), order);
            }
            Role::QueueCreateNative => {
                self.queues.made(word("phQueue"), word("hDevice"), word("hContext"), QueueOrder::Other);
            }
            Role::KernelCreate => {
                if let Some(name) = call.text("pKernelName") {
                    self.kernels.insert(word("phKernel"), name.as_ref().into());
                }
            }
            Role::KernelInfo if call.asks_for(FUNCTION_NAME) => {
                if let Some(name) = call.outputs.text("pPropValue").filter(|name| !name.is_empty()) {
                    self.kernels.insert(word("hKernel"), name.as_ref().into());
                }
            }
            Role::DeviceInfo if call.asks_for(DEVICE_TYPE) => {
                if let Some(device_type) = device_type(call) {
                    self.queues.device_type(word("hDevice"), device_type);
                }
            }
            Role::Allocate(kind) => {
                let (pointer, device) = (word("ppMem"), word("hDevice"));
                let memory = Allocated { kind, pointer, size_bytes: word("size"), device };
                self.allocated(at, thread, memory, sink);
            }
            // Such a buffer uses the program's own memory: nothing was allocated.
            Role::BufferCreate if word("flags") & USE_HOST_POINTER == 0 => {
                let (kind, pointer) = (AllocationKind::Buffer, word("phBuffer"));
                let memory = Allocated { kind, pointer, size_bytes: word("size"), device: 0 };
                self.allocated(at, thread, memory, sink);
            }
            Role::MemoryRetain => self.retained(word("hMem")),
            Role::Free => self.released(at, thread, word("pMem"), claim, sink),
            Role::MemoryRelease => self.released(at, thread, word("hMem"), claim, sink),
            _ => {}
        }
    }

    /// A command was put on its queue.
    fn submitted(
        &mut self,
        node: u64,
        kind: NodeKind,
        open: OpenCall,
        event: Option<u64>,
        is_retained: bool,
    ) {
        let OpenCall { called_ns, command, .. } = open;
        let Some(command) = command else { return };
        if let Some(event) = event {
            self.events.insert(event, node);
        }
        if kind == NodeKind::CommandGraph {
            return;
        }
        let Some(event) = event.filter(|_| is_retained) else {
            self.outstanding.missing += 1;
            return;
        };
        let queue = *self.queues.known(command.queue);
        let known = self.nodes.known(node);
        let name = match (&command.kernel, known) {
            // The launch may have come too late for the node to be named after it.
            (Some(kernel), _) if nodes::is_foreign(kernel) => Arc::clone(kernel),
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
            device_name: self.devices.name(queue.device).into(),
            called_ns,
            size_bytes: command.size_bytes,
            launch: command.launch,
        });
    }
}

/// The type of a device, as a call has told it: `ur_device_type_t`.
fn device_type(call: &Call<'_>) -> Option<u64> {
    let bytes = call.outputs.property("pPropValue")?;
    let told: u64 = u32::from_le_bytes(*bytes.first_chunk()?).into();
    Some(match (call.function.interface, told) {
        // Its types are bits: CPU, GPU, accelerator, custom.
        (Interface::Plugin, 2) => 4,
        (Interface::Plugin, 4) => 3,
        (Interface::Plugin, 8) => 6,
        (Interface::Plugin, 16) => 8,
        (Interface::Plugin, _) => return None,
        (_, told) => told,
    })
}

/// Whether the file gets the arguments of calls.
pub(super) fn shows_arguments() -> bool {
    detail() >= Detail::Normal
}

/// Whether a function tells a property, whose meaning another parameter says.
fn has_property(function: &Function) -> bool {
    function.parameters.iter().any(|parameter| matches!(parameter.shape, Shape::Property { .. }))
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

//! Rules for nodes: creation, submission, events.

use std::sync::Arc;

use syclscope_language::event::{
    Category, EdgeReason, Event, EventSink, Instant, Node, NodeKind, SliceBegin, Value,
};
use syclscope_language::time::Timestamp;

use super::handle_in_brackets;
use crate::buffer::Kind;
use crate::model::node_words::{
    COMMAND_GROUP, EVENT_PREFIX, FREE_FUNCTION_PREFIX, UNNAMED_TRANSFER, virtual_name,
};
use crate::model::open::{Memo, Open};
use crate::model::{Model, args};
use crate::record::call::CallBegin;
use crate::record::{Cursor, Tracepoint};
use crate::xpti::Role;

/// Maximum number of records of the same thread, besides those of its lines, that are searched for the call that
/// launches a kernel.
const LOOK_AHEAD: usize = 64;

impl Model {
    pub(super) fn node(
        &mut self,
        at: Timestamp,
        tid: u32,
        tracepoint: &Tracepoint<'_>,
        ahead: &[u8],
        sink: &mut dyn EventSink,
    ) {
        let described = self.meanings.describe(tracepoint);
        let mut kind = described.kind;
        let (mut name, mut name_is_function) = (Arc::clone(&described.name), described.name_is_function);
        if kind == NodeKind::Kernel
            && let Some(kernel) = self.foreign_kernel(tracepoint, ahead)
        {
            (name, name_is_function) = (kernel, true);
        } else if kind == NodeKind::Other
            && let Some((kernel, enqueued)) = enqueue_ahead(tracepoint, ahead)
        {
            let kernel = kernel.and_then(|kernel| self.kernels.get(&kernel));
            name = kernel.map_or_else(|| enqueued.as_str().into(), |kernel| Arc::clone(&kernel.name));
            (kind, name_is_function) = (enqueued, true);
        }
        if let Some(node) = self.interface_of(tid, tracepoint, kind) {
            self.nodes.bind(tracepoint.universal_id, tracepoint.instance, node);
            return;
        }
        self.threads.give_up_failed(tid, sink);
        let place = self.python.place(described.place(name_is_function));
        let node = self.nodes.add(kind, Arc::clone(&name), place.clone());
        self.nodes.bind(tracepoint.universal_id, tracepoint.instance, node);
        if let Some(state) = self.nodes.get_mut(node) {
            state.is_of_interface =
                tracepoint.text.starts_with(UNNAMED_TRANSFER) && !tracepoint.file.is_empty();
        }
        let queue = tracepoint.number("queue_id").unwrap_or(tracepoint.numbers[0]);
        let decoded = args::Decoded::new(tracepoint);
        let mut args = decoded.args();
        let object = match kind {
            NodeKind::Virtual => virtual_name(tracepoint).and_then(|name| handle_in_brackets(&name)),
            _ if tracepoint.name.starts_with(EVENT_PREFIX) => None,
            _ => handle_in_brackets(&tracepoint.name),
        };
        if let Some(object) = object {
            args.push((if kind == NodeKind::Virtual { "event" } else { "object" }, Value::Pointer(object)));
        }
        args.extend(self.stacks.arg());
        sink.event(&Event::Node(Node {
            node,
            at,
            kind,
            name: &name,
            queue: self.queues.of_runtime_id(queue),
            tid,
            location: place.location(),
            args: &args,
        }));
        match kind {
            NodeKind::HostAccessor => {
                object.into_iter().for_each(|object| self.objects.locked(object, node));
            }
            NodeKind::SubBuffer => self.add_sub_buffer(tracepoint, sink),
            _ if tracepoint.text == COMMAND_GROUP => self.accessors.add_command(tid, node, sink),
            _ => {}
        }
        // A placeholder represents an event; if its command is known, that is the real dependence.
        if kind == NodeKind::Virtual
            && let Some(source) = object.and_then(|event| self.events.get(&event))
        {
            self.depend(at, *source, node, EdgeReason::Event, sink);
        }
    }

    /// Returns the node of the call for which the runtime is creating a command, if it has one.
    ///
    /// A copy or fill of USM has a node as soon as it is called. If it has to wait for a host task, the runtime creates
    /// a second command for it during the call.
    fn interface_of(&mut self, thread: u32, tracepoint: &Tracepoint<'_>, kind: NodeKind) -> Option<u64> {
        let is_usm = matches!(kind, NodeKind::Copy | NodeKind::Fill) && tracepoint.name.ends_with("usm");
        let caller = self.threads.task(thread).filter(|_| tracepoint.text == COMMAND_GROUP && is_usm)?;
        let state = self.nodes.get_mut(caller)?;
        (std::mem::take(&mut state.is_of_interface) && state.kind == kind).then_some(caller)
    }

    /// Returns the name of a kernel that was not compiled by the SYCL compiler: the runtime only knows the submitting
    /// function.
    ///
    /// The name is that of the kernel which the same thread launches next for this node; the call is usually in the
    /// buffer already, because records are held back. A mangled name is less useful than the runtime's.
    fn foreign_kernel(&self, tracepoint: &Tracepoint<'_>, ahead: &[u8]) -> Option<Arc<str>> {
        if tracepoint.name.starts_with(FREE_FUNCTION_PREFIX) {
            return None;
        }
        let (kernel, _) = enqueue_ahead(tracepoint, ahead)?;
        let kernel = self.kernels.get(&kernel?)?;
        (!kernel.is_decorated).then(|| Arc::clone(&kernel.name))
    }

    pub(super) fn task_begin(&mut self, at: Timestamp, thread: u32, id: [u64; 2], sink: &mut dyn EventSink) {
        let track = self.threads.track(thread, sink);
        let node = self.nodes.find(id[0], id[1]);
        let state = node.and_then(|node| self.nodes.get(node));
        sink.event(&Event::SliceBegin(SliceBegin {
            track,
            at,
            category: Category::Submission,
            name: state.map_or("submission", |state| &state.name),
            node,
            location: state.map(|state| state.location.location()).unwrap_or_default(),
            args: &[],
        }));
        self.threads.begin(thread, at, Open { end: Kind::TaskEnd, id, node, memo: Memo::Nothing }, sink);
    }

    pub(super) fn signal(
        &mut self,
        at: Timestamp,
        thread: u32,
        id: [u64; 2],
        event: u64,
        sink: &mut dyn EventSink,
    ) {
        let Some(node) = self.nodes.find(id[0], id[1]) else { return };
        if event == 0 {
            return;
        }
        self.events.insert(event, node);
        let track = self.threads.track(thread, sink);
        let state = self.nodes.get(node);
        sink.event(&Event::Instant(Instant {
            track,
            at,
            category: Category::Signal,
            name: state.map_or("signal", |state| &state.name),
            node: Some(node),
            location: state.map(|state| state.location.location()).unwrap_or_default(),
            args: &[("event", Value::Pointer(event))],
        }));
    }
}

/// Returns the kernel's handle and the kind of command of the call by which the same thread enqueues a node's command
/// next.
fn enqueue_ahead(tracepoint: &Tracepoint<'_>, mut ahead: &[u8]) -> Option<(Option<u64>, NodeKind)> {
    let (mut is_submitting, mut looked) = (false, 0);
    while looked < LOOK_AHEAD {
        let (header, _, mut cursor) = Cursor::record(ahead)?;
        ahead = ahead.get(header.words as usize * 8..)?;
        looked += usize::from(!header.kind.is_of_next());
        match header.kind {
            Kind::TaskBegin | Kind::TaskEnd if cursor.word() == tracepoint.universal_id => {
                is_submitting = header.kind == Kind::TaskBegin;
            }
            Kind::CallBegin if is_submitting => {
                let call = CallBegin::read(header.detail, cursor);
                if let Some(Role::Enqueue(kind)) = call.function.map(|function| function.role) {
                    return Some((call.inputs.word("hKernel"), kind));
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Header;
    use crate::xpti::{Interface, number_of};

    #[test]
    fn lines_do_not_hide_the_call_that_launches_a_kernel() {
        const NODE: u64 = 5;
        let launch = number_of(Interface::UnifiedRuntime, c"urEnqueueKernelLaunch");
        let record = |bytes: &mut Vec<u8>, kind: Kind, detail: u32, word: u64| {
            let header = Header { kind, has_ids: false, has_definitions: false, detail, words: 3 };
            bytes.extend([header.pack(), 100, word].into_iter().flat_map(u64::to_le_bytes));
        };
        let tracepoint = Tracepoint { universal_id: NODE, ..Tracepoint::read(&mut Cursor::from_bytes(&[])) };
        let found = |between: &[(Kind, usize)]| {
            let mut ahead = Vec::new();
            record(&mut ahead, Kind::TaskBegin, 0, NODE);
            for (kind, count) in between {
                (0..*count).for_each(|_| record(&mut ahead, *kind, 0, 0));
            }
            record(&mut ahead, Kind::CallBegin, launch.into(), 1);
            enqueue_ahead(&tracepoint, &ahead).is_some()
        };
        let others = LOOK_AHEAD - 2;
        assert!(found(&[(Kind::Signal, others), (Kind::PythonLine, LOOK_AHEAD)]));
        assert!(!found(&[(Kind::Signal, others + 1)]));
    }
}

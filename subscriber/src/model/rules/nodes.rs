//! Rules for nodes: creation, submission, events.

use std::sync::Arc;

use syclscope_language::event::{
    Category, EdgeReason, Event, EventSink, Instant, Node, NodeKind, SliceBegin, Value,
};
use syclscope_language::time::Timestamp;

use crate::buffer::Kind;
use crate::model::Model;
use crate::model::node_content::NodeContent;
use crate::model::open::{Memo, Open};
use crate::record::call::CallBegin;
use crate::record::{Cursor, Tracepoint};
use crate::xpti::Role;

/// Maximum number of records of the same thread, besides those of its lines, that are searched for the call that
/// launches a kernel.
const LOOK_AHEAD: usize = 64;

/// The record of a node, and its fields that differ between the nodes of one place.
struct NodeRecord<'a> {
    universal_id: u64,
    instance: u64,
    /// The queue that is stashed on the submitting thread.
    stashed_queue: u64,
    whole: Cursor<'a>,
}

impl<'a> NodeRecord<'a> {
    /// Reads a record; returns the content with it, which follows these fields.
    fn read(whole: Cursor<'a>) -> (Self, &'a [u8]) {
        let mut cursor = whole;
        let [universal_id, instance, stashed_queue, _] = std::array::from_fn(|_| cursor.word());
        (Self { universal_id, instance, stashed_queue, whole }, cursor.rest())
    }

    fn tracepoint(&self) -> Tracepoint<'a> {
        let mut cursor = self.whole;
        Tracepoint::read(&mut cursor)
    }
}

impl Model {
    pub(super) fn node(
        &mut self,
        at: Timestamp,
        tid: u32,
        record: Cursor<'_>,
        ahead: &[u8],
        sink: &mut dyn EventSink,
    ) {
        let (record, content) = NodeRecord::read(record);
        let Self { contents, meanings, .. } = self;
        let known = contents.find(content, || NodeContent::new(&record.tracepoint(), meanings).into_owned());
        match known {
            Some(content) => self.add_node(at, tid, &record, &content, ahead, sink),
            None => {
                let content = NodeContent::new(&record.tracepoint(), &mut self.meanings);
                self.add_node(at, tid, &record, &content, ahead, sink);
            }
        }
    }

    fn add_node(
        &mut self,
        at: Timestamp,
        tid: u32,
        record: &NodeRecord<'_>,
        content: &NodeContent<'_>,
        ahead: &[u8],
        sink: &mut dyn EventSink,
    ) {
        let NodeRecord { universal_id, instance, stashed_queue, .. } = *record;
        let described = &content.described;
        let mut kind = described.kind;
        let (mut name, mut name_is_function) = (Arc::clone(&described.name), described.name_is_function);
        if kind == NodeKind::Kernel
            && let Some(kernel) = self.foreign_kernel(universal_id, content, ahead)
        {
            (name, name_is_function) = (kernel, true);
        } else if kind == NodeKind::Other
            && let Some((kernel, enqueued)) = enqueue_ahead(universal_id, ahead)
        {
            let kernel = kernel.and_then(|kernel| self.kernels.get(&kernel));
            name = kernel.map_or_else(|| enqueued.as_str().into(), |kernel| Arc::clone(&kernel.name));
            (kind, name_is_function) = (enqueued, true);
        }
        if let Some(node) = self.interface_of(tid, content, kind) {
            self.nodes.bind(universal_id, instance, node);
            return;
        }
        self.threads.give_up_failed(tid, sink);
        let place = self.python.place(described.place(name_is_function));
        let node = self.nodes.add(kind, Arc::clone(&name), place.clone());
        self.nodes.bind(universal_id, instance, node);
        if let Some(state) = self.nodes.get_mut(node) {
            state.is_of_interface = content.is_of_interface;
        }
        let mut args = content.args.args();
        let object = content.object;
        if let Some(object) = object {
            args.push((if kind == NodeKind::Virtual { "event" } else { "object" }, Value::Pointer(object)));
        }
        args.extend(self.stacks.arg());
        sink.event(&Event::Node(Node {
            node,
            at,
            kind,
            name: &name,
            queue: self.queues.of_runtime_id(content.queue.unwrap_or(stashed_queue)),
            tid,
            location: place.location(),
            args: &args,
        }));
        match kind {
            NodeKind::HostAccessor => {
                object.into_iter().for_each(|object| self.objects.locked(object, node));
            }
            NodeKind::SubBuffer => self.add_sub_buffer(&record.tracepoint(), sink),
            _ if content.is_command_group => self.accessors.add_command(tid, node, sink),
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
    fn interface_of(&mut self, thread: u32, content: &NodeContent<'_>, kind: NodeKind) -> Option<u64> {
        let is_usm = matches!(kind, NodeKind::Copy | NodeKind::Fill) && content.is_of_usm;
        if !content.is_command_group || !is_usm {
            return None;
        }
        let caller = self.threads.task(thread)?;
        let state = self.nodes.get_mut(caller)?;
        (std::mem::take(&mut state.is_of_interface) && state.kind == kind).then_some(caller)
    }

    /// Returns the name of a kernel that was not compiled by the SYCL compiler: the runtime only knows the submitting
    /// function.
    ///
    /// The name is that of the kernel which the same thread launches next for this node; the call is usually in the
    /// buffer already, because records are held back. A mangled name is less useful than the runtime's.
    fn foreign_kernel(&self, universal_id: u64, content: &NodeContent<'_>, ahead: &[u8]) -> Option<Arc<str>> {
        if content.is_free_function {
            return None;
        }
        let (kernel, _) = enqueue_ahead(universal_id, ahead)?;
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
fn enqueue_ahead(universal_id: u64, mut ahead: &[u8]) -> Option<(Option<u64>, NodeKind)> {
    let (mut is_submitting, mut looked) = (false, 0);
    while looked < LOOK_AHEAD {
        let (header, _, mut cursor) = Cursor::record(ahead)?;
        ahead = ahead.get(header.words as usize * 8..)?;
        looked += usize::from(!header.kind.is_of_next());
        match header.kind {
            Kind::TaskBegin | Kind::TaskEnd if cursor.word() == universal_id => {
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
        let found = |between: &[(Kind, usize)]| {
            let mut ahead = Vec::new();
            record(&mut ahead, Kind::TaskBegin, 0, NODE);
            for (kind, count) in between {
                (0..*count).for_each(|_| record(&mut ahead, *kind, 0, 0));
            }
            record(&mut ahead, Kind::CallBegin, launch.into(), 1);
            enqueue_ahead(NODE, &ahead).is_some()
        };
        let others = LOOK_AHEAD - 2;
        assert!(found(&[(Kind::Signal, others), (Kind::PythonLine, LOOK_AHEAD)]));
        assert!(!found(&[(Kind::Signal, others + 1)]));
    }
}

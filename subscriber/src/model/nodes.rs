//! Nodes of the task graph, and their submissions.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use syclscope_trace::event::{
    Category, EdgeReason, Event, EventSink, Instant, Node, NodeKind, SliceBegin, Value,
};
use syclscope_trace::time::Timestamp;

use super::node_words::{
    COMMAND_GROUP, EVENT_PREFIX, FREE_FUNCTION_PREFIX, UNNAMED_TRANSFER, kind_of, name_of, virtual_name,
};
use super::threads::{Memo, Open, Place};
use super::{Model, args, handle_in_brackets};
use crate::buffer::Kind;
use crate::record::call::CallBegin;
use crate::record::{Cursor, Tracepoint};
use crate::xpti::Role;

/// Nodes that are remembered for what may still come: older ones have long been submitted.
const REMEMBERED: usize = 1 << 18;
/// Submissions of one place in the code that may be open at once, in runtimes whose ids stand for places.
const INSTANCES_PER_ID: usize = 256;

/// So many records of the same thread are looked through for the call that launches a kernel.
const LOOK_AHEAD: usize = 64;

/// What is known of the nodes.
#[derive(Default)]
pub(super) struct Nodes {
    count: u64,
    known: HashMap<u64, Known>,
    /// Numbers of the known nodes, oldest first.
    order: VecDeque<u64>,
    /// Universal ids: the submissions that they stood for, newest last, by instance.
    by_id: HashMap<u64, VecDeque<(u64, u64)>>,
    /// By file and line: the node that was made there, nothing where there are several.
    by_place: HashMap<(Arc<str>, u32), Option<u64>>,
}

/// A node, as far as later records ask for it.
pub(super) struct Known {
    pub(super) kind: NodeKind,
    pub(super) name: Arc<str>,
    pub(super) place: Place,
    /// Nodes that it is known to depend on.
    sources: HashSet<u64>,
    /// It is that of a copy or fill as the program calls it, and the runtime may yet make one for its own command.
    is_of_interface: bool,
}

impl Nodes {
    /// A number for a new node.
    pub(super) fn add(&mut self, kind: NodeKind, name: Arc<str>, place: Place) -> u64 {
        self.count += 1;
        let node = self.count;
        let location = place.location();
        if location.line != 0 {
            let here = self.by_place.entry((place.file(), location.line));
            here.and_modify(|only| *only = None).or_insert(Some(node));
        }
        self.known.insert(node, Known { kind, name, place, sources: HashSet::new(), is_of_interface: false });
        self.order.push_back(node);
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        node
    }

    /// From now on a universal id and instance mean this node.
    fn bind(&mut self, universal_id: u64, instance: u64, node: u64) {
        let instances = self.by_id.entry(universal_id).or_default();
        instances.push_back((instance, node));
        if instances.len() > INSTANCES_PER_ID {
            instances.pop_front();
        }
    }

    /// The node that a universal id and instance mean now. The runtime gives some submissions another instance than it
    /// gave their node: they are the newest of their id.
    fn find(&self, universal_id: u64, instance: u64) -> Option<u64> {
        let instances = self.by_id.get(&universal_id)?;
        let exact = instances.iter().rev().find(|(known, _)| *known == instance);
        exact.or(instances.back()).map(|(_, node)| *node)
    }

    /// The newest node of a universal id: of those that stand for events or of the others, if there is one.
    ///
    /// Some versions of the runtime give a command and the place-holders of the events that it waits for one id.
    pub(super) fn newest(&self, universal_id: u64, is_virtual: bool) -> Option<u64> {
        let instances = self.by_id.get(&universal_id)?;
        let is_wanted = |node: &u64| {
            self.known(*node).is_some_and(|known| (known.kind == NodeKind::Virtual) == is_virtual)
        };
        let mut newest_first = instances.iter().rev().map(|(_, node)| *node);
        newest_first.clone().find(is_wanted).or_else(|| newest_first.next())
    }

    /// Universal ids mean nothing any more.
    pub(super) fn forget_ids(&mut self) {
        self.by_id.clear();
    }

    /// The node that was made at a place, if there is only one.
    pub(super) fn only_one_of(&self, file: &str, line: u32) -> Option<u64> {
        *self.by_place.get(&(file.into(), line))?
    }

    pub(super) fn known(&self, node: u64) -> Option<&Known> {
        self.known.get(&node)
    }

    /// Notes a dependence; false if it was known.
    pub(super) fn join(&mut self, source: u64, target: u64) -> bool {
        self.known.get_mut(&target).is_none_or(|target| target.sources.insert(source))
    }
}

impl Model {
    /// The runtime made a node.
    pub(super) fn node(
        &mut self,
        at: Timestamp,
        tid: u32,
        tracepoint: &Tracepoint<'_>,
        ahead: &[u8],
        sink: &mut dyn EventSink,
    ) {
        let mut kind = kind_of(tracepoint);
        let (mut name, mut name_is_function) = name_of(tracepoint, kind);
        if kind == NodeKind::Kernel
            && let Some(kernel) = self.foreign_kernel(tracepoint, ahead)
        {
            (name, name_is_function) = (kernel.to_string(), true);
        } else if kind == NodeKind::Other
            && let Some((kernel, enqueued)) = enqueue_ahead(tracepoint, ahead)
        {
            let kernel = kernel.and_then(|kernel| self.kernels.get(&kernel));
            name = kernel.map_or(enqueued.as_str(), |kernel| kernel).to_owned();
            (kind, name_is_function) = (enqueued, true);
        }
        if let Some(node) = self.interface_of(tid, tracepoint, kind) {
            self.nodes.bind(tracepoint.universal_id, tracepoint.instance, node);
            return;
        }
        let place = Place::of_command(tracepoint, name_is_function);
        let node = self.nodes.add(kind, name.as_str().into(), place.clone());
        self.nodes.bind(tracepoint.universal_id, tracepoint.instance, node);
        if let Some(known) = self.nodes.known.get_mut(&node) {
            known.is_of_interface =
                tracepoint.text.starts_with(UNNAMED_TRANSFER) && !tracepoint.file.is_empty();
        }
        let queue = tracepoint.number("queue_id").unwrap_or(tracepoint.numbers[0]);
        let decoded = args::Decoded::of(tracepoint);
        let mut args = decoded.args();
        let object = match kind {
            NodeKind::Virtual => virtual_name(tracepoint).and_then(|name| handle_in_brackets(&name)),
            _ if tracepoint.name.starts_with(EVENT_PREFIX) => None,
            _ => handle_in_brackets(&tracepoint.name),
        };
        if let Some(object) = object {
            args.push((if kind == NodeKind::Virtual { "event" } else { "object" }, Value::Pointer(object)));
        }
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
            _ if tracepoint.text == COMMAND_GROUP => self.accessors.command_made(tid, node, sink),
            _ => {}
        }
        // A place-holder stands for an event; where it is known whose, that is the real dependence.
        if kind == NodeKind::Virtual
            && let Some(source) = object.and_then(|event| self.events.get(&event))
        {
            self.depend(at, *source, node, EdgeReason::Event, sink);
        }
    }

    /// The node of the call that the runtime is making a command for, where it has one.
    ///
    /// A copy or fill of USM has a node as soon as it is called. If it has to wait for a host task, the runtime makes a
    /// command of its own for it while the call runs: the same command, told twice.
    fn interface_of(&mut self, thread: u32, tracepoint: &Tracepoint<'_>, kind: NodeKind) -> Option<u64> {
        let is_usm = matches!(kind, NodeKind::Copy | NodeKind::Fill) && tracepoint.name.ends_with("usm");
        let caller = self.threads.task(thread).filter(|_| tracepoint.text == COMMAND_GROUP && is_usm)?;
        let known = self.nodes.known.get_mut(&caller)?;
        (std::mem::take(&mut known.is_of_interface) && known.kind == kind).then_some(caller)
    }

    /// The name of a kernel that was not made by the SYCL compiler: the runtime only knows the function that submits it.
    ///
    /// The name is the one with which the kernel was created that the same thread launches for this node in a moment; the
    /// call is usually there already, because records are held back. A name that a compiler has decorated says less than
    /// the runtime's.
    fn foreign_kernel(&self, tracepoint: &Tracepoint<'_>, ahead: &[u8]) -> Option<Arc<str>> {
        if tracepoint.name.starts_with(FREE_FUNCTION_PREFIX) {
            return None;
        }
        let (kernel, _) = enqueue_ahead(tracepoint, ahead)?;
        self.kernels.get(&kernel?).filter(|name| !name.starts_with("_Z")).cloned()
    }

    /// A command is submitted.
    pub(super) fn task_begin(&mut self, at: Timestamp, thread: u32, id: [u64; 2], sink: &mut dyn EventSink) {
        let track = self.threads.track(thread, sink);
        let node = self.nodes.find(id[0], id[1]);
        let known = node.and_then(|node| self.nodes.known(node));
        sink.event(&Event::SliceBegin(SliceBegin {
            track,
            at,
            category: Category::Submission,
            name: known.map_or("submission", |known| &known.name),
            node,
            location: known.map(|known| known.place.location()).unwrap_or_default(),
            args: &[],
        }));
        self.threads.begin(thread, at, Open { end: Kind::TaskEnd, id, node, memo: Memo::Nothing }, sink);
    }

    /// A command has an event.
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
        let known = self.nodes.known(node);
        sink.event(&Event::Instant(Instant {
            track,
            at,
            category: Category::Signal,
            name: known.map_or("signal", |known| &known.name),
            node: Some(node),
            location: known.map(|known| known.place.location()).unwrap_or_default(),
            args: &[("event", Value::Pointer(event))],
        }));
    }
}

/// The call that puts a node's command on a queue in a moment, by the same thread: the kernel's handle and what it does.
fn enqueue_ahead(tracepoint: &Tracepoint<'_>, mut ahead: &[u8]) -> Option<(Option<u64>, NodeKind)> {
    let mut is_submitting = false;
    for _ in 0..LOOK_AHEAD {
        let (header, _, mut cursor) = Cursor::record(ahead)?;
        ahead = ahead.get(header.words as usize * 8..)?;
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

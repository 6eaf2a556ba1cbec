//! Calls of the Unified Runtime, and their effects: commands, dependences, queues, kernels, memory.

mod arguments;
mod command;
mod returned;

use syclscope_language::event::{Category, Event, EventSink, NodeKind, SliceBegin, Value};
use syclscope_language::time::Timestamp;

use crate::buffer::Kind;
use crate::model::memory::Claim;
use crate::model::open::{Command, Memo, Open, OpenCall};
use crate::model::owned_location::OwnedLocation;
use crate::model::{Model, location};
use crate::record::call::{CallBegin, CallEnd, Inputs};
use crate::xpti::Role;
pub(super) use arguments::Arguments;
use command::{Submission, launch, size_bytes};
pub(super) use returned::Call;

impl Model {
    pub(super) fn call_begin(
        &mut self,
        at_ns: u64,
        thread: u32,
        call: &CallBegin<'_>,
        sink: &mut dyn EventSink,
    ) {
        let at = self.timestamp(at_ns);
        let inputs = &call.inputs;
        let arguments = Arguments::at_begin(inputs, &mut self.names);
        let mut args: Vec<(&str, Value<'_>)> = Vec::with_capacity(arguments.len() + 1);
        let (mut node, mut command) = (None, None);
        let role = call.function.map_or(Role::Plain, |function| function.role);
        let queue = inputs.function().map(|function| function.any_queue).filter(|slot| slot.exists());
        match (role, queue.map(|slot| inputs.at(slot))) {
            (Role::Enqueue(kind), Some(handle)) => {
                let kernel = self.kernel_of(inputs);
                let (owner, queue, before) =
                    self.command_begins(at, thread, (kind, kernel.as_ref()), handle, inputs, sink);
                node = Some(owner);
                args.push(("queue", Value::Uint(queue)));
                let (size_bytes, launch) = (size_bytes(inputs), launch(inputs));
                command = Some(Command { queue: handle, before, kind, kernel, size_bytes, launch });
            }
            (_, None) if call.function.is_some_and(|function| function.is_append) => {
                node = self.threads.task(thread);
            }
            (_, Some(handle)) => {
                args.extend(self.queues.number(handle).map(|queue| ("queue", Value::Uint(queue))));
            }
            _ => {}
        }
        args.extend(arguments.values());
        args.extend(self.stacks.arg());
        let track = self.threads.track(thread, sink);
        let location = call
            .place
            .as_ref()
            .map(|place| location::source_location(&place.function, &place.file, place.line, place.column));
        sink.event(&Event::SliceBegin(SliceBegin {
            track,
            at,
            category: Category::Call,
            name: call.function.map_or("unknown call", |function| function.name),
            node,
            location: location.unwrap_or_default(),
            args: &args,
        }));
        let claim = match role {
            Role::Free | Role::MemoryRelease => {
                let given_back = inputs.word("pMem").or_else(|| inputs.word("hMem"));
                given_back.map_or(Claim::Unknown, |pointer| self.releasing(thread, pointer))
            }
            _ => Claim::Unknown,
        };
        let is_kept = call.function.is_some_and(|function| match role {
            // The end of a command's call needs the arguments only for properties.
            Role::Enqueue(kind) if kind != NodeKind::CommandGraph => function.has_property,
            _ => function.is_followed || function.has_property,
        });
        let inputs = if is_kept { inputs.to_bytes() } else { Box::default() };
        let place = location.map(OwnedLocation::at);
        let memo = Memo::Call(OpenCall { called_ns: at_ns, command, claim, place, inputs });
        self.threads.begin(thread, at, Open { end: Kind::CallEnd, id: [0, call.instance], node, memo }, sink);
    }

    pub(super) fn call_end(
        &mut self,
        at: Timestamp,
        thread: u32,
        end: &CallEnd<'_>,
        sink: &mut dyn EventSink,
    ) {
        let id = [0, end.instance];
        let position = self.threads.find(thread, Kind::CallEnd, id);
        let mut cut = match position {
            Some(_) => None,
            None => self.threads.take_cut(thread, Kind::CallEnd, id),
        };
        let bytes = match position {
            Some(position) => self.threads.inputs(thread, position),
            None => cut.as_mut().and_then(Open::take_inputs),
        };
        let bytes = bytes.unwrap_or_default();
        let inputs = Inputs::of_bytes(end.function, &bytes);
        let arguments = Arguments::at_end(end, &inputs, &mut self.names);
        let args: Vec<_> = arguments.values().collect();
        let open = match position {
            Some(position) => self.threads.close(thread, position, at, &args, sink),
            None => cut,
        };
        let Some(function) = end.function else { return };
        let (node, open) = match open {
            Some(Open { node, memo: Memo::Call(open), .. }) => (node, Some(open)),
            _ => (None, None),
        };
        if end.result != 0 {
            if let Some(open) = open {
                self.memory.not_released(open.claim);
                if let Some(command) = &open.command {
                    self.queues.not_enqueued(command.queue, node, command.before);
                }
            }
            self.threads.call_failed(thread);
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
                (Some(node), Some(open)) => {
                    let CallEnd { instance, is_retained, has_vendor_record, .. } = *end;
                    let call = Submission { instance, thread, event, is_retained, has_vendor_record };
                    self.submitted(at, node, kind, open, call, sink)
                }
                // The start was dropped: the command of the event stays unknown.
                _ => {
                    if let Some(event) = event {
                        self.events.remove(&event);
                        if !end.has_vendor_record {
                            self.commands.count_lost();
                        }
                    }
                }
            }
            return;
        }
        let call = Call { function, inputs, outputs: end.outputs };
        let (claim, place) = match open {
            Some(open) => (open.claim, open.place),
            None => (Claim::Unknown, None),
        };
        self.returned(at, thread, &call, claim, sink);
        self.followed(at, thread, &call, place, sink);
    }

    fn followed(
        &mut self,
        at: Timestamp,
        thread: u32,
        call: &Call<'_>,
        place: Option<OwnedLocation>,
        sink: &mut dyn EventSink,
    ) {
        if !call.function.is_followed {
            return;
        }
        let place = place.filter(|place| !place.is_unknown());
        let place = match call.function.has_place {
            true => place.or_else(|| self.enclosing_place(thread)),
            false => None,
        };
        let place = place.unwrap_or_default();
        self.graph_call(at, thread, call, &place, sink);
        self.handle_call(at, thread, call, &place, sink);
        self.device_call(at, call, sink);
    }

    /// Returns the source code of a thread's activity: of the command being submitted or awaited, or of the memory
    /// operation.
    fn enclosing_place(&mut self, thread: u32) -> Option<OwnedLocation> {
        let node = self.threads.node(thread).and_then(|node| self.nodes.get(node));
        let place = node.map(|node| node.location.clone());
        place.or_else(|| self.threads.memory(thread).map(|memory| memory.place.clone()))
    }
}

//! Accessors, and the command that uses each.
//!
//! A command's accessors are told before the command itself, by the same thread. The edges of the command say which objects
//! it uses: an accessor on one of them, with the same mode, is its own. Placeholders that an older command used, or none,
//! are told without one.

use std::collections::HashMap;

use syclscope_trace::event::{Accessor, Event, EventSink, ObjectKind, Value};
use syclscope_trace::time::Timestamp;

use super::Model;
use super::threads::Place;
use super::words::{HOST_BUFFER, HOST_IMAGE, access_mode, access_target, image_target};
use crate::record::objects::AccessorRecord;

/// So many accessors of a thread wait for their command.
const MOST_PENDING: usize = 1024;

/// Accessors whose command isn't known yet.
#[derive(Default)]
pub(super) struct Accessors {
    by_thread: HashMap<u32, Vec<Pending>>,
}

struct Pending {
    at: Timestamp,
    object: u64,
    object_address: u64,
    address: u64,
    target: &'static str,
    mode: &'static str,
    tid: u32,
    place: Place,
    element_type: String,
    element_size: u64,
    /// The command that the thread has made since.
    command: Option<u64>,
}

impl Pending {
    fn tell(&self, node: Option<u64>, sink: &mut dyn EventSink) {
        let args = [
            ("element_type", Value::Str(&self.element_type)),
            ("element_size", Value::Uint(self.element_size)),
        ];
        sink.event(&Event::Accessor(Accessor {
            object: self.object,
            at: self.at,
            address: self.address,
            target: self.target,
            mode: self.mode,
            node,
            tid: self.tid,
            location: self.place.location(),
            args: if self.element_type.is_empty() { &[] } else { &args },
        }));
    }
}

impl Accessors {
    /// A thread made a command: accessors that its last one didn't use stay without.
    pub(super) fn command_made(&mut self, thread: u32, node: u64, sink: &mut dyn EventSink) {
        let Some(pending) = self.by_thread.get_mut(&thread) else { return };
        pending.retain_mut(|accessor| {
            if accessor.command.is_some() {
                accessor.tell(None, sink);
                return false;
            }
            accessor.command = Some(node);
            true
        });
    }

    /// A command uses an object.
    pub(super) fn used(
        &mut self,
        thread: u32,
        object_address: u64,
        mode: &str,
        node: u64,
        sink: &mut dyn EventSink,
    ) {
        let Some(pending) = self.by_thread.get_mut(&thread) else { return };
        pending.retain(|accessor| {
            let is_used = accessor.command == Some(node)
                && accessor.object_address == object_address
                && (is_mode_of_edge(accessor.mode, mode) || accessor.mode.is_empty());
            if is_used {
                accessor.tell(Some(node), sink);
            }
            !is_used
        });
    }

    /// What is left has no command that is known.
    pub(super) fn finish(&mut self, sink: &mut dyn EventSink) {
        for pending in std::mem::take(&mut self.by_thread).into_values() {
            pending.iter().for_each(|accessor| accessor.tell(None, sink));
        }
    }
}

/// What an accessor overwrites without reading it first, its edge calls discarded; so may the accessor.
fn is_mode_of_edge(accessor: &str, edge: &str) -> bool {
    accessor == edge || accessor == edge.trim_start_matches("discard_")
}

impl Model {
    /// An accessor was made.
    pub(super) fn accessor(
        &mut self,
        at: Timestamp,
        thread: u32,
        record: &AccessorRecord<'_>,
        sink: &mut dyn EventSink,
    ) {
        let [object_address, address] = record.tracepoint.numbers;
        let kind = if record.is_of_image { ObjectKind::Other } else { ObjectKind::Buffer };
        let target = match record.is_of_image {
            true => image_target(record.target),
            false => record.target.map_or("", access_target),
        };
        let accessor = Pending {
            at,
            object: self.objects.number(object_address, kind, at, sink),
            object_address,
            address,
            target,
            mode: record.mode.map_or("", access_mode),
            tid: thread,
            place: Place::of(&record.tracepoint),
            element_type: record.element_type.clone().into_owned(),
            element_size: record.element_size,
            command: None,
        };
        // An accessor of the host has waited for its lock before it is told.
        if target == HOST_BUFFER || target == HOST_IMAGE {
            return accessor.tell(self.objects.lock(object_address), sink);
        }
        let pending = self.accessors.by_thread.entry(thread).or_default();
        if pending.len() == MOST_PENDING {
            pending.remove(0).tell(None, sink);
        }
        pending.push(accessor);
    }
}

//! Accessors, and the command that uses each.
//!
//! The runtime announces a command's accessors before the command itself, on the same thread. The edges of the command
//! name the objects that it uses: an accessor to one of them, with the same mode, belongs to it. Placeholders used by
//! an older command, or by none, are recorded without a command.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Accessor, Event, EventSink, Value};
use syclscope_language::time::Timestamp;

use super::owned_location::OwnedLocation;

const MAX_PENDING: usize = 1024;

#[derive(Default)]
pub(super) struct Accessors {
    by_thread: FxHashMap<u32, Vec<Pending>>,
}

pub(super) struct Pending {
    pub(super) at: Timestamp,
    pub(super) object: u64,
    pub(super) object_address: u64,
    pub(super) address: u64,
    pub(super) target: &'static str,
    pub(super) mode: &'static str,
    pub(super) tid: u32,
    pub(super) place: OwnedLocation,
    pub(super) element_type: String,
    pub(super) element_size: u64,
    /// The thread's next command.
    pub(super) command: Option<u64>,
}

impl Pending {
    pub(super) fn emit(&self, node: Option<u64>, sink: &mut dyn EventSink) {
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
    /// Keeps an accessor until its command is known; if too many wait, the oldest is recorded without one.
    pub(super) fn wait(&mut self, thread: u32, accessor: Pending, sink: &mut dyn EventSink) {
        let pending = self.by_thread.entry(thread).or_default();
        if pending.len() == MAX_PENDING {
            pending.remove(0).emit(None, sink);
        }
        pending.push(accessor);
    }

    /// Adds a command of a thread. Accessors that the thread's previous command didn't use are recorded without one.
    pub(super) fn add_command(&mut self, thread: u32, node: u64, sink: &mut dyn EventSink) {
        let Some(pending) = self.by_thread.get_mut(&thread) else { return };
        pending.retain_mut(|accessor| {
            if accessor.command.is_some() {
                accessor.emit(None, sink);
                return false;
            }
            accessor.command = Some(node);
            true
        });
    }

    pub(super) fn add_use(
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
                accessor.emit(Some(node), sink);
            }
            !is_used
        });
    }

    pub(super) fn finish(&mut self, sink: &mut dyn EventSink) {
        for pending in std::mem::take(&mut self.by_thread).into_values() {
            pending.iter().for_each(|accessor| accessor.emit(None, sink));
        }
    }
}

/// True if the mode of an accessor equals the mode of its edge: overwriting without reading is called discard in the
/// edge, and possibly in the accessor.
fn is_mode_of_edge(accessor: &str, edge: &str) -> bool {
    accessor == edge || accessor == edge.trim_start_matches("discard_")
}

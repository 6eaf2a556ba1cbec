//! Open slices of a thread.

use syclscope_language::event::NodeKind;

use super::commands::Launch;
use super::kernel_names::Kernel;
use super::memory::Claim;
use super::owned_location::OwnedLocation;
use crate::buffer::Kind;

pub(super) struct Open {
    /// The kind of record that ends it.
    pub(super) end: Kind,
    /// Universal id and instance of the tracepoint; a call has no id.
    pub(super) id: [u64; 2],
    pub(super) node: Option<u64>,
    pub(super) memo: Memo,
}

impl Open {
    /// Takes the arguments of a call; `None` for anything else.
    pub(super) fn take_inputs(&mut self) -> Option<Box<[u8]>> {
        match &mut self.memo {
            Memo::Call(call) => Some(call.take_inputs()),
            _ => None,
        }
    }
}

pub(super) enum Memo {
    Nothing,
    /// A call of the submission has failed, so an exception may end it without a notification.
    Failed,
    Call(OpenCall),
    Memory(OpenMemory),
}

pub(super) struct OpenCall {
    pub(super) called_ns: u64,
    pub(super) command: Option<Command>,
    pub(super) claim: Claim,
    /// The source location that caused it, if the runtime reports one.
    pub(super) place: Option<OwnedLocation>,
    /// Arguments of the call, if they are used at its end.
    pub(super) inputs: Box<[u8]>,
}

impl OpenCall {
    /// Takes the arguments of the call; empty the second time.
    pub(super) fn take_inputs(&mut self) -> Box<[u8]> {
        std::mem::take(&mut self.inputs)
    }
}

pub(super) struct Command {
    pub(super) queue: u64,
    /// The queue's last command before it.
    pub(super) before: Option<u64>,
    pub(super) kind: NodeKind,
    pub(super) kernel: Option<Kernel>,
    pub(super) size_bytes: Option<u64>,
    pub(super) launch: Option<Launch>,
}

pub(super) struct OpenMemory {
    pub(super) place: OwnedLocation,
    pub(super) pointer: u64,
    pub(super) size_bytes: u64,
    pub(super) guard_bytes: u64,
    pub(super) claim: Claim,
    /// True if an inner call has written the event, or none is needed.
    pub(super) has_event: bool,
}

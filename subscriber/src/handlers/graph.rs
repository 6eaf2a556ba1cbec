//! Nodes and edges of the task graph, its queues, and messages of the runtime.

use super::tracepoints::{UserData, copy};
use super::{python, stacks, task};
use crate::buffer::{Kind, Producer};
use crate::xpti::{Framework, Notification};

/// Handles the creation of the runtime's task graph, which happens once in a program.
pub(super) fn on_graph(notification: &Notification<'_>, producer: &Producer) {
    copy(notification, producer, Kind::GraphCreate, UserData::Other, [0, 0]);
}

/// Handles the creation of a node. The queue's number is stashed on the submitting thread.
pub(super) fn on_node(notification: &Notification<'_>, producer: &Producer) {
    let queue = Framework::get().map_or(0, Framework::stashed_queue);
    python::on_line(producer, Kind::Node);
    stacks::on_record(producer, Kind::Node);
    task::on_node();
    stacks::on_node();
    copy(notification, producer, Kind::Node, UserData::Text, [queue, 0]);
}

/// Handles the creation of an edge between two announced nodes.
pub(super) fn on_edge(notification: &Notification<'_>, producer: &Producer) {
    let (source, target) = notification.edge_ends();
    copy(notification, producer, Kind::Edge, UserData::Other, [source, target]);
}

pub(super) fn on_queue_create(notification: &Notification<'_>, producer: &Producer) {
    copy(notification, producer, Kind::QueueCreate, UserData::Other, [0, 0]);
}

pub(super) fn on_queue_destroy(notification: &Notification<'_>, producer: &Producer) {
    copy(notification, producer, Kind::QueueDestroy, UserData::Other, [0, 0]);
}

/// Handles a message of the runtime, mostly of an exception. The user data is the message.
pub(super) fn on_diagnostic(notification: &Notification<'_>, producer: &Producer) {
    copy(notification, producer, Kind::Diagnostic, UserData::Text, [0, 0]);
}

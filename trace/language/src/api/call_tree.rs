//! Nested calls, summed up by name.

use serde::{Deserialize, Serialize};

use crate::event::Category;

/// A call tree.
///
/// A node represents all slices with one name and category that were reached through the same names from the root.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallTree {
    /// Threads, processes, or everything together, each with its own tree, most time first.
    pub groups: Vec<CallGroup>,
    /// Names of the nodes.
    pub names: Vec<String>,
    /// Number of nodes that were left out because they had the least time or bytes, with all their descendants.
    pub left_out: u64,
}

/// The calls of a thread, of a process or of all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallGroup {
    /// Name of the thread or process; empty for everything together.
    pub name: String,
    /// The thread's track.
    pub track: Option<u32>,
    /// The process, an index into [`super::TraceInfo::processes`].
    pub process: Option<u32>,
    /// Time of its outermost slices; 0 if the tree counts bytes.
    pub total_ns: u64,
    /// Bytes of its allocations; `None` if the tree counts time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_bytes: Option<u64>,
    /// Number of threads in the sums.
    #[serde(default)]
    pub threads: u64,
    /// Its nodes, parents before children, siblings by most time or bytes.
    pub nodes: Vec<CallNode>,
}

/// Slices with one name and category that were reached in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallNode {
    /// Index of the parent in [`CallGroup::nodes`]; `None` at the root.
    pub parent: Option<u32>,
    /// Index into [`CallTree::names`].
    pub name: u32,
    /// Coarse class.
    pub category: Category,
    /// Number of slices.
    pub count: u64,
    /// Calls that returned something other than success.
    pub errors: u64,
    /// Their time; 0 if the tree counts bytes.
    pub total_ns: u64,
    /// Their time without their children's.
    pub self_ns: u64,
    /// The longest slice.
    pub max_ns: u64,
    /// Bytes of the allocations; `None` if the tree counts time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_bytes: Option<u64>,
    /// Bytes without the children's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_bytes: Option<u64>,
}

impl CallNode {
    /// Returns its time in nanoseconds, or its bytes.
    pub fn total(&self) -> u64 {
        self.total_bytes.unwrap_or(self.total_ns)
    }

    /// Returns the total without that of the children.
    pub fn own(&self) -> u64 {
        self.self_bytes.unwrap_or(self.self_ns)
    }
}

impl CallGroup {
    /// Returns its time in nanoseconds, or its bytes.
    pub fn total(&self) -> u64 {
        self.total_bytes.unwrap_or(self.total_ns)
    }
}

/// Callers and callees of the calls with one name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sandwich {
    /// Number of slices with the name.
    pub count: u64,
    /// Time of the slices that are not nested in another one with the name.
    pub total_ns: u64,
    /// Self time of all slices.
    pub self_ns: u64,
    /// Inverted: the root is the name itself, and each node's children are its callers. A node's times are those of the
    /// slices with the name that were reached this way, `self_ns` of those without a further caller.
    pub callers: Vec<CallNode>,
    /// The root is the name itself, and each node's children are its callees.
    pub callees: Vec<CallNode>,
    /// Names of the nodes.
    pub names: Vec<String>,
    /// Number of nodes that were left out because they had the least time, with all their descendants.
    pub left_out: u64,
}

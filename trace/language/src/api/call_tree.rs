//! Calls within calls, summed up by name.

use serde::{Deserialize, Serialize};

use crate::event::Category;

/// Query of a tree of calls: its slices, and the size of the answer.
///
/// A node stands for all slices of one name and category that were reached by the same names from the top.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallTree {
    /// Its threads, or processes, or everything together: each with a tree of its own, most time first.
    pub groups: Vec<CallGroup>,
    /// Names of the nodes.
    pub names: Vec<String>,
    /// Nodes that were left out because they took least time or bytes, with all below them.
    pub left_out: u64,
}

/// The calls of a thread, of a process or of all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallGroup {
    /// Name of the thread or process; empty for all together.
    pub name: String,
    /// The thread's track.
    pub track: Option<u32>,
    /// The process, an index into [`super::TraceInfo::processes`].
    pub process: Option<u32>,
    /// Time of its outermost slices; 0 where the tree is of bytes.
    pub total_ns: u64,
    /// Bytes of its allocations; absent where the tree is of time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_bytes: Option<u64>,
    /// Number of threads in the sums.
    #[serde(default)]
    pub threads: u64,
    /// Its nodes, parents before children and most time or bytes first among those of one parent.
    pub nodes: Vec<CallNode>,
}

/// Slices of one name and category that were reached in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallNode {
    /// Position of the node above in [`CallGroup::nodes`]; `None` at the top.
    pub parent: Option<u32>,
    /// Index into [`CallTree::names`].
    pub name: u32,
    /// Coarse class.
    pub category: Category,
    /// Slices.
    pub count: u64,
    /// Calls that returned something other than success.
    pub errors: u64,
    /// Their time; 0 where the tree is of bytes.
    pub total_ns: u64,
    /// Their time without that of slices within them.
    pub self_ns: u64,
    /// The longest of them.
    pub max_ns: u64,
    /// Bytes of the allocations; absent where the tree is of time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_bytes: Option<u64>,
    /// Bytes without those of the nodes below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_bytes: Option<u64>,
}

impl CallNode {
    /// Its time in nanoseconds, or its bytes.
    pub fn total(&self) -> u64 {
        self.total_bytes.unwrap_or(self.total_ns)
    }

    /// Its part of that without the nodes below it.
    pub fn own(&self) -> u64 {
        self.self_bytes.unwrap_or(self.self_ns)
    }
}

impl CallGroup {
    /// Its time in nanoseconds, or its bytes.
    pub fn total(&self) -> u64 {
        self.total_bytes.unwrap_or(self.total_ns)
    }
}

/// Callers and callees of the calls of a name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sandwich {
    /// Slices of that name.
    pub count: u64,
    /// Time of those that are not within another one of that name.
    pub total_ns: u64,
    /// Time of all of them without that of slices within them.
    pub self_ns: u64,
    /// Upside down: at the top the name itself, below each node what called it. A node's times are those of the slices
    /// of the name that were reached this way, `self_ns` of those that nothing else called.
    pub callers: Vec<CallNode>,
    /// At the top the name itself, below each node what it called.
    pub callees: Vec<CallNode>,
    /// Names of the nodes.
    pub names: Vec<String>,
    /// Nodes that were left out because they took least time, with all below them.
    pub left_out: u64,
}

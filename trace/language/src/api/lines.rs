//! Costs of the lines of a source file.

use serde::{Deserialize, Serialize};

use super::flat::read_flat;
use crate::event::SourceState;

/// Costs of a source location. Times of several locations overlap, and so do those of devices and waits: they don't add
/// up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineCost {
    /// Number of commands that it submitted.
    pub submissions: u64,
    /// Time in which at least one of these commands ran on a device: overlaps count once.
    pub device_ns: u64,
    /// Bytes of its copies.
    pub moved_bytes: u64,
    /// Number of its allocations.
    pub allocations: u64,
    /// Bytes of these allocations.
    pub allocated_bytes: u64,
    /// Number of waits of the host at this location. The wait of a buffer's destructor counts at the location of the
    /// constructor.
    pub waits: u64,
    /// Time in which at least one thread was in such a wait: overlaps count once.
    pub wait_ns: u64,
    /// Number of slices of this location, or of its commands, as selected by the filters `file` and `line`.
    pub slices: u64,
}

/// Costs of one line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "FlatLine")]
pub struct Line {
    /// Its number, counted from 1; 0 for costs without a line.
    pub line: u32,
    /// Costs of the line.
    #[serde(flatten)]
    pub cost: LineCost,
}

read_flat!(
    Line from FlatLine {
        line: u32, submissions: u64, device_ns: u64, moved_bytes: u64, allocations: u64,
        allocated_bytes: u64, waits: u64, wait_ns: u64, slices: u64,
    }
    with line; cost: LineCost {
        submissions, device_ns, moved_bytes, allocations, allocated_bytes, waits, wait_ns, slices,
    }
);

/// Costs of the lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileLines {
    /// The file.
    pub file: FileCost,
    /// Its lines with costs, by number.
    pub lines: Vec<Line>,
}

/// Costs of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileCost {
    /// Its path as in source locations.
    pub path: String,
    /// The recorded file, an index into [`super::TraceInfo::sources`]; the last version if there are several. `None` if
    /// the recording doesn't mention the file.
    pub source: Option<u32>,
    /// State of its text, if the recording mentions the file.
    pub state: Option<SourceState>,
    /// Costs of all its lines.
    #[serde(flatten)]
    pub cost: LineCost,
}

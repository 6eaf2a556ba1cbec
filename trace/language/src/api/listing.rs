//! The list of a server's traces: facts about each without opening it, and about their projects.

use serde::{Deserialize, Serialize};

use super::Series;

use super::TraceEntry;

/// A stored trace in a server's list, with everything that the list shows. Its first members are those of a
/// [`TraceEntry`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ListedTrace {
    /// Key in URLs.
    pub id: String,
    /// File name as uploaded or recorded.
    pub name: String,
    /// Size of the file.
    pub size_bytes: u64,
    /// Time of storage, ns since 1970-01-01 UTC.
    pub stored_unix_ns: u64,
    /// Its project; empty for the user's own files.
    #[serde(default)]
    pub project: String,
    /// User who uploaded it, if known.
    #[serde(default)]
    pub by: Option<String>,
    /// True if it is exempt from retention.
    #[serde(default)]
    pub is_pinned: bool,
    /// Time when retention deletes it, ns since 1970-01-01 UTC; `None` if undetermined.
    #[serde(default)]
    pub leaves_unix_ns: Option<u64>,
    /// Labels by key.
    #[serde(default)]
    pub labels: Vec<Label>,
    /// Its main figures; `None` while they are being computed, and for a file that is too large or can't be read.
    #[serde(default)]
    pub figures: Option<Figures>,
}

impl From<TraceEntry> for ListedTrace {
    fn from(entry: TraceEntry) -> Self {
        let TraceEntry { id, name, size_bytes, stored_unix_ns } = entry;
        Self { id, name, size_bytes, stored_unix_ns, ..Self::default() }
    }
}

/// Label of a trace: one value for each key.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Label {
    /// Key, such as `branch`.
    pub key: String,
    /// Value, such as `main`.
    pub value: String,
}

/// The value to set for a label: the body of `PUT /api/v1/traces/{id}/labels/{key}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewLabel {
    /// Value of the label.
    pub value: String,
}

/// A label key with its values in a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelKey {
    /// The key.
    pub key: String,
    /// Its values, in alphabetical order.
    pub values: Vec<String>,
}

/// The main figures of a trace: the numbers of `syclscope summary`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// The recorded program, or the tool that wrote the trace; empty if neither is known.
    pub program: String,
    /// End of the last event.
    pub duration_ns: u64,
    /// Time in which a device ran something.
    pub busy_ns: u64,
    /// Number of commands, without the runtime's placeholders.
    pub commands: u64,
    /// Number of nodes that launch a kernel.
    pub launches: u64,
    /// Names of the devices.
    pub devices: Vec<String>,
    /// The kernel with the most device time.
    pub busiest: Option<Busiest>,
    /// Number of findings: probable errors or performance problems.
    pub findings: u64,
    /// Number of kinds of problems of the recording, plus errors in the use of native handles; notes don't count.
    pub problems: u64,
}

/// The kernel with the most device time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Busiest {
    /// Its name.
    pub name: String,
    /// Device time of all its executions.
    pub total_ns: u64,
    /// Its share of the device time of all commands, from 0 to 1.
    pub share: f64,
}

/// A trace whose figures are compared over time: a line of `GET /api/v1/projects/{project}/trends`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrendPoint {
    /// The trace.
    pub id: String,
    /// Its file name.
    pub name: String,
    /// Time of storage, ns since 1970-01-01 UTC.
    pub stored_unix_ns: u64,
    /// End of its last event.
    pub duration_ns: u64,
    /// Time in which a device ran something.
    pub busy_ns: u64,
    /// Device time of its busiest kernel; 0 without kernels.
    pub busiest_ns: u64,
    /// Name of its busiest kernel; empty without kernels.
    pub busiest: String,
}

/// History of the main metrics of a program's traces on a machine: a part of the answer of `GET
/// /api/v1/projects/{project}/history`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineHistory {
    /// The program; empty if unknown.
    pub program: String,
    /// The label `machine`, or else the names of its devices.
    pub machine: String,
    /// Its traces: by first appearance of their commits, and by time within a commit.
    pub runs: Vec<HistoryRun>,
    /// Their figures, and the time of the currently busiest kernel, with change points, which refer to runs.
    pub series: Vec<Series>,
}

/// A trace in a history.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryRun {
    /// The trace.
    pub id: String,
    /// Its file name.
    pub name: String,
    /// The label `commit`.
    pub commit: Option<String>,
    /// Time of storage, ns since 1970-01-01 UTC.
    pub stored_unix_ns: u64,
}

/// A project with its limits and their usage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectEntry {
    /// Its short name in addresses.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Number of its traces.
    pub traces: u64,
    /// Total size of its traces in bytes.
    pub used_bytes: u64,
    /// Maximum of that size; `None` if unlimited.
    pub quota_bytes: Option<u64>,
    /// Number of days after which unpinned traces expire; `None`: never.
    pub retention_days: Option<u64>,
    /// Number of days from the mark of an expired trace to its deletion.
    pub grace_days: u64,
}

/// Change of a project: the body of `PUT /api/v1/projects/{project}`. Missing fields stay unchanged, `null` removes a
/// limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectChange {
    /// Display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Maximum total size of its traces in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    pub quota_bytes: Option<Option<u64>>,
    /// Number of days after which unpinned traces expire.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    pub retention_days: Option<Option<u64>>,
}

/// Returns a member that is present, possibly as `null`.
fn said<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Option<u64>>, D::Error> {
    Option::<u64>::deserialize(from).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_is_left_out_is_not_one_that_is_taken_away() {
        let read = |text: &str| serde_json::from_str::<ProjectChange>(text).unwrap();
        assert_eq!(read("{}"), ProjectChange::default());
        assert_eq!(read("{\"quota_bytes\":null}").quota_bytes, Some(None));
        assert_eq!(read("{\"quota_bytes\":7}").quota_bytes, Some(Some(7)));
        assert_eq!(
            serde_json::to_string(&read("{\"retention_days\":null}")).unwrap(),
            "{\"retention_days\":null}"
        );
    }
}

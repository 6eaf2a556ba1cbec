//! The subscriber's reports to the launcher: one small file for each process that loaded it.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Last reported status of a traced process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Status {
    pub pid: u32,
    pub output: PathBuf,
    /// Recorded streams of XPTI and of frameworks.
    pub streams: Vec<String>,
    pub events: u64,
    /// Events lost to a full buffer.
    pub dropped: u64,
    pub device_times: u64,
    pub device_times_missing: u64,
    /// Records of device activity from devices or their vendors.
    pub device_records: u64,
    /// Commands with impossible times from the runtime.
    pub impossible_times: u64,
    pub bytes: u64,
    /// Error that stopped the writer, if any.
    pub error: Option<String>,
    /// True if the recorder closed the file when the process ended.
    pub finished: bool,
    /// Bytes written to disk because memory was full.
    pub spilled_bytes: u64,
    /// Bytes in the buffers when the drain started, and how many of them are not yet in the file.
    pub taken_bytes: u64,
    pub left_bytes: u64,
    /// True if the file has every notification of the process, however it ended.
    pub complete: bool,
    /// All files that it wrote, the oldest first, if there are several.
    pub files: Vec<PathBuf>,
    pub notes: Vec<String>,
}

impl Status {
    /// Returns the existing files of the process, the oldest first. `--max-size` deletes older ones.
    pub fn files(&self) -> Vec<&Path> {
        let all = if self.files.is_empty() { std::slice::from_ref(&self.output) } else { &self.files };
        all.iter().map(PathBuf::as_path).filter(|path| path.is_file()).collect()
    }

    pub fn size_bytes(&self) -> u64 {
        self.files().iter().filter_map(|path| fs::metadata(path).ok()).map(|meta| meta.len()).sum()
    }

    pub(super) fn ended_without_events(&self) -> bool {
        self.finished && self.error.is_none() && self.events == 0 && self.dropped == 0
    }
}

pub(super) fn sum(processes: &[Status], value: fn(&Status) -> u64) -> u64 {
    processes.iter().map(value).fold(0, u64::saturating_add)
}

/// Returns every status in `folder`, by process id.
pub(super) fn read_all(folder: &Path) -> Vec<Status> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<Status> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .filter_map(|path| serde_json::from_slice(&fs::read(path).ok()?).ok())
        .collect();
    all.sort_by_key(|status| status.pid);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_read_and_rubbish_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let text = r#"{"pid":7,"output":"/w/run.pftrace","format":"perfetto","streams":["sycl"],"events":3,"dropped":0,
            "device_times":1,"device_times_missing":0,"bytes":9,"error":null,"finished":true}"#;
        fs::write(folder.path().join("7.json"), text).unwrap();
        fs::write(folder.path().join("3.json"), r#"{"pid":3,"from_the_future":[]}"#).unwrap();
        fs::write(folder.path().join("4.json"), r#"{"pid":"#).unwrap();
        fs::write(folder.path().join("claim"), "").unwrap();
        let all = read_all(folder.path());
        assert_eq!(all.iter().map(|status| status.pid).collect::<Vec<_>>(), [3, 7]);
        assert_eq!((all[1].events, all[1].bytes, all[1].finished), (3, 9, true));
        assert_eq!(read_all(&folder.path().join("missing")), []);
    }
}

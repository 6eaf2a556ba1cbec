//! Status file in which this process reports on its recording.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::config::Config;
use crate::target_process;
use crate::xpti::recorded_streams;

/// Interval of progress reports while a long write runs.
const PROGRESS_INTERVAL_NS: u64 = 250_000_000;
/// Minimum size of a write that reports its progress.
const PROGRESS_BYTES: u64 = 16 << 20;

pub(crate) struct Status {
    /// The file, if requested.
    path: Option<PathBuf>,
    pub(crate) files: Vec<String>,
    format: &'static str,
    error: Option<String>,
    notes: Vec<String>,
    pub(crate) paused: bool,
    /// Events of the program that are in the file.
    pub(crate) events: u64,
    pub(crate) dropped: u64,
    pub(crate) lost: u64,
    /// Bytes that were spilled to a disk because they did not fit in memory.
    pub(crate) spilled_bytes: u64,
    /// Number of bytes taken from the buffers in a step, and how many of these are not yet in the file.
    pub(crate) taken_bytes: u64,
    pub(crate) left_bytes: u64,
    pub(crate) device_times: u64,
    pub(crate) device_times_missing: u64,
    pub(crate) device_records: u64,
    pub(crate) impossible_times: u64,
    pub(crate) bytes: u64,
    pub(crate) finished: bool,
    /// True if the file contains all notifications of the process, however it ended.
    pub(crate) is_complete: bool,
    pub(crate) written_ns: u64,
}

impl Status {
    pub(crate) fn new(config: &Config, output: &str) -> Self {
        let pid = target_process::pid();
        Self {
            path: config.status_folder.as_ref().map(|folder| free_name(folder, pid)),
            files: vec![output.to_owned()],
            format: config.format.as_str(),
            error: None,
            notes: config.notes.clone(),
            paused: false,
            events: 0,
            dropped: 0,
            lost: 0,
            spilled_bytes: 0,
            taken_bytes: 0,
            left_bytes: 0,
            device_times: 0,
            device_times_missing: 0,
            device_records: 0,
            impossible_times: 0,
            bytes: 0,
            finished: false,
            is_complete: false,
            written_ns: 0,
        }
    }

    /// Notes an error; the first one is kept. Without a launcher that reads the file, it is printed to the terminal.
    pub(crate) fn error(&mut self, error: &str) {
        if self.error.is_some() {
            return;
        }
        if self.path.is_none() {
            let _ = writeln!(std::io::stderr(), "syclscope: {error}");
        }
        self.error = Some(error.to_owned());
    }

    /// Reports the progress of writing the taken bytes, at intervals.
    pub(crate) fn report_progress(&mut self, left_bytes: u64, taken_bytes: u64) {
        let now = crate::os::monotonic_ns();
        if now >= self.written_ns + PROGRESS_INTERVAL_NS
            && (taken_bytes >= PROGRESS_BYTES || self.left_bytes > 0)
        {
            (self.left_bytes, self.taken_bytes, self.written_ns) = (left_bytes, taken_bytes, now);
            self.write();
        }
    }

    pub(crate) fn note(&mut self, note: &str) {
        if !self.notes.iter().any(|other| other == note) {
            self.notes.push(note.to_owned());
        }
    }

    /// Rewrites the file atomically. A failure changes nothing.
    pub(crate) fn write(&self) {
        let Some(path) = &self.path else { return };
        let _ = crate::os::files::write(path, self.text().as_bytes());
    }

    fn text(&self) -> String {
        let list = |texts: &mut dyn Iterator<Item = &str>| texts.map(quoted).collect::<Vec<_>>().join(",");
        let error = self.error.as_deref().map_or_else(|| "null".to_owned(), quoted);
        format!(
            concat!(
                r#"{{"pid":{},"output":{},"format":{},"streams":[{}],"events":{},"dropped":{},"#,
                r#""device_times":{},"device_times_missing":{},"device_records":{},"impossible_times":{},"bytes":{},"error":{},"finished":{},"#,
                r#""complete":{},"spilled_bytes":{},"taken_bytes":{},"left_bytes":{},"paused":{},"files":[{}],"notes":[{}]}}"#,
                "\n"
            ),
            target_process::pid(),
            quoted(self.files.last().map_or("", String::as_str)),
            quoted(self.format),
            list(&mut recorded_streams()),
            self.events,
            self.dropped + self.lost,
            self.device_times,
            self.device_times_missing,
            self.device_records,
            self.impossible_times,
            self.bytes,
            error,
            self.finished,
            self.is_complete,
            self.spilled_bytes,
            self.taken_bytes,
            self.left_bytes,
            self.paused,
            list(&mut self.files.iter().map(String::as_str)),
            list(&mut self.notes.iter().map(String::as_str)),
        )
    }
}

/// Returns `1234.json`; another name if an earlier program of this process has left its own (`exec`).
fn free_name(folder: &Path, pid: u32) -> PathBuf {
    let first = folder.join(format!("{pid}.json"));
    let others = (2..100).map(|number| folder.join(format!("{pid}-{number}.json")));
    std::iter::once(first.clone()).chain(others).find(|path| !path.exists()).unwrap_or(first)
}

fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            control if control.is_control() => quoted.push_str(&format!("\\u{:04x}", control as u32)),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_a_while_says_how_far_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config::for_test(PathBuf::new());
        config.status_folder = Some(folder.path().to_owned());
        let mut status = Status::new(&config, "");
        let left = |status: &Status| {
            let text = std::fs::read_to_string(status.path.as_ref().unwrap()).ok()?;
            let value: serde_json::Value = serde_json::from_str(&text).unwrap();
            Some((value["left_bytes"].as_u64().unwrap(), value["taken_bytes"].as_u64().unwrap()))
        };
        status.report_progress(1, 2);
        assert_eq!(left(&status), None, "little is done at once");
        status.report_progress(PROGRESS_BYTES / 2, PROGRESS_BYTES);
        assert_eq!(left(&status), Some((PROGRESS_BYTES / 2, PROGRESS_BYTES)));
        status.report_progress(5, PROGRESS_BYTES);
        assert_eq!(left(&status), Some((PROGRESS_BYTES / 2, PROGRESS_BYTES)), "not all the time");
        status.written_ns = 0;
        status.report_progress(5, PROGRESS_BYTES);
        assert_eq!(left(&status), Some((5, PROGRESS_BYTES)));
    }

    #[test]
    fn the_text_is_json_whatever_the_names() {
        let config = Config::for_test(PathBuf::new());
        let mut status = Status::new(&config, "/tmp/a \"b\"\\\n.pftrace");
        status.error("no \u{1} room");
        let value: serde_json::Value = serde_json::from_str(&status.text()).unwrap();
        assert_eq!(value["output"], "/tmp/a \"b\"\\\n.pftrace");
        assert_eq!(value["streams"], serde_json::json!([]));
        assert_eq!(value["error"], "no \u{1} room");
        assert_eq!(value["finished"], false);
        assert_eq!(value["files"], serde_json::json!(["/tmp/a \"b\"\\\n.pftrace"]));
    }
}

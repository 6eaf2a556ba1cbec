//! What the environment asks for, read once when the recording begins.

use std::path::{Path, PathBuf};

/// How to encode the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Perfetto protobuf.
    Perfetto,
    /// Chrome trace event format.
    Json,
}

impl Format {
    /// The name that the environment and the status file use.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Perfetto => "perfetto",
            Self::Json => "json",
        }
    }
}

/// Settings of a recording.
#[derive(Debug)]
pub(crate) struct Config {
    /// The file to write.
    pub(crate) output: PathBuf,
    /// The launcher made the file for this process; otherwise what lies there is somebody's.
    pub(crate) is_reserved: bool,
    pub(crate) format: Format,
    /// Where this process keeps `<pid>.json`.
    pub(crate) status_folder: Option<PathBuf>,
    /// Size of each thread's buffer in bytes.
    pub(crate) buffer_bytes: usize,
}

/// A thread's buffer, if nothing else is asked for: at 40 bytes and 200 ns a call, some 40 ms of nothing but calls.
const BUFFER_BYTES: usize = 8 << 20;

impl Config {
    /// Reads `SYCLSCOPE_OUTPUT`, `SYCLSCOPE_FORMAT`, `SYCLSCOPE_STATUS_DIR` and `SYCLSCOPE_BUFFER_BYTES`.
    ///
    /// The first process of a run writes to the output itself; every other one beside it, with its process id in the
    /// name. Without an output the file is `syclscope.<pid>.pftrace` in the working folder.
    pub(crate) fn from_environment(is_forked: bool) -> Self {
        let format = match std::env::var("SYCLSCOPE_FORMAT").as_deref() {
            Ok("json") => Format::Json,
            _ => Format::Perfetto,
        };
        let status_folder = std::env::var_os("SYCLSCOPE_STATUS_DIR").map(PathBuf::from);
        let pid = std::process::id();
        let (output, is_reserved) = match std::env::var_os("SYCLSCOPE_OUTPUT").map(PathBuf::from) {
            Some(output) if is_first(status_folder.as_deref(), is_forked) => {
                (output, status_folder.is_some())
            }
            Some(output) => (beside(&output, pid), false),
            None => {
                let extension = if format == Format::Json { "json" } else { "pftrace" };
                (PathBuf::from(format!("syclscope.{pid}.{extension}")), false)
            }
        };
        // Relative to where the program was when the recording began, whatever it does later.
        let output = std::path::absolute(&output).unwrap_or(output);
        let asked = std::env::var("SYCLSCOPE_BUFFER_BYTES").ok().and_then(|bytes| bytes.parse().ok());
        let buffer_bytes = asked.unwrap_or(BUFFER_BYTES).clamp(4 << 10, 1 << 30);
        Self { output, is_reserved, format, status_folder, buffer_bytes }
    }
}

/// Whether this is the process that writes to the output itself: the one that makes the file `claim`.
fn is_first(status_folder: Option<&Path>, is_forked: bool) -> bool {
    match status_folder {
        Some(folder) => std::fs::File::create_new(folder.join("claim")).is_ok(),
        None => !is_forked,
    }
}

/// `run.pftrace` → `run.1234.pftrace`
fn beside(output: &Path, pid: u32) -> PathBuf {
    let mut name = output.file_stem().unwrap_or_default().to_owned();
    name.push(format!(".{pid}"));
    if let Some(extension) = output.extension() {
        name.push(".");
        name.push(extension);
    }
    output.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_processes_write_beside_the_output() {
        assert_eq!(beside(Path::new("/a/run.pftrace"), 7), Path::new("/a/run.7.pftrace"));
        assert_eq!(beside(Path::new("/a/run"), 7), Path::new("/a/run.7"));
    }

    #[test]
    fn only_one_process_claims_the_output() {
        let folder = tempfile::tempdir().unwrap();
        assert!(is_first(Some(folder.path()), true));
        assert!(!is_first(Some(folder.path()), false));
        assert!(is_first(None, false));
        assert!(!is_first(None, true));
    }
}

//! Messages of `record` on standard error when a recording ends.

use std::collections::HashSet;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use syclscope_language::api::{Severity, TraceInfo};

use crate::summary::text::kernels;
use syclscope_launcher::{Ending, Recording, Status, Weight};
use syclscope_system::memory;
use syclscope_system::trace_file;
use syclscope_text as text;

const MAX_KERNELS: usize = 5;

/// Width of a line, without the indentation.
const WIDTH: usize = 106;

/// Maximum size of a recording that `record` reads back; a larger one would delay the end of the command.
const MAX_SUMMARY_BYTES: u64 = 256 << 20;

/// Notes that were printed about earlier runs of one command.
pub(crate) type Printed = HashSet<String>;

/// Prints errors, warnings, and notes that were not printed yet; only errors with `--quiet`.
pub(crate) fn warn(recording: &Recording, is_quiet: bool, printed: &mut Printed) {
    for warning in recording.warnings() {
        match warning.weight {
            Weight::Error => eprintln!("syclscope: warning: {}", text::safe(&warning.text)),
            _ if is_quiet => {}
            Weight::Warning => eprintln!("syclscope: warning: {}", text::safe(&warning.text)),
            Weight::Note if printed.contains(&warning.text) => {}
            Weight::Note => {
                eprintln!("syclscope: note: {}", text::safe(&warning.text));
                printed.insert(warning.text);
            }
        }
    }
}

pub(super) fn summarise(recording: &Recording) {
    let ns = |time: std::time::Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let run = recording.run;
    let pause = match ns(recording.paused) {
        0 => String::new(),
        paused => format!("; recording was paused for {} of it", text::duration(paused)),
    };
    let wall_time = text::duration(ns(run.wall_time));
    eprintln!("syclscope: the program {} after {wall_time}{pause}", run.ending.describe());
    for process in &recording.processes {
        describe(process);
    }
    match &recording.output {
        Some(path) => {
            most_expensive(recording, path);
            others(recording, path);
        }
        None => in_folder(recording),
    }
}

/// Returns the shortest path from the working folder.
fn short_path(path: &Path) -> String {
    let folder = std::env::current_dir().unwrap_or_default();
    text::safe(&path.strip_prefix(folder).unwrap_or(path).to_string_lossy())
}

/// Returns paths for a command to copy: the shortest ones, quoted for a shell.
fn words<'p>(paths: impl IntoIterator<Item = &'p Path>) -> String {
    let words: Vec<String> = paths.into_iter().map(|path| text::shell_word(&short_path(path))).collect();
    words.join(" ")
}

/// Prints a line about the recording of a process, and how to merge its files if there are several.
fn describe(process: &Status) {
    let files = process.files();
    let written = match files[..] {
        [_, _, ..] => format!("{} files, the newest is {}", files.len(), short_path(&process.output)),
        _ => short_path(&process.output),
    };
    let missing = match process.device_times_missing {
        0 => String::new(),
        missing => format!(" ({} without)", text::count(missing)),
    };
    eprintln!(
        "syclscope: {written} (process {}): {}, {}, {} dropped, {} with device times{missing}, {}, {}",
        process.pid,
        // A device or a pipe has no size, and the file may be deleted.
        text::bytes(match (files.is_empty(), process.output.exists()) {
            (true, true) => process.bytes,
            _ => process.size_bytes(),
        }),
        text::counted(process.events, "event"),
        text::count(process.dropped),
        text::counted(process.device_times, "command"),
        text::counted(process.device_records, "device record"),
        text::counted(process.impossible_times, "impossible time"),
    );
    if files.len() > 1 {
        eprintln!("syclscope:   to merge them: `syclscope merge -o whole.pftrace {}`", words(files));
    }
}

/// Prints the commands with the most device time, and the number of lost events of each kind.
fn most_expensive(recording: &Recording, path: &Path) {
    let word = words([path]);
    let size_bytes = std::fs::metadata(path).map_or(0, |meta| meta.len());
    if size_bytes > MAX_SUMMARY_BYTES {
        eprintln!(
            "syclscope: `syclscope summary {word}` shows what took the time; reading this large file takes a while"
        );
        return;
    }
    match trace_file::open(path, memory::alone()) {
        Ok(trace) => {
            let info = trace.info();
            if recording.run.ending != Ending::Code(0) && info.devices.is_empty() {
                eprintln!(
                    "syclscope: the program failed, and its SYCL runtime had no device; `syclscope doctor` shows which driver is missing"
                );
            }
            let kernels = kernels(&trace.commands(), MAX_KERNELS, WIDTH);
            for line in losses(&info).into_iter().chain(kernels) {
                eprintln!("syclscope:   {line}");
            }
            eprintln!("syclscope: to view it: `syclscope open {word}`");
        }
        Err(error) => eprintln!("syclscope: warning: can't read {} back: {error}", short_path(path)),
    }
}

/// Describes the losses of a trace: lost events by kind in one line, and a line for each other loss.
fn losses(info: &TraceInfo) -> Vec<String> {
    let mut lost: Vec<(u64, &str)> = Vec::new();
    let mut lines = Vec::new();
    for problem in info.diagnostics.iter().filter(|problem| problem.severity == Severity::DataLoss) {
        match problem.kind.strip_prefix("dropped_") {
            Some(kind) => lost.push((problem.count, kind.strip_prefix("full_buffer.").unwrap_or(kind))),
            // A warning already reports that.
            None if problem.kind == "no_device_time" => {}
            None => lines.push(text::printable(&problem.message, 400)),
        }
    }
    lost.sort_by_key(|(count, kind)| (std::cmp::Reverse(*count), *kind));
    if !lost.is_empty() {
        let kinds: Vec<String> = lost
            .iter()
            .map(|(count, kind)| {
                format!("{} {}", text::count(*count), text::printable(&kind.replace('_', " "), 40))
            })
            .collect();
        lines.push(format!("lost: {}", kinds.join(", ")));
    }
    lines
}

fn others(recording: &Recording, first: &Path) {
    let files = to_merge(&recording.processes, first);
    if !files.is_empty() {
        let files = words(files.iter().map(PathBuf::as_path));
        eprintln!("syclscope: to merge all processes: `syclscope merge -o all.pftrace {files}`");
    }
}

/// Returns the files of all processes, those of `first` first, with its older half; none if there are no others.
fn to_merge(processes: &[Status], first: &Path) -> Vec<PathBuf> {
    let (own, others): (Vec<&Status>, Vec<&Status>) =
        processes.iter().partition(|process| process.output == first);
    let files = |of: &[&Status]| -> Vec<PathBuf> {
        of.iter().flat_map(|process| process.files()).map(Path::to_owned).collect()
    };
    let others = files(&others);
    if others.is_empty() {
        return others;
    }
    let own = if own.is_empty() { vec![first.to_owned()] } else { files(&own) };
    [own, others].concat()
}

/// True if a file has another name, too. A single recording is copied where the file system has no hard links, and
/// where the files of other processes are empty.
fn is_link(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| meta.nlink() > 1)
}

/// Prints a line about the merged recording, or how to merge the recordings of all ranks.
fn in_folder(recording: &Recording) {
    match (&recording.merged, &recording.folder) {
        (Some(Ok(merged)), _) => {
            let path = short_path(&merged.path);
            if is_link(&merged.path) {
                eprintln!("syclscope: {path} is a hard link to the recording of the only process");
            } else {
                eprintln!(
                    "syclscope: {path}: {} merged, {}",
                    text::counted(merged.report.inputs.len() as u64, "recording"),
                    text::bytes(merged.size_bytes)
                );
            }
            most_expensive(recording, &merged.path);
        }
        (None, Some(folder)) if recording.is_one_of_many && recording.events() > 0 => {
            let folder = words([folder.as_path()]);
            eprintln!(
                "syclscope: when all ranks have ended, merge them with `syclscope merge -o all.pftrace {folder}`"
            );
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::DiagnosticInfo;

    use super::*;

    #[test]
    fn all_files_of_all_processes_are_merged() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let process = |names: &[&str]| {
            let files: Vec<PathBuf> = names.iter().map(|name| path(name)).collect();
            files.iter().for_each(|file| std::fs::write(file, "a trace").unwrap());
            Status { output: files[files.len() - 1].clone(), files, ..Status::default() }
        };
        let first = process(&["run.older.pftrace", "run.pftrace"]);
        let other = process(&["run.7.pftrace"]);
        let all = [other, first.clone()];
        let merged = to_merge(&all, &path("run.pftrace"));
        assert_eq!(merged, ["run.older.pftrace", "run.pftrace", "run.7.pftrace"].map(path));
        assert_eq!(to_merge(&[first], &path("run.pftrace")), [] as [PathBuf; 0]);
    }

    #[test]
    fn files_of_a_command_are_quoted_for_a_shell() {
        let paths = [Path::new("/w/my runs/run.pftrace"), Path::new("/w/run.7.pftrace")];
        assert_eq!(words(paths), "'/w/my runs/run.pftrace' /w/run.7.pftrace");
    }

    #[test]
    fn only_a_file_with_two_names_is_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other, copy] = ["one", "other", "copy"].map(|name| folder.path().join(name));
        std::fs::write(&one, "a trace").unwrap();
        std::fs::hard_link(&one, &other).unwrap();
        std::fs::copy(&one, &copy).unwrap();
        assert_eq!([&other, &copy].map(|path| is_link(path)), [true, false]);
    }

    #[test]
    fn lost_events_stand_in_one_line() {
        let problem = |severity, kind: &str, count| DiagnosticInfo {
            severity,
            kind: kind.to_owned(),
            message: format!("{kind} happened."),
            count,
            first_offset: None,
        };
        let diagnostics = vec![
            problem(Severity::DataLoss, "no_device_time", 5),
            problem(Severity::DataLoss, "dropped_full_buffer.edge", 3),
            problem(Severity::DataLoss, "dropped_full_buffer.call_begin", 1_200),
            problem(Severity::DataLoss, "truncated_file", 1),
            problem(Severity::Info, "unknown_packet", 9),
        ];
        let info = TraceInfo { diagnostics, ..TraceInfo::default() };
        assert_eq!(losses(&info), ["truncated_file happened.", "lost: 1,200 call begin, 3 edge"]);
        assert_eq!(losses(&TraceInfo::default()), [] as [&str; 0]);
    }
}

//! Warnings about a recording: every loss, and its remedy.

use std::path::Path;

use super::{Recording, Status, Unsaved, sys};
use syclscope_text::{bytes, count, counted, shell_word};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    pub weight: Weight,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    Note,
    /// The recording lacks something that it could have contained.
    Warning,
    /// There is no recording, or events are missing from it.
    Error,
}

impl Weight {
    fn with(self, text: impl Into<String>) -> Warning {
        Warning { weight: self, text: text.into() }
    }
}

impl Recording {
    pub fn events(&self) -> u64 {
        self.processes.iter().map(|process| process.events).sum()
    }

    /// Returns the losses of the recording and the recorders' notes; empty if there are none.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.warnings_of_processes();
        warnings.extend(self.runtime_variables.note().map(|note| Weight::Note.with(note)));
        warnings.extend(self.other_tools.clone().map(|note| Weight::Note.with(note)));
        warnings
    }

    fn warnings_of_processes(&self) -> Vec<Warning> {
        if self.processes.is_empty() {
            if let Some(Unsaved::Left(folder)) = &self.unsaved {
                return vec![Weight::Error.with(unwritten_note(folder))];
            }
            return vec![match &self.output {
                Some(output) => Weight::Error.with(no_status(output)),
                None if !self.survivors.is_empty() => Weight::Warning.with(self.nothing_yet()),
                None => Weight::Error.with(self.nothing_loaded()),
            }];
        }
        let mut warnings = Vec::new();
        if self.events() == 0 {
            warnings.push(Weight::Error.with(nothing_traced(&self.framework)));
        }
        for process in &self.processes {
            process_warnings(process, self.is_main(process), &mut warnings);
        }
        match &self.unsaved {
            Some(Unsaved::Left(folder)) => warnings.push(Weight::Error.with(unwritten_note(folder))),
            Some(Unsaved::Alone(why)) if self.processes.iter().any(|process| !process.finished) => {
                warnings.push(Weight::Note.with(format!(
                    "the program wrote its recording itself, because no other process could empty its buffers: {why}"
                )));
            }
            _ => {}
        }
        if let Some(Err(failure)) = &self.merged {
            warnings.push(Weight::Error.with(format!(
                "can't merge the recordings in the folder: {failure}. They are complete; run \
                 `syclscope merge` to try again."
            )));
        }
        for stream in self.streams.iter().filter(|stream| !self.was_announced(stream)) {
            warnings.push(Weight::Warning.with(format!(
                "the runtime announced no stream {stream}, so the recording lacks it. `--streams` takes the groups {}, \
                 and exact names of streams.",
                super::STREAM_GROUPS.join(", ")
            )));
        }
        warnings
    }

    fn nothing_yet(&self) -> String {
        let names: Vec<String> =
            self.survivors.iter().map(|survivor| format!("{} ({})", survivor.pid, survivor.name)).collect();
        let (process, runs, it) = match names.len() {
            1 => ("process", "runs", "it"),
            _ => ("processes", "run", "one of them"),
        };
        let later = self.later.display();
        // Only a process that uses SYCL during the run gets the named file.
        let place = match self.folder {
            Some(_) => format!("in {later}"),
            None => format!("beside {later}, with its process id in the name"),
        };
        format!(
            "nothing is recorded yet: {process} {} of the program still {runs}. When {it} uses SYCL, the recording appears \
             {place}.",
            names.join(", "),
        )
    }

    /// True if the launcher started `process` itself and so knows how it ended.
    fn is_main(&self, process: &Status) -> bool {
        process.pid == self.run.pid
    }

    fn was_announced(&self, stream: &str) -> bool {
        let mut announced = self.processes.iter().flat_map(|process| &process.streams);
        announced.any(|announced| announced == stream || announced == recorded_as(stream))
    }

    fn nothing_loaded(&self) -> String {
        format!(
            "nothing was recorded: no process loaded the SYCL runtime's tracing. Likely reasons: the program does \
             not use SYCL, or ended before it did; it uses another SYCL runtime than the one of {} \
             (name the right one with --xptifw); it clears its environment or drops privileges; its SYCL \
             runtime is too old for tracing, or built without it. `syclscope doctor -- PROGRAM` \
             looks for the reason.",
            self.framework.display()
        )
    }
}

/// Returns the stream of which a requested one is a part. The recorder reports only that stream.
fn recorded_as(stream: &str) -> &str {
    match stream {
        "sycl.experimental.level_zero.debug" => "sycl.experimental.level_zero.call",
        "sycl.experimental.cuda.debug" => "sycl.experimental.cuda.call",
        "ranges.itt.tbb" => "ranges.itt",
        _ => stream.strip_suffix(".debug").unwrap_or(stream),
    }
}

fn unwritten_note(folder: &Path) -> String {
    let folder = folder.display().to_string();
    format!(
        "the process that writes the recording ended early; the unwritten events are in {folder}: \
         `syclscope recover {}` writes them to a separate file",
        shell_word(&folder)
    )
}

/// Describes the write errors of the processes' recorders; `None` if everything is in the files.
pub(super) fn unwritten(processes: &[Status]) -> Option<String> {
    // The recorder's message names the file.
    let errors: Vec<&str> = processes.iter().filter_map(|process| process.error.as_deref()).collect();
    (!errors.is_empty()).then(|| errors.join("; "))
}

fn no_status(output: &Path) -> String {
    format!(
        "{} may be incomplete, because the recorder could not write its status to {}. If something is missing, free \
         space there or set TMPDIR to another folder, and record again.",
        output.display(),
        syclscope_system::temporary_folder().display()
    )
}

fn nothing_traced(framework: &Path) -> String {
    format!(
        "nothing was recorded: the program loaded the SYCL runtime, but did not use it. If it did use SYCL, \
         {} may belong to another runtime; name the right one with --xptifw.",
        framework.display()
    )
}

fn process_warnings(process: &Status, is_main: bool, warnings: &mut Vec<Warning>) {
    let place = format!("{} (process {})", process.output.display(), process.pid);
    if let Some(error) = &process.error {
        let missing = match process.dropped {
            0 => String::new(),
            dropped => format!(" {} missing.", counted(dropped, "event")),
        };
        // The subscriber's message names the file and the place.
        warnings.push(Weight::Error.with(format!(
            "{error}.{missing} If the disk is full or a limit was reached, free some space or choose another place with \
             -o; then record again."
        )));
    } else if process.dropped > 0 {
        warnings.push(Weight::Error.with(format!(
            "{} lost in {place}: the program produced events faster than the recorder could write them. The page \
             shows the number too. A larger --buffer-size, fewer --streams or a lower --detail help, and so does room on the disk of \
             TMPDIR; with --on-full wait nothing is lost, but the program runs slower.",
            counted(process.dropped, "event")
        )));
    }
    if process.spilled_bytes > 0 {
        warnings.push(Weight::Note.with(format!(
            "{place}: the program produced events faster than the recorder could write them: {} were first written to disk, and \
             from there to the file.",
            bytes(process.spilled_bytes)
        )));
    }
    if process.device_times_missing > 0 {
        warnings.push(Weight::Warning.with(format!(
            "{place}: {} of {} without device times: `syclscope summary --section problems` shows the reasons.",
            count(process.device_times_missing),
            counted(process.device_times_missing.saturating_add(process.device_times), "command")
        )));
    }
    if !process.finished && process.complete && process.error.is_none() {
        warnings.push(Weight::Note.with(format!(
            "{place}: its process crashed, was killed or called _exit. Everything up to then is in the file, except device \
             times not yet read."
        )));
    } else if !process.finished && process.error.is_none() {
        let running = !is_main && sys::is_running(process.pid);
        warnings.push(Weight::Warning.with(if running {
            format!(
                "process {} is still running and recording into {}.",
                process.pid,
                process.output.display()
            )
        } else {
            format!(
                "{place} is cut short: its process crashed, was killed or called _exit. The file opens, but \
                 may lack the last moments."
            )
        }));
    }
    warnings.extend(process.notes.iter().map(|note| Weight::Note.with(format!("{place}: {note}"))));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_recovery_is_quoted_for_a_shell() {
        let note = unwritten_note(Path::new("/my tmp/rings"));
        assert!(note.contains("are in /my tmp/rings: `syclscope recover '/my tmp/rings'` writes"), "{note}");
    }

    #[test]
    fn what_a_recovery_could_not_write_is_no_success() {
        let process = |error: Option<&str>| Status { error: error.map(str::to_owned), ..Status::default() };
        assert_eq!(unwritten(&[]), None);
        assert_eq!(unwritten(&[process(None)]), None);
        let failed =
            [process(Some("can't write /gone/a.pftrace")), process(None), process(Some("disk full"))];
        assert_eq!(unwritten(&failed).as_deref(), Some("can't write /gone/a.pftrace; disk full"));
    }
}

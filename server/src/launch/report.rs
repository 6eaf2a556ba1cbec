//! What a user must know of a recording: everything that is missing from it, in sentences with the remedy.

use std::path::Path;

use super::{Recording, Status, sys};
use crate::text::count;

/// Something to tell of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// How bad it is.
    pub weight: Weight,
    /// What it is and what to do about it.
    pub text: String,
}

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Worth knowing.
    Note,
    /// The recording is less than it could be.
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
    /// Events of all processes.
    pub fn events(&self) -> u64 {
        self.processes.iter().map(|process| process.events).sum()
    }

    /// What is missing from the recording, and what its recorders have to say; empty when all went well.
    pub fn warnings(&self) -> Vec<Warning> {
        if self.processes.is_empty() {
            return vec![Weight::Error.with(match &self.output {
                Some(output) => nothing_told(output),
                None => self.nothing_loaded(),
            })];
        }
        let mut warnings = Vec::new();
        if self.events() == 0 {
            warnings.push(Weight::Error.with(nothing_traced(&self.framework)));
        }
        for process in &self.processes {
            process_warnings(process, self.is_main(process), &mut warnings);
        }
        if let Some(Err(failure)) = &self.merged {
            warnings.push(Weight::Error.with(format!(
                "the recordings in the folder were not merged: {failure}. They are whole; `syclscope merge` tries again."
            )));
        }
        for stream in self.streams.iter().filter(|stream| !self.was_announced(stream)) {
            warnings.push(Weight::Warning.with(format!(
                "no stream called {stream} was announced, so it could not be recorded. `--streams` knows the groups {}, \
                 and streams by their exact names.",
                super::STREAM_GROUPS.join(", ")
            )));
        }
        warnings
    }

    /// Whether `process` is the one that the launcher started, so that its end is known.
    fn is_main(&self, process: &Status) -> bool {
        process.pid == self.run.pid
    }

    fn was_announced(&self, stream: &str) -> bool {
        self.processes.iter().flat_map(|process| &process.streams).any(|announced| announced == stream)
    }

    fn nothing_loaded(&self) -> String {
        format!(
            "nothing was recorded: no process loaded the SYCL runtime's tracing. Likely reasons: the program does \
             not use SYCL, or ended before it did; its SYCL runtime is another than the one that {} belongs to \
             (name the right one with --xptifw); it clears its environment or drops privileges; its SYCL \
             runtime is too old to report what it does, or was built without tracing. `syclscope doctor -- PROGRAM` \
             looks for the reason.",
            self.framework.display()
        )
    }
}

fn nothing_told(output: &Path) -> String {
    format!(
        "{} was recorded, but how that went is not known: the recorder could not write to {}. Is that disk full? What \
         is in the file can be opened. Free some space, or set TMPDIR to another folder, and record again if \
         something is missing.",
        output.display(),
        std::env::temp_dir().display()
    )
}

fn nothing_traced(framework: &Path) -> String {
    format!(
        "nothing was recorded: the program loaded the SYCL runtime, but used none of it. If it did use SYCL, \
         {} may belong to another runtime; name the right one with --xptifw.",
        framework.display()
    )
}

fn process_warnings(process: &Status, is_main: bool, warnings: &mut Vec<Warning>) {
    let place = format!("{} (process {})", process.output.display(), process.pid);
    if let Some(error) = &process.error {
        // The subscriber names the file and the place.
        warnings.push(Weight::Error.with(format!(
            "{error}. {} events are missing. If the disk is full or a limit was met, free some space or choose another \
             place with -o; then record again.",
            count(process.dropped)
        )));
    } else if process.dropped > 0 {
        warnings.push(Weight::Error.with(format!(
            "{} events were lost in {place}: the program made them faster than they could be written. The page shows \
             the number too. A larger --buffer-size, fewer --streams or a lower --detail help; with --on-full wait \
             nothing is lost, at the price of the program's time.",
            count(process.dropped)
        )));
    }
    if process.device_times_missing > 0 {
        warnings.push(Weight::Warning.with(format!(
            "{} of {} commands in {place} have no device times: their queue or device gives none.",
            count(process.device_times_missing),
            count(process.device_times_missing.saturating_add(process.device_times))
        )));
    }
    if !process.finished && process.error.is_none() {
        let running = !is_main && sys::is_running(process.pid);
        warnings.push(Weight::Warning.with(if running {
            format!("process {} is still running; its recording goes on in {}.", process.pid, process.output.display())
        } else {
            format!(
                "{place} ends where its process was stopped short (by a crash, a kill or _exit): it opens, but \
                 the last moments may be missing."
            )
        }));
    }
    warnings.extend(process.notes.iter().map(|note| Weight::Note.with(format!("{place}: {note}"))));
}

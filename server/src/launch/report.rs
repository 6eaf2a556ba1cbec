//! What a user must know of a recording: everything that is missing from it, in sentences with the remedy.

use std::path::Path;

use super::{Recording, Status, sys};
use crate::text::count;

impl Recording {
    /// Events of all processes.
    pub fn events(&self) -> u64 {
        self.processes.iter().map(|process| process.events).sum()
    }

    /// Sentences about what is missing from the recording; empty when all went well.
    pub fn warnings(&self) -> Vec<String> {
        if self.processes.is_empty() {
            return vec![match &self.output {
                Some(output) => nothing_told(output),
                None => self.nothing_loaded(),
            }];
        }
        let mut warnings = Vec::new();
        if self.events() == 0 {
            warnings.push(nothing_traced(&self.framework));
        }
        for process in &self.processes {
            process_warnings(process, self.is_main(process), &mut warnings);
        }
        warnings
    }

    /// Whether `process` is the one that the launcher started, so that its end is known.
    fn is_main(&self, process: &Status) -> bool {
        process.pid == self.run.pid
    }

    fn nothing_loaded(&self) -> String {
        format!(
            "nothing was recorded: no process loaded the SYCL runtime's tracing. Likely reasons: the program does \
             not use SYCL, or ended before it did; its SYCL runtime is another than the one that {} belongs to \
             (name the right one with --xptifw); it clears its environment or drops privileges; its SYCL \
             runtime is too old to report what it does, or was built without tracing.",
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

fn process_warnings(process: &Status, is_main: bool, warnings: &mut Vec<String>) {
    let place = format!("{} (process {})", process.output.display(), process.pid);
    if let Some(error) = &process.error {
        // The subscriber names the file and the place.
        warnings.push(format!(
            "{error}. {} events are missing. If the disk is full or a limit was met, free some space or choose another \
             place with -o; then record again.",
            count(process.dropped)
        ));
    } else if process.dropped > 0 {
        warnings.push(format!(
            "{} events were lost in {place}: the program made them faster than they could be written. The page shows \
             the number too; a faster disk or fewer processes at once help.",
            count(process.dropped)
        ));
    }
    if process.device_times_missing > 0 {
        warnings.push(format!(
            "{} of {} commands in {place} have no device times: their queue or device gives none.",
            count(process.device_times_missing),
            count(process.device_times_missing.saturating_add(process.device_times))
        ));
    }
    if !process.finished && process.error.is_none() {
        let running = !is_main && sys::is_running(process.pid);
        warnings.push(if running {
            format!("process {} is still running; its recording goes on in {}.", process.pid, process.output.display())
        } else {
            format!(
                "{place} ends where its process was stopped short (by a crash, a kill or _exit): it opens, but \
                 the last second may be missing."
            )
        });
    }
}

//! Emptying the buffers of one process.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use super::BEGUN;
use crate::buffer::{Channel, Place, ThreadBuffers};
use crate::clock::{self, Pair};
use crate::config::Config;
use crate::control::Reason;
use crate::counters::Sampling;
use crate::device_time_reader::{FINISH, LAYOUT, beside};
use crate::fault::failure;
use crate::os::memory;
use crate::os::process::{Process, become_like, wait_for_change, wake};
use crate::shared_page::{self, Field};
use crate::target_process::{self, TargetProcess};
use crate::writer::{Drain, Writer};

/// Longest interval of checking whether the program still runs.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Environment variable with the status folder of a recovery, which replaces the deleted one of the program's settings.
const STATUS: &str = "SYCLSCOPE_DRAIN_STATUS";

const AGAIN: &str =
    "this file lacks the recording's start and counters: the process that wrote the previous file was killed";

/// Empties the buffers until the program ends; false if they can't be read, such as those of another version.
pub(super) fn run(begin: &Path, target: TargetProcess, program: &Process) -> bool {
    let Ok(memory) = memory::attach(&beside(begin, "link")) else { return false };
    if !shared_page::share(memory) || Field::LAYOUT.get() != LAYOUT {
        return false;
    }
    let place = Place::beside(begin.to_owned());
    let Some(channel) = Channel::attach(&place, "told") else { return false };
    let target = target_process::set(target);
    let status_folder = std::env::var_os(STATUS);
    let variables = target.environment.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()));
    become_like(&target.working_folder, variables);
    let mut config = Config::from_environment(Field::IS_FORKED.get() != 0);
    if let Some(folder) = status_folder {
        config.status_folder = Some(folder.into());
    }
    if Field::EMPTIED_BY.get() != 0 {
        // The output file of the earlier copy must be kept.
        config.is_reserved = false;
        // A driver's library may have terminated the earlier copy.
        config.has_counters = false;
        config.notes.push(AGAIN.to_owned());
    }
    config.publish();
    clock::count_like(Field::USES_COUNTER.get() != 0);
    let start = Pair { ticks: Field::START_TICKS.get(), ns: Field::START_NS.get() };
    let pause = Field::BEGAN_PAUSED.get().checked_sub(1).and_then(Reason::at);
    let config: &'static Config = Box::leak(Box::new(config));
    let sampling = config.has_counters.then(Sampling::begin).flatten();
    let mut drain = Draining {
        sampling,
        writer: Writer::new(config, start, pause, Some(channel)),
        buffers: ThreadBuffers::new(config.buffer_bytes, place, Field::BUFFERS.word()),
        program,
        done: 0,
    };
    let _ = crate::os::files::write(&beside(begin, BEGUN), b"");
    Field::EMPTIED_BY.set(std::process::id().into());
    let ended = catch_unwind(AssertUnwindSafe(|| drain.until_the_end()));
    if ended.is_err() {
        drain.writer.fail(&failure("the writer"));
        // No thread may wait for the earlier process.
        Field::WAITS.set(0);
        Field::IS_OFF.set(1);
    }
    true
}

struct Draining<'a> {
    writer: Writer,
    buffers: ThreadBuffers,
    program: &'a Process,
    sampling: Option<Sampling>,
    done: u64,
}

impl Draining<'_> {
    fn until_the_end(&mut self) {
        loop {
            // This check precedes the reading of the buffers: after the end of the program, nothing more is added to
            // them.
            let is_alive = self.program.is_alive();
            if !is_alive {
                return self.writer.program_is_over(&self.buffers);
            }
            beat();
            let request = Field::REQUEST.get();
            if request != self.done {
                self.fulfil(request);
            }
            let pause = self.writer.pump(&self.buffers, Drain::HoldBack);
            self.sampled();
            if !pause.is_zero() {
                wait_for_change(Field::REQUEST.word(), self.done, pause.min(LOOK_EVERY));
            }
        }
    }

    fn sampled(&mut self) {
        let batches = self.sampling.iter().flat_map(Sampling::batches);
        batches.for_each(|batch| self.writer.take_samples(&batch));
    }

    /// Completes a request of the program, which waits until everything is taken.
    fn fulfil(&mut self, request: u64) {
        let is_finish = request & 0xff == FINISH;
        self.sampled();
        self.writer.pump(&self.buffers, if is_finish { Drain::Finish } else { Drain::Exit });
        self.done = request;
        Field::DONE.set(request);
        wake(Field::DONE.word());
    }
}

fn beat() {
    Field::BEAT.word().fetch_add(1, std::sync::atomic::Ordering::Relaxed);
}

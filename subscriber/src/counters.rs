//! Samples of the process's and the machine's state, ten times a second.
//!
//! A thread of the process that writes the file takes them, without work of the program. If the program writes its file
//! itself, for lack of a launcher, there are no samples.

mod energy;
mod gpus;
mod process;

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use energy::Energy;
use gpus::Gpus;
use process::ProcessState;

use crate::os;

/// Interval of samples; also the delay of the first one.
const EVERY: Duration = Duration::from_millis(100);
/// Maximum wait at the end of the recording for a running sample.
const PATIENCE: Duration = Duration::from_millis(500);

pub(crate) struct Sampling {
    batches: Receiver<Batch>,
    /// Dropping it ends the thread.
    end: Option<Sender<()>>,
}

impl Sampling {
    /// Starts sampling; `None` if no thread can be created.
    pub(crate) fn begin() -> Option<Self> {
        let (send, batches) = mpsc::channel();
        let (end, ended) = mpsc::channel();
        let thread = std::thread::Builder::new().name("syclscope counters".to_owned());
        thread.spawn(move || sample(&send, &ended)).ok()?;
        Some(Self { batches, end: Some(end) })
    }

    pub(crate) fn batches(&self) -> impl Iterator<Item = Batch> {
        self.batches.try_iter()
    }
}

impl Drop for Sampling {
    fn drop(&mut self) {
        self.end = None;
        // The thread closes the channel when it ends. The wait is limited because a driver may hang.
        let until = Instant::now() + PATIENCE;
        while self.batches.recv_timeout(until.saturating_duration_since(Instant::now())).is_ok() {}
    }
}

/// Reads this machine's counters twice, with those of all GPUs. Returns a line for each: `read` and its name, or
/// `lacks` and the reason.
pub(crate) fn readable() -> String {
    let batch = || Batch { at_ns: os::monotonic_ns(), samples: Vec::new(), lacks: Vec::new() };
    let mut first = batch();
    let mut sources = Sources { gpus: Gpus::of_machine(&mut first), ..Sources::of_process() };
    sources.read(&mut first);
    std::thread::sleep(EVERY);
    // Power is a mean since the previous sample.
    let mut second = batch();
    sources.read(&mut second);
    let read = second.samples.iter().map(|(name, _)| format!("read {name}\n"));
    let lacks = first.lacks.iter().chain(&second.lacks).map(|why| format!("lacks {why}\n"));
    read.chain(lacks).collect()
}

struct Sources {
    process: ProcessState,
    energy: Energy,
    gpus: Gpus,
}

impl Sources {
    fn of_process() -> Self {
        Self { process: ProcessState::default(), energy: Energy::of_machine(), gpus: Gpus::default() }
    }

    fn read(&mut self, batch: &mut Batch) {
        self.process.read(batch);
        self.energy.read(batch);
        self.gpus.read(batch);
    }
}

fn sample(send: &Sender<Batch>, ended: &Receiver<()>) {
    let mut sources = Sources::of_process();
    let mut next = Instant::now() + EVERY;
    loop {
        let pause = next.saturating_duration_since(Instant::now());
        if ended.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
            return;
        }
        // If a sample takes long, those due meanwhile are skipped.
        next = (next + EVERY).max(Instant::now());
        let mut batch = Batch { at_ns: os::monotonic_ns(), samples: Vec::new(), lacks: Vec::new() };
        sources.read(&mut batch);
        if send.send(batch).is_err() {
            return;
        }
    }
}

/// Samples of one moment.
pub(crate) struct Batch {
    pub(crate) at_ns: u64,
    pub(crate) samples: Vec<(String, f64)>,
    pub(crate) lacks: Vec<String>,
}

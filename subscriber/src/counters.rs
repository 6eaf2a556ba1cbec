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

/// Minimum time between samples; also the delay of the first one.
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
        let mut batch = Batch { at_ns: os::monotonic_ns(), samples: Vec::new(), lacks: Vec::new() };
        // After a late sample, too, the next one is a whole interval away. In a shorter time, one tick of a counter
        // would be a high rate.
        next = Instant::now() + EVERY;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_at_least_an_interval_apart() {
        let sampling = Sampling::begin().unwrap();
        let next = || sampling.batches.recv_timeout(Duration::from_secs(30)).unwrap().at_ns;
        let times: Vec<u64> = (0..6).map(|_| next()).collect();
        let least_ns = EVERY.as_nanos() as u64;
        assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= least_ns), "{times:?}");
    }
}

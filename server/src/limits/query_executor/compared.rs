//! Cache of the last comparison, because a page sends several queries about the same runs at once.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use syclscope_engine::compare::{Comparing, Group, Sample};
use syclscope_engine::query::QueryError;
use syclscope_language::question::{CompareQuestion, PartOfRun};

use crate::ingest::trace_cache::SharedTrace;
use syclscope_system::memory::allocated_bytes;

/// Maximum memory of a cached comparison with its traces, because it stays in memory in addition to the trace
/// cache.
const MAX_BYTES: u64 = 256 << 20;
/// Like `MAX_BYTES`, as a divisor of the memory for work.
const PART: u64 = 16;

pub(crate) type NamedTrace = (String, SharedTrace);

#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) main: NamedTrace,
    pub(crate) more: Vec<NamedTrace>,
}

impl Loaded {
    /// Returns the traces of all runs, the displayed one first.
    pub(crate) fn traces(&self) -> impl Iterator<Item = &SharedTrace> {
        std::iter::once(&self.main).chain(&self.more).map(|(_, trace)| trace)
    }

    /// Groups the selected part of each run.
    fn group(self, chosen: &PartOfRun) -> Result<Group<SharedTrace>, QueryError> {
        let part_of = |(name, trace): &NamedTrace| {
            let in_run = |error| QueryError::InRun { run: name.clone(), error: Box::new(error) };
            trace.compared_part(chosen).map_err(in_run)
        };
        let sample = |run: &NamedTrace| -> Result<Sample, QueryError> {
            let (name, trace) = run;
            Ok(Sample::with_part(name, trace, part_of(run)?.as_ref()))
        };
        let part = part_of(&self.main)?;
        let runs = match &self.more[..] {
            [] => Vec::new(),
            more => std::iter::once(&self.main).chain(more).map(sample).collect::<Result<_, _>>()?,
        };
        let (name, trace) = self.main;
        Ok(Group { name, trace, runs, shown: 0, part })
    }
}

#[derive(Debug)]
struct Compared {
    comparing: Comparing<SharedTrace>,
    runs: [Vec<SharedTrace>; 2],
    part: PartOfRun,
}

impl Compared {
    fn is_of(&self, sides: &[Loaded; 2], part: &PartOfRun) -> bool {
        self.part == *part
            && self.runs.iter().zip(sides).all(|(traces, side)| {
                traces.len() == side.more.len() + 1
                    && traces.iter().zip(side.traces()).all(|(own, trace)| std::ptr::eq(&**own, &**trace))
            })
    }
}

#[derive(Clone, Debug)]
pub(crate) struct LastCompared {
    last: Arc<Mutex<Option<Arc<Compared>>>>,
    max_bytes: u64,
}

impl LastCompared {
    /// Creates an empty cache for comparisons up to a small fraction of `memory_bytes`.
    pub(super) fn within(memory_bytes: u64) -> Self {
        Self { last: Arc::default(), max_bytes: MAX_BYTES.min(memory_bytes / PART) }
    }

    /// Answers a query about two sides; the first is the baseline.
    pub(crate) fn answer(
        &self,
        sides: [Loaded; 2],
        part: &PartOfRun,
        question: &CompareQuestion,
    ) -> Result<String, QueryError> {
        let last = self.lock().clone().filter(|last| last.is_of(&sides, part));
        let compared = match last {
            Some(last) => last,
            None => self.compare(sides, part)?,
        };
        compared.comparing.answer(question)
    }

    fn compare(&self, sides: [Loaded; 2], part: &PartOfRun) -> Result<Arc<Compared>, QueryError> {
        let runs = sides.each_ref().map(|side| side.traces().cloned().collect::<Vec<_>>());
        let of_traces: u64 = runs.iter().flatten().map(|trace| trace.memory_bytes() as u64).sum();
        let before = allocated_bytes();
        let [a, b] = sides;
        let comparing = Comparing::new(a.group(part)?, b.group(part)?);
        let made = Arc::new(Compared { comparing, runs, part: part.clone() });
        let bytes = of_traces + allocated_bytes().saturating_sub(before);
        if bytes <= self.max_bytes {
            *self.lock() = Some(Arc::clone(&made));
        }
        Ok(made)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Compared>>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! The comparison that was made last, for the next question about the same runs: a page asks several at once.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use syclscope_engine::compare::{Comparing, Group, Sample};
use syclscope_engine::query::QueryError;
use syclscope_language::question::{CompareQuestion, PartOfRun};

use crate::ingest::trace_cache::SharedTrace;
use syclscope_system::memory::held_bytes;

/// A comparison that takes more memory with its traces is not kept: it would stay in memory beside the cache.
const MOST_BYTES: u64 = 256 << 20;
/// The same as a part of the memory that questions have.
const PART: u64 = 16;

/// A run with its name.
pub(crate) type Named = (String, SharedTrace);

/// A side of a comparison.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The run that is shown.
    pub(crate) shown: Named,
    /// The others.
    pub(crate) more: Vec<Named>,
}

impl Loaded {
    /// The traces of all runs, the shown one first.
    pub(crate) fn traces(&self) -> impl Iterator<Item = &SharedTrace> {
        std::iter::once(&self.shown).chain(&self.more).map(|(_, trace)| trace)
    }

    /// Makes the side of a comparison of a part of its runs.
    fn group(self, chosen: &PartOfRun) -> Result<Group<SharedTrace>, QueryError> {
        let part_of = |(name, trace): &Named| {
            let in_run = |error| QueryError::InRun { run: name.clone(), error: Box::new(error) };
            trace.compared_part(chosen).map_err(in_run)
        };
        let sample = |run: &Named| -> Result<Sample, QueryError> {
            let (name, trace) = run;
            Ok(Sample::of(name, trace, part_of(run)?.as_ref()))
        };
        let part = part_of(&self.shown)?;
        let runs = match &self.more[..] {
            [] => Vec::new(),
            more => std::iter::once(&self.shown).chain(more).map(sample).collect::<Result<_, _>>()?,
        };
        let (name, trace) = self.shown;
        Ok(Group { name, trace, runs, shown: 0, part })
    }
}

/// A comparison with the runs that it is about.
#[derive(Debug)]
struct Compared {
    comparing: Comparing<SharedTrace>,
    runs: [Vec<SharedTrace>; 2],
    part: PartOfRun,
}

impl Compared {
    fn is_of(&self, sides: &[Loaded; 2], part: &PartOfRun) -> bool {
        self.part == *part
            && self.runs.iter().zip(sides).all(|(known, side)| {
                known.len() == side.more.len() + 1
                    && known.iter().zip(side.traces()).all(|(known, trace)| std::ptr::eq(&**known, &**trace))
            })
    }
}

/// The last comparison.
#[derive(Clone, Debug)]
pub(crate) struct LastCompared {
    last: Arc<Mutex<Option<Arc<Compared>>>>,
    most_bytes: u64,
}

impl LastCompared {
    /// Nothing yet, and then what takes a small part of so many bytes.
    pub(super) fn within(memory_bytes: u64) -> Self {
        Self { last: Arc::default(), most_bytes: MOST_BYTES.min(memory_bytes / PART) }
    }

    /// The answer to a question about a part of two sides; the first one is what was before.
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
        let before = held_bytes();
        let [a, b] = sides;
        let comparing = Comparing::new(a.group(part)?, b.group(part)?);
        let made = Arc::new(Compared { comparing, runs, part: part.clone() });
        let bytes = of_traces + held_bytes().saturating_sub(before);
        if bytes <= self.most_bytes {
            *self.lock() = Some(Arc::clone(&made));
        }
        Ok(made)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Compared>>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

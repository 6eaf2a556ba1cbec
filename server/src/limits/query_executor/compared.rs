//! The comparison that was made last, for the next question about the same runs: a page asks several at once.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use syclscope_engine::compare::{Comparing, Group, Sample};
use syclscope_engine::query::QueryError;
use syclscope_language::question::CompareQuestion;

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

    fn group(self) -> Group<SharedTrace> {
        let (name, trace) = self.shown;
        let runs = match &self.more[..] {
            [] => Vec::new(),
            more => {
                let samples = more.iter().map(|(name, trace)| Sample::new(name, trace));
                std::iter::once(Sample::new(&name, &trace)).chain(samples).collect()
            }
        };
        Group { name, trace, runs, shown: 0, part: None }
    }
}

/// A comparison with the runs that it is about.
#[derive(Debug)]
struct Compared {
    comparing: Comparing<SharedTrace>,
    runs: [Vec<SharedTrace>; 2],
}

impl Compared {
    fn is_of(&self, sides: &[Loaded; 2]) -> bool {
        self.runs.iter().zip(sides).all(|(known, side)| {
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

    /// The answer to a question about two sides; the first one is what was before.
    pub(crate) fn answer(
        &self,
        sides: [Loaded; 2],
        question: &CompareQuestion,
    ) -> Result<String, QueryError> {
        let last = self.lock().clone().filter(|last| last.is_of(&sides));
        let compared = last.unwrap_or_else(|| {
            let runs = sides.each_ref().map(|side| side.traces().cloned().collect::<Vec<_>>());
            let of_traces: u64 = runs.iter().flatten().map(|trace| trace.memory_bytes() as u64).sum();
            let before = held_bytes();
            let [a, b] = sides.map(Loaded::group);
            let made = Arc::new(Compared { comparing: Comparing::new(a, b), runs });
            let bytes = of_traces + held_bytes().saturating_sub(before);
            if bytes <= self.most_bytes {
                *self.lock() = Some(Arc::clone(&made));
            }
            made
        });
        compared.comparing.answer(question)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Compared>>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

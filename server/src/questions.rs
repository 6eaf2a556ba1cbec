//! Questions to traces: each in its client's turn, on a thread that may block, and only as long as its client waits and within
//! what it may cost.

mod compared;

use std::time::Duration;

use syclscope_engine::budget::Budget;
use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;
use syclscope_engine::work::{self, Work};

use self::compared::LastCompared;
pub(crate) use self::compared::{Loaded, Named};
use crate::access::Client;
use crate::memory::{held_bytes, machine_bytes};
use crate::trace_cache::SharedTrace;
use crate::turns::{TooMany, Turns};

/// Steps of a question where nobody says how many: some ten seconds of work.
pub(crate) const STEPS: u64 = 4_000_000_000;
/// Time of a question on a machine that is busy with others.
const PATIENCE: Duration = Duration::from_secs(60);
/// No question is refused for less memory than this.
const LEAST_BYTES: u64 = 64 << 20;

/// Who asks next, and what a question may cost.
#[derive(Clone, Debug)]
pub struct Questions {
    turns: Turns,
    steps: u64,
    patience: Duration,
    memory_bytes: u64,
    last_compared: LastCompared,
}

/// Why a question was not answered.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unanswered {
    /// Too many of the client's questions wait already.
    #[error("the server is busy with many requests; ask again in a moment")]
    Busy,
    /// It went on for too long beside others.
    #[error("the server is too busy to work this out; ask again later, or about a shorter time")]
    TooSlow,
    /// The trace does not answer it.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The engine panicked.
    #[error("a query failed")]
    Failed,
}

impl Default for Questions {
    fn default() -> Self {
        Self::of(STEPS)
    }
}

impl Questions {
    /// Each of at most so many steps: about a row that is looked at or a condition that is tried, a few nanoseconds.
    pub fn of(steps: u64) -> Self {
        let turns = Turns::default();
        // All that are worked on at once take a quarter of the memory.
        let memory_bytes = (machine_bytes() / 4 / turns.count() as u64).max(LEAST_BYTES);
        Self { turns, steps, patience: PATIENCE, memory_bytes, last_compared: LastCompared::default() }
    }

    /// Who asks next.
    pub(crate) fn turns(&self) -> &Turns {
        &self.turns
    }

    /// What was compared last.
    pub(crate) fn last_compared(&self) -> LastCompared {
        self.last_compared.clone()
    }

    /// Lets `ask` ask a trace for a client. Whoever drops this has left: the question ends, and the turn is the next one's.
    ///
    /// # Errors
    /// When there is no turn for it, it costs more than it may, or the trace does not answer it.
    pub(crate) async fn ask(
        &self,
        client: Client,
        trace: SharedTrace,
        ask: impl FnOnce(&Trace) -> Result<String, QueryError> + Send + 'static,
    ) -> Result<String, Unanswered> {
        self.work_out(client, move || ask(&trace)).await
    }

    /// Lets something be worked out for a client, as a question is.
    ///
    /// # Errors
    /// When there is no turn for it, or it costs more than it may.
    pub(crate) async fn work_out<T: Send + 'static>(
        &self,
        client: Client,
        work: impl FnOnce() -> Result<T, QueryError> + Send + 'static,
    ) -> Result<T, Unanswered> {
        let turn = self.turns.take(client).await.map_err(|TooMany| Unanswered::Busy)?;
        let asked = Asked(Work::of(self.steps));
        let (cost, memory_bytes) = (asked.0.clone(), self.memory_bytes);
        let answer = tokio::task::spawn_blocking(move || {
            // Until the work has ended, which may be a moment after its client has left.
            let _turn = turn;
            work::within(&cost, Budget::new(memory_bytes, held_bytes), work)?
        });
        match tokio::time::timeout(self.patience, answer).await {
            Ok(done) => Ok(done.map_err(|_| Unanswered::Failed)??),
            Err(_) => Err(Unanswered::TooSlow),
        }
    }
}

/// A question that is called off when nobody waits for it any more.
struct Asked(Work);

impl Drop for Asked {
    fn drop(&mut self) {
        self.0.call_off();
    }
}

//! Questions to traces: each in its client's turn, on a thread that may block, and only as long as its client waits and within
//! what it may cost. Its memory is a share of the account, of which its answer keeps what it takes until it is sent.

mod compared;

use std::time::Duration;

use syclscope_engine::cancel::{self, Work};
use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;

use self::compared::LastCompared;
pub(crate) use self::compared::{Loaded, Named};
use crate::auth::Client;
use crate::ingest::trace_cache::SharedTrace;
use crate::limits::fair_semaphore::{TooMany, Turns};
use crate::limits::{MemoryAccount, Share};

/// Steps of a question where nobody says how many: some ten seconds of work.
pub const STEPS: u64 = 4_000_000_000;
/// Time of a question on a machine that is busy with others.
const PATIENCE: Duration = Duration::from_secs(60);
/// No question is refused for less memory than this.
const LEAST_BYTES: u64 = 64 << 20;
/// The part of the account's memory that all take together that are worked on at once.
const PART: u64 = 2;

/// Turns and limits of queries.
#[derive(Clone, Debug)]
pub struct Questions {
    turns: Turns,
    steps: u64,
    patience: Duration,
    memory_bytes: u64,
    account: MemoryAccount,
    last_compared: LastCompared,
}

/// An answer with its share of memory.
#[derive(Debug)]
pub(crate) struct Answered<T> {
    pub(crate) answer: T,
    pub(crate) share: Share,
}

/// Why a question was not answered.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unanswered {
    /// Too many of the client's questions wait already.
    #[error("the server is busy; retry in a moment")]
    Busy,
    /// It went on for too long beside others.
    #[error("the server is overloaded; retry later, or query a shorter time")]
    TooSlow,
    /// The trace does not answer it.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The engine panicked.
    #[error("a query failed")]
    Failed,
}

impl Questions {
    /// Each of at most so many steps: about a row that is looked at or a condition that is tried, a few nanoseconds.
    pub fn of(steps: u64, account: &MemoryAccount) -> Self {
        let turns = Turns::default();
        let memory_bytes = account.working_bytes() / PART / turns.count() as u64;
        Self {
            turns,
            steps,
            patience: PATIENCE,
            memory_bytes: memory_bytes.max(LEAST_BYTES),
            account: account.clone(),
            last_compared: LastCompared::within(account.working_bytes()),
        }
    }

    /// Steps and bytes that one may take.
    pub(crate) fn limits(&self) -> (u64, u64) {
        (self.steps, self.memory_bytes)
    }

    /// Where the memory comes from.
    pub(crate) fn account(&self) -> &MemoryAccount {
        &self.account
    }

    /// Returns the turns of queries.
    pub(crate) fn turns(&self) -> &Turns {
        &self.turns
    }

    /// Returns the last comparison.
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
    ) -> Result<Answered<String>, Unanswered> {
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
    ) -> Result<Answered<T>, Unanswered> {
        let turn = self.turns.take(client.clone()).await.map_err(|TooMany| Unanswered::Busy)?;
        let asked = CancelOnDrop(Work::of(self.steps));
        let cost = asked.0.clone();
        let answered = async {
            let share = self.account.take(Some(client), self.memory_bytes).await;
            let share = share.map_err(|TooMany| Unanswered::Busy)?;
            let answered = tokio::task::spawn_blocking(move || {
                // Until the work has ended, which may be a moment after its client has left.
                let _turn = turn;
                let answer = cancel::within(&cost, share.budget(), work)??;
                Ok::<_, QueryError>(Answered { answer, share })
            });
            Ok(answered.await.map_err(|_| Unanswered::Failed)??)
        };
        tokio::time::timeout(self.patience, answered).await.unwrap_or(Err(Unanswered::TooSlow))
    }
}

/// A question that is called off when nobody waits for it any more.
struct CancelOnDrop(Work);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.call_off();
    }
}

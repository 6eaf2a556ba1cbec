//! Queries of traces: each runs in its client's turn, on a blocking thread, within limits of steps and
//! memory, and ends when its client leaves. Its memory is a share of the account, of which the answer keeps a
//! part until it is sent.

mod compared;

use std::time::Duration;

use syclscope_engine::cancel::{self, Work};
use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;

use self::compared::LastCompared;
pub(crate) use self::compared::{Loaded, NamedTrace};
use crate::auth::Client;
use crate::ingest::trace_cache::SharedTrace;
use crate::limits::fair_semaphore::{TooMany, Turns};
use crate::limits::{MemoryAccount, Share};

/// Default limit of a query's steps, about ten seconds of work.
pub const STEPS: u64 = 4_000_000_000;
/// Time limit of a query on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// Minimum of the memory limit of a query.
const MIN_BYTES: u64 = 64 << 20;
/// Share of all concurrent queries in the account's memory, as a divisor.
const PART: u64 = 2;

#[derive(Clone, Debug)]
pub struct Questions {
    turns: Turns,
    steps: u64,
    patience: Duration,
    memory_bytes: u64,
    account: MemoryAccount,
    last_compared: LastCompared,
}

#[derive(Debug)]
pub(crate) struct Answer<T> {
    pub(crate) answer: T,
    pub(crate) share: Share,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum Unanswered {
    #[error("the server is busy; retry in a moment")]
    Busy,
    /// It took too long on a busy server.
    #[error("the server is overloaded; retry later, or query a shorter time")]
    TooSlow,
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The engine panicked.
    #[error("a query failed")]
    Failed,
}

impl Questions {
    /// Creates an executor for queries of at most `steps` each. A step is a visited row or a tested
    /// condition, a few nanoseconds.
    pub fn new(steps: u64, account: &MemoryAccount) -> Self {
        let turns = Turns::default();
        let memory_bytes = account.working_bytes() / PART / turns.count() as u64;
        Self {
            turns,
            steps,
            patience: PATIENCE,
            memory_bytes: memory_bytes.max(MIN_BYTES),
            account: account.clone(),
            last_compared: LastCompared::within(account.working_bytes()),
        }
    }

    /// Returns the limits of steps and bytes for one query.
    pub(crate) fn limits(&self) -> (u64, u64) {
        (self.steps, self.memory_bytes)
    }

    pub(crate) fn account(&self) -> &MemoryAccount {
        &self.account
    }

    pub(crate) fn turns(&self) -> &Turns {
        &self.turns
    }

    pub(crate) fn last_compared(&self) -> LastCompared {
        self.last_compared.clone()
    }

    /// Runs `ask` on a trace for a client. Dropping the future cancels the query, and passes its turn to the
    /// next one.
    ///
    /// # Errors
    /// Returns an error if there is no turn for the query, it exceeds a limit, or the trace can't answer it.
    pub(crate) async fn ask(
        &self,
        client: Client,
        trace: SharedTrace,
        ask: impl FnOnce(&Trace) -> Result<String, QueryError> + Send + 'static,
    ) -> Result<Answer<String>, Unanswered> {
        self.work_out(client, move || ask(&trace)).await
    }

    /// Runs other work for a client, within the limits of a query.
    ///
    /// # Errors
    /// Returns an error if there is no turn for the work, or it exceeds a limit.
    pub(crate) async fn work_out<T: Send + 'static>(
        &self,
        client: Client,
        work: impl FnOnce() -> Result<T, QueryError> + Send + 'static,
    ) -> Result<Answer<T>, Unanswered> {
        let turn = self.turns.take(client.clone()).await.map_err(|TooMany| Unanswered::Busy)?;
        let guard = CancelOnDrop(Work::with_steps(self.steps));
        let cost = guard.0.clone();
        let answered = async {
            let share = self.account.take(Some(client), self.memory_bytes).await;
            let share = share.map_err(|TooMany| Unanswered::Busy)?;
            let answered = tokio::task::spawn_blocking(move || {
                // Held until the work has ended, which may be a moment after its client has left.
                let _turn = turn;
                let answer = cancel::within(&cost, share.budget(), work)??;
                Ok::<_, QueryError>(Answer { answer, share })
            });
            Ok(answered.await.map_err(|_| Unanswered::Failed)??)
        };
        tokio::time::timeout(self.patience, answered).await.unwrap_or(Err(Unanswered::TooSlow))
    }
}

/// Cancels a query when it is dropped.
struct CancelOnDrop(Work);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.call_off();
    }
}

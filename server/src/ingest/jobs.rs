//! Jobs that any replica may run: imports of uploads in parts, and computation of missing metrics.
//!
//! A replica leases a job in the database, and extends the lease while it works. If it dies, the lease
//! expires and another replica repeats the whole job, which is harmless ([`crate::db::jobs`]).

use std::sync::Arc;
use std::time::Duration;

use crate::app::App;
use crate::db::figures::FIGURES;
use crate::db::jobs::{self, Job, LEASE};
use crate::db::{Db, DbError, now_unix_ns};
use crate::http::error::AppError;
use crate::ingest::upload;
use crate::storage::{Hosted, IMPORT, UploadResult};
use syclscope_system::id::Id;

/// Concurrent jobs of a replica; imports also wait for their turn.
const WORKERS: usize = 2;
/// Polling interval: the maximum delay when all servers are idle.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Delay after a temporary failure.
const RETRY_DELAY: Duration = Duration::from_secs(5);
/// Attempts after which a job fails permanently, because it may have crashed servers.
const MAX_ATTEMPTS: u64 = 8;

#[derive(Debug)]
pub struct Jobs {
    /// Id under which this replica leases jobs.
    own: Id,
    db: Db,
}

impl Jobs {
    /// Starts workers, which run until the runtime ends.
    ///
    /// # Errors
    /// Returns an error if the operating system provides no random numbers.
    pub fn start(app: &Arc<App>, hosted: &Hosted) -> std::io::Result<Self> {
        let own = Id::random()?;
        for _ in 0..WORKERS {
            let worker = Worker { app: Arc::clone(app), hosted: hosted.clone(), own: own.clone() };
            tokio::spawn(worker.work());
        }
        Ok(Self { own, db: hosted.db().clone() })
    }

    /// Releases this replica's jobs, so that others need not wait for their leases to expire.
    pub async fn give_up(&self) {
        let given = async { jobs::give_up_all(&mut *self.db.reading().await?, &self.own).await };
        if let Err(error) = given.await {
            tracing::warn!(
                "can't release jobs: {error}; other replicas take them over when the leases expire"
            );
        }
    }
}

struct Worker {
    app: Arc<App>,
    hosted: Hosted,
    own: Id,
}

impl Worker {
    async fn work(self) {
        loop {
            match self.take().await {
                Ok(Some((kind, job))) => self.run(kind, job).await,
                Ok(None) => tokio::time::sleep(POLL_INTERVAL).await,
                Err(error) => {
                    tracing::warn!("can't poll for jobs: {error}");
                    tokio::time::sleep(RETRY_DELAY).await;
                }
            }
        }
    }

    /// Leases a job; imports first, because clients wait for them.
    async fn take(&self) -> Result<Option<(&'static str, Job)>, DbError> {
        for kind in [IMPORT, FIGURES] {
            if let Some(job) = jobs::take(self.hosted.db(), kind, &self.own, now_unix_ns()).await? {
                return Ok(Some((kind, job)));
            }
        }
        Ok(None)
    }

    /// Runs a job while this replica has its lease.
    async fn run(&self, kind: &'static str, job: Job) {
        let work = async {
            match kind {
                IMPORT => self.import(&job).await,
                _ => self.add_figures(&job).await,
            }
        };
        let done = tokio::select! {
            done = work => done,
            () = self.hold(&job) => {
                tracing::warn!(
                    subject = %job.subject,
                    kind,
                    "another replica has taken over a job: if this occurs often, the replicas' clocks differ"
                );
                return;
            }
        };
        if let Err(error) = done {
            self.app.metrics.count_error(error.code());
            tracing::warn!(subject = %job.subject, kind, "a job failed for now and will be repeated: {error}");
            let delay = if error.is_outage() { RETRY_DELAY } else { retry_delay(job.attempts) };
            let until = now_unix_ns().saturating_add(u64::try_from(delay.as_nanos()).unwrap_or(0));
            let given_up = async {
                let connection = &mut *self.hosted.db().reading().await?;
                jobs::give_up(connection, &job.id, &self.own, until, error.is_outage()).await
            };
            if let Err(error) = given_up.await {
                // The job is repeated when its lease expires.
                tracing::warn!(subject = %job.subject, kind, "can't release a job: {error}");
            }
        }
    }

    /// Extends the lease of a job periodically. Returns when another replica has it.
    async fn hold(&self, job: &Job) {
        loop {
            tokio::time::sleep(LEASE / 3).await;
            let renewal: Result<bool, DbError> = async {
                let connection = &mut *self.hosted.db().reading().await?;
                jobs::hold(connection, &job.id, &self.own, now_unix_ns()).await
            }
            .await;
            match renewal {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    tracing::warn!(subject = %job.subject, "can't extend the lease of a job: {error}")
                }
            }
        }
    }

    /// Computes the metrics of a trace, unless the job was begun too often.
    async fn add_figures(&self, job: &Job) -> Result<(), AppError> {
        if job.attempts > MAX_ATTEMPTS {
            tracing::error!(id = %job.subject, "computing the metrics of a trace failed too often");
            return Ok(self.hosted.end_figures(&job.subject, &job.id, None).await?);
        }
        upload::add_figures(&self.app, &self.hosted, job).await
    }

    /// Turns an upload into a trace, or records the reason of the failure. A returned error is temporary.
    async fn import(&self, job: &Job) -> Result<(), AppError> {
        let outcome = if job.attempts > MAX_ATTEMPTS {
            Err("the import failed too often; see the server's log".to_owned())
        } else {
            match self.take_in(&job.subject).await {
                Ok(id) => Ok(id.unwrap_or_else(|| job.subject.clone())),
                Err(error) if error.is_passing() => return Err(error),
                Err(error) => {
                    self.app.metrics.count_error(error.code());
                    Err(error.to_string())
                }
            }
        };
        Ok(self.hosted.end_upload(&job.subject, &job.id, &outcome).await?)
    }

    /// Returns the id of the trace that an upload becomes; `None` if the upload is already over.
    async fn take_in(&self, upload: &Id) -> Result<Option<Id>, AppError> {
        // An earlier attempt may have stored the trace.
        if self.app.storage.find(upload).await.is_ok() {
            return Ok(Some(upload.clone()));
        }
        let Some((whole, about)) = self.hosted.assemble(upload).await? else { return Ok(None) };
        Ok(match upload::in_whole(&self.app, &self.hosted, whole, &about).await? {
            UploadResult::New(stored) | UploadResult::Existing(stored) => Some(stored.id),
        })
    }
}

/// Returns the delay of a job after an attempt that counts. It doubles, so that a fault of some minutes, such as a lack
/// of open files, costs no upload.
fn retry_delay(attempts: u64) -> Duration {
    let doublings = u32::try_from(attempts.saturating_sub(1).min(MAX_ATTEMPTS)).unwrap_or(0);
    RETRY_DELAY * 2_u32.pow(doublings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_of_some_minutes_uses_up_no_job() {
        assert_eq!([retry_delay(1), retry_delay(2)], [RETRY_DELAY, 2 * RETRY_DELAY]);
        let all: Duration = (1..=MAX_ATTEMPTS).map(retry_delay).sum();
        assert!(all > Duration::from_secs(20 * 60) && all < Duration::from_secs(30 * 60), "{all:?}");
    }
}

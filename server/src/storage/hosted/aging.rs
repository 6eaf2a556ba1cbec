//! Retention: traces that exceed their project's retention are marked, and deleted after the grace period.

use syclscope_language::api::AuditEntry;

use super::super::StorageError;
use super::Hosted;
use crate::db::projects::{self, ProjectId};
use crate::db::retention::{self, ExpiredTrace};
use crate::db::{DbError, audit, now_unix_ns};

/// Grace period of a marked trace in days: long enough to notice and pin it.
pub const GRACE_DAYS: u64 = 7;
const DAY_NS: u64 = 24 * 3600 * 1_000_000_000;

impl Hosted {
    /// Deletes expired traces whose grace period is over, unless the retention was extended since. Returns their
    /// number.
    pub(super) async fn delete_expired(&self) -> Result<usize, StorageError> {
        let now = now_unix_ns();
        for (project, before) in self.retentions(now).await? {
            let unmark = || self.unmark(&project, before);
            self.with_room(unmark).await?;
        }
        let mut deleted = 0;
        let expired = retention::expired(&mut *self.db().reading().await?, now).await?;
        for trace in expired {
            let delete = || self.delete_aged(&trace, now);
            deleted += usize::from(self.with_room(delete).await?);
        }
        Ok(deleted)
    }

    /// Marks expired traces. Returns the number of newly marked ones.
    pub(super) async fn mark_expired(&self) -> Result<usize, StorageError> {
        let now = now_unix_ns();
        let leaves = now.saturating_add(GRACE_DAYS * DAY_NS);
        let mut marked = 0;
        for (project, before) in self.retentions(now).await? {
            marked += retention::mark(&mut *self.db().reading().await?, &project, before, leaves).await?;
        }
        Ok(usize::try_from(marked).unwrap_or(usize::MAX))
    }

    /// Returns every project, with the time before which its traces have expired; 0 if it keeps all of them.
    async fn retentions(&self, now: u64) -> Result<Vec<(ProjectId, u64)>, DbError> {
        let all = projects::all(&mut *self.db().reading().await?).await?;
        let before = |days: u64| now.saturating_sub(days.saturating_mul(DAY_NS));
        Ok(all.into_iter().map(|project| (project.id, project.retention_days.map_or(0, before))).collect())
    }

    async fn unmark(&self, project: &ProjectId, before: u64) -> Result<(), DbError> {
        retention::unmark(&mut *self.db().reading().await?, project, before).await
    }

    /// Deletes an expired trace. Only one of several replicas does.
    async fn delete_aged(&self, trace: &ExpiredTrace, now: u64) -> Result<bool, DbError> {
        let mut transaction = self.db().writing().await?;
        if !retention::delete(&mut transaction, &trace.id, now).await? {
            return Ok(false);
        }
        let line = AuditEntry {
            // The log is paged by time, so many entries must not have the same time.
            at_unix_ns: now_unix_ns(),
            by: None,
            by_kind: None,
            action: "delete_trace".to_owned(),
            project: Some(trace.project.to_string()),
            subject: trace.id.to_string(),
            detail: Some(format!("{}: exceeded the project's retention", trace.name)),
        };
        audit::add(&mut transaction, &line).await?;
        transaction.commit().await?;
        self.0.rows.forget();
        Ok(true)
    }
}

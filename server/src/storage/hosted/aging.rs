//! Retention: traces that exceed their project's retention are marked, and deleted after the grace period.

use syclscope_language::api::AuditEntry;

use super::super::StorageError;
use super::Hosted;
use crate::db::retention::{self, Over};
use crate::db::{DbError, audit, now_unix_ns, projects};

/// Grace period of a marked trace in days: long enough to notice and pin it.
pub const GRACE_DAYS: u64 = 7;
const DAY_NS: u64 = 24 * 3600 * 1_000_000_000;

impl Hosted {
    /// Marks expired traces, and deletes those whose grace period is over. Returns the numbers of newly
    /// marked and of deleted traces.
    pub(super) async fn age(&self) -> Result<(usize, usize), StorageError> {
        let now = now_unix_ns();
        let mut marked = 0;
        let all = projects::all(&mut *self.db().reading().await?).await?;
        for project in all {
            let kept_ns = project.retention_days.map(|days| days.saturating_mul(DAY_NS));
            let before = kept_ns.map_or(0, |kept_ns| now.saturating_sub(kept_ns));
            let leaves = now.saturating_add(GRACE_DAYS * DAY_NS);
            let connection = &mut *self.db().reading().await?;
            marked += retention::mark(connection, &project.id, before, leaves).await?;
        }
        let mut deleted = 0;
        let over = retention::expired(&mut *self.db().reading().await?, now).await?;
        for trace in over {
            deleted += usize::from(self.delete_aged(trace, now).await?);
        }
        Ok((usize::try_from(marked).unwrap_or(usize::MAX), deleted))
    }

    /// Deletes an expired trace. Only one of several replicas does.
    async fn delete_aged(&self, trace: Over, now: u64) -> Result<bool, DbError> {
        let mut transaction = self.db().writing().await?;
        if !retention::delete(&mut transaction, &trace.id, now).await? {
            return Ok(false);
        }
        let line = AuditEntry {
            // The log is read in parts by time: one part must not end among entries of the same time.
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

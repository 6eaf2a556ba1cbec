//! Garbage collection of bytes. Any replica may run it, several at once, at any time.

use std::collections::HashSet;
use std::time::Duration;

use super::super::meta::Meta;
use super::super::{StorageError, TraceId};
use super::Hosted;
use crate::db::now_unix_ns;
use crate::db::traces::{self, TraceRow};

/// Age at which bytes without a row are removed. An upload in progress gets its row much sooner.
const ORPHAN_AGE: Duration = Duration::from_secs(24 * 3600);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SweepReport {
    /// Newly marked expired traces.
    pub marked: usize,
    /// Deleted expired traces.
    pub aged: usize,
    /// Deleted traces whose bytes were removed.
    pub collected: usize,
    /// Traces without a row whose bytes were unusable and removed.
    pub abandoned: usize,
    /// Removed unfinished uploads in parts.
    pub unfinished: usize,
    /// Traces whose row was recovered from their description.
    pub found: usize,
}

impl Hosted {
    /// Expires old traces, removes the bytes of deleted ones, and handles bytes without a row once they are
    /// so old that no server works on them. Complete traces get their row; others are removed.
    ///
    /// # Errors
    /// Returns an error if database or store fail; another sweep continues.
    pub async fn sweep(&self) -> Result<SweepReport, StorageError> {
        self.sweep_older(ORPHAN_AGE).await
    }

    pub(super) async fn sweep_older(&self, age: Duration) -> Result<SweepReport, StorageError> {
        let mut swept = SweepReport { aged: self.delete_expired().await?, ..SweepReport::default() };
        let deleted = traces::deleted(&mut *self.db().reading().await?).await?;
        for id in deleted {
            match self.collect(&id).await {
                // A trace whose files can't be removed must not end every sweep.
                Err(StorageError::Io(error)) => {
                    tracing::warn!(%id, "can't remove the bytes of a deleted trace: {error}");
                }
                collected => {
                    collected?;
                    swept.collected += 1;
                }
            }
        }
        swept.unfinished = self.drop_old_uploads().await? + self.remove_stray_parts().await?;
        if self.0.folder.keep_room().is_err() {
            tracing::warn!("the server's disk is almost full");
        }
        let oldest = now_unix_ns().saturating_sub(u64::try_from(age.as_nanos()).unwrap_or(u64::MAX));
        let there = self.store().traces().await?;
        // Read after the bytes were listed, so that new ones have their row here.
        let ids: HashSet<TraceId> =
            traces::all_ids(&mut *self.db().reading().await?).await?.into_iter().collect();
        self.store().keep_copies_of(&ids).await?;
        for id in there.into_iter().filter(|id| !ids.contains(id)) {
            let found = match self.store().state(&id).await {
                Err(StorageError::NotFound) => continue,
                Err(StorageError::Io(error)) => {
                    tracing::warn!(%id, "can't read the files of a trace without a row, which stay: {error}");
                    continue;
                }
                found => found?,
            };
            if found.written_unix_ns > oldest {
                continue;
            }
            match found.meta {
                // A description without the trace's bytes is a leftover, too.
                Some(meta) if self.store().has(&id).await? => self.recover(id, &meta, &mut swept).await?,
                _ => {
                    self.store().remove(&id).await?;
                    swept.abandoned += 1;
                }
            }
        }
        // Last, because marks fail on a full disk, and must not prevent anything that frees space.
        swept.marked = self.mark_expired().await?;
        Ok(swept)
    }

    /// Adds the row of a complete trace, unless its project already has these bytes.
    async fn recover(&self, id: TraceId, meta: &[u8], swept: &mut SweepReport) -> Result<(), StorageError> {
        // An unreadable description is left unchanged; the start reports it.
        let Ok((row, labels)) = Meta::read(meta) else { return Ok(()) };
        let row = TraceRow { id, ..row };
        let sha256 = row.sha256.as_deref().unwrap_or_default();
        if self.with_bytes(&row.project, sha256).await?.is_some() {
            self.store().remove(&row.id).await?;
            swept.abandoned += 1;
        } else {
            self.add_rows(&[(row, labels)]).await?;
            swept.found += 1;
        }
        Ok(())
    }
}

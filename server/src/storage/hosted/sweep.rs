//! Collects the bytes that belong to nothing any more. Any copy of the server may do it, several at once, at any time.

use std::collections::HashSet;
use std::time::Duration;

use super::super::meta::Meta;
use super::super::{StorageError, TraceId};
use super::Hosted;
use crate::db::now_unix_ns;
use crate::db::traces::{self, TraceRow};

/// How old bytes without a row are before anybody touches them: the row of an upload that is under way comes much sooner.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);

/// What a sweep has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Traces that leave soon because of their age, and are marked from now on.
    pub marked: usize,
    /// Traces that have left because of their age.
    pub aged: usize,
    /// Deleted traces whose bytes are gone now.
    pub collected: usize,
    /// Traces without a row whose bytes were of no use.
    pub abandoned: usize,
    /// Uploads in parts that nobody has finished.
    pub unfinished: usize,
    /// Traces that have a row again, made from their description.
    pub found: usize,
}

impl Hosted {
    /// Lets old traces go, removes the bytes of deleted ones, and looks after what lies in the store and has no row: whole traces get their
    /// row, anything else goes, once it is so old that nobody works on it.
    ///
    /// # Errors
    /// When database or store give no answer; another sweep goes on.
    pub async fn sweep(&self) -> Result<Swept, StorageError> {
        self.sweep_older(ABANDONED).await
    }

    pub(super) async fn sweep_older(&self, age: Duration) -> Result<Swept, StorageError> {
        let mut swept = Swept::default();
        (swept.marked, swept.aged) = self.age().await?;
        let deleted = traces::deleted(&mut *self.db().reading().await?).await?;
        for id in deleted {
            self.collect(&id).await?;
            swept.collected += 1;
        }
        swept.unfinished = self.drop_old_uploads().await?;
        if self.0.folder.keep_room().is_err() {
            tracing::warn!("there is little room left on the server's disk");
        }
        let oldest = now_unix_ns().saturating_sub(u64::try_from(age.as_nanos()).unwrap_or(u64::MAX));
        let there = self.store().traces().await?;
        // Asked for after the bytes were listed: what came meanwhile has its row here.
        let known: HashSet<TraceId> =
            traces::all_ids(&mut *self.db().reading().await?).await?.into_iter().collect();
        for id in there.into_iter().filter(|id| !known.contains(id)) {
            let found = match self.store().look(&id).await {
                Err(StorageError::NotFound) => continue,
                found => found?,
            };
            if found.written_unix_ns > oldest {
                continue;
            }
            match found.meta {
                None => {
                    self.store().remove(&id).await?;
                    swept.abandoned += 1;
                }
                Some(meta) => self.recover(id, &meta, &mut swept).await?,
            }
        }
        Ok(swept)
    }

    /// Gives a whole trace its row, unless its project has these bytes already.
    async fn recover(&self, id: TraceId, meta: &[u8], swept: &mut Swept) -> Result<(), StorageError> {
        // What can't be read is left alone; the start complains of it.
        let Ok((row, labels)) = Meta::read(meta) else { return Ok(()) };
        let row = TraceRow { id, ..row };
        let sha256 = row.sha256.as_deref().unwrap_or_default();
        if self.with_bytes(&row.project, sha256).await?.is_some() {
            self.store().remove(&row.id).await?;
            swept.abandoned += 1;
        } else {
            self.add_found(&[(row, labels)]).await?;
            swept.found += 1;
        }
        Ok(())
    }
}

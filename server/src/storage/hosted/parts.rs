//! Uploads in parts: any replica accepts any part, in any order, repeatedly.

use std::collections::HashSet;
use std::time::Duration;

use syclscope_language::api::{UploadEntry, UploadState};

use super::super::meta::entry;
use super::super::{About, StorageError, Stored, TraceId, Upload, name};
use super::{Hosted, room};
use crate::db::uploads::{self, Part, Phase, UploadRow};
use crate::db::{DbError, jobs, now_unix_ns, projects, traces};

/// Size of each part except for the last.
const PART_BYTES: u64 = 16 << 20;
/// Kind of the job that imports a complete upload.
pub const IMPORT: &str = "import";
/// Time since its latest part after which an unfinished upload is dropped, and the record of a finished one removed.
const RETENTION: Duration = Duration::from_secs(7 * 24 * 3600);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announced {
    pub name: String,
    pub size_bytes: u64,
    /// Digest of the whole file, 64 hexadecimal digits in lower case, if the client knows it.
    pub sha256: Option<String>,
    pub about: About,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UploadStart {
    /// Its project already has these bytes.
    Existing(Stored),
    /// It accepts parts, and may have some already.
    Upload(UploadEntry),
}

impl Hosted {
    /// Begins an upload in parts, or finds the same person's upload of the same bytes. Without a digest,
    /// equality is unknown, so such an upload can only be resumed by its id.
    ///
    /// # Errors
    /// Returns an error if the upload is too large or exceeds the project's quota, or there is no such
    /// project.
    pub async fn announce(&self, announced: Announced) -> Result<UploadStart, StorageError> {
        let Announced { name, size_bytes, sha256, about } = announced;
        if size_bytes > self.limit_bytes() {
            return Err(StorageError::TooLarge { limit_bytes: self.limit_bytes() });
        }
        {
            // The upload may have begun already; unfinished uploads are counted below.
            let connection = &mut *self.db().reading().await?;
            let used = projects::usage(connection, &about.project).await?;
            room(connection, &about.project, used.bytes, 0).await?;
        }
        if let Some(sha256) = &sha256
            && let Some(trace) = self.repeated(&about.project, sha256).await?
        {
            return Ok(UploadStart::Existing(trace));
        }
        let row = UploadRow {
            id: TraceId::random()?,
            project: about.project,
            name: name::clean(&name),
            size_bytes,
            sha256,
            labels: about.labels,
            uploaded_by: about.uploaded_by,
            begun_unix_ns: now_unix_ns(),
            phase: Phase::Open,
            trace: None,
            error: None,
        };
        let mut transaction = self.db().writing().await?;
        // Concurrent announcements must find and count each other.
        projects::hold(&mut transaction, &row.project).await?;
        let row = match uploads::find_same(&mut transaction, &row).await? {
            Some(begun) => {
                // The bytes are the same; name and labels may differ.
                let now = row.begun_unix_ns;
                uploads::describe(&mut transaction, &begun.id, &row.name, &row.labels, now).await?;
                UploadRow { name: row.name, labels: row.labels, begun_unix_ns: now, ..begun }
            }
            None => {
                // Other announced uploads will also need their space.
                let unfinished_bytes = uploads::unfinished_bytes(&mut transaction, &row.project).await?;
                let used = projects::usage(&mut transaction, &row.project).await?;
                let used_bytes = used.bytes.saturating_add(unfinished_bytes);
                room(&mut transaction, &row.project, used_bytes, size_bytes).await?;
                uploads::add(&mut transaction, &row).await?;
                row
            }
        };
        transaction.commit().await.map_err(DbError::from)?;
        Ok(UploadStart::Upload(self.info(row).await?))
    }

    pub async fn upload(&self, id: &TraceId) -> Result<UploadEntry, StorageError> {
        self.info(self.upload_row(id).await?).await
    }

    /// Begins to receive a part, which the caller fills. Also returns its required size in bytes.
    ///
    /// # Errors
    /// Returns an error if the upload has no such part or doesn't accept parts any more.
    pub async fn begin_part(&self, id: &TraceId, number: u64) -> Result<(Upload, u64), StorageError> {
        let row = self.upload_row(id).await?;
        let expected = size_of_part(row.size_bytes, number).ok_or(StorageError::NoSuchPart)?;
        if row.phase != Phase::Open {
            return Err(StorageError::UploadOver);
        }
        let part =
            Upload::begin(&self.store().incoming(), TraceId::random()?, String::new(), expected).await?;
        Ok((part, expected))
    }

    pub async fn keep_part(&self, id: &TraceId, number: u64, part: Upload) -> Result<(), StorageError> {
        let size_bytes = part.size_bytes();
        // Until its new bytes are stored the upload can't be completed, so no import reads the replaced
        // bytes.
        let mut transaction = self.db().writing().await?;
        if !uploads::forget_part(&mut transaction, id, number, now_unix_ns()).await? {
            return Err(StorageError::UploadOver);
        }
        transaction.commit().await.map_err(DbError::from)?;
        self.store().put_part(id, number, &part.path()).await?;
        let info = Part { number, size_bytes };
        let is_open = uploads::set_part(&mut *self.db().reading().await?, id, info).await?;
        if is_open {
            return Ok(());
        }
        // An import still reads the parts. Nothing else removes those of a deleted or finished upload.
        let row = uploads::find(&mut *self.db().reading().await?, id).await?;
        if row.is_none_or(|row| matches!(row.phase, Phase::Done | Phase::Failed)) {
            self.store().remove_parts(id).await?;
        }
        Err(StorageError::UploadOver)
    }

    /// Schedules the import of an upload with all its parts. It is idempotent.
    ///
    /// # Errors
    /// Returns an error if parts are missing.
    pub async fn complete(&self, id: &TraceId) -> Result<UploadEntry, StorageError> {
        let mut transaction = self.db().writing().await?;
        let row = uploads::find(&mut transaction, id).await?.ok_or(StorageError::NotFound)?;
        // The change comes first: it waits for a part that is being replaced.
        if uploads::change(&mut transaction, id, Phase::Open, Phase::Importing).await? {
            let parts = uploads::parts(&mut transaction, id).await?;
            if parts.iter().map(|part| part.size_bytes).sum::<u64>() != row.size_bytes {
                return Err(StorageError::PartsMissing);
            }
            jobs::add(&mut transaction, IMPORT, id, now_unix_ns()).await?;
        }
        transaction.commit().await.map_err(DbError::from)?;
        self.upload(id).await
    }

    /// Assembles an upload that waits for its import; `None` if it no longer does.
    ///
    /// # Errors
    /// Returns an error if a part is missing, or the whole does not match the announcement.
    pub async fn assemble(&self, id: &TraceId) -> Result<Option<(Upload, About)>, StorageError> {
        let (row, parts) = {
            // Returned to the pool before the parts are read, which can take minutes.
            let connection = &mut *self.db().reading().await?;
            let row = uploads::find(connection, id).await?.filter(|row| row.phase == Phase::Importing);
            let Some(row) = row else { return Ok(None) };
            (row, uploads::parts(connection, id).await?)
        };
        let mut whole = self.begin(id.clone(), &row.name).await?;
        for part in parts {
            self.store().append_part(id, part.number, &mut whole).await?;
        }
        whole.flush().await?;
        if row.sha256.is_some_and(|sha256| whole.sha256() != sha256) {
            return Err(StorageError::OtherDigest);
        }
        let about = About { project: row.project, labels: row.labels, uploaded_by: row.uploaded_by };
        Ok(Some((whole, about)))
    }

    /// Ends an upload and its job, with its trace or the reason of the failure.
    pub async fn end_upload(
        &self,
        id: &TraceId,
        job: &TraceId,
        outcome: &Result<TraceId, String>,
    ) -> Result<(), StorageError> {
        let mut transaction = self.db().writing().await?;
        uploads::end(&mut transaction, id, outcome).await?;
        jobs::remove(&mut transaction, job).await?;
        transaction.commit().await.map_err(DbError::from)?;
        if let Err(error) = self.store().remove_parts(id).await {
            tracing::warn!(%id, "can't remove the parts of a finished upload: {error}");
        }
        Ok(())
    }

    /// Drops an upload that is not being imported. An import that waits for its first or next attempt is cancelled.
    ///
    /// # Errors
    /// Returns an error if there is no such upload, or it is being imported.
    pub async fn drop_upload(&self, id: &TraceId) -> Result<(), StorageError> {
        self.upload_row(id).await?;
        self.with_room(|| self.cancel_import(id)).await?;
        match self.drop_begun_before(u64::MAX, std::slice::from_ref(id)).await? {
            0 => Err(StorageError::UploadOver),
            _ => Ok(()),
        }
    }

    /// Ends an upload whose import no replica has leased.
    async fn cancel_import(&self, id: &TraceId) -> Result<(), DbError> {
        let mut transaction = self.db().writing().await?;
        if jobs::remove_free(&mut transaction, IMPORT, id).await? {
            uploads::end(&mut transaction, id, &Err("it was dropped".to_owned())).await?;
        }
        Ok(transaction.commit().await?)
    }

    /// Drops old unfinished uploads. Returns their number.
    pub(super) async fn drop_old_uploads(&self) -> Result<usize, StorageError> {
        let retention_ns = u64::try_from(RETENTION.as_nanos()).unwrap_or(u64::MAX);
        let oldest = now_unix_ns().saturating_sub(retention_ns);
        let old = uploads::older_than(&mut *self.db().reading().await?, oldest).await?;
        self.drop_begun_before(oldest, &old).await
    }

    /// Drops uploads whose announcement and parts came before a time, in ns since 1970-01-01 UTC, unless they are being
    /// imported. Returns their number.
    pub(super) async fn drop_begun_before(
        &self,
        unix_ns: u64,
        uploads: &[TraceId],
    ) -> Result<usize, StorageError> {
        let mut dropped = 0;
        for id in uploads {
            // A client may have resumed it meanwhile. An import that has begun keeps its row, and needs its parts.
            let close = || async { uploads::close(&mut *self.db().reading().await?, id, unix_ns).await };
            if !self.with_room(close).await? {
                continue;
            }
            // The row is removed last: if the store fails, a sweep finds it again.
            self.store().remove_parts(id).await?;
            dropped += usize::from(uploads::remove(&mut *self.db().reading().await?, id).await?);
        }
        Ok(dropped)
    }

    /// Removes the parts of uploads without a row: a replica that dies after it has stored a part of an upload that was
    /// dropped meanwhile leaves the part. Returns the number of uploads.
    pub(super) async fn remove_stray_parts(&self) -> Result<usize, StorageError> {
        let there = self.store().uploads().await?;
        // Read after the parts were listed: an upload has its row before its first part.
        let ids: HashSet<TraceId> =
            uploads::all_ids(&mut *self.db().reading().await?).await?.into_iter().collect();
        let mut removed = 0;
        for id in there.iter().filter(|id| !ids.contains(*id)) {
            match self.store().remove_parts(id).await {
                // An upload whose files can't be removed must not end every sweep.
                Err(StorageError::Io(error)) => {
                    tracing::warn!(%id, "can't remove the parts of a dropped upload: {error}");
                }
                done => {
                    done?;
                    removed += 1;
                }
            }
        }
        Ok(removed)
    }

    async fn upload_row(&self, id: &TraceId) -> Result<UploadRow, StorageError> {
        uploads::find(&mut *self.db().reading().await?, id).await?.ok_or(StorageError::NotFound)
    }

    async fn info(&self, row: UploadRow) -> Result<UploadEntry, StorageError> {
        let connection = &mut *self.db().reading().await?;
        let parts = uploads::parts(connection, &row.id).await?;
        let state = match row.phase {
            Phase::Open => UploadState::Open,
            Phase::Importing => UploadState::Importing,
            Phase::Done => match traces::find(connection, row.trace.as_ref().unwrap_or(&row.id)).await? {
                Some(trace) => UploadState::Done { trace: entry(&trace) },
                None => UploadState::Failed { message: "its trace has been deleted".to_owned() },
            },
            Phase::Failed => UploadState::Failed { message: row.error.unwrap_or_default() },
        };
        Ok(UploadEntry {
            id: row.id.to_string(),
            size_bytes: row.size_bytes,
            part_bytes: PART_BYTES,
            parts: parts.iter().map(|part| part.number).collect(),
            state,
        })
    }
}

/// Returns the required size of a part; `None` if there is none with this number.
fn size_of_part(size_bytes: u64, number: u64) -> Option<u64> {
    let start = number.checked_mul(PART_BYTES)?;
    (start < size_bytes).then(|| PART_BYTES.min(size_bytes - start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_up_the_whole() {
        assert_eq!(size_of_part(0, 0), None);
        assert_eq!(size_of_part(1, 0), Some(1));
        assert_eq!(size_of_part(1, 1), None);
        assert_eq!(size_of_part(PART_BYTES + 3, 0), Some(PART_BYTES));
        assert_eq!(size_of_part(PART_BYTES + 3, 1), Some(3));
        assert_eq!(size_of_part(PART_BYTES, 1), None);
        assert_eq!(size_of_part(u64::MAX, u64::MAX), None);
    }
}

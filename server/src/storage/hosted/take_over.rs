//! Traces without a row, in a folder whose database is new or was lost.

use std::collections::HashSet;

use syclscope_language::api::AuditEntry;

use super::super::meta::Meta;
use super::super::{StorageError, TraceId};
use super::{Hosted, add_metadata, upload_entry};
use crate::db::labels::Labels;
use crate::db::traces::{self, TraceRow};
use crate::db::{audit, now_unix_ns, projects};

impl Hosted {
    /// Adds rows from the descriptions in a plain folder. Existing rows are unchanged, so it is idempotent.
    /// Returns a message for each unreadable description.
    pub(super) async fn take_over(&self) -> Result<Vec<String>, StorageError> {
        let Some(folder) = self.store().plain_folder() else { return Ok(Vec::new()) };
        let ids: HashSet<TraceId> =
            traces::all_ids(&mut *self.db().reading().await?).await?.into_iter().collect();
        let mut complaints = Vec::new();
        let mut found = Vec::new();
        for id in self.store().traces().await? {
            folder.modernise(&id).await?;
            if ids.contains(&id) {
                continue;
            }
            let unreadable = |error: std::io::Error| {
                format!("can't read meta.json of {id}, so the list lacks this trace: {error}")
            };
            let state = match self.store().state(&id).await {
                Err(StorageError::NotFound) => continue,
                Err(StorageError::Io(error)) => {
                    complaints.push(unreadable(error));
                    continue;
                }
                state => state?,
            };
            let Some(meta) = state.meta else { continue };
            match Meta::read(&meta) {
                Err(error) => complaints.push(unreadable(error)),
                // A copy of a folder that was made during a deletion may lack the bytes.
                Ok(_) if !self.store().has(&id).await? => {
                    complaints.push(format!("trace.bin of {id} is missing, so the list lacks this trace"));
                }
                Ok((row, labels)) => found.push((TraceRow { id, ..row }, labels)),
            }
        }
        complaints.sort();
        self.add_rows(&found).await?;
        Ok(complaints)
    }

    /// Adds rows of found traces in one transaction.
    pub(super) async fn add_rows(&self, found: &[(TraceRow, Labels)]) -> Result<(), StorageError> {
        if found.is_empty() {
            return Ok(());
        }
        let mut transaction = self.db().writing().await?;
        for (row, labels) in found {
            // The project may be lost with the database, and a trace needs one.
            projects::add_missing(&mut transaction, &row.project).await?;
            if traces::add_new(&mut transaction, row).await? {
                add_metadata(&mut transaction, row, labels, None).await?;
                let line = AuditEntry {
                    at_unix_ns: now_unix_ns(),
                    detail: Some(format!("{}: recovered from its files", row.name)),
                    ..upload_entry(row)
                };
                audit::add(&mut transaction, &line).await?;
            }
        }
        Ok(transaction.commit().await.map_err(crate::db::DbError::from)?)
    }
}

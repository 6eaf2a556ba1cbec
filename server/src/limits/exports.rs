//! Turns of exports and copies: a few for each client, and a few in total. A slow client delays no other: the
//! output is written to a file, and the turn passes to the next request.

use std::path::PathBuf;

use crate::auth::Client;
use crate::limits::fair_semaphore::{TooMany, Turn, Turns};
use crate::limits::{MemoryAccount, Share};
use crate::storage::Storage;

/// Maximum number of concurrent exports of one client.
const MAX_OF_CLIENT: usize = 2;
/// Maximum number of concurrent exports in total.
const MAX_IN_ALL: usize = 4;
/// Maximum number of unsent files of one client.
pub const MAX_UNSENT_OF_CLIENT: usize = 8;
/// Share of one export in the account's memory, as a divisor.
const PART: u64 = 8;

#[derive(Clone, Debug)]
pub struct Exports {
    writing: Turns,
    unsent: Turns,
    account: MemoryAccount,
    folder: PathBuf,
}

#[derive(Debug)]
pub(crate) struct ExportTurn {
    _turn: Turn,
    pub(crate) share: Share,
}

impl Exports {
    /// Creates turns for exports with memory from an account, and space in the storage's folder of unfinished
    /// files.
    pub fn new(account: &MemoryAccount, storage: &Storage) -> Self {
        Self {
            writing: Turns::shared(MAX_IN_ALL, MAX_OF_CLIENT),
            unsent: Turns::shared(usize::MAX, MAX_UNSENT_OF_CLIENT),
            account: account.clone(),
            folder: storage.unfinished_folder(),
        }
    }

    /// Returns the same limits without any turns, so that every export is refused.
    #[must_use]
    pub fn closed(self) -> Self {
        Self { writing: Turns::shared(0, 0), ..self }
    }

    pub(crate) async fn take(&self, client: Client) -> Result<Turn, TooMany> {
        self.writing.take(client).await
    }

    /// Waits for the memory of a turn. The caller must not load traces afterwards, because that would need
    /// memory, too.
    pub(crate) async fn begin(&self, turn: Turn, client: Client) -> Result<ExportTurn, TooMany> {
        let share = self.account.take(Some(client), self.account.working_bytes() / PART).await?;
        Ok(ExportTurn { _turn: turn, share })
    }

    /// Waits for one of the client's places for unsent files.
    pub(crate) async fn place(&self, client: Client) -> Result<Turn, TooMany> {
        self.unsent.take(client).await
    }

    pub(crate) fn folder(&self) -> &std::path::Path {
        &self.folder
    }

    /// Returns the numbers of running and waiting exports.
    pub(crate) fn load(&self) -> (usize, usize) {
        self.writing.load()
    }
}

//! Turns of exports and of copies: a few of each client are written at once, and a few of all together. Nobody waits for a
//! client that is slow: what is written goes to a file, and its turn goes to the next.

use std::path::PathBuf;

use crate::auth::Client;
use crate::limits::fair_semaphore::{TooMany, Turn, Turns};
use crate::limits::{MemoryAccount, Share};
use crate::storage::Storage;

/// Of one client, exports that are written at once …
const OF_CLIENT: usize = 2;
/// … and of all.
const OF_ALL: usize = 4;
/// Written files of one client that it has not taken.
pub const UNSENT_OF_CLIENT: usize = 8;
/// The part of the account's memory that one may take.
const PART: u64 = 8;

/// Turns and memory of exports.
#[derive(Clone, Debug)]
pub struct Exports {
    writing: Turns,
    unsent: Turns,
    account: MemoryAccount,
    folder: PathBuf,
}

/// A turn, with its limits.
#[derive(Debug)]
pub(crate) struct Written {
    _turn: Turn,
    pub(crate) share: Share,
}

impl Exports {
    /// Exports that take memory from an account, and space where a storage has its unfinished files.
    pub fn new(account: &MemoryAccount, storage: &Storage) -> Self {
        Self {
            writing: Turns::shared(OF_ALL, OF_CLIENT),
            unsent: Turns::shared(usize::MAX, UNSENT_OF_CLIENT),
            account: account.clone(),
            folder: storage.unfinished_folder(),
        }
    }

    /// The same, without a turn for anybody.
    #[must_use]
    pub fn closed(self) -> Self {
        Self { writing: Turns::shared(0, 0), ..self }
    }

    /// Waits for a turn.
    ///
    /// # Errors
    /// When too many of the client's wait already.
    pub(crate) async fn take(&self, client: Client) -> Result<Turn, TooMany> {
        self.writing.take(client).await
    }

    /// Waits for the memory that belongs to a turn. Whoever has it loads nothing any more, which would need memory, too.
    ///
    /// # Errors
    /// When too many of the client's wait already.
    pub(crate) async fn begin(&self, turn: Turn, client: Client) -> Result<Written, TooMany> {
        let share = self.account.take(Some(client), self.account.working_bytes() / PART).await?;
        Ok(Written { _turn: turn, share })
    }

    /// Waits for a place for a file that the client will take.
    ///
    /// # Errors
    /// When too many of the client's wait already.
    pub(crate) async fn place(&self, client: Client) -> Result<Turn, TooMany> {
        self.unsent.take(client).await
    }

    /// Where such files are.
    pub(crate) fn folder(&self) -> &std::path::Path {
        &self.folder
    }

    /// The numbers of running and of waiting exports.
    pub(crate) fn load(&self) -> (usize, usize) {
        self.writing.load()
    }
}

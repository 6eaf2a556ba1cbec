//! The account of memory: everything that takes some to speak of takes it from here, so that all together take no more than
//! there is.
//!
//! What is worked on gets a share before it begins, waits where there is none, and ends with an error where it needs more than
//! its share. What waits to be sent counts apart: those who take their time leave memory to those who work.

use syclscope_engine::budget::Budget;

use crate::auth::Client;
use crate::limits::fair_semaphore::{TooMany, Turn, Turns};
use syclscope_system::memory::held_bytes;

/// Bytes that are counted as one.
const PAGE_BYTES: u64 = 64 << 10;
/// No account is smaller.
const LEAST_BYTES: u64 = 256 << 20;
/// The part of the account for what waits to be sent, and of that the part that one client may have.
const UNSENT_PART: u64 = 4;
const UNSENT_OF_CLIENT_PART: usize = 4;

/// Memory that the work of this process may take.
#[derive(Clone, Debug)]
pub struct MemoryAccount {
    /// For what is worked on.
    working: Turns,
    /// For what waits to be sent.
    unsent: Turns,
}

/// Memory that was taken from the account, until it is dropped.
#[derive(Debug)]
pub(crate) struct Share(Turn);

impl MemoryAccount {
    /// An account of so many bytes.
    pub fn of(bytes: u64) -> Self {
        let pages = usize::try_from(bytes.max(LEAST_BYTES) / PAGE_BYTES).unwrap_or(usize::MAX);
        let unsent = pages / UNSENT_PART as usize;
        let working = pages - unsent;
        Self {
            working: Turns::shared(working, working / 2),
            unsent: Turns::shared(unsent, unsent / UNSENT_OF_CLIENT_PART),
        }
    }

    /// An account with what a machine has beside the cache of traces and a reserve, and with room for imports of so many bytes.
    pub fn beside(machine_bytes: u64, cache_bytes: u64, import_bytes: u64) -> Self {
        let left = (machine_bytes / 8 * 7).saturating_sub(cache_bytes);
        let for_imports = import_bytes.saturating_mul(UNSENT_PART) / (UNSENT_PART - 1) + PAGE_BYTES;
        Self::of(left.max(for_imports).min(machine_bytes.max(for_imports)))
    }

    /// Bytes that can be worked with.
    pub(crate) fn working_bytes(&self) -> u64 {
        self.working.count() as u64 * PAGE_BYTES
    }

    /// Waits for so many bytes to work with, or for all there are. Those of nobody are the server's own.
    ///
    /// # Errors
    /// When too many of the client's wait already.
    pub(crate) async fn take(&self, client: Option<Client>, bytes: u64) -> Result<Share, TooMany> {
        self.working.take_many(client, pages(bytes)).await.map(Share)
    }

    /// Waits until so many bytes may wait to be sent to a client.
    ///
    /// # Errors
    /// When too many of the client's wait already.
    pub(crate) async fn take_unsent(&self, client: Client, bytes: u64) -> Result<Share, TooMany> {
        self.unsent.take_many(Some(client), pages(bytes)).await.map(Share)
    }

    /// Bytes that are taken: of those to work with, and of those that wait to be sent.
    pub(crate) fn taken_bytes(&self) -> [u64; 2] {
        [&self.working, &self.unsent].map(|turns| turns.load().0 as u64 * PAGE_BYTES)
    }
}

impl Share {
    pub(crate) fn bytes(&self) -> u64 {
        self.0.count() as u64 * PAGE_BYTES
    }

    /// The budget of the calling thread.
    pub(crate) fn budget(&self) -> Budget {
        Budget::new(self.bytes(), held_bytes)
    }

    /// Gives back all but so many bytes.
    pub(crate) fn shrink(&mut self, bytes: u64) {
        self.0.shrink(pages(bytes));
    }
}

fn pages(bytes: u64) -> usize {
    usize::try_from(bytes.div_ceil(PAGE_BYTES)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn client(number: u8) -> Client {
        Client::at(std::net::IpAddr::from([127, 0, 0, number]))
    }

    proptest! {
        /// However many ask for however much: never is more taken than there is, and all get theirs in the end.
        #[test]
        fn shares_together_are_no_more_than_there_is(
            wanted in prop::collection::vec((0..4_u8, 0..1_u64 << 30, any::<bool>()), 1..60),
        ) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(async {
                let account = MemoryAccount::of(LEAST_BYTES);
                let mut waiting = Vec::new();
                for (number, bytes, is_unsent) in wanted {
                    let account = account.clone();
                    waiting.push(tokio::spawn(async move {
                        let owner = (number > 0).then(|| client(number));
                        let share = match owner {
                            Some(client) if is_unsent => account.take_unsent(client, bytes).await,
                            owner => account.take(owner, bytes).await,
                        };
                        let mut share = share.unwrap();
                        for part in [2, 4] {
                            let taken: u64 = account.taken_bytes().iter().sum();
                            assert!(taken <= LEAST_BYTES && share.bytes() <= taken, "{taken}");
                            tokio::task::yield_now().await;
                            share.shrink(share.bytes() / part);
                        }
                    }));
                }
                for one in waiting {
                    one.await.unwrap();
                }
                assert_eq!(account.taken_bytes(), [0, 0]);
            });
        }
    }

    #[test]
    fn imports_have_room_and_a_machine_is_not_promised_twice() {
        for machine in [1_u64, 4, 24, 256].map(|gib| gib << 30) {
            for cache in [0, 1 << 30] {
                let import = machine / 2;
                let account = MemoryAccount::beside(machine, cache, import);
                assert!(account.working_bytes() >= import);
                let all = account.working_bytes() + account.unsent.count() as u64 * PAGE_BYTES;
                assert!(all <= machine, "{all} of {machine}");
            }
        }
    }
}

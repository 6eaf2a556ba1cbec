//! The memory account: all work that needs much memory takes it from here, so that the total stays below the
//! machine's memory.
//!
//! Work gets a share before it begins, waits if there is none, and fails if it exceeds its share. Unsent
//! responses count separately, so that slow clients leave memory to running work.

use syclscope_engine::budget::Budget;

use crate::auth::Client;
use crate::limits::fair_semaphore::{TooMany, Turn, Turns};
use syclscope_system::memory::allocated_bytes;

/// Unit of the account.
const PAGE_BYTES: u64 = 64 << 10;
/// Minimum size of an account.
const MIN_BYTES: u64 = 256 << 20;
/// Share of the account for unsent responses, as a divisor.
const UNSENT_PART: u64 = 4;
/// Share of one client in the memory for unsent responses, as a divisor.
const UNSENT_CLIENT_PART: usize = 4;

#[derive(Clone, Debug)]
pub struct MemoryAccount {
    working: Turns,
    unsent: Turns,
}

/// Memory taken from the account until this is dropped.
#[derive(Debug)]
pub(crate) struct Share(Turn);

impl MemoryAccount {
    pub fn new(bytes: u64) -> Self {
        let pages = usize::try_from(bytes.max(MIN_BYTES) / PAGE_BYTES).unwrap_or(usize::MAX);
        let unsent = pages / UNSENT_PART as usize;
        let working = pages - unsent;
        Self {
            working: Turns::shared(working, working / 2),
            unsent: Turns::shared(unsent, unsent / UNSENT_CLIENT_PART),
        }
    }

    /// Creates an account of a machine's memory without the trace cache and a reserve, with enough memory for
    /// imports of `import_bytes`.
    pub fn beside(machine_bytes: u64, cache_bytes: u64, import_bytes: u64) -> Self {
        let left = (machine_bytes / 8 * 7).saturating_sub(cache_bytes);
        let for_imports = import_bytes.saturating_mul(UNSENT_PART) / (UNSENT_PART - 1) + PAGE_BYTES;
        Self::new(left.max(for_imports).min(machine_bytes.max(for_imports)))
    }

    pub(crate) fn working_bytes(&self) -> u64 {
        self.working.count() as u64 * PAGE_BYTES
    }

    /// Waits for memory for work; a request for more than the total gets all of it. The client is `None` for
    /// the server itself.
    ///
    /// # Errors
    /// Returns an error if too many requests of the client are already waiting.
    pub(crate) async fn take(&self, client: Option<Client>, bytes: u64) -> Result<Share, TooMany> {
        self.working.take_many(client, pages(bytes)).await.map(Share)
    }

    /// Waits for memory for an unsent response to a client.
    ///
    /// # Errors
    /// Returns an error if too many requests of the client are already waiting.
    pub(crate) async fn take_unsent(&self, client: Client, bytes: u64) -> Result<Share, TooMany> {
        self.unsent.take_many(Some(client), pages(bytes)).await.map(Share)
    }

    /// Returns the bytes taken by work, and by unsent responses.
    pub(crate) fn used_bytes(&self) -> [u64; 2] {
        [&self.working, &self.unsent].map(|turns| turns.load().0 as u64 * PAGE_BYTES)
    }
}

impl Share {
    pub(crate) fn bytes(&self) -> u64 {
        self.0.count() as u64 * PAGE_BYTES
    }

    /// Returns the budget for the calling thread.
    pub(crate) fn budget(&self) -> Budget {
        Budget::new(self.bytes(), allocated_bytes)
    }

    /// Keeps this many bytes and returns the rest to the account.
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
        #[test]
        fn shares_together_are_no_more_than_there_is(
            wanted in prop::collection::vec((0..4_u8, 0..1_u64 << 30, any::<bool>()), 1..60),
        ) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(async {
                let account = MemoryAccount::new(MIN_BYTES);
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
                            let taken: u64 = account.used_bytes().iter().sum();
                            assert!(taken <= MIN_BYTES && share.bytes() <= taken, "{taken}");
                            tokio::task::yield_now().await;
                            share.shrink(share.bytes() / part);
                        }
                    }));
                }
                for one in waiting {
                    one.await.unwrap();
                }
                assert_eq!(account.used_bytes(), [0, 0]);
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

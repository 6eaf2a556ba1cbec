//! Cache of recent query results: of many equal requests, only one queries the database.
//!
//! A thousand viewers of one trace need the same few rows with every tile. A result less than a second older
//! than a request is recent enough, and concurrent requests share one query. Code that changes rows calls
//! [`Recent::forget`], so that the change is visible at once in this replica, and in the others within the
//! second.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::OnceCell;

use super::DbError;

/// Maximum age of a result.
pub const MAX_AGE: Duration = Duration::from_secs(1);
/// Maximum number of cached keys. Requests for further keys query the database.
const MAX_KEYS: usize = 4096;

/// Recent results by key. Only existing rows are cached, so a new row is visible at once.
#[derive(Debug)]
pub struct Recent<K, V> {
    max_age: Duration,
    looks: Mutex<HashMap<K, Arc<Look<V>>>>,
}

#[derive(Debug)]
struct Look<V> {
    /// Start of the query: the result includes all earlier changes, and perhaps some later ones.
    began: Instant,
    found: OnceCell<Result<Option<V>, DbError>>,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Self { max_age: MAX_AGE, looks: Mutex::default() }
    }
}

impl<K: Clone + Eq + Hash, V: Clone> Recent<K, V> {
    /// Returns the result of `look`, or a recent one.
    ///
    /// # Errors
    /// Returns the error of `look`, shared by all concurrent requests.
    pub async fn get<F>(&self, key: &K, look: impl Fn() -> F) -> Result<Option<V>, DbError>
    where
        F: Future<Output = Result<Option<V>, DbError>>,
    {
        let Some(shared) = self.look(key) else { return look().await };
        let mut is_own = false;
        let own = look();
        let looking = async {
            is_own = true;
            own.await
        };
        let found = shared.found.get_or_init(|| looking).await.clone();
        if matches!(found, Ok(Some(_))) {
            return found;
        }
        self.give_up(key, &shared);
        // A missing row may have been added since another request began the query.
        if found.is_ok() && !is_own { look().await } else { found }
    }

    pub fn forget(&self) {
        self.lock().clear();
    }

    /// Returns the pending or recent query for a key, or a new one; `None` if the cache is full.
    fn look(&self, key: &K) -> Option<Arc<Look<V>>> {
        let is_recent = |look: &Look<V>| look.began.elapsed() < self.max_age;
        let mut looks = self.lock();
        if let Some(look) = looks.get(key).filter(|look| is_recent(look)) {
            return Some(Arc::clone(look));
        }
        if looks.len() >= MAX_KEYS {
            looks.retain(|_, look| is_recent(look));
        }
        if looks.len() >= MAX_KEYS {
            return None;
        }
        let look = Arc::new(Look { began: Instant::now(), found: OnceCell::new() });
        looks.insert(key.clone(), Arc::clone(&look));
        Some(look)
    }

    /// Removes a query without a result from the cache.
    fn give_up(&self, key: &K, look: &Arc<Look<V>>) {
        let mut looks = self.lock();
        if looks.get(key).is_some_and(|other| Arc::ptr_eq(other, look)) {
            looks.remove(key);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, Arc<Look<V>>>> {
        self.looks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn with_max_age(max_age: Duration) -> Recent<u32, u32> {
        Recent { max_age, ..Recent::default() }
    }

    /// Gets a key. True if that ran a query.
    async fn looks(recent: &Recent<u32, u32>, key: u32, found: Option<u32>) -> bool {
        let count = Cell::new(0);
        let look = || async {
            count.set(count.get() + 1);
            Ok(found)
        };
        assert!(recent.get(&key, look).await.is_ok());
        count.get() > 0
    }

    #[tokio::test]
    async fn what_is_there_is_looked_up_once_a_while() {
        let recent = with_max_age(Duration::from_secs(3600));
        assert!(looks(&recent, 1, Some(1)).await && !looks(&recent, 1, Some(1)).await);
        assert!(
            looks(&recent, 2, None).await && looks(&recent, 2, Some(2)).await,
            "what comes is seen at once"
        );
        recent.forget();
        assert!(looks(&recent, 1, Some(1)).await);
        let recent = with_max_age(Duration::ZERO);
        assert!(looks(&recent, 1, Some(1)).await && looks(&recent, 1, Some(1)).await);
    }

    #[tokio::test]
    async fn who_asks_for_much_asks_the_database() {
        let recent = with_max_age(Duration::from_secs(3600));
        for key in 0..MAX_KEYS as u32 {
            assert!(looks(&recent, key, Some(key)).await);
        }
        assert!(looks(&recent, u32::MAX, Some(0)).await && looks(&recent, u32::MAX, Some(0)).await);
        assert_eq!(recent.lock().len(), MAX_KEYS);
    }

    #[tokio::test]
    async fn a_look_under_way_is_everybodys_until_something_changes() {
        let recent = with_max_age(Duration::from_secs(3600));
        let (go, wait) = tokio::sync::watch::channel(false);
        let count = Cell::new(0);
        let look = || async {
            count.set(count.get() + 1);
            let (mine, mut wait) = (count.get(), wait.clone());
            let _ = wait.wait_for(|go| *go).await;
            Ok(Some(mine))
        };
        let many = async {
            let before = tokio::join!(biased; recent.get(&1, look), recent.get(&1, look), async {
                recent.forget();
                tokio::join!(recent.get(&1, look), async { go.send_replace(true) }).0
            });
            (before.0.unwrap(), before.1.unwrap(), before.2.unwrap())
        };
        assert_eq!(many.await, (Some(1), Some(1), Some(2)), "who comes after the change sees it");
        assert_eq!(recent.get(&1, look).await.unwrap(), Some(2));
    }

    #[tokio::test]
    async fn a_failure_is_everybodys_who_waits_and_no_others() {
        let recent = with_max_age(Duration::from_secs(3600));
        let count = Cell::new(0);
        let look = || async {
            count.set(count.get() + 1);
            tokio::task::yield_now().await;
            Err(DbError::Busy)
        };
        let (one, other) = tokio::join!(recent.get(&1, look), recent.get(&1, look));
        assert!(matches!((one, other), (Err(DbError::Busy), Err(DbError::Busy))));
        assert_eq!(count.get(), 1);
        assert!(looks(&recent, 1, Some(1)).await);
    }
}

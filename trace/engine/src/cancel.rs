//! Limits of a query, and its cancellation.
//!
//! Queries walk over tables of a hundred million rows in dozens of places. None of these loops returns early. Each
//! reports its steps from time to time (`spend`). Beyond the limit, the stack is unwound to [`within`] as by a panic,
//! but without the panic hook. Nothing is left half done, because a trace is immutable and caches are stored only when
//! complete. Without a limit, nothing is ever unwound.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::budget::{Budget, Spent};

/// Rows that a loop visits between two checks.
const ROWS: usize = 1 << 14;

/// Limits of a query. The caller keeps a clone to cancel it.
#[derive(Clone, Debug, Default)]
pub struct Work {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    is_called_off: AtomicBool,
    /// Remaining steps. A step is about one row visited, or one condition evaluated.
    left: AtomicU64,
}

impl Default for Shared {
    fn default() -> Self {
        Self { is_called_off: AtomicBool::new(false), left: AtomicU64::new(u64::MAX) }
    }
}

/// Reason for a query without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// The caller cancelled the query.
    #[error("the query was cancelled")]
    CalledOff,
    /// The answer takes too many steps.
    #[error(
        "the answer takes too long to work out: ask about a shorter time, fewer tracks, or with fewer conditions"
    )]
    TooLong,
    /// The answer takes too much memory.
    #[error("{0}: query a shorter time or fewer tracks")]
    TooLarge(Spent),
}

impl Work {
    /// Returns a limit in steps: each is about one row visited or one condition evaluated, a few nanoseconds.
    pub fn with_steps(steps: u64) -> Self {
        Self { shared: Arc::new(Shared { left: AtomicU64::new(steps), ..Shared::default() }) }
    }

    /// Cancels the query: it stops at its next check.
    pub fn call_off(&self) {
        self.shared.is_called_off.store(true, Ordering::Relaxed);
    }

    /// True once the query is cancelled.
    pub fn is_called_off(&self) -> bool {
        self.shared.is_called_off.load(Ordering::Relaxed)
    }

    /// Returns the remaining steps.
    pub fn left(&self) -> u64 {
        self.shared.left.load(Ordering::Relaxed)
    }

    fn take(&self, steps: u64) -> Result<(), Stopped> {
        if self.is_called_off() {
            return Err(Stopped::CalledOff);
        }
        let left = &self.shared.left;
        // One thread works on a query.
        let now = left.load(Ordering::Relaxed);
        left.store(now.saturating_sub(steps), Ordering::Relaxed);
        if steps > now { Err(Stopped::TooLong) } else { Ok(()) }
    }
}

thread_local! {
    /// The query that this thread works on.
    static CURRENT: RefCell<Option<(Work, Budget)>> = const { RefCell::new(None) };
}

/// Runs a query within limits.
///
/// # Errors
/// Returns an error if the query is cancelled, or exceeds a limit.
pub fn within<T>(work: &Work, budget: Budget, ask: impl FnOnce() -> T) -> Result<T, Stopped> {
    let before = CURRENT.replace(Some((work.clone(), budget)));
    // `ask` only sees a trace, which it can't change.
    let done = catch_unwind(AssertUnwindSafe(ask));
    CURRENT.set(before);
    done.map_err(|why: Box<dyn Any + Send>| match why.downcast::<Stopped>() {
        Ok(stopped) => *stopped,
        Err(panic) => resume_unwind(panic),
    })
}

/// Runs a part of a query within memory of its own, and otherwise within the limits of the whole query.
///
/// # Errors
/// Returns an error if the query is cancelled, or exceeds a limit.
pub fn within_memory<T>(budget: &Budget, ask: impl FnOnce() -> T) -> Result<T, Stopped> {
    let work = CURRENT.with_borrow(|current| current.as_ref().map(|(work, _)| work.clone()));
    within(&work.unwrap_or_default(), budget.clone(), ask)
}

/// Counts steps of the current query, for code that can't be unwound and has to return the error itself.
///
/// # Errors
/// Returns an error if the query is cancelled, or exceeds a limit.
pub fn take(steps: u64) -> Result<(), Stopped> {
    CURRENT.with_borrow(|current| {
        let Some((work, budget)) = current.as_ref() else { return Ok(()) };
        work.take(steps)?;
        budget.require(0).map_err(Stopped::TooLarge)
    })
}

/// Counts steps of the query, and stops it if it is cancelled or exceeds a limit.
pub(crate) fn spend(steps: usize) {
    check(steps as u64, 0);
}

/// Checks that the query may take more memory, and stops it if not.
pub(crate) fn spend_on(bytes: u64) {
    check(1, bytes);
}

fn check(steps: u64, bytes: u64) {
    let stopped = CURRENT.with_borrow(|current| {
        let (work, budget) = current.as_ref()?;
        let taken = work.take(steps).and_then(|()| budget.require(bytes).map_err(Stopped::TooLarge));
        taken.err()
    });
    if let Some(stopped) = stopped {
        stop(stopped);
    }
}

/// Stops the query.
pub(crate) fn stop(stopped: Stopped) -> ! {
    resume_unwind(Box::new(stopped))
}

/// Counts the steps of a loop over rows from time to time: call it for each row.
#[inline]
pub(crate) fn row(row: usize) {
    if row.is_multiple_of(ROWS) {
        spend(ROWS);
    }
}

/// Counts the steps like [`row`], for a loop that can't be unwound and has to return the error itself.
pub(crate) fn take_row(row: usize) -> Result<(), Stopped> {
    if row.is_multiple_of(ROWS) { take(ROWS as u64) } else { Ok(()) }
}

/// Steps that are counted together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Steps(usize);

impl Steps {
    #[inline]
    pub(crate) fn add(&mut self, steps: usize) {
        self.0 += steps;
        if self.0 >= ROWS {
            spend(std::mem::take(&mut self.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(rows: usize) -> usize {
        (0..rows).inspect(|at| row(*at)).count()
    }

    #[test]
    fn what_takes_too_many_steps_ends() {
        assert_eq!(within(&Work::with_steps(1 << 20), Budget::unlimited(), || walk(1 << 20)), Ok(1 << 20));
        assert_eq!(
            within(&Work::with_steps(1 << 20), Budget::unlimited(), || walk(2 << 20)),
            Err(Stopped::TooLong)
        );
        assert_eq!(walk(4 << 20), 4 << 20, "nothing is left of the limits of before");
    }

    #[test]
    fn what_is_called_off_ends() {
        let work = Work::default();
        let done = within(&work, Budget::unlimited(), || {
            assert_eq!(walk(1 << 20), 1 << 20);
            work.call_off();
            walk(1 << 20)
        });
        assert_eq!(done, Err(Stopped::CalledOff));
    }

    #[test]
    fn what_takes_too_much_memory_ends() {
        let budget = Budget::new(100, || 1000);
        assert_eq!(within(&Work::default(), budget, || walk(1)), Ok(1));
        thread_local! { static TAKEN: RefCell<u64> = const { RefCell::new(0) }; }
        let budget = Budget::new(100, || TAKEN.with_borrow(|taken| *taken));
        let done = within(&Work::default(), budget, || {
            TAKEN.replace(200);
            walk(1)
        });
        assert_eq!(done, Err(Stopped::TooLarge(Spent { allowed_bytes: 100 })));
    }

    #[test]
    #[should_panic(expected = "this is the test's own panic")]
    fn a_panic_stays_one() {
        let _ = within(&Work::default(), Budget::unlimited(), || panic!("this is the test's own panic"));
    }
}

//! Threads that work and wait, for their samples.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::runtime::{Runtime, wait_for_the_test};

static IS_SEEN: AtomicBool = AtomicBool::new(false);
static COUNT: AtomicU32 = AtomicU32::new(0);

/// Runs threads that have called the runtime until the test has seen them run, sleep and wait. Another thread, which
/// has not called it, runs as well.
pub(crate) fn sampled(runtime: &'static Runtime) {
    runtime.burst(1);
    let (tell, told) = channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            runtime.burst(1);
            runs_all_the_time();
        });
        scope.spawn(|| {
            runtime.burst(1);
            sleeps_again_and_again();
        });
        scope.spawn(|| {
            runtime.burst(1);
            waits_for_another(told);
        });
        scope.spawn(runs_unseen);
        wait_for_the_test(1);
        IS_SEEN.store(true, Ordering::Release);
        tell.send(()).unwrap();
    });
}

fn is_seen() -> bool {
    IS_SEEN.load(Ordering::Acquire)
}

#[inline(never)]
fn runs_all_the_time() {
    while !is_seen() {
        COUNT.fetch_add(1, Ordering::Relaxed);
    }
}

#[inline(never)]
fn runs_unseen() {
    while !is_seen() {
        COUNT.fetch_add(1, Ordering::Relaxed);
    }
}

/// Checks that most calls are not interrupted: only one that begins as the thread is sampled may be.
#[inline(never)]
fn sleeps_again_and_again() {
    let (mut sleeps, mut interrupted) = (0, 0);
    // A share of one or two sleeps is meaningless.
    while !is_seen() || sleeps < 20 {
        let (begin, asleep) = (Instant::now(), Duration::from_millis(20));
        let time = libc::timespec { tv_sec: 0, tv_nsec: asleep.as_nanos() as i64 };
        // SAFETY: a valid time, and null for the remaining time.
        let result = unsafe { libc::nanosleep(&time, std::ptr::null_mut()) };
        sleeps += 1;
        interrupted += u32::from(result != 0 || begin.elapsed() < asleep);
    }
    assert!(interrupted * 2 <= sleeps, "{interrupted} of {sleeps} were interrupted");
}

#[inline(never)]
fn waits_for_another(told: Receiver<()>) {
    told.recv().unwrap();
    drop(told);
}

pub(crate) fn handle_the_signal() {
    extern "C" fn handler(_signal: i32) {
        COUNT.fetch_add(1, Ordering::Relaxed);
    }
    // SAFETY: a handler that may run at any time.
    unsafe { libc::signal(libc::SIGURG, handler as *const () as usize) };
}

//! Threads, tracks, processes and waits.

use syclscope_language::event::{Category, QueueOrder, TrackKind, Value};

use super::details::handle;
use crate::recording::Recording;

pub(super) fn nested(run: &mut Recording<'_>, n: u64, category: Category) {
    run.kernel(1, 0, (10, n * 4));
    for at in 0..n {
        run.begin(1, category, "f", 20 + at, None, &[], 5);
    }
    for at in 0..n {
        run.end(1, 20 + n + at);
    }
    run.kernel(1, 20 + n * 3, (n * 4, n * 5));
}

pub(super) fn native_calls(run: &mut Recording<'_>, n: u64) {
    for at in 0..n / 2 {
        run.begin(1, Category::Call, "urContextCreate", 20 + at, None, &[], 5);
    }
    let args = [("handle", Value::Pointer(0xbeef))];
    run.begin(1, Category::User, "mine", 20 + n, None, &[], 5);
    for at in 0..n / 2 {
        run.slice(Category::Native, "zeContextDestroy", (20 + n + at * 2, 20 + n + at * 2 + 1), None, &args);
        handle(run, 20 + n + at * 2, 0x1000 + at, 0xbeef);
    }
    run.end(1, 21 + n * 3);
    for at in 0..n / 2 {
        run.end(1, 22 + n * 3 + at);
    }
}

pub(super) fn threads(run: &mut Recording<'_>, n: u64) {
    let args = [("handle", Value::Pointer(0xbeef))];
    handle(run, 1, 0x1000, 0xbeef);
    for thread in 2..n {
        run.track(thread, Some(1_000_000), TrackKind::Thread, thread as u32);
        run.begin(thread, Category::Native, "zeContextCreate", thread, None, &args, 5);
        run.end(thread, n * 2 - thread);
    }
    run.kernel(1, n * 3, (n * 4, n * 5));
}

pub(super) fn groups(run: &mut Recording<'_>, n: u64, is_deep: bool) {
    for track in 2..n {
        let parent = if is_deep { track - 1 } else { 1_000_000 };
        run.track(track, Some(parent), TrackKind::Other, 0);
        run.begin(track, Category::User, "f", track * 10, None, &[], 5);
        run.end(track, track * 10 + 5);
    }
}

pub(super) fn processes(run: &mut Recording<'_>, n: u64) {
    for pid in 2..n / 4 {
        run.process(pid);
        run.begin(pid, Category::User, "f", pid * 10, None, &[], 5);
        run.end(pid, pid * 10 + 5);
        run.queue(pid + 1, QueueOrder::InOrder);
        run.kernel(pid + 1, pid * 100, (pid * 100 + 20, pid * 100 + 90));
    }
}

pub(super) fn waits(run: &mut Recording<'_>, n: u64, places: u64) {
    for at in 1..=n {
        let begun = at * 1_000;
        let node = run.kernel(1, begun, (begun + 100, begun + 500));
        run.begin(
            1,
            Category::Wait,
            "queue.wait",
            begun + 20,
            Some(node),
            &[("queue", Value::Uint(1))],
            90 + at % places,
        );
        run.end(1, begun + 510);
    }
}

pub(super) fn long_waits(run: &mut Recording<'_>, n: u64) {
    for at in 1..=n {
        run.kernel(1 + at % 2, at * 100, (n * 100 + at * 100, n * 100 + at * 100 + 90));
    }
    for wait in 0..n / 8 {
        let begun = n * 100 + wait * 800;
        run.slice(Category::Wait, "queue.wait", (begun, begun + 700), None, &[("queue", Value::Uint(1))]);
    }
    run.slice(Category::Wait, "wait_and_throw", (n * 300, n * 301), None, &[]);
}

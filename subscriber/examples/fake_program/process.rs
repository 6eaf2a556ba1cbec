//! What happens to the whole process: forks, kills, limits, and work after the end.

use std::io::Write as _;
use std::time::Duration;

use crate::nodes::node;
use crate::runtime::Runtime;
use crate::runtime::trace_type::TASK_BEGIN;

/// After the end: on a thread that only now begins, and again on the main one.
pub(crate) fn late(runtime: &Runtime) {
    std::thread::scope(|scope| {
        scope.spawn(|| runtime.burst(10));
    });
    runtime.burst(10);
    runtime.finish(c"sycl");
    runtime.finish(c"never announced");
}

pub(crate) fn fork(runtime: &Runtime) {
    runtime.burst(100);
    // SAFETY: the child goes on like a program does that forks.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        runtime.burst(30);
        runtime.finish_all();
        println!("child");
        let _ = std::io::stdout().flush();
        std::process::exit(4);
    }
    let mut status = 0;
    // SAFETY: waits for our own child.
    unsafe { libc::waitpid(child, &mut status, 0) };
    assert_eq!(libc::WEXITSTATUS(status), 4);
    runtime.burst(100);
}

pub(crate) fn killed(runtime: &Runtime) {
    runtime.start();
    let first = node(runtime, 100, "first", 11, 500);
    runtime.sycl(TASK_BEGIN, Some(first), 500, None);
    runtime.burst(100);
    std::thread::sleep(Duration::from_millis(300));
    // SAFETY: ends this process.
    unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
}

pub(crate) fn limit_file_size(bytes: u64) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    // SAFETY: a valid limit for this process.
    unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &limit) };
}

//! Events of the whole process: forks, kills, limits, and work after the end.

use std::io::Write as _;
use std::os::fd::AsRawFd as _;
use std::os::unix::process::CommandExt as _;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::QUEUE;
use crate::calls::{ur_copy, ur_queue_create};
use crate::device_times::{end, microsecond};
use crate::nodes::{create_queue, node};
use crate::runtime::trace_type::TASK_BEGIN;
use crate::runtime::{Runtime, wait_for_the_test};

/// Plays work after the end: on a new thread, and again on the main one.
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
    // SAFETY: the child continues like a program that forks.
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
    wait_for_the_test(1);
    // SAFETY: ends this process.
    unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
}

/// Two threads count their returned calls in the file `completed`; after some thousand, the first one runs `ending`.
pub(crate) fn until(runtime: &'static Runtime, ending: impl FnOnce()) {
    runtime.start();
    let [first, second] = completed();
    std::thread::spawn(|| while count_call(runtime, second) < 5_000_000 {});
    while count_call(runtime, first) < 3_000 {}
    ending();
    while count_call(runtime, first) < 5_000_000 {}
    // More would take too much space on the disk.
    loop {
        std::thread::park();
    }
}

fn count_call(runtime: &Runtime, count: &AtomicU64) -> u64 {
    runtime.burst(1);
    let after = count.load(Ordering::Relaxed) + 1;
    count.store(after, Ordering::Release);
    after
}

/// Enqueues a command on a thread; the main thread, which is never notified, exits when the command is complete.
pub(crate) fn exit_elsewhere(runtime: &'static Runtime) {
    let (to_main, from_thread) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        runtime.start();
        ur_queue_create(runtime, QUEUE, None);
        create_queue(runtime, true);
        let event = ur_copy(runtime, &[], || microsecond(runtime), true).unwrap();
        end(runtime, event);
        let _ = to_main.send(());
        loop {
            std::thread::park();
        }
    });
    let _ = from_thread.recv();
    std::process::exit(0);
}

/// Returns two numbers in a mapped file, which outlive this process.
fn completed() -> &'static [AtomicU64; 2] {
    let file = std::fs::File::options().read(true).write(true).open("completed").unwrap();
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a mapping of a file that is long enough and stays so, as atomic numbers.
    unsafe {
        let place = libc::mmap(std::ptr::null_mut(), 16, access, libc::MAP_SHARED, file.as_raw_fd(), 0);
        assert_ne!(place, libc::MAP_FAILED);
        &*place.cast::<[AtomicU64; 2]>()
    }
}

/// Plays many threads at once, in little more address space than they need.
pub(crate) fn crowd(runtime: &Runtime, threads: usize, stack_bytes: usize) {
    let together = std::sync::Barrier::new(threads);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let work = || {
                runtime.burst(10);
                together.wait();
                runtime.burst(10);
            };
            std::thread::Builder::new().stack_size(stack_bytes).spawn_scoped(scope, work).unwrap();
        }
    });
}

pub(crate) fn limit_addresses(bytes: u64) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    // SAFETY: a valid limit for this process.
    unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) };
}

/// Exits without exit handlers.
pub(crate) fn exit_at_once() {
    // SAFETY: ends this process.
    unsafe { libc::_exit(3) };
}

pub(crate) fn become_another() {
    let error = std::process::Command::new("sleep").arg("0.1").exec();
    panic!("{error}");
}

pub(crate) fn limit_file_size(bytes: u64) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    // SAFETY: a valid limit for this process.
    unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &limit) };
}

//! A program that affects a recording as real programs do: `fake_behaviour SCENARIO`.
//!
//! `fake_program` plays runtimes instead. One process plays one scenario.
#![expect(unsafe_code, reason = "forks, closes descriptors, sends signals")]

#[path = "support/runtime.rs"]
mod runtime;

use std::ffi::CStr;
use std::io::{Read as _, Seek as _, Write as _};
use std::path::PathBuf;
use std::time::Duration;

use runtime::trace_type::*;
use runtime::{
    Event, Runtime, STREAMS, Value, next_instance, wait_for_status, wait_for_the_test, wait_until,
};

fn main() {
    let scenario = std::env::args().nth(1).unwrap_or_default();
    let runtime = Runtime::load();
    match scenario.as_str() {
        "burst" => runtime.play(|runtime| runtime.burst(20_000)),
        "kernels" => runtime.play(kernels),
        "kernels_until_exit" => {
            runtime.start();
            kernels(&runtime);
            // SAFETY: ends the process at once.
            unsafe { libc::_exit(3) };
        }
        "paused_by_file" => runtime.play(|runtime| {
            pauses(runtime, |word| std::fs::write(status_folder().join("control"), word).unwrap());
        }),
        "paused_by_signal" => runtime.play(|runtime| {
            // SAFETY: a signal to this process.
            pauses(runtime, |_| unsafe {
                libc::kill(libc::getpid(), libc::SIGUSR2);
            });
        }),
        "paused_by_program" => runtime.play(|runtime| {
            runtime.announce(c"syclscope.control");
            pauses(runtime, |word| {
                let text = if word == "pause" { c"pause" } else { c"resume" };
                runtime.on_stream(c"syclscope.control", 1, None, 0, text);
            });
        }),
        "open_at_pause" => runtime.play(open_at_pause),
        "memory_at_pause" => runtime.play(memory_at_pause),
        "command_at_pause" => runtime.play(command_at_pause),
        "until_it_begins" => runtime.play(|runtime| {
            wait_for_status(r#""paused":false"#);
            runtime.burst(5);
        }),
        "until_it_ends" => runtime.play(|runtime| {
            wait_for_status(r#""paused":true"#);
            runtime.burst(5);
        }),
        "work_at_once" => runtime.play(|runtime| runtime.burst(10)),
        "own_handler" => {
            // SAFETY: ignoring a signal is always possible.
            unsafe { libc::signal(libc::SIGUSR2, libc::SIG_IGN) };
            runtime.play(|runtime| runtime.burst(10));
        }
        "announced_twice" => {
            runtime.start();
            STREAMS.iter().for_each(|stream| runtime.announce(stream));
            runtime.burst(10);
            runtime.finish_all();
        }
        "deep_forks" => runtime.play(|runtime| {
            runtime.burst(1);
            fork_of_fork(runtime, 70);
        }),
        "fork_while_busy" => runtime.play(fork_while_busy),
        "fork_while_paused" => runtime.play(|runtime| {
            runtime.announce(c"syclscope.control");
            runtime.on_stream(c"syclscope.control", 1, None, 0, c"pause");
            fork_of_fork(runtime, 1);
        }),
        "exec" => runtime.play(exec),
        "after_exec" => runtime.play(|runtime| runtime.burst(7)),
        "closes_everything" => runtime.play(closes_everything),
        "work" => runtime.play(|runtime| {
            runtime.burst(100);
            wait_for_the_mistake();
            runtime.burst(1_900);
        }),
        "rotates" => runtime.play(rotates),
        other => panic!("there is no scenario {other:?}"),
    }
    println!("played {scenario}");
}

fn sleep(milliseconds: u64) {
    std::thread::sleep(Duration::from_millis(milliseconds));
}

/// Waits until the recorder has reported its writer's error; elsewhere errors are reported at once.
fn wait_for_the_mistake() {
    if std::env::var("SYCLSCOPE_FAULT").is_ok_and(|fault| fault != "writer") {
        return;
    }
    if std::env::var_os("SYCLSCOPE_STATUS_DIR").is_some() {
        return wait_for_status(r#""error":""#);
    }
    let is_writer = |thread: std::fs::DirEntry| {
        std::fs::read_to_string(thread.path().join("comm")).is_ok_and(|name| name == "syclscope\n")
    };
    wait_until("the writer's thread has ended", || {
        !std::fs::read_dir("/proc/self/task").unwrap().flatten().any(is_writer)
    });
}

fn status_folder() -> PathBuf {
    std::env::var_os("SYCLSCOPE_STATUS_DIR").expect("the tests set it").into()
}

fn kernel(runtime: &Runtime, id: u64, name: &str) -> &'static Event {
    let event = runtime.event(id, name, "app.cpp", 1, &[("kernel_name", Value::Text(name))]);
    runtime.sycl(NODE_CREATE, Some(event), id, Some(c"command_group_node"));
    runtime.sycl(TASK_BEGIN, Some(event), id, None);
    runtime.burst(1);
    runtime.sycl(TASK_END, Some(event), id, None);
    event
}

fn allocate(runtime: &Runtime, pointer: u64) {
    let mut made = 0_u64;
    runtime.call(5, c"urUSMDeviceAlloc", &[1, 2, 0, 0, 64, &raw mut made as u64], |row| {
        // SAFETY: our own place.
        unsafe { *(row[5] as *mut u64) = pointer };
        0
    });
}

fn kernels(runtime: &Runtime) {
    for (id, name) in [(1, "wanted"), (2, "noise"), (3, "also_wanted")] {
        kernel(runtime, id, name);
        if id > 1 {
            let edge = runtime.event(100 + id, "", "", 0, &[]);
            (edge.source, edge.target) = (id - 1, id);
            runtime.sycl(EDGE_CREATE, Some(edge), next_instance(), None);
        }
    }
}

/// Plays the same work three times; the second is not recorded.
fn pauses(runtime: &Runtime, say: impl Fn(&str)) {
    kernel(runtime, 1, "before");
    allocate(runtime, 0xa000);
    say("pause");
    wait_for_status(r#""paused":true"#);
    kernel(runtime, 2, "between");
    allocate(runtime, 0xb000);
    runtime.call(60, c"urUSMFree", &[1, 0xa000], |_| 0);
    say("run");
    wait_for_status(r#""paused":false"#);
    kernel(runtime, 3, "after");
}

/// Plays slices that are open at a pause, or begin during one: they don't end in the recording.
fn open_at_pause(runtime: &Runtime) {
    let say = |text: &CStr| runtime.on_stream(c"syclscope.control", 1, None, 0, text);
    let event = runtime.event(1, "kernel", "", 0, &[("kernel_name", Value::Text("kernel"))]);
    runtime.sycl(NODE_CREATE, Some(event), 1, Some(c"command_group_node"));
    runtime.sycl(TASK_BEGIN, Some(event), 1, None);
    runtime.call(77, c"urFirst", &[0; 5], |_| {
        sleep(20);
        say(c"pause");
        0
    });
    runtime.call(78, c"urSecond", &[0; 5], |_| {
        sleep(20);
        say(c"resume");
        0
    });
    runtime.sycl(TASK_END, Some(event), 1, None);
    runtime.call(79, c"urThird", &[0; 5], |_| 0);
}

/// Plays a release and an allocation during whose calls the recording is paused.
fn memory_at_pause(runtime: &Runtime) {
    let say = |text: &CStr| runtime.on_stream(c"syclscope.control", 1, None, 0, text);
    allocate(runtime, 0xa000);
    runtime.call(60, c"urUSMFree", &[1, 0xa000], |_| {
        say(c"pause");
        0
    });
    say(c"resume");
    let mut made = 0_u64;
    runtime.call(5, c"urUSMDeviceAlloc", &[1, 2, 0, 0, 4096, &raw mut made as u64], |row| {
        say(c"pause");
        // SAFETY: our own place.
        unsafe { *(row[5] as *mut u64) = 0xb000 };
        0
    });
    say(c"resume");
}

/// Plays commands during whose calls the recording is paused and resumed.
fn command_at_pause(runtime: &Runtime) {
    let enqueue = |text: &CStr| {
        let mut event = 0_u64;
        let row = [0x1000, 0, 0xd, 0x5, 64, 0, 0, &raw mut event as u64];
        runtime.call(33, c"urEnqueueUSMMemcpy", &row, |row| {
            runtime.on_stream(c"syclscope.control", 1, None, 0, text);
            // SAFETY: our own place. There is no object at this address.
            unsafe { *(row[7] as *mut u64) = 0xe1 };
            0
        });
    };
    enqueue(c"pause");
    enqueue(c"resume");
}

fn fork_of_fork(runtime: &Runtime, depth: u32) {
    if depth == 0 {
        return;
    }
    // SAFETY: the child continues like its parent.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        runtime.burst(1);
        fork_of_fork(runtime, depth - 1);
        runtime.finish_all();
        std::process::exit(0);
    }
    let mut status = 0;
    // SAFETY: waits for our own child.
    unsafe { libc::waitpid(child, &mut status, 0) };
    assert_eq!(libc::WEXITSTATUS(status), 0);
}

/// Forks many times while the writer is busy: no child may inherit a lock that the writer held.
fn fork_while_busy(runtime: &Runtime) {
    for _ in 0..30 {
        runtime.burst(500);
        // SAFETY: the child does a little and ends.
        let child = unsafe { libc::fork() };
        assert!(child >= 0);
        if child == 0 {
            runtime.burst(3);
            runtime.finish_all();
            std::process::exit(0);
        }
        let mut status = 0;
        // SAFETY: waits for our own child.
        unsafe { libc::waitpid(child, &mut status, 0) };
        assert_eq!(libc::WEXITSTATUS(status), 0);
    }
}

fn exec(runtime: &Runtime) {
    use std::os::unix::process::CommandExt as _;
    runtime.burst(3);
    wait_for_the_test(1);
    let error = std::process::Command::new(std::env::current_exe().unwrap()).arg("after_exec").exec();
    panic!("{error}");
}

/// Closes all descriptors but the standard ones, as daemons do; files opened afterwards get the recording's numbers.
fn closes_everything(runtime: &Runtime) {
    runtime.burst(10);
    wait_for_the_test(1);
    // SAFETY: closing descriptors of others is the purpose of the test.
    unsafe { libc::close_range(3, u32::MAX, 0) };
    let mut own: Vec<std::fs::File> = (0..4).map(|_| tempfile::tempfile().unwrap()).collect();
    for file in &mut own {
        file.write_all(b"the program's own").unwrap();
    }
    runtime.burst(100);
    wait_for_the_test(2);
    for file in &mut own {
        let mut text = String::new();
        file.rewind().unwrap();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "the program's own");
    }
}

/// Plays more work than fits into two small files, with something always open.
fn rotates(runtime: &Runtime) {
    allocate(runtime, 0xa000);
    let queue = [
        ("queue_handle", Value::Unsigned(0x1000)),
        ("queue_id", Value::Unsigned(7)),
        ("sycl_device_name", Value::Text("Fake Device")),
    ];
    let queue = runtime.event(500, "queue[7]", "", 0, &queue);
    runtime.sycl(QUEUE_CREATE, Some(queue), next_instance(), Some(c"queue_create"));
    let first = kernel(runtime, 1, "first");
    runtime.sycl(WAIT_BEGIN, Some(first), 900, Some(c"event.wait[e1]"));
    for round in 0..60_u64 {
        kernel(runtime, 1000 + round, &format!("round {round}"));
        if round > 0 {
            let edge = runtime.event(5000 + round, "", "", 0, &[]);
            (edge.source, edge.target) = (999 + round, 1000 + round);
            runtime.sycl(EDGE_CREATE, Some(edge), next_instance(), None);
        }
        runtime.burst(400);
        sleep(5);
    }
    runtime.sycl(WAIT_END, Some(first), 900, Some(c"event.wait[e1]"));
}

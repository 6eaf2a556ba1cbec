//! What a notification costs the thread that is notified: our handlers against an empty callback, in the same process
//! and in turns. Prints one JSON line for each figure.
//!
//! The thread pauses between rounds, as a program does that has something to do, so that what is measured is the
//! recording path and not a full buffer. The least of the rounds counts: a machine's noise only ever adds.
#![expect(unsafe_code, reason = "calls callbacks as the framework does")]

#[path = "support/runtime.rs"]
mod runtime;

use std::ffi::c_void;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use runtime::{Callback, Event, FunctionWithArgs, Runtime, STREAMS, Value, next_instance};

/// Callback, trace type, event and user data.
type Notification<'a> = (Callback, u16, Option<&'a Event>, *const c_void);

const ROUNDS: usize = 150;
const PER_ROUND: u64 = 500;

unsafe extern "C" fn nothing(_: u16, _: *const c_void, _: *const c_void, instance: u64, _: *const c_void) {
    black_box(instance);
}

fn main() {
    let folder = std::env::temp_dir().join(format!("syclscope-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the recording");
    let built = built_libraries();
    // SAFETY: no other thread runs yet.
    unsafe {
        std::env::set_var("XPTI_FRAMEWORK_DISPATCHER", built.join("examples/libsycl_fake_runtime.so"));
        std::env::set_var("XPTI_SUBSCRIBERS", built.join("libsyclscope_subscriber.so"));
        std::env::set_var("SYCLSCOPE_OUT", folder.join("run.pftrace"));
        std::env::set_var("SYCLSCOPE_STATUS_DIR", &folder);
    }
    let runtime = Runtime::load();
    runtime.start();

    let callback =
        |stream, trace_type| runtime.callback(stream, trace_type).expect("a subscribed trace type");
    let call = callback(c"ur.call", 28);
    let node = callback(c"sycl", 4);
    let task = callback(c"sycl", 10);

    let name = c"urEventGetInfo";
    let result = 0_i32;
    let data = FunctionWithArgs {
        id: 5,
        name: name.as_ptr(),
        row: std::ptr::null(),
        result: &raw const result,
        user: 0,
    };
    let plain: *const c_void = (&raw const data).cast();

    // A copy whose event the program asks for, and which is done at once.
    let now = runtime::monotonic_ns();
    let event = runtime.ur_event([now, now, now, now]);
    runtime.complete(event);
    let row = [0x1000, 0, 0xd, 0x5, 4096, 0, 0, &raw const event as u64];
    let slots = row.each_ref().map(|slot| std::ptr::from_ref::<u64>(slot).cast_mut().cast::<c_void>());
    let copy = FunctionWithArgs {
        id: 33,
        name: c"urEnqueueUSMMemcpy".as_ptr(),
        row: slots.as_ptr(),
        result: &raw const result,
        user: 0,
    };
    let copy: *const c_void = (&raw const copy).cast();

    let metadata = [
        ("kernel_name", Value::Text("__sycl_kernel_matrix_product")),
        ("sycl_device", Value::Unsigned(0x2000)),
        ("sycl_device_name", Value::Text("Intel(R) Data Center GPU Max 1550")),
        ("sycl_device_type", Value::Text("GPU")),
    ];
    let event =
        runtime.event(100, "__sycl_kernel_matrix_product", "/home/user/src/project/app.cpp", 120, &metadata);
    let text: *const c_void = c"command_group_node".as_ptr().cast();

    let end = callback(c"ur.call", 29);
    let cases: [(&str, Vec<Notification<'_>>, f64); 4] = [
        ("handler of a call's notification", vec![(call, 28, None, plain), (end, 29, None, plain)], 50.0),
        ("handler of an enqueue's notification", vec![(call, 28, None, copy), (end, 29, None, copy)], 100.0),
        ("handler of a submission's begin", vec![(task, 10, Some(&*event), std::ptr::null())], 50.0),
        ("handler of a node", vec![(node, 4, Some(&*event), text)], 500.0),
    ];
    for (name, notifications, goal) in &cases {
        let ours = measure(notifications, false);
        let empty = measure(notifications, true);
        println!(
            r#"{{"name":"{name}","value":{:.1},"unit":"ns","baseline":{empty:.1},"ratio":{:.2},"goal":{goal}}}"#,
            ours - empty,
            ours / empty,
        );
    }
    STREAMS.iter().for_each(|stream| runtime.finish(stream));
    let status =
        std::fs::read_to_string(folder.join(format!("{}.json", std::process::id()))).unwrap_or_default();
    if !status.contains(r#""dropped":0,"#) {
        eprintln!("The machine is too busy to measure: records were dropped, which costs less. {status}");
    }
    let _ = std::fs::remove_dir_all(&folder);
}

/// The folder in which cargo puts what this benchmark loads, brought up to date.
fn built_libraries() -> PathBuf {
    let program = std::env::current_exe().expect("the path of this program");
    let built = program.parent().and_then(Path::parent).expect("the target folder").to_path_buf();
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--release", "--locked", "--package", env!("CARGO_PKG_NAME"), "--lib"]);
    let status = cargo.args(["--example", "sycl_fake_runtime"]).status().expect("cargo can be run");
    assert!(status.success(), "{cargo:?} ended with {status}");
    built
}

/// Least time of a notification, in nanoseconds.
fn measure(notifications: &[Notification<'_>], with_nothing: bool) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let first = next_instance();
        let begun = Instant::now();
        for round in 0..PER_ROUND {
            for (callback, trace_type, event, user_data) in notifications {
                let callback = if with_nothing { nothing } else { *callback };
                let event = event.map_or(std::ptr::null(), std::ptr::from_ref).cast();
                // SAFETY: what a callback wants, alive during the call.
                unsafe { callback(*trace_type, std::ptr::null(), event, first + round, *user_data) };
            }
        }
        let took = begun.elapsed().as_secs_f64() * 1e9;
        least = least.min(took / (PER_ROUND * notifications.len() as u64) as f64);
        if !with_nothing {
            std::thread::sleep(Duration::from_millis(8));
        }
    }
    least
}

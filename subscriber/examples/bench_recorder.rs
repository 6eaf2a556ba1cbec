//! Cost of a notification for the notified thread and for the writer: the recorder's handlers and an empty callback, by
//! turns in one process. Prints one JSON line for each figure.
//!
//! The notifications are those of a kernel's submission to an in-order queue with the default streams, as runtimes of
//! 2026 send them. The thread pauses between rounds, as a working program does, so that the figures are those of the
//! recording path and not of a full buffer. The fastest round counts: a machine's noise only ever adds.
#![expect(unsafe_code, reason = "calls callbacks as the framework does")]

#[path = "support/range.rs"]
mod range;
#[path = "support/runtime.rs"]
mod runtime;
#[path = "support/stacks.rs"]
mod stacks;
#[path = "support/sustained.rs"]
mod sustained;

use std::ffi::{CStr, c_void};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use runtime::trace_type::{
    FUNCTION_WITH_ARGS_BEGIN, FUNCTION_WITH_ARGS_END, NODE_CREATE, SIGNAL, TASK_BEGIN, TASK_END,
};
use runtime::{Callback, Event, FunctionWithArgs, Runtime, Value, next_instance};

#[derive(Clone, Copy)]
struct Notification {
    name: &'static str,
    callback: Callback,
    trace_type: u16,
    event: *const c_void,
    user_data: *const c_void,
    /// Its goal in nanoseconds over an empty callback.
    goal: f64,
}

// SAFETY: the pointees are leaked and only read.
unsafe impl Send for Notification {}
// SAFETY: as above.
unsafe impl Sync for Notification {}

impl Notification {
    #[inline(always)]
    fn give(&self, callback: Callback, instance: u64) {
        // SAFETY: valid arguments of a callback, alive during the call.
        unsafe { callback(self.trace_type, std::ptr::null(), self.event, instance, self.user_data) }
    }
}

const ROUNDS: usize = 200;
const PER_ROUND: u64 = 60;
/// Warm-up notifications after the pause, so that code and data are in the caches again.
const WARM_UP: u64 = 12;
/// Maximum number of threads at once, each with its own rounds.
const MAX_THREADS: usize = 4;

unsafe extern "C" fn nothing(_: u16, _: *const c_void, _: *const c_void, instance: u64, _: *const c_void) {
    black_box(instance);
}

fn main() {
    if std::env::args().nth(1).as_deref() == Some(sustained::ARGUMENT) {
        return sustain();
    }
    if std::env::args().nth(1).as_deref() == Some(stacks::ARGUMENT) {
        return below_frames();
    }
    let folder = std::env::temp_dir().join(format!("syclscope-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the recording");
    let built = built_libraries();
    // SAFETY: no other thread runs yet.
    unsafe {
        std::env::set_var("XPTI_FRAMEWORK_DISPATCHER", built.join("examples/libsycl_fake_runtime.so"));
        std::env::set_var("XPTI_SUBSCRIBERS", built.join("libsyclscope_subscriber.so"));
    }
    let apart = folder.join("sustained");
    std::fs::create_dir_all(&apart).expect("a folder for another recording");
    let beside = sustained::measure(&built, &apart);
    // SAFETY: as above.
    unsafe {
        std::env::set_var("SYCLSCOPE_OUT", folder.join("run.pftrace"));
        std::env::set_var("SYCLSCOPE_STATUS_DIR", &folder);
        if std::env::var_os("SYCLSCOPE_BUFFER_SIZE").is_none() {
            std::env::set_var("SYCLSCOPE_BUFFER_SIZE", "64M");
        }
    }
    let runtime = Runtime::load();
    runtime.start();
    let submission = submission(&runtime);

    let lost = number(&beside.status, "dropped").unwrap_or(f64::NAN);
    let million = beside.per_second / 1e6;
    println!(
        r#"{{"name":"sustained by one thread","value":{million:.2},"unit":"M/s","goal":2,"better":"higher"}}"#
    );
    println!(r#"{{"name":"sustained: notifications lost","value":{lost},"unit":"","goal":0}}"#);
    figure("sustained: process beside, for each notification", beside.beside_ns, None, Some(300.0));
    println!(
        r#"{{"name":"sustained: until all is in the file","value":{:.1},"unit":"s"}}"#,
        beside.until_written_s
    );

    let off = stacks::measure(&folder, "off");
    figure("call stacks: off", off, None, None);
    for (name, choice, goal) in
        [("native, 32 frames", "native", 2000.0), ("Python, without Python", "python", 20.0)]
    {
        figure(
            &format!("call stacks: {name}"),
            stacks::measure(&folder, choice) - off,
            Some(off),
            Some(goal),
        );
    }

    // Each kind of notification by itself.
    let mut costs: Vec<f64> = submission.iter().map(cost).collect();
    for (notification, cost) in submission.iter().zip(&costs) {
        figure(&format!("handler: {}", notification.name), *cost, None, Some(notification.goal));
    }
    costs.sort_by(f64::total_cmp);
    let middle = (costs[(costs.len() - 1) / 2] + costs[costs.len() / 2]) / 2.0;
    figure("handler: median of a submission's", middle, None, Some(20.0));
    // All notifications of a submission in their order.
    let (ours, empty) = (least(&submission, false), least(&submission, true));
    figure("handlers: whole submission", ours - empty, Some(empty), Some(20.0 * submission.len() as f64));
    let counter = counter_ns() * submission.len() as f64;
    figure("of which reading the processor's counter, once for each notification", counter, None, None);

    let (range, none) = range::measure(&built.join("libsyclscope_subscriber.so"), ROUNDS, PER_ROUND);
    figure("range of a framework, begun and ended", range, Some(none), Some(100.0));

    let before = writer_ns();
    let alone = least(&submission, false);
    for threads in [2, MAX_THREADS] {
        let together = at_once(&submission, threads);
        figure(
            &format!("handlers: whole submission, {threads} threads at once"),
            together,
            Some(alone),
            None,
        );
    }
    std::thread::sleep(Duration::from_millis(200));
    let spent = writer_ns() - before;
    let notified = (2 * MAX_THREADS - 1) as f64; // One alone, two, and four threads.
    let all = notified * (ROUNDS as u64 * (WARM_UP + PER_ROUND) * submission.len() as u64) as f64;
    figure("writer's thread, for each notification", spent / all, None, None);

    runtime.finish_all();
    let bytes = std::fs::metadata(folder.join("run.pftrace")).map(|data| data.len()).unwrap_or(0);
    let status =
        std::fs::read_to_string(folder.join(format!("{}.json", std::process::id()))).unwrap_or_default();
    let events = number(&status, "events").unwrap_or(f64::NAN);
    println!(r#"{{"name":"file: bytes an event","value":{:.1},"unit":"bytes"}}"#, bytes as f64 / events);
    if number(&status, "dropped") != Some(0.0) {
        eprintln!("The machine is too busy to measure: records were dropped, which costs less. {status}");
    }
    let _ = std::fs::remove_dir_all(&folder);
}

/// Returns the time of reading the counter that handlers take their time from; 0 on processors without one.
fn counter_ns() -> f64 {
    const READINGS: u32 = 10_000;
    let round = || {
        let begun = Instant::now();
        for _ in 0..READINGS {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: every processor of this architecture has the instruction.
            black_box(unsafe { std::arch::x86_64::_rdtsc() });
        }
        begun.elapsed().as_secs_f64() * 1e9 / f64::from(READINGS)
    };
    (0..ROUNDS).map(|_| round()).fold(f64::INFINITY, f64::min)
}

fn sustain() {
    let runtime = Runtime::load();
    runtime.start();
    let submission = submission(&runtime);
    let mut instance = next_instance();
    let notify = || {
        instance += 1;
        submission.iter().for_each(|notification| notification.give(notification.callback, instance));
    };
    sustained::notify(notify, submission.len());
    runtime.finish_all();
}

fn below_frames() {
    let runtime = Runtime::load();
    runtime.start();
    let node = submission(&runtime)[0];
    let least = stacks::deep(&mut || least_here(&[node], false) - least_here(&[node], true));
    println!("{least}");
    runtime.finish_all();
}

fn figure(name: &str, ours: f64, baseline: Option<f64>, goal: Option<f64>) {
    let baseline = baseline.map(|value| format!(r#","baseline":{value:.1}"#)).unwrap_or_default();
    let goal = goal.map(|value| format!(r#","goal":{value}"#)).unwrap_or_default();
    println!(r#"{{"name":"{name}","value":{ours:.1},"unit":"ns"{baseline}{goal}}}"#);
}

/// Returns the notifications of a kernel's submission, in their order.
fn submission(runtime: &Runtime) -> Vec<Notification> {
    let callback =
        |stream: &CStr, trace_type| runtime.callback(stream, trace_type).expect("a subscribed trace type");
    let metadata = [
        ("kernel_name", Value::Text("__sycl_kernel_matrix_product")),
        ("sycl_device", Value::Unsigned(0x2000)),
        ("sycl_device_name", Value::Text("Intel(R) Data Center GPU Max 1550")),
        ("sycl_device_type", Value::Text("GPU")),
        ("queue_id", Value::Unsigned(1)),
    ];
    let name = "__sycl_kernel_matrix_product";
    let event: &Event = runtime.event(100, name, "/home/user/src/project/app.cpp", 120, &metadata);
    runtime.stash_queue(1);

    // The launch returns an event that is already complete; its times are read, and it is released.
    let now = runtime::monotonic_ns();
    let ur_event = runtime.ur_event([now, now, now, now]);
    runtime.complete(ur_event);
    let sizes: &'static [u64; 2] = Box::leak(Box::new([1024, 64]));
    let global = &raw const sizes[0] as u64;
    let local = &raw const sizes[1] as u64;
    let place = Box::leak(Box::new(ur_event));
    let launch = call(
        295,
        c"urEnqueueKernelLaunchWithArgsExp",
        vec![0x1000, 0x4e, 1, 0, global, local, 0, 0, 0, 0, 0, std::ptr::from_ref::<u64>(place) as u64],
    );
    let release = call(23, c"urEventRelease", vec![0x5000]);

    let event = std::ptr::from_ref(event).cast::<c_void>();
    let none = std::ptr::null();
    let kind: *const c_void = c"command_group_node".as_ptr().cast();
    let notification = |name, stream, trace_type, event, user_data, goal| Notification {
        name,
        callback: callback(stream, trace_type),
        trace_type,
        event,
        user_data,
        goal,
    };
    vec![
        notification("node", c"sycl", NODE_CREATE, event, kind, 50.0),
        notification("submission begins", c"sycl", TASK_BEGIN, event, none, 20.0),
        notification("launch begins", c"ur.call", FUNCTION_WITH_ARGS_BEGIN, none, launch, 50.0),
        notification("launch ends", c"ur.call", FUNCTION_WITH_ARGS_END, none, launch, 50.0),
        notification("signal", c"sycl", SIGNAL, event, ur_event as *const c_void, 20.0),
        notification("submission ends", c"sycl", TASK_END, event, none, 20.0),
        notification("call begins", c"ur.call", FUNCTION_WITH_ARGS_BEGIN, none, release, 20.0),
        notification("call ends", c"ur.call", FUNCTION_WITH_ARGS_END, none, release, 20.0),
    ]
}

/// The parameters of a call of the Unified Runtime, close to the array of pointers to them, as on the layer's stack.
#[repr(C)]
struct Frame {
    row: [*mut c_void; 16],
    parameters: [u64; 16],
    result: i32,
    data: FunctionWithArgs,
}

fn call(id: u32, name: &'static CStr, parameters: Vec<u64>) -> *const c_void {
    let frame = Box::leak(Box::new(Frame {
        row: [std::ptr::null_mut(); 16],
        parameters: [0; 16],
        result: 0,
        data: FunctionWithArgs {
            id,
            name: name.as_ptr(),
            row: std::ptr::null(),
            result: std::ptr::null(),
            user: 0,
        },
    }));
    frame.parameters[..parameters.len()].copy_from_slice(&parameters);
    for (pointer, parameter) in frame.row.iter_mut().zip(&mut frame.parameters) {
        *pointer = std::ptr::from_mut(parameter).cast();
    }
    frame.data.row = frame.row.as_ptr();
    frame.data.result = &raw const frame.result;
    (&raw const frame.data).cast()
}

/// Brings the libraries that this benchmark loads up to date, and returns their folder.
fn built_libraries() -> PathBuf {
    let program = std::env::current_exe().expect("the path of this program");
    let built = program.parent().and_then(Path::parent).expect("the target folder").to_path_buf();
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--release", "--locked", "--package", env!("CARGO_PKG_NAME"), "--lib"]);
    let status = cargo
        .args(["--example", "sycl_fake_runtime", "--example", "drain"])
        .status()
        .expect("cargo can be run");
    assert!(status.success(), "{cargo:?} ended with {status}");
    built
}

/// Returns the cost of a notification above an empty callback, in nanoseconds.
fn cost(notification: &Notification) -> f64 {
    let only = [*notification];
    least(&only, false) - least(&only, true)
}

/// Returns the least time of all notifications together, in nanoseconds. Runs on a new thread, because begins without
/// ends would burden later ones.
fn least(notifications: &[Notification], with_nothing: bool) -> f64 {
    std::thread::scope(|scope| {
        scope.spawn(|| least_here(notifications, with_nothing)).join().expect("no thread fails")
    })
}

fn least_here(notifications: &[Notification], with_nothing: bool) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        least = least.min(round(notifications, with_nothing));
        if !with_nothing {
            std::thread::sleep(Duration::from_millis(6));
        }
    }
    least
}

fn round(notifications: &[Notification], with_nothing: bool) -> f64 {
    let nothing = black_box(nothing as Callback);
    let mut begun = Instant::now();
    for turn in 0..WARM_UP + PER_ROUND {
        if turn == WARM_UP {
            begun = Instant::now();
        }
        let instance = next_instance();
        for notification in notifications {
            notification.give(if with_nothing { nothing } else { notification.callback }, instance);
        }
    }
    begun.elapsed().as_secs_f64() * 1e9 / PER_ROUND as f64
}

/// Returns the mean of the least times of several threads that run at once.
fn at_once(notifications: &[Notification], threads: usize) -> f64 {
    let costs: Vec<f64> = std::thread::scope(|scope| {
        let running: Vec<_> =
            (0..threads).map(|_| scope.spawn(|| least_here(notifications, false))).collect();
        running.into_iter().map(|thread| thread.join().expect("no thread fails")).collect()
    });
    costs.iter().sum::<f64>() / threads as f64
}

/// Returns the processor time of the writer's thread so far, in nanoseconds.
fn writer_ns() -> f64 {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten().map(|task| task.path());
    let is_writer = |task: &PathBuf| {
        std::fs::read_to_string(task.join("comm")).is_ok_and(|name| name.trim() == "syclscope")
    };
    let text = tasks.filter(is_writer).find_map(|task| std::fs::read_to_string(task.join("schedstat")).ok());
    text.and_then(|text| text.split(' ').next()?.parse().ok()).unwrap_or(f64::NAN)
}

fn number(status: &str, name: &str) -> Option<f64> {
    let (_, rest) = status.split_once(&format!("\"{name}\":"))?;
    rest.split([',', '}']).next()?.parse().ok()
}

//! A program that plays an NVIDIA GPU below the fake runtime: `fake_gpu FILE` plays a script of a real GPU's work, each
//! call with its activities on the device.
//!
//! A script has lines for each call of the Unified Runtime (`ur FUNCTION QUEUE` to `end`). They contain the driver's
//! calls (`cu FUNCTION`), each followed by the device's work (`kernel NAME STREAM START END`, `copy KIND BYTES STREAM
//! START END`, `fill BYTES STREAM START END`).
#![expect(unsafe_code, reason = "calls the C interfaces of stand-ins")]

#[path = "support/runtime.rs"]
mod runtime;
#[path = "support/work.rs"]
mod work;

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::time::Duration;

use runtime::{Runtime, monotonic_ns, wait_until};
use work::Work;

struct Driver {
    table: *const c_void,
    call: unsafe extern "C" fn(*const c_char, *const c_void, i32) -> u32,
    work: unsafe extern "C" fn(*const Work),
    flushes: extern "C" fn() -> u64,
    is_slow: extern "C" fn() -> bool,
    is_played: extern "C" fn(),
    subscribes: extern "C" fn() -> i32,
}

impl Driver {
    /// Loads the library under the adapter's name; in the test's folder it is CUPTI, too.
    fn load() -> Self {
        // SAFETY: our own library, whose functions have these types.
        unsafe {
            let library = libc::dlopen(c"libur_adapter_cuda.so.0".as_ptr(), libc::RTLD_NOW);
            assert!(!library.is_null(), "the adapter can't be loaded");
            let symbol = |name: &std::ffi::CStr| libc::dlsym(library, name.as_ptr());
            let table: extern "C" fn() -> *const c_void = std::mem::transmute(symbol(c"fake_adapter"));
            Self {
                table: table(),
                call: std::mem::transmute::<
                    *mut c_void,
                    unsafe extern "C" fn(*const c_char, *const c_void, i32) -> u32,
                >(symbol(c"fake_driver_call")),
                work: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*const Work)>(symbol(
                    c"fake_work",
                )),
                flushes: std::mem::transmute::<*mut c_void, extern "C" fn() -> u64>(symbol(c"fake_flushes")),
                is_slow: std::mem::transmute::<*mut c_void, extern "C" fn() -> bool>(symbol(c"fake_is_slow")),
                is_played: std::mem::transmute::<*mut c_void, extern "C" fn()>(symbol(c"fake_is_played")),
                subscribes: std::mem::transmute::<*mut c_void, extern "C" fn() -> i32>(symbol(
                    c"fake_adapter_subscribes",
                )),
            }
        }
    }

    /// Plays a call; returns its correlation id.
    fn calls(&self, function: &CStr) -> u32 {
        let parameters = [0x7000_u64, 0x8000, 4096, 0x9000, 1, 1, 1, 1];
        // SAFETY: a NUL-terminated name that lives for ever, and parameters in a structure.
        unsafe { (self.call)(function.as_ptr(), parameters.as_ptr().cast(), 0) }
    }
}

/// Returns a handle of the adapter, whose first word is the table's address.
fn handle(driver: &Driver) -> u64 {
    Box::leak(Box::new([driver.table as u64, 0])).as_ptr() as u64
}

fn literal(text: &str) -> &'static CString {
    Box::leak(Box::new(CString::new(text).unwrap()))
}

fn main() {
    let path = std::env::args().nth(1).expect("a script");
    let script = std::fs::read_to_string(&path).expect("a script");
    let runtime = Runtime::load();
    let driver = Driver::load();
    runtime.play(|runtime| {
        play(runtime, &driver, &script);
        if std::env::var("FAKE_CUPTI").is_ok_and(|played| played.ends_with("slow")) {
            wait_until("a delivery has begun", || (driver.is_slow)());
        }
        if std::env::var("FAKE_CUPTI").is_ok_and(|played| played.ends_with("killed")) {
            killed_in_the_middle(&driver, &script);
        }
        if std::env::var_os("WAITS_FOR_THE_TEST").is_some() {
            runtime::wait_for_the_test(1);
        }
    });
    println!("played {path}");
}

/// Kills the program after two thirds of its work, once records were requested twice after that.
fn killed_in_the_middle(driver: &Driver, script: &str) {
    let ends = script.lines().filter(|line| line.starts_with("kernel ")).filter_map(|line| {
        let end: u64 = line.rsplit(' ').next()?.parse().ok()?;
        Some(end)
    });
    let mut ends: Vec<u64> = ends.collect();
    ends.sort_unstable();
    std::thread::sleep(Duration::from_nanos(ends[ends.len() * 2 / 3]));
    let flushes = (driver.flushes)();
    wait_until("records were asked for", || (driver.flushes)() >= flushes + 3);
    // SAFETY: this process.
    unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
}

fn play(runtime: &Runtime, driver: &Driver, script: &str) {
    let mut place = 0_u64;
    runtime.call(1, c"urAdapterGet", &[1, &raw mut place as u64, 0], |_| 0);
    runtime.announce(c"sycl.experimental.cuda.call");
    println!("ADAPTER {}", (driver.subscribes)());
    let device = handle(driver);
    let mut queues: HashMap<String, u64> = HashMap::new();
    let mut works = Vec::new();
    let mut lines = script.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    while let Some(line) = lines.next() {
        let words: Vec<&str> = line.split(' ').collect();
        let ["ur", function, queue] = words[..] else { panic!("a call of the Unified Runtime: {line}") };
        let queue = *queues.entry(queue.to_owned()).or_insert_with(|| make_queue(runtime, driver, device));
        runtime.call(7, literal(function), &[queue, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], |_| {
            // Adapters take about this long before and after they call the driver.
            let spin = || {
                let begin = monotonic_ns();
                while monotonic_ns() < begin + 20_000 {}
            };
            spin();
            driver.calls(c"cuCtxGetCurrent");
            for line in lines.by_ref().take_while(|line| *line != "end") {
                inside(driver, line, &mut works);
            }
            driver.calls(c"cuEventRecord");
            spin();
            0
        });
    }
    // The device's work starts now, after the calls.
    let first = works.iter().map(|work: &Work| work.start).min().unwrap_or_default();
    let now = monotonic_ns();
    for mut work in works {
        (work.start, work.end) = (work.start - first + now, work.end - first + now);
        // SAFETY: our own structure, whose name lives for ever.
        unsafe { (driver.work)(&raw const work) };
    }
    (driver.is_played)();
}

/// Creates a queue without the program's own request for profiling.
fn make_queue(runtime: &Runtime, driver: &Driver, device: u64) -> u64 {
    let queue = handle(driver);
    let properties = [14_u64, 0, 0];
    let mut made = 0_u64;
    let row = [0x1_3000, device, properties.as_ptr() as u64, &raw mut made as u64];
    runtime.call(3, c"urQueueCreate", &row, |row| {
        // SAFETY: the properties that the call is given, and our own place.
        let flags = unsafe {
            *(row[3] as *mut u64) = queue;
            *((row[2] + 16) as *const u32)
        };
        let is_refused =
            std::env::var("FAKE_CUPTI").is_ok_and(|played| ["refused", "old"].contains(&&*played));
        assert_eq!(flags & 2 != 0, is_refused, "profiling is asked for where it is needed");
        0
    });
    queue
}

/// Plays a call of the driver, or the device's work for the last call.
fn inside(driver: &Driver, line: &str, works: &mut Vec<Work>) {
    let words: Vec<&str> = line.split(' ').collect();
    let number = |index: usize| words[index].parse::<u64>().unwrap();
    let mut work = Work {
        kind: 0,
        copy_kind: 0,
        correlation: CORRELATION.get(),
        stream: 0,
        bytes: 0,
        name: std::ptr::null(),
        graph_node: if IS_GRAPH.get() { works.len() as u64 + 1 } else { 0 },
        start: number_at_end(&words, 2),
        end: number_at_end(&words, 1),
    };
    match words[0] {
        "cu" => {
            CORRELATION.set(driver.calls(literal(words[1])));
            IS_GRAPH.set(words[1] == "cuGraphLaunch");
            return;
        }
        "kernel" => (work.kind, work.name, work.stream) = (10, literal(words[1]).as_ptr(), number(2) as u32),
        "copy" => {
            (work.kind, work.copy_kind, work.bytes, work.stream) =
                (1, number(1) as u32, number(2), number(3) as u32);
        }
        "fill" => (work.kind, work.bytes, work.stream) = (2, number(1), number(2) as u32),
        other => panic!("{other}"),
    }
    works.push(work);
}

thread_local! {
    /// Correlation id of the last call.
    static CORRELATION: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
    static IS_GRAPH: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

fn number_at_end(words: &[&str], from_end: usize) -> u64 {
    words.len().checked_sub(from_end).and_then(|index| words[index].parse().ok()).unwrap_or_default()
}

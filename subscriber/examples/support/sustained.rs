//! Two million notifications a second of one thread for a while, whose buffers another process empties: lost ones, and
//! the other process's cost of each.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) const ARGUMENT: &str = "sustained";

const DURATION: Duration = Duration::from_secs(5);
/// Slightly above the goal.
const PER_SECOND: f64 = 2.1e6;

/// Notifies, and prints the rate and the number of notifications.
pub(crate) fn notify(mut submission: impl FnMut(), notifications: usize) {
    let begun = Instant::now();
    let mut submissions = 0_u64;
    while begun.elapsed() < DURATION {
        for _ in 0..100 {
            submission();
        }
        submissions += 100;
        let due = Duration::from_secs_f64((submissions * notifications as u64) as f64 / PER_SECOND);
        while begun.elapsed() < due {
            std::hint::spin_loop();
        }
    }
    let count = submissions as f64 * notifications as f64;
    println!("{}", count / begun.elapsed().as_secs_f64());
    println!("{count}");
}

pub(crate) struct Sustained {
    /// Notifications per second.
    pub(crate) per_second: f64,
    /// Processor time of the emptying process, in nanoseconds per notification.
    pub(crate) beside_ns: f64,
    /// Seconds from the program's last notification until the file is complete.
    pub(crate) until_written_s: f64,
    pub(crate) status: String,
}

/// Runs this program again next to a process that empties its buffers.
pub(crate) fn measure(built: &Path, folder: &Path) -> Sustained {
    let rings = Path::new("/dev/shm").join(format!("syclscope-rings-{}", std::process::id()));
    std::fs::DirBuilder::new().mode(0o700).create(&rings).expect("a folder in memory");
    let mut drain = Command::new(built.join("examples/drain"));
    let mut drain = drain.arg(&rings).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("drain");
    let mut word = String::new();
    BufReader::new(drain.stdout.take().expect("its words")).read_line(&mut word).expect("a word");
    assert_eq!(word.trim(), "ready");
    let mut program = Command::new(std::env::current_exe().expect("the path of this program"));
    program.arg(ARGUMENT).env("SYCLSCOPE_RINGS", &rings).env("SYCLSCOPE_STATUS_DIR", folder);
    program.env("SYCLSCOPE_OUT", folder.join("run.pftrace")).env("SYCLSCOPE_ON_FULL", "spill");
    let mut program = program.stdout(Stdio::piped()).spawn().expect("this program again");
    let mut lines = BufReader::new(program.stdout.take().expect("its words")).lines().map_while(Result::ok);
    let mut number = || lines.next().and_then(|line| line.parse::<f64>().ok()).unwrap_or(f64::NAN);
    let (per_second, count) = (number(), number());
    let ended = Instant::now();
    assert!(program.wait().expect("its end").success());
    let spent_ns = ended_ns(drain);
    let until_written_s = ended.elapsed().as_secs_f64();
    let pid = program.id();
    let status = std::fs::read_to_string(folder.join(format!("{pid}.json"))).unwrap_or_default();
    Sustained { per_second, beside_ns: spent_ns / count, until_written_s, status }
}

/// Ends the emptying process, and returns its processor time in nanoseconds, including its children's.
fn ended_ns(mut drain: Child) -> f64 {
    drop(drain.stdin.take());
    let before = children_ns();
    assert!(drain.wait().expect("its end").success());
    children_ns() - before
}

/// Returns the processor time of the children that have ended.
#[expect(unsafe_code, reason = "there is no safe way to getrusage")]
fn children_ns() -> f64 {
    // SAFETY: the structure is plain, and written by the call.
    let usage = unsafe {
        let mut usage = std::mem::zeroed::<libc::rusage>();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    let ns = |time: libc::timeval| time.tv_sec as f64 * 1e9 + time.tv_usec as f64 * 1e3;
    ns(usage.ru_utime) + ns(usage.ru_stime)
}

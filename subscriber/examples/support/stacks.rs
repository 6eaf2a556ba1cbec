//! Cost of call stacks: a notification below 32 frames, in processes of their own with and without stacks.

use std::path::Path;
use std::process::Command;

pub(crate) const ARGUMENT: &str = "stacks";

/// Depth of recursion at which a handler sees about 32 frames.
const DEPTH: usize = 20;

/// Returns the cost of a notification in nanoseconds, measured by a process with these settings of stacks.
pub(crate) fn measure(folder: &Path, stacks: &str) -> f64 {
    let mut command = Command::new(std::env::current_exe().expect("the path of this program"));
    command.arg(ARGUMENT).env("SYCLSCOPE_STACKS", stacks);
    let output = command
        .env("SYCLSCOPE_OUT", folder.join(format!("{stacks}.pftrace")))
        .env("SYCLSCOPE_STATUS_DIR", folder)
        .output()
        .expect("this program can be run");
    String::from_utf8_lossy(&output.stdout).trim().parse().unwrap_or(f64::NAN)
}

#[inline(never)]
pub(crate) fn deep<T>(work: &mut dyn FnMut() -> T) -> T {
    below(DEPTH, work)
}

#[inline(never)]
fn below<T>(frames: usize, work: &mut dyn FnMut() -> T) -> T {
    let result = if frames == 0 { work() } else { below(frames - 1, work) };
    std::hint::black_box(frames);
    result
}

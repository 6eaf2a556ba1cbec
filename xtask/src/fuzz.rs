//! `cargo xtask fuzz`: the fuzz targets of `fuzz/`, one after the other, each for a number of seconds.
//!
//! With cargo-fuzz and a nightly compiler they are guided by coverage; otherwise by `mutate`, which changes files of
//! the corpus with knowledge of their formats.

use std::time::Duration;

use crate::prelude::*;
use crate::setup;
use crate::setup::cargo_tools::CARGO_FUZZ;
use crate::setup::rustup::{self, NIGHTLY};

const TARGETS: &[&str] = &["perfetto", "chrome_json", "compressed", "tile", "derived", "question"];

/// Memory limit in MiB; exceeding it is a finding.
const MEMORY_MIB: u32 = 2048;

#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    /// Per target.
    pub(crate) seconds: u64,
    /// Targets; empty for all.
    pub(crate) only: Vec<String>,
    /// True if coverage is not used, even if available.
    pub(crate) without_coverage: bool,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if let Some(unknown) = options.only.iter().find(|name| !TARGETS.contains(&name.as_str())) {
        return Err(Failure::new(format!("there is no fuzz target {unknown}"))
            .with_remedy(format!("choose one of {}", TARGETS.join(", "))));
    }
    let fuzzer = if options.without_coverage { None } else { coverage(workspace) };
    let is_chosen = |name: &&&str| options.only.is_empty() || options.only.iter().any(|only| only == **name);
    for target in TARGETS.iter().filter(is_chosen) {
        say::begins("fuzzing", target, &format!("for {} s", options.seconds));
        let mut command = match &fuzzer {
            Some(fuzzer) => covered(workspace, fuzzer, target, options.seconds),
            None => mutated(workspace, target, options.seconds),
        };
        // Time to build, and the requested time.
        let limit = Duration::from_secs(options.seconds.saturating_add(30 * 60));
        process::run_logged(&mut command, &workspace.log(&format!("fuzz-{target}")), limit)?;
    }
    Ok(())
}

fn coverage(workspace: &Workspace) -> Option<PathBuf> {
    let brought = setup::bring(&rustup::nightly(workspace)).and_then(|()| CARGO_FUZZ.bring(workspace));
    brought
        .inspect_err(|failure| {
            println!("{failure}");
            say::heading("fuzzing without coverage");
        })
        .ok()
}

/// Returns the call of cargo-fuzz. New inputs are written to a separate folder, so that the corpus stays
/// small.
fn covered(workspace: &Workspace, fuzzer: &Path, target: &str, seconds: u64) -> Command {
    let found = workspace.target.join("fuzz-found").join(target);
    // libFuzzer reports an error if it can't be created.
    let _ = std::fs::create_dir_all(&found);
    let mut command = Command::new(fuzzer);
    command.current_dir(workspace.root.join("fuzz")).env("RUSTUP_TOOLCHAIN", NIGHTLY);
    // The compiler that runs xtask is not the one for fuzzing.
    for variable in ["CARGO", "RUSTC", "CARGO_TARGET_DIR"] {
        command.env_remove(variable);
    }
    command.args(["fuzz", "run", target, "--target-dir"]).arg(workspace.target.join("fuzz"));
    command.arg(found).arg(format!("corpus/{target}")).arg("--");
    command.arg(format!("-max_total_time={seconds}")).arg(format!("-rss_limit_mb={MEMORY_MIB}"));
    command.args(["-timeout=20", "-max_len=65536"]);
    command
}

fn mutated(workspace: &Workspace, target: &str, seconds: u64) -> Command {
    let mut command = workspace.cargo();
    command.current_dir(workspace.root.join("fuzz"));
    command.args(["run", "--release", "--no-default-features", "--bin", "mutate", "--"]);
    command.args([target, &seconds.to_string(), &format!("corpus/{target}")]);
    command
}

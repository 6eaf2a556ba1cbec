//! What recording costs: a notification's handler, and a whole program.
//!
//! A program is run without recording, with a subscriber that does nothing, and with ours, in turns, so that
//! all three meet the same noise; the least of each counts.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::figure::Figure;
use super::import::run_examples;
use crate::artefacts::{examples, program};
use crate::failure::{AtPath, Failure, Result};
use crate::process;
use crate::say;
use crate::setup::compiler::Compiler;
use crate::setup::{self, Scope, sycl};
use crate::workspace::Workspace;

const EMPTY_SUBSCRIBER: &str = include_str!("empty_subscriber.cpp");
/// The streams come with the runtime's own tracing layer only.
const LAYERS: &str = "UR_LAYER_TRACING";
const TURNS: usize = 7;

/// Programs to slow down: the demo as it is, and one that does little but submit.
const SUBJECTS: &[(&str, &[&str])] =
    &[("demo", &[]), ("small kernels", &["--size", "64", "--steps", "3000"])];

pub(crate) fn run(workspace: &Workspace) -> Result<Vec<Figure>> {
    setup::run(workspace, Scope::Demo { python: false })?;
    let mut figures = run_examples(workspace, "subscriber", "syclscope-subscriber")?;
    let subscriber = program::build_subscriber(workspace)?;
    examples::build(workspace)?;
    let bench = Bench { workspace, empty: build_empty(workspace)?, ours: subscriber };
    for (name, arguments) in SUBJECTS {
        say::begins("measuring", name, &format!("{TURNS} turns of heat {}", arguments.join(" ")));
        figures.extend(bench.slow_down(name, arguments)?);
    }
    Ok(figures)
}

struct Bench<'a> {
    workspace: &'a Workspace,
    empty: PathBuf,
    ours: PathBuf,
}

impl Bench<'_> {
    fn slow_down(&self, name: &str, arguments: &[&str]) -> Result<Vec<Figure>> {
        let mut least = [f64::INFINITY; 3];
        for _ in 0..TURNS {
            for (slot, subscriber) in least.iter_mut().zip([None, Some(&self.empty), Some(&self.ours)]) {
                *slot = slot.min(self.seconds(arguments, subscriber.map(PathBuf::as_path))?);
            }
        }
        let [plain, empty, ours] = least.map(|seconds| seconds * 1e3);
        Ok(vec![
            Figure::new(format!("{name}: not recorded"), plain, "ms"),
            Figure::new(format!("{name}: empty subscriber"), empty, "ms").with_baseline(plain),
            Figure::new(format!("{name}: recorded"), ours, "ms").with_baseline(plain),
            Figure::new(format!("{name}: recorded, to empty"), ours, "ms").with_baseline(empty),
        ])
    }

    /// One run, from its start to its end.
    fn seconds(&self, arguments: &[&str], subscriber: Option<&Path>) -> Result<f64> {
        let scratch = self.workspace.target.join("xtask/bench-recorder");
        let _ = std::fs::remove_dir_all(&scratch);
        std::fs::create_dir_all(&scratch).at("create", &scratch)?;
        let mut command = Command::new(examples::folder(self.workspace).join("heat"));
        command.args(arguments).current_dir(&scratch).envs(sycl::runtime(self.workspace).variables());
        command.stdin(Stdio::null()).stdout(Stdio::null());
        if let Some(subscriber) = subscriber {
            command.envs(self.tracing(subscriber, &scratch));
        }
        let begun = Instant::now();
        let status = process::shown(&mut command)?;
        let took = begun.elapsed().as_secs_f64();
        if !status.success() {
            return Err(Failure::new(format!("{} ended with {status}", process::described(&command))));
        }
        Ok(took)
    }

    /// What the launcher would set, for a library of our choice.
    fn tracing(&self, subscriber: &Path, scratch: &Path) -> Vec<(&'static str, OsString)> {
        let framework = sycl::runtime(self.workspace).link.join("lib/libxptifw.so");
        vec![
            ("XPTI_FRAMEWORK_DISPATCHER", framework.into()),
            ("XPTI_SUBSCRIBERS", subscriber.into()),
            ("XPTI_TRACE_ENABLE", "1".into()),
            ("UR_ENABLE_LAYERS", LAYERS.into()),
            ("SYCLSCOPE_OUT", scratch.join("run.pftrace").into()),
            ("SYCLSCOPE_FORMAT", "perfetto".into()),
            ("SYCLSCOPE_STATUS_DIR", scratch.into()),
        ]
    }
}

fn build_empty(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.target.join("xtask");
    let source = folder.join("empty_subscriber.cpp");
    let library = folder.join("libempty_subscriber.so");
    std::fs::create_dir_all(&folder).at("create", &folder)?;
    std::fs::write(&source, EMPTY_SUBSCRIBER).at("write", &source)?;
    let mut command = Compiler::command();
    command.args(["-std=c++17", "-O2", "-w", "-shared", "-fPIC", "-I"]);
    command
        .arg(sycl::runtime(workspace).link.join("include"))
        .arg(&source)
        .arg("-ldl")
        .arg("-o")
        .arg(&library);
    process::logged(&mut command, &workspace.log("empty-subscriber"), Duration::from_secs(300))?;
    Ok(library)
}

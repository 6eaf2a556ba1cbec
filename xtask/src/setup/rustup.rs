//! Parts of Rust that rustup installs: rustfmt and clippy, standard libraries for other targets, a nightly compiler.

use std::time::Duration;

use super::{State, Step};
use crate::prelude::*;

pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// The only compiler with coverage and sanitizers for fuzz targets.
pub(crate) const NIGHTLY: &str = "nightly";

fn rustup(workspace: &Workspace, log: &str, arguments: &[&str]) -> Result<()> {
    let mut command = Command::new("rustup");
    command.args(arguments).current_dir(&workspace.root);
    process::run_logged(&mut command, &workspace.log(log), Duration::from_secs(20 * 60))
}

pub(crate) fn components(workspace: &Workspace) -> Step<'_> {
    let state = || {
        let version = |subcommand: &str| {
            let printed = process::answer(workspace.cargo().args([subcommand, "--version"]))?;
            // `rustfmt 1.8.0-stable (…)` without the part in parentheses.
            Ok::<_, Failure>(printed.split(" (").next().unwrap_or_default().to_owned())
        };
        Ok(match (version("fmt"), version("clippy")) {
            (Ok(fmt), Ok(clippy)) => State::Ready(format!("{fmt}, {clippy}")),
            (Err(_), _) => State::Missing("rustfmt is missing".to_owned()),
            (_, Err(_)) => State::Missing("clippy is missing".to_owned()),
        })
    };
    let by_hand = "rustup component add rustfmt clippy, or what your system calls them";
    Step::new("rustfmt, clippy", by_hand, state, || {
        rustup(workspace, "install-components", &["component", "add", "rustfmt", "clippy"])
    })
}

/// Returns the step for a nightly compiler, not as the default, and with the minimal profile.
pub(crate) fn nightly(workspace: &Workspace) -> Step<'_> {
    let state = || {
        let mut command = Command::new("rustup");
        let version = process::answer(command.args(["run", NIGHTLY, "rustc", "--version"]));
        let missing = |_| State::Missing("rustup has no nightly toolchain".to_owned());
        Ok(version.map_or_else(missing, State::Ready))
    };
    let words = ["toolchain", "install", NIGHTLY, "--profile", "minimal", "--no-self-update"];
    Step::new("nightly Rust", format!("rustup {}", words[..5].join(" ")), state, move || {
        rustup(workspace, "nightly", &words)
    })
}

pub(crate) fn wasm_target(workspace: &Workspace) -> Step<'_> {
    target(workspace, "wasm32 target", WASM)
}

pub(super) fn target<'a>(
    workspace: &'a Workspace,
    name: impl Into<String>,
    target: impl Into<String>,
) -> Step<'a> {
    let target = target.into();
    let by_hand = format!("rustup target add {target}");
    let own = target.clone();
    let state = move || {
        if !has_std(workspace, &own) {
            return Ok(State::Missing(format!("no standard library for {own}")));
        }
        let printed = process::version_of("rustc").unwrap_or_default();
        let version = printed.split(" (").next().unwrap_or_default();
        Ok(State::Ready(format!("{own}, {version}, the active toolchain")))
    };
    Step::new(name, by_hand, state, move || {
        rustup(workspace, &format!("rustup-target-{target}"), &["target", "add", &target])
    })
}

pub(crate) fn has_std(workspace: &Workspace, target: &str) -> bool {
    let mut rustc = Command::new("rustc");
    let sysroot = process::answer(rustc.args(["--print", "sysroot"]).current_dir(&workspace.root));
    let libraries = sysroot.and_then(|sysroot| {
        files::entries(&Path::new(&sysroot).join("lib/rustlib").join(target).join("lib"))
    });
    let is_std = |file: &PathBuf| {
        let name = files::name(file);
        name.starts_with("libstd-") && name.ends_with(".rlib")
    };
    libraries.is_ok_and(|libraries| libraries.iter().any(is_std))
}

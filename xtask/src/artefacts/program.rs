//! The one binary, with the page, the documents and the subscriber inside.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::{commands, embedded, page, site};
use crate::failure::{Failure, Result};
use crate::fingerprint::{self, Fingerprint};
use crate::process;
use crate::say;
use crate::workspace::Workspace;

pub(super) const SERVER: &str = "syclscope-server";
const SUBSCRIBER: &str = "syclscope-subscriber";
const LIMIT: Duration = Duration::from_secs(40 * 60);

/// For what is given away: the whole program is compiled as one piece, which takes minutes more and leaves out what nobody calls.
const SMALL: [(&str, &str); 2] =
    [("CARGO_PROFILE_RELEASE_LTO", "fat"), ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1")];

/// What one person needs, and no team: far less to compile.
const LEAN: &[&str] = &["--no-default-features"];

/// Builds page, documents, subscriber and program, each if need be, and gives the program's file.
pub(crate) fn build(workspace: &Workspace) -> Result<PathBuf> {
    build_with(workspace, &[])
}

/// The same with as little of the program as one person needs. Where all of it is there and current, that is it.
pub(crate) fn build_lean(workspace: &Workspace) -> Result<PathBuf> {
    build_with(workspace, LEAN)
}

fn build_with(workspace: &Workspace, mut features: &[&str]) -> Result<PathBuf> {
    say::heading("build");
    if commands::are_current(workspace, &[])? {
        features = &[];
    }
    let (page, (subscriber, commands)) = process::side_by_side(
        || page::build(workspace),
        || Ok((build_subscriber(workspace)?, commands::build(workspace, features)?)),
    )?;
    let site = site::build(workspace, &commands)?;
    let mut inputs = Fingerprint::new();
    inputs.trees(&workspace.sources_of(&[SERVER]))?.compiler().text(&features.join(" "));
    inputs.trees([&page, &site, &subscriber, &workspace.root.join(embedded::RECORDED)])?;
    make(workspace, "program", &inputs.finish(), file(workspace), || {
        let mut command = cargo_build(workspace, SERVER);
        command.args(features);
        command.env(embedded::VARIABLE, embedded::write(workspace, &page, &site, &subscriber)?);
        Ok(command)
    })
}

/// Builds the program with neither page nor documents nor subscriber inside, where the whole one comes to lie, and gives its file.
pub(super) fn build_empty(workspace: &Workspace, features: &[&str]) -> Result<PathBuf> {
    let mut command = cargo_build(workspace, SERVER);
    command.args(features).env_remove(embedded::VARIABLE);
    process::logged(&mut command, &workspace.log("build-empty-program"), LIMIT)?;
    Ok(file(workspace))
}

/// Compiles all of the lean program but what holds the page and the subscriber, unless the program is there: [`build_lean`]
/// then has little left but to link.
pub(crate) fn build_ahead(workspace: &Workspace) -> Result<()> {
    if file(workspace).is_file() {
        return Ok(());
    }
    let mut command = cargo_build(workspace, SERVER);
    command.arg("--lib").args(LEAN);
    process::logged(&mut command, &workspace.log("build-ahead"), LIMIT)
}

/// The program's file, whether it has been built or not.
pub(crate) fn file(workspace: &Workspace) -> PathBuf {
    workspace.target.join("release/syclscope")
}

/// Builds the program unoptimised, with neither page nor subscriber inside: the same that its tests run.
pub(crate) fn build_quickly(workspace: &Workspace) -> Result<PathBuf> {
    let begun = Instant::now();
    let mut command = workspace.cargo();
    command.args(["build", "--locked", "--package", SERVER]);
    process::logged(&mut command, &workspace.log("build-program-dev"), LIMIT)?;
    let program = workspace.target.join("debug/syclscope");
    say::step("built", "program", &program.display().to_string(), begun.elapsed());
    Ok(program)
}

/// Builds the library that a SYCL runtime loads, if need be.
pub(crate) fn build_subscriber(workspace: &Workspace) -> Result<PathBuf> {
    let mut inputs = Fingerprint::new();
    inputs.trees(&workspace.sources_of(&[SUBSCRIBER]))?.compiler();
    let library = workspace.target.join("release/libsyclscope_subscriber.so");
    make(workspace, "subscriber", &inputs.finish(), library, || Ok(cargo_build(workspace, SUBSCRIBER)))
}

/// Program and subscriber around a page that is built, with the same bytes of their own wherever the clone, cargo's folder and the
/// compiler's lie: none of their paths is in them, but for those in the page. They are built from nothing into a folder of their own, since each crate is compiled
/// with other options.
pub(crate) fn build_reproducibly(workspace: &Workspace, page: &Path) -> Result<(PathBuf, PathBuf)> {
    let target = workspace.target.join("reproducible");
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let sysroot = process::answer(Command::new("rustc").args(["--print", "sysroot"]))?;
    let mut flags = Vec::new();
    let mut c_flags = String::new();
    // What lies within another comes first.
    for (from, to) in [
        (Some(target.clone()), "/target"),
        (Some(workspace.root.clone()), "/syclscope"),
        (home, "/cargo"),
        (Some(PathBuf::from(sysroot.trim())), "/rust"),
    ] {
        let Some(from) = from else { continue };
        flags.push(format!("\"--remap-path-prefix={}={to}\"", from.display()));
        let _ = write!(c_flags, "-ffile-prefix-map={}={to} ", from.display());
    }
    let rust = format!("target.{}-unknown-linux-gnu.rustflags=[{}]", std::env::consts::ARCH, flags.join(","));
    let build = |name: &str, package: &str, embedded: Option<PathBuf>| {
        let mut command = cargo_build(workspace, package);
        command.arg("--config").arg(&rust).arg("--target-dir").arg(&target).env("CFLAGS", &c_flags);
        command.envs(embedded.map(|file| (embedded::VARIABLE, file)));
        command.envs(SMALL);
        process::logged(&mut command, &workspace.log(name), LIMIT)
    };
    build("release-subscriber", SUBSCRIBER, None)?;
    let subscriber = target.join("release/libsyclscope_subscriber.so");
    let site = site::build(workspace, &commands::build(workspace, &[])?)?;
    build("release-program", SERVER, Some(embedded::write(workspace, page, &site, &subscriber)?))?;
    Ok((target.join("release/syclscope"), subscriber))
}

fn cargo_build(workspace: &Workspace, package: &str) -> Command {
    let mut command = workspace.cargo();
    command.args(["build", "--release", "--locked", "--package", package]);
    command
}

/// Runs what `command` gives, unless `artefact` is what that has made from the same `inputs` before.
fn make(
    workspace: &Workspace,
    name: &str,
    inputs: &str,
    artefact: PathBuf,
    command: impl FnOnce() -> Result<Command>,
) -> Result<PathBuf> {
    let begun = Instant::now();
    let stamp = workspace.stamp(name);
    let is_current = fingerprint::is_made_from(&stamp, inputs, &artefact);
    let log = workspace.log(&format!("build-{name}"));
    if !is_current {
        process::logged(&mut command()?, &log, LIMIT)?;
    }
    let size = artefact
        .metadata()
        .map_err(|_| Failure::new(format!("cargo built nothing at {}", artefact.display())).with_log(log))?;
    fingerprint::write_made_from(&stamp, inputs, &artefact)?;
    let note = format!("{} ({:.1} MB)", artefact.display(), size.len() as f64 / 1e6);
    say::step(if is_current { "current" } else { "built" }, name, &note, begun.elapsed());
    Ok(artefact)
}

//! The steps of `cargo xtask test`, cheap ones first.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use super::counted::{LIMIT, counted};
use super::done::Done;
use super::runner::Runner;
use super::tally::Tally;
use super::{end_to_end, inputs, python, release};
use crate::artefacts::recording::{self, Format, Subject};
use crate::artefacts::{examples, page, program, site, test_driver, testing_page};
use crate::failure::{AtPath, Failure, Result};
use crate::process;
use crate::setup::cargo_tools::CARGO_DENY;
use crate::setup::components::Components;
use crate::setup::postgres::Postgres;
use crate::setup::wasm_target::{TARGET, Toolchain};
use crate::setup::{self, Scope, Step as _, sycl};
use crate::workspace::Workspace;

/// What a page that shows a server's trace loads, compressed with brotli, is at most this many bytes, so that it does not
/// grow unseen.
const PAGE_BUDGET_BYTES: u64 = 515_000;
/// The same for all that it loads when somebody needs another view.
const VIEWS_BUDGET_BYTES: u64 = 395_000;
/// The same for the engine, which a page loads to open a file of its computer.
const ENGINE_BUDGET_BYTES: u64 = 860_000;
/// The same for what writes such a file in another format.
const EXPORTER_BUDGET_BYTES: u64 = 1_000_000;
/// What the documents' site takes, each file compressed, is at most this many bytes. (In the program its texts are one piece, which is less.)
const SITE_BUDGET_BYTES: u64 = 750_000;

/// One step; it may need others, which stand above it in [`STEPS`].
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) needs: &'static [&'static str],
    /// A fingerprint of all that its outcome depends on: it is skipped while that is as it was when it passed. Without one it
    /// always runs, since it is quick or tells by itself what is current.
    pub(crate) inputs: Option<fn(&Workspace) -> Result<String>>,
    pub(crate) run: fn(&Workspace, &mut Tally) -> Result<Done>,
}

/// Every step.
pub(crate) const STEPS: &[Step] = &[
    Step { name: "linters", about: "rustfmt and clippy are there", needs: &[], inputs: None, run: linters },
    Step { name: "format", about: "cargo fmt --check", needs: &["linters"], inputs: None, run: format },
    Step {
        name: "architecture",
        about: "who may depend on whom, file sizes, words, and xtask's own tests",
        needs: &[],
        inputs: None,
        run: architecture,
    },
    Step {
        name: "licences",
        about: "cargo deny check: licences, banned crates, sources",
        needs: &[],
        inputs: None,
        run: licences,
    },
    Step {
        name: "advisories",
        about: "known weaknesses of what we depend on, by RustSec's database: what cargo audit looks at",
        needs: &[],
        inputs: None,
        run: advisories,
    },
    Step {
        name: "clippy",
        about: "cargo clippy, no warning",
        needs: &["linters"],
        inputs: Some(inputs::rust),
        run: clippy,
    },
    Step { name: "set-up", about: "what the other steps need", needs: &[], inputs: None, run: set_up },
    Step {
        name: "docs",
        about: "rustdoc of every crate, no warning",
        needs: &["set-up"],
        inputs: Some(inputs::rust),
        run: docs,
    },
    Step {
        name: "clippy-wasm",
        about: "the same for the page",
        needs: &["linters", "set-up"],
        inputs: Some(inputs::rust),
        run: clippy_wasm,
    },
    Step {
        name: "cargo-test",
        about: "unit and integration tests of every crate",
        needs: &["set-up"],
        inputs: Some(inputs::tests),
        run: cargo_test,
    },
    Step {
        name: "gpu",
        about: "the recorder on a real NVIDIA GPU, where there is one (--gpu: this step alone)",
        needs: &[],
        inputs: None,
        run: gpu,
    },
    Step {
        name: "test-page",
        about: "the shipped page, and one with hooks for browser tests, which the shipped one is without",
        needs: &["set-up"],
        inputs: None,
        run: test_page,
    },
    Step {
        name: "build",
        about: "page, documents, subscriber, program",
        needs: &["set-up"],
        inputs: None,
        run: build,
    },
    Step {
        name: "page-size",
        about: "the page is at most 515 KB, all views that it loads later 395 KB, the engine that opens local files at most 860 KB",
        needs: &["build"],
        inputs: None,
        run: page_size,
    },
    Step {
        name: "documents",
        about: "the documents' site is built of what is here, without a broken link, and takes at most 0.75 MB",
        needs: &["build"],
        inputs: None,
        run: documents,
    },
    Step {
        name: "programs",
        about: "examples and test programs compile",
        needs: &["set-up"],
        inputs: None,
        run: programs,
    },
    Step {
        name: "test-driver",
        about: "the Level Zero driver that tests run programs on",
        needs: &[],
        inputs: None,
        run: test_driver,
    },
    Step {
        name: "recordings",
        about: "the examples run and check their results while they are recorded",
        needs: &["build", "programs"],
        inputs: None,
        run: recordings,
    },
    Step {
        name: "python",
        about: "the Python package on the built program, recording dpnp, and its wheel in an empty environment",
        needs: &["build"],
        inputs: Some(inputs::python),
        run: python::run,
    },
    Step {
        name: "release",
        about: "the artefacts of a release have the same bytes twice, unpack, and are used in an empty Debian",
        needs: &["build", "programs"],
        inputs: Some(inputs::release),
        run: release::run,
    },
    Step {
        name: "end-to-end",
        about: "real recordings against their oracles, the page in a real browser",
        needs: &["build", "test-page", "programs", "test-driver"],
        inputs: Some(inputs::end_to_end),
        run: end_to_end::run,
    },
];

/// Runs a command that prints no count of its own.
fn check(workspace: &Workspace, name: &str, command: &mut Command) -> Result<Done> {
    let log = workspace.log(name);
    let status = process::logged_status(command, &log, LIMIT)?;
    if status.success() {
        return Ok(Done::Passed(String::new()));
    }
    let failure = Failure::new(format!("{} ended with {status}", process::described(command)));
    Err(failure.with_output(process::read_log(&log)).with_log(log))
}

fn linters(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    setup::bring(workspace, &Components)?;
    Ok(Done::Passed(Components.name()))
}

fn format(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    check(workspace, "format", workspace.cargo().args(["fmt", "--all", "--check"]))
        .map_err(|failure| failure.with_remedy("cargo fmt --all"))
}

fn architecture(workspace: &Workspace, tally: &mut Tally) -> Result<Done> {
    let mut command = workspace.cargo();
    command.args(["test", "--locked", "--package", "xtask", "--no-fail-fast"]);
    counted(workspace, "architecture", &mut command, Runner::Cargo, tally)
}

fn licences(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    let mut command = deny(workspace)?;
    check(workspace, "licences", command.args(["check", "licenses", "bans", "sources"]))
}

fn advisories(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    let limit = Duration::from_secs(120);
    let mut fetch = deny(workspace)?;
    let is_new =
        process::logged(fetch.args(["fetch", "db"]), &workspace.log("advisories-fetch"), limit).is_ok();
    let mut command = deny(workspace)?;
    if is_new {
        return check(workspace, "advisories", command.args(["check", "advisories"]));
    }
    if !has_advisories() {
        let reason = "RustSec's database can't be fetched, and no earlier copy of it is here";
        return Ok(Done::Skipped(reason.to_owned()));
    }
    check(workspace, "advisories", command.args(["--offline", "check", "advisories"]))?;
    Ok(Done::Passed("by an earlier copy of RustSec's database, which can't be fetched now".to_owned()))
}

/// Whether cargo-deny has fetched a database before.
fn has_advisories() -> bool {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let entries = home.and_then(|home| std::fs::read_dir(home.join("advisory-dbs")).ok());
    entries.is_some_and(|entries| {
        entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("advisory-db"))
    })
}

/// A call of cargo-deny, which is built if it isn't here.
fn deny(workspace: &Workspace) -> Result<Command> {
    setup::bring(workspace, &CARGO_DENY)?;
    let program = CARGO_DENY.find(workspace)?.ok_or_else(|| Failure::new("cargo-deny is gone"))?;
    let mut command = Command::new(program);
    command.current_dir(&workspace.root);
    Ok(command)
}

fn set_up(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    setup::run(workspace, Scope::Tests)?;
    Ok(Done::Passed(String::new()))
}

fn clippy(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    let mut command = workspace.cargo();
    command.args(["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]);
    check(workspace, "clippy", &mut command)?;
    // A workspace of its own, which no other step compiles.
    let mut command = workspace.cargo();
    command.args(["clippy", "--manifest-path", "bench/Cargo.toml", "--all-targets", "--locked"]);
    command.arg("--target-dir").arg(&workspace.target).args(["--", "-D", "warnings"]);
    check(workspace, "clippy-bench", &mut command)
}

fn clippy_wasm(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    if !Toolchain::find(workspace).is_some_and(|toolchain| toolchain.has_clippy()) {
        return Ok(Done::Skipped("the active toolchain has no wasm32 target".to_owned()));
    }
    let mut command = workspace.cargo();
    command.args(["clippy", "--locked", "--target", TARGET, "--package", "syclscope-frontend"]);
    command.args(["--package", "syclscope-worker", "--package", "syclscope-engine"]);
    command.args(["--package", "syclscope-language", "--", "-D", "warnings"]);
    check(workspace, "clippy-wasm", &mut command)?;
    // On its own, because it switches on features of the engine that the worker is without.
    let mut command = workspace.cargo();
    command.args(["clippy", "--locked", "--target", TARGET, "--package", "syclscope-exporter"]);
    check(workspace, "clippy-exporter", command.args(["--", "-D", "warnings"]))
}

fn docs(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    // Private items, too: whoever changes a crate reads those.
    let command = |arguments: &[&str]| {
        let mut command = workspace.cargo();
        command.args(["doc", "--locked", "--no-deps", "--document-private-items"]).args(arguments);
        command.env("RUSTDOCFLAGS", "-D warnings");
        command
    };
    let page = page::CRATES.iter().flat_map(|name| ["--package", *name]).collect::<Vec<_>>();
    let is_for_wasm = Toolchain::find(workspace).is_some_and(|toolchain| toolchain.has_clippy());
    // Most of the page is there only where there is a browser.
    let target: &[&str] = if is_for_wasm { &["--target", TARGET] } else { &[] };
    check(workspace, "docs-page", &mut command(&[target, &page].concat()))?;
    let others = page::CRATES.iter().flat_map(|name| ["--exclude", *name]);
    let others: Vec<_> = ["--workspace", "--all-features"].into_iter().chain(others).collect();
    check(workspace, "docs", &mut command(&others))
}

fn cargo_test(workspace: &Workspace, tally: &mut Tally) -> Result<Done> {
    // What the server says to SQLite it says to a PostgreSQL, too, which is there for as long as the tests run.
    let cargo = workspace.cargo();
    let mut command = Command::new("node");
    command.current_dir(&workspace.root).args(["e2e/server/stand.mjs", "postgres", "--"]);
    command.arg(cargo.get_program()).envs(cargo.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.envs(Postgres::bin().map(|bin| ("POSTGRES_BIN", bin)));
    command.args(["test", "--workspace", "--exclude", "xtask", "--locked", "--no-fail-fast"]);
    command.env("SYCL_VENV", sycl::runtime(workspace).link);
    counted(workspace, "cargo-test", &mut command, Runner::Cargo, tally)?;
    // The recorder once more as it is without a launcher, where the program empties its buffers itself.
    let mut command = workspace.cargo();
    command.args(["test", "--package", "syclscope-subscriber", "--locked", "--no-fail-fast", "--tests"]);
    command.env("SYCLSCOPE_TEST_ALONE", "1");
    counted(workspace, "cargo-test-alone", &mut command, Runner::Cargo, tally)
}

fn build(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    program::build(workspace).map(|file| Done::Passed(file.display().to_string()))
}

fn page_size(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    let files = page::Files::of(workspace)?;
    let mut notes = Vec::new();
    for (name, files, budget_bytes) in [
        ("page", &files.first_load, PAGE_BUDGET_BYTES),
        ("views loaded later", &files.views, VIEWS_BUDGET_BYTES),
        ("engine", &files.engine, ENGINE_BUDGET_BYTES),
        ("exporter", &files.exporter, EXPORTER_BUDGET_BYTES),
    ] {
        let (raw_bytes, brotli_bytes) = page::raw_and_brotli_bytes(files)?;
        let note = format!("{name}: {brotli_bytes} bytes with brotli, {raw_bytes} raw");
        if brotli_bytes > budget_bytes {
            return Err(Failure::new(format!("larger than {budget_bytes} bytes: {note}")));
        }
        notes.push(note);
    }
    for file in &files.views {
        let (_, brotli_bytes) = page::raw_and_brotli_bytes(std::slice::from_ref(file))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        notes.push(format!("{name}: {brotli_bytes}"));
    }
    Ok(Done::Passed(notes.join("; ")))
}

/// The build has refused broken links; this is about the rest.
fn documents(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    let (raw_bytes, brotli_bytes) = site::bytes(workspace)?;
    let note = format!("{brotli_bytes} bytes with brotli, {raw_bytes} raw");
    if brotli_bytes > SITE_BUDGET_BYTES {
        return Err(Failure::new(format!("larger than {SITE_BUDGET_BYTES} bytes: {note}")));
    }
    Ok(Done::Passed(note))
}

/// What only the page for tests may hold.
const HOOKS: &[u8] = b"__syclscope";

/// What a machine with an NVIDIA GPU, its driver and CUPTI can: nothing of CUDA is needed to build.
fn gpu(workspace: &Workspace, tally: &mut Tally) -> Result<Done> {
    if !std::path::Path::new("/dev/nvidiactl").exists() {
        return Ok(Done::Skipped("no NVIDIA GPU".to_owned()));
    }
    let mut command = workspace.cargo();
    command.args(["build", "-p", "syclscope-subscriber", "--lib", "--examples"]);
    process::logged(&mut command, &workspace.log("gpu-build"), LIMIT)?;
    let mut command = workspace.cargo();
    command.args(["test", "-p", "syclscope-subscriber", "--test", "gpu", "--no-fail-fast"]);
    counted(workspace, "gpu", &mut command, Runner::Cargo, tally)
}

fn test_page(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    let folder = testing_page::build(workspace)?;
    let files = page::Files::of(workspace)?;
    for file in files.first_load.iter().chain(&files.views).chain(&files.engine).chain(&files.exporter) {
        let bytes = std::fs::read(file).at("read", file)?;
        if bytes.windows(HOOKS.len()).any(|place| place == HOOKS) {
            return Err(Failure::new(format!("{} has the tests' hooks", file.display())));
        }
    }
    Ok(Done::Passed(folder.display().to_string()))
}

fn programs(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    examples::build(workspace).map(|folder| Done::Passed(folder.display().to_string()))
}

fn test_driver(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    test_driver::build(workspace).map(|file| Done::Passed(file.display().to_string()))
}

fn recordings(workspace: &Workspace, tally: &mut Tally) -> Result<Done> {
    let mut notes = Vec::new();
    for (subject, format) in [
        (Subject::Heat, Format::Perfetto),
        (Subject::Heat, Format::Json),
        (Subject::Eigenvalue, Format::Perfetto),
    ] {
        let file = recording::make(workspace, subject, format)?;
        let size = file.metadata().at("read", &file)?.len();
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        notes.push(format!("{name} {} kB", size / 1000));
        tally.passed += 1;
    }
    Ok(Done::Passed(notes.join(", ")))
}

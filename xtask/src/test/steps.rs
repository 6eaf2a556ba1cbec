//! The steps of `cargo xtask test`, cheap ones first.

use std::time::Duration;

use super::runner::{Done, Runner, Tally, check};
use super::{end_to_end, release};
use crate::artefacts::program::{self, Profile};
use crate::artefacts::recording::{JSON, PERFETTO, Recording, Subject};
use crate::artefacts::{examples, page, site};
use crate::prelude::*;
use crate::setup::apt::POSTGRES;
use crate::setup::cargo_tools::CARGO_DENY;
use crate::setup::rustup::{self, WASM};
use crate::setup::{self, Scope, sycl};

/// Size limit, compressed with brotli, of the files that a page with a server's trace loads, so that growth is noticed.
/// The hooks for tests are 8 KB of it.
const PAGE_BUDGET_BYTES: u64 = 522_000;
/// The same for the files that other views load.
const VIEWS_BUDGET_BYTES: u64 = 517_000;
/// The same for the engine, which a page loads to open a local file.
const ENGINE_BUDGET_BYTES: u64 = 1_026_000;
/// The same for the code that writes such a file in another format.
const EXPORTER_BUDGET_BYTES: u64 = 563_000;
/// Size limit of the documents' site, each file compressed. (In the program its texts are compressed together, which
/// is smaller.)
const SITE_BUDGET_BYTES: u64 = 789_000;

/// One step; its dependencies are above it in [`STEPS`].
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) needs: &'static [&'static str],
    /// True if it runs only with `--only`: CI has a separate job for it.
    pub(crate) is_apart: bool,
    /// True if it may run in parallel with any other step. The rest run one after another, since cargo locks its folder
    /// and they overwrite each other's programs.
    pub(crate) is_parallel: bool,
    pub(crate) run: Run,
}

type Run = fn(&Workspace, &mut Tally) -> Result<Done>;

const fn step(name: &'static str, about: &'static str, needs: &'static [&'static str], run: Run) -> Step {
    Step { name, about, needs, is_apart: false, is_parallel: false, run }
}

const fn parallel(name: &'static str, about: &'static str, needs: &'static [&'static str], run: Run) -> Step {
    Step { is_parallel: true, ..step(name, about, needs, run) }
}

/// Name of the step that installs what most others need.
pub(super) const SET_UP: &str = "set-up";

pub(crate) const STEPS: &[Step] = &[
    step("compilers", "rustfmt, clippy and sccache are installed", &[], compilers),
    step("format", "cargo fmt --check", &["compilers"], format),
    // Both install sccache.
    parallel(SET_UP, "tools of the other steps", &["compilers"], set_up),
    step(
        "architecture",
        "dependences between crates, file sizes, words, and xtask's own tests",
        &["compilers"],
        architecture,
    ),
    step("licences", "cargo deny check: licences, banned crates, sources", &["compilers"], licences),
    step(
        "advisories",
        "advisories on dependencies in RustSec's database, as cargo audit reads it",
        &["compilers"],
        advisories,
    ),
    step(
        "compile",
        "every crate and its tests, compiled by clippy without a warning",
        &["compilers"],
        compile,
    ),
    step("cargo-test", "unit and integration tests of every crate", &["compile", SET_UP], cargo_test),
    Step {
        is_apart: true,
        ..step(
            "clippy",
            "cargo clippy of every crate, of benchmarks and tools, no warning",
            &["compilers"],
            clippy,
        )
    },
    Step {
        is_apart: true,
        ..step("clippy-wasm", "clippy of the page's crates, no warning", &["compilers"], clippy_wasm)
    },
    Step { is_apart: true, ..step("docs", "rustdoc of every crate, no warning", &[], docs) },
    Step {
        is_apart: true,
        ..step(
            "steps",
            "no algorithm of the engine is worse than n log n, for recordings of hostile shapes",
            &[],
            steps,
        )
    },
    parallel(
        "page",
        "page with hooks for tests, compiled by clippy without a warning",
        &[SET_UP],
        build_page,
    ),
    parallel("programs", "examples and test programs compile", &[SET_UP], programs),
    step("gpu", "the recorder on a real NVIDIA GPU, where there is one (--gpu: this step alone)", &[], gpu),
    step("build", "documents, subscriber and program, with the page inside", &[SET_UP, "page"], build),
    parallel(
        "page-size",
        "files of the page with hooks, of its views, of the engine and the exporter, compressed, within their limits",
        &["page"],
        page_size,
    ),
    parallel(
        "documents",
        "the documents' site is built without a broken link, compressed within its limit",
        &["build"],
        documents,
    ),
    step("test-driver", "the Level Zero driver that tests run programs on", &[], test_driver),
    parallel(
        "recordings",
        "the examples run and check their results while they are recorded",
        &["build", "programs"],
        recordings,
    ),
    parallel(
        "python",
        "the Python package on the built program, recording dpnp, and its wheel in an empty environment",
        &["build"],
        end_to_end::run_python,
    ),
    parallel(
        "end-to-end",
        "real recordings against their oracles, the page in a real browser",
        &["build", "programs", "test-driver"],
        end_to_end::run,
    ),
    Step {
        is_apart: true,
        ..step(
            "release",
            "the artefacts of a release have the same bytes twice, unpack, and are used in an empty Debian; the users' page in Chromium",
            &["build", "programs"],
            release::run,
        )
    },
    Step {
        is_apart: true,
        ..step("trunk", "trunk build makes a page that works", &["build"], end_to_end::run_trunk)
    },
];

/// Separate from the set-up, because crates are compiled in parallel with it.
fn compilers(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    setup::run(workspace, Scope::Compilation).map(|()| Done::Passed(String::new()))
}

pub(super) fn format(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    check(workspace, "format", workspace.cargo().args(["fmt", "--all", "--check"]))
        .map_err(|failure| failure.with_remedy("run `cargo fmt --all`"))
}

pub(super) fn architecture(workspace: &Workspace, tally: &mut Tally) -> Result<Done> {
    let mut command = workspace.linting_cargo();
    command.args(["test", "--locked", "--package", "xtask", "--no-fail-fast"]);
    let done = Runner::Cargo.run(workspace, "architecture", &mut command, tally)?;
    workspace.no_warnings("architecture")?;
    Ok(done)
}

fn licences(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    let mut command = deny(workspace)?;
    check(workspace, "licences", command.args(["check", "licenses", "bans", "sources"]))
}

fn advisories(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    let limit = Duration::from_secs(120);
    let mut fetch = deny(workspace)?;
    let is_new =
        process::run_logged(fetch.args(["fetch", "db"]), &workspace.log("advisories-fetch"), limit).is_ok();
    let mut command = deny(workspace)?;
    if is_new {
        return check(workspace, "advisories", command.args(["check", "advisories"]));
    }
    if !has_advisories() {
        let reason = "RustSec's database can't be fetched, and there is no earlier copy of it";
        return Ok(Done::Skipped(reason.to_owned()));
    }
    check(workspace, "advisories", command.args(["--offline", "check", "advisories"]))?;
    Ok(Done::Passed("by an earlier copy of RustSec's database, which can't be fetched now".to_owned()))
}

fn has_advisories() -> bool {
    let home =
        process::path_variable("CARGO_HOME").or_else(|| Some(process::path_variable("HOME")?.join(".cargo")));
    let entries = home.and_then(|home| files::entries(&home.join("advisory-dbs")).ok());
    entries.is_some_and(|entries| entries.iter().any(|entry| files::name(entry).starts_with("advisory-db")))
}

/// Returns a cargo-deny call; builds it if needed.
fn deny(workspace: &Workspace) -> Result<Command> {
    let mut command = Command::new(CARGO_DENY.bring(workspace)?);
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
    // Separate workspaces, which no other step checks.
    for (name, manifest) in [("bench", "bench/Cargo.toml"), ("bindgen", "xtask/bindgen/Cargo.toml")] {
        let mut command = workspace.cargo();
        command.args(["clippy", "--manifest-path", manifest, "--all-targets", "--all-features", "--locked"]);
        command.arg("--target-dir").arg(&workspace.target).args(["--", "-D", "warnings"]);
        check(workspace, &format!("clippy-{name}"), &mut command)?;
    }
    Ok(Done::Passed(String::new()))
}

fn for_wasm() -> impl Iterator<Item = &'static str> {
    let ours = ["syclscope-engine", "syclscope-language"];
    page::CRATES.iter().copied().chain(ours).flat_map(|name| ["--package", name])
}

fn clippy_wasm(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    if !rustup::has_std(workspace, WASM) {
        return Ok(Done::Skipped(NO_WASM.to_owned()));
    }
    let mut command = workspace.cargo();
    command.args(["clippy", "--locked", "--target", WASM]).args(for_wasm());
    check(workspace, "clippy-wasm", command.args(["--", "-D", "warnings"]))
}

/// Documents the page's crates as clippy has checked them, so that dependencies are checked once.
fn docs(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    let page = page::CRATES.iter().flat_map(|name| ["--exclude", *name]);
    check(workspace, "docs", rustdoc(workspace).arg("--workspace").args(page))?;
    if !rustup::has_std(workspace, WASM) {
        return Ok(Done::Passed(format!("apart from the page's crates: {NO_WASM}")));
    }
    check(workspace, "docs-wasm", rustdoc(workspace).args(["--target", WASM]).args(for_wasm()))
}

fn rustdoc(workspace: &Workspace) -> Command {
    let mut command = workspace.cargo();
    // Private items, too, for the developers of a crate.
    command.args(["doc", "--locked", "--no-deps", "--document-private-items"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    command
}

/// Selects the same crates as `cargo test`, so that tests compile nothing again.
fn compile(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    let mut command = workspace.linting_cargo();
    command.args(["test", "--no-run"]).args(TESTED);
    let done = check(workspace, "compile", &mut command)?;
    workspace.no_warnings("compile")?;
    Ok(done)
}

const NO_WASM: &str = "the active toolchain has no wasm32 target";

/// Cargo's arguments for the crates under test; always the same, or their dependencies would be compiled with other
/// features.
const TESTED: [&str; 5] = ["--workspace", "--exclude", "xtask", "--locked", "--no-fail-fast"];

fn cargo_test(workspace: &Workspace, tally: &mut Tally) -> Result<Done> {
    // The server's SQL also runs on a PostgreSQL, which exists for the duration of the tests.
    let cargo = workspace.linting_cargo();
    let mut command = Command::new("node");
    command.current_dir(&workspace.root).args(["e2e/server/stand.mjs", "postgres", "--"]);
    command.arg(cargo.get_program()).envs(cargo.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.envs(POSTGRES.find().map(|bin| ("POSTGRES_BIN", bin)));
    command.arg("test").args(TESTED);
    command.env("SYCL_VENV", sycl::runtime(workspace).link);
    Runner::Cargo.run(workspace, "cargo-test", &mut command, tally)?;
    // The recorder again without a launcher, so that the program drains its buffers itself. The same crates are
    // selected as before, so that nothing is recompiled.
    let mut command = workspace.linting_cargo();
    command.arg("test").args(TESTED);
    let sources = files::entries(&workspace.root.join("subscriber/tests"))?;
    for source in sources.iter().filter(|file| files::has_extension(file, "rs")) {
        command.args(["--test", &files::stem(source)]);
    }
    command.env("SYCLSCOPE_TEST_ALONE", "1");
    Runner::Cargo.run(workspace, "cargo-test-alone", &mut command, tally)
}

/// The engine is compiled with the compiler's coverage counters, which count its steps.
fn steps(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    let mut command = workspace.cargo();
    command.current_dir(workspace.root.join("fuzz/steps")).args(["run", "--locked"]);
    command.env("RUSTFLAGS", "-C instrument-coverage").env("LLVM_PROFILE_FILE", "/dev/null");
    command.env("CARGO_TARGET_DIR", workspace.target.join("steps"));
    check(workspace, "steps", &mut command)
}

fn build(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    program::build_as(workspace, Profile::Tested).map(|file| Done::Passed(file.display().to_string()))
}

fn build_page(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    page::build_for_tests(workspace).map(|folder| Done::Passed(folder.display().to_string()))
}

fn page_size(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    let files = page::Files::read(&page::testing_folder(workspace))?;
    let groups = [
        ("page", &files.first_load, PAGE_BUDGET_BYTES),
        ("views loaded later", &files.views, VIEWS_BUDGET_BYTES),
        ("engine", &files.engine, ENGINE_BUDGET_BYTES),
        ("exporter", &files.exporter, EXPORTER_BUDGET_BYTES),
    ];
    let all: Vec<PathBuf> = groups.iter().flat_map(|(_, files, _)| files.iter().cloned()).collect();
    let sizes = page::sizes(&all)?;
    let (mut notes, mut too_large, mut rest) = (Vec::new(), Vec::new(), sizes.as_slice());
    for (name, files, budget_bytes) in groups {
        let (own, others) = rest.split_at(files.len());
        rest = others;
        let (raw_bytes, brotli_bytes) =
            own.iter().fold((0, 0), |total, size| (total.0 + size.0, total.1 + size.1));
        if brotli_bytes > budget_bytes {
            too_large.push(name);
        }
        notes.push(format!("{name}: {brotli_bytes} of {budget_bytes} bytes with brotli, {raw_bytes} raw"));
    }
    for (file, (_, brotli_bytes)) in all.iter().zip(&sizes).filter(|(file, _)| files.views.contains(file)) {
        notes.push(format!("{}: {brotli_bytes}", files::name(file)));
    }
    if too_large.is_empty() {
        return Ok(Done::Passed(notes.join("; ")));
    }
    Err(Failure::new(format!("too large: {} ({})", too_large.join(", "), notes.join("; "))))
}

/// Checks the size of the documents' site. The build has already rejected broken links.
fn documents(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    let (raw_bytes, brotli_bytes) = site::bytes(workspace)?;
    let note = format!("{brotli_bytes} bytes with brotli, {raw_bytes} raw");
    if brotli_bytes > SITE_BUDGET_BYTES {
        return Err(Failure::new(format!("larger than {SITE_BUDGET_BYTES} bytes: {note}")));
    }
    Ok(Done::Passed(note))
}

/// Runs tests on a machine with an NVIDIA GPU, its driver and CUPTI; building needs nothing of CUDA.
fn gpu(workspace: &Workspace, tally: &mut Tally) -> Result<Done> {
    if !Path::new("/dev/nvidiactl").exists() {
        return Ok(Done::Skipped("no NVIDIA GPU".to_owned()));
    }
    let mut command = workspace.cargo();
    command.args(["build", "-p", "syclscope-subscriber", "--lib", "--examples"]);
    workspace.run("gpu-build", &mut command)?;
    let mut command = workspace.cargo();
    command.args(["test", "-p", "syclscope-subscriber", "--test", "gpu", "--no-fail-fast"]);
    Runner::Cargo.run(workspace, "gpu", &mut command, tally)
}

fn programs(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    examples::build(workspace).map(|folder| Done::Passed(folder.display().to_string()))
}

fn test_driver(workspace: &Workspace, _: &mut Tally) -> Result<Done> {
    program::build_test_driver(workspace).map(|file| Done::Passed(file.display().to_string()))
}

fn recordings(workspace: &Workspace, tally: &mut Tally) -> Result<Done> {
    let mut notes = Vec::new();
    for (subject, format) in
        [(Subject::Heat, PERFETTO), (Subject::Heat, JSON), (Subject::Eigenvalue, PERFETTO)]
    {
        let file = Recording { profile: Profile::Tested, subject, format }.make(workspace)?;
        notes.push(format!("{} {} kB", files::name(&file), files::len(&file)? / 1000));
        tally.passed += 1;
    }
    Ok(Done::Passed(notes.join(", ")))
}

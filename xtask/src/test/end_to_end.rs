//! The tests of built artefacts, run by node's own test runner.
//!
//! Their environment variables:
//! - `SYCLSCOPE_BIN`, the program;
//! - `SYCLSCOPE_TEST_PAGE`, the page with hooks for tests;
//! - `EXAMPLES_DIR`, compiled programs;
//! - `RECORDINGS`, an empty folder for recordings that several tests use and one makes;
//! - `SYCL_VENV` and `SYCL_PYTHON_VENV`, the runtimes;
//! - `SYCL_VENV_2024_2` and its like, the older ones, or `SYCL_VENV_2024_2_MISSING`, the reason for its absence;
//! - `DUCKDB_PYTHON`, a Python with DuckDB;
//! - `JUPYTER_PYTHON`, one with JupyterLab;
//! - `CODE_SERVER`, the folder of code-server, or `CODE_SERVER_MISSING`, the reason for its absence;
//! - `SCHEMATHESIS`, the program;
//! - `MPIRUN`, a launcher of MPI;
//! - `CHROMIUM`, the browser;
//! - `LEVEL_ZERO_DRIVER`, the tests' own driver, with `LEVEL_ZERO_LOADER`, the folder of a loader, or
//!   `LEVEL_ZERO_LOADER_MISSING`, the reason for its absence;
//! - `POSTGRES_BIN`, the folder of PostgreSQL's programs;
//! - `NGINX` and `GARAGE`, the programs, or `GARAGE_MISSING`, the reason for its absence;
//! - `ARTEFACTS`, an empty folder for pictures.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::runner::{Done, Runner};
use super::tally::Tally;
use crate::artefacts::program::Profile;
use crate::artefacts::{examples, page, test_driver};
use crate::failure::{AtPath, Failure, Result};
use crate::setup::browser::Chromium;
use crate::setup::nginx::Nginx;
use crate::setup::postgres::Postgres;
use crate::setup::pypi::{DUCKDB, JUPYTER, MPICH, PYTHON_TESTS, SCHEMATHESIS};
use crate::setup::{code_server, garage, level_zero, older, sycl};
use crate::workspace::Workspace;

/// Folder of the tests that start servers and their services.
pub(crate) const SERVER_TESTS: &str = "e2e/server";

pub(crate) fn run(workspace: &Workspace, tally: &mut Tally) -> Result<Done> {
    let recordings = workspace.target.join("e2e-recordings");
    for folder in [&workspace.target.join("e2e"), &recordings] {
        if folder.is_dir() {
            std::fs::remove_dir_all(folder).at("empty", folder)?;
        }
    }
    let page_tests = workspace.root.join("e2e/page");
    let specs = specs(&workspace.root.join("e2e"))?;
    if specs.is_empty() {
        return Err(Failure::new("there is no *.test.mjs below e2e/"));
    }
    // Three files of page and server run side by side, since they mostly wait; two of those that record, which work more.
    let (page, others): (Vec<_>, Vec<_>) = specs.into_iter().partition(|file| file.starts_with(&page_tests));
    let (server, others): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|file| file.starts_with(workspace.root.join(SERVER_TESTS)));
    let mut failure: Option<Failure> = None;
    for (name, at_once, specs) in
        [("end-to-end", 2, others), ("end-to-end-page", 3, page), ("end-to-end-server", 3, server)]
    {
        let mut command = Command::new("node");
        command
            .args(["--test", "--test-reporter=spec", &format!("--test-concurrency={at_once}")])
            .args(specs);
        prepare(workspace, Profile::Tested, &mut command)?;
        command.env("RECORDINGS", &recordings);
        let mut own = Tally::default();
        let done = Runner::Node.run(workspace, name, &mut command, &mut own);
        *tally += own;
        // All run before a failure ends the step, and each failure is printed.
        if let Some(earlier) = done.err().and_then(|last| failure.replace(last)) {
            println!("{earlier}\n");
        }
    }
    match failure {
        Some(failure) => Err(failure),
        None => Ok(Done::Passed(tally.to_string())),
    }
}

/// Runs some of the test files on the existing artefacts.
pub(super) fn run_specs(workspace: &Workspace, specs: &[PathBuf], tally: &mut Tally) -> Result<Done> {
    let mut command = Command::new("node");
    command.args(["--test", "--test-reporter=spec", "--test-concurrency=1"]).args(specs);
    prepare(workspace, Profile::Tested, &mut command)?;
    let recordings = workspace.target.join("e2e-recordings");
    std::fs::create_dir_all(&recordings).at("create", &recordings)?;
    command.env("RECORDINGS", &recordings);
    Runner::Node.run(workspace, "changed-end-to-end", &mut command, tally)
}

/// Sets the environment of `command`, a node call, for end-to-end tests and benchmarks of a build of the program.
pub(crate) fn prepare(workspace: &Workspace, profile: Profile, command: &mut Command) -> Result<()> {
    let artefacts = workspace.target.join("e2e");
    std::fs::create_dir_all(&artefacts).at("create", &artefacts)?;
    let chromium = Chromium::find().ok_or_else(|| {
        Failure::new("there is no Chromium").with_remedy("cargo xtask setup, or set CHROMIUM to one")
    })?;
    command.current_dir(workspace.root.join("e2e")).env_remove("LD_LIBRARY_PATH");
    for (name, value) in [
        ("SYCLSCOPE_BIN", profile.program(workspace)),
        ("SYCLSCOPE_TEST_PAGE", page::testing_folder(workspace)),
        ("EXAMPLES_DIR", examples::folder(workspace)),
        ("SYCL_VENV", sycl::runtime(workspace).link),
        ("SYCL_PYTHON_VENV", sycl::python(workspace).link),
        ("DUCKDB_PYTHON", DUCKDB.bin(workspace, "python")),
        ("JUPYTER_PYTHON", JUPYTER.bin(workspace, "python")),
        ("PYTHON_TESTS", PYTHON_TESTS.environment(workspace).link),
        ("SCHEMATHESIS", SCHEMATHESIS.bin(workspace, "schemathesis")),
        ("MPIRUN", MPICH.bin(workspace, "mpirun")),
        ("LEVEL_ZERO_DRIVER", test_driver::file(workspace)),
        ("CHROMIUM", chromium),
        ("ARTEFACTS", artefacts),
    ] {
        command.env(name, value);
    }
    for (name, found) in [("POSTGRES_BIN", Postgres::bin()), ("NGINX", Nginx::find())] {
        let found = found.ok_or_else(|| {
            Failure::new(format!("what {name} should name is not here")).with_remedy("cargo xtask setup")
        })?;
        command.env(name, found);
    }
    match garage::find(workspace)? {
        Ok(garage) => command.env("GARAGE", garage),
        Err(missing) => command.env("GARAGE_MISSING", missing),
    };
    match code_server::find(workspace)? {
        Ok(folder) => command.env("CODE_SERVER", folder),
        Err(missing) => command.env("CODE_SERVER_MISSING", missing),
    };
    match level_zero::LOADER.find(workspace) {
        Ok(folder) => command.env("LEVEL_ZERO_LOADER", folder),
        Err(missing) => command.env("LEVEL_ZERO_LOADER_MISSING", missing),
    };
    for version in older::VERSIONS {
        let name = format!("SYCL_VENV_{}", version.replace('.', "_"));
        let runtime = older::OlderRuntime { version };
        match runtime.environment(workspace)? {
            Ok(environment) => command.env(name, environment.link),
            Err(missing) => command.env(format!("{name}_MISSING"), missing),
        };
    }
    Ok(())
}

pub(crate) fn specs(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).at("list", &folder)?.flatten() {
            let path = entry.path();
            let name = entry.file_name();
            if path.is_dir() && name != "node_modules" {
                waiting.push(path);
            } else if name.to_string_lossy().ends_with(".test.mjs") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

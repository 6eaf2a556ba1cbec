//! The tests of built artefacts, run by node's own test runner.
//!
//! Their environment variables:
//! - `SYCLSCOPE_BIN`, the program;
//! - `SYCLSCOPE_TEST_PAGE`, the page with hooks for tests;
//! - `EXAMPLES_DIR`, compiled programs;
//! - `RECORDINGS`, an empty folder for recordings that one test creates and several use;
//! - `SYCL_VENV` and `SYCL_PYTHON_VENV`, the runtimes;
//! - `SYCL_VENV_2024_2` and its like, the older ones, or `SYCL_VENV_2024_2_MISSING`, the reason for its absence;
//! - `DUCKDB_PYTHON`, a Python with DuckDB;
//! - `JUPYTER_PYTHON`, one with JupyterLab;
//! - `CODE_SERVER`, the folder of code-server, or `CODE_SERVER_MISSING`, the reason for its absence;
//! - `SCHEMATHESIS`, the program;
//! - `MPIRUN`, `MPIRUN_OPEN_MPI` and `MPIRUN_INTEL_MPI`, launchers of MPI: that of MPICH and those two;
//! - `CHROMIUM`, the browser;
//! - `LEVEL_ZERO_DRIVER`, the tests' own driver, with `LEVEL_ZERO_LOADER`, the folder of a loader, or
//!   `LEVEL_ZERO_LOADER_MISSING`, the reason for its absence;
//! - `KOKKOS`, the folder of Kokkos' headers and libraries, or `KOKKOS_MISSING`, the reason for its absence;
//! - `FRAMEWORKS_VENV`, clients of ITT, NVTX and Kokkos Tools;
//! - `POSTGRES_BIN`, the folder of PostgreSQL's programs;
//! - `NGINX` and `GARAGE`, the programs, or `GARAGE_MISSING`, the reason for its absence;
//! - `ARTEFACTS`, an empty folder for pictures. The page's tests take them only if `PICTURES` is set, which xtask leaves
//!   to the caller: each costs a tenth of a second of a core.

use std::collections::BTreeMap;

use super::runner::{Done, Runner, Tally};
use crate::artefacts::program::{self, Profile};
use crate::artefacts::{examples, page};
use crate::prelude::*;
use crate::setup::apt::{CHROMIUM, NGINX, POSTGRES};
use crate::setup::cargo_tools::{self, TRUNK, WASM_BINDGEN};
use crate::setup::pypi::{
    DUCKDB, FRAMEWORKS, INTEL_MPI, JUPYTER, MPICH, OPEN_MPI, PYTHON_TESTS, SCHEMATHESIS,
};
use crate::setup::{self, Scope, kokkos, level_zero, npm, sycl};

/// Folder of the tests that start servers and their services.
pub(crate) const SERVER_TESTS: &str = "e2e/server";

pub(crate) fn run(workspace: &Workspace, tally: &mut Tally) -> Result<Done> {
    let recordings = workspace.target.join("e2e-recordings");
    files::remove_folder(&workspace.target.join("e2e"))?;
    files::remove_folder(&recordings)?;
    let specs = specs(&workspace.root.join("e2e"))?;
    if specs.is_empty() {
        return Err(Failure::new("there is no *.test.mjs below e2e/"));
    }
    let mut command = Command::new("node");
    // Test files that wait run in parallel with files that compute: three left an eighth of two cores unused.
    command.args(["run.mjs", "4"]).args(mixed(specs)).env("RECORDINGS", &recordings);
    prepare(workspace, Profile::Tested, &mut command)?;
    Runner::Node.run(workspace, "end-to-end", &mut command, tally)
}

/// Files that take minutes, each of which would run alone at the end.
const LONG: [&str; 4] = ["fuzzed.test.mjs", "room.test.mjs", "share.test.mjs", "versions.test.mjs"];

/// Puts long files first, and spreads those of each folder evenly over the run.
fn mixed(specs: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut folders: BTreeMap<Option<PathBuf>, Vec<PathBuf>> = BTreeMap::new();
    for file in specs {
        folders.entry(file.parent().map(Path::to_owned)).or_default().push(file);
    }
    let mut placed: Vec<(usize, PathBuf)> = Vec::new();
    for files in folders.into_values() {
        // The place of a file in thousandths of its folder.
        let count = files.len();
        placed.extend(files.into_iter().enumerate().map(|(row, file)| ((2 * row + 1) * 500 / count, file)));
    }
    placed.sort_by_cached_key(|(place, file)| {
        let is_short = !LONG.contains(&files::name(file).as_ref());
        (is_short, *place, file.clone())
    });
    placed.into_iter().map(|(_, file)| file).collect()
}

pub(super) fn run_specs(workspace: &Workspace, specs: &[PathBuf], tally: &mut Tally) -> Result<Done> {
    let recordings = workspace.target.join("e2e-recordings");
    files::create(&recordings)?;
    let mut command = node_tests(workspace, Profile::Tested)?;
    command.arg("--test-concurrency=1").args(specs).env("RECORDINGS", &recordings);
    Runner::Node.run(workspace, "changed-end-to-end", &mut command, tally)
}

/// Runs the tests of the Python package with pytest on the built program and on a real SYCL runtime.
pub(super) fn run_python(workspace: &Workspace, tally: &mut Tally) -> Result<Done> {
    let mut command = Command::new(PYTHON_TESTS.bin(workspace, "python"));
    command.current_dir(workspace.root.join("python")).args(["-m", "pytest", "-p", "no:cacheprovider"]);
    command.env("SYCLSCOPE_PROGRAM", Profile::Tested.program(workspace)).env_remove("PYTHONPATH");
    command.env("SYCL_PYTHON_VENV", sycl::python(workspace).link);
    command.env("FRAMEWORKS_VENV", FRAMEWORKS.environment(workspace).link);
    Runner::Pytest.run(workspace, "python", &mut command, tally)
}

/// Checks that `trunk build` builds a working page: built with the real Trunk and opened in the browser.
pub(super) fn run_trunk(workspace: &Workspace, tally: &mut Tally) -> Result<Done> {
    let (bindgen, trunk) = (WASM_BINDGEN.bring(workspace)?, TRUNK.bring(workspace)?);
    let folders = [&bindgen, &trunk].into_iter().filter_map(|program| program.parent());
    let folders: Vec<PathBuf> =
        [npm::wasm_opt_folder(workspace)].into_iter().chain(folders.map(Into::into)).collect();
    let dist = workspace.target.join("dist-trunk");
    let mut command = Command::new(trunk);
    command.args(["build", "--release", "--offline", "--dist"]).arg(&dist).current_dir(&workspace.root);
    // Trunk reads NO_COLOR as true or false and rejects any other value.
    command.env("PATH", process::path_with(&folders)).env_remove("NO_COLOR");
    workspace.run("trunk", &mut command)?;
    let mut node = node_tests(workspace, Profile::Tested)?;
    node.arg("page/trunk.mjs").env("TRUNK_PAGE", &dist);
    Runner::Node.run(workspace, "trunk-page", &mut node, tally)
}

/// `cargo xtask pictures`: takes the pictures of docs/images of the built page, with the recordings of e2e/traces.
pub(crate) fn pictures(workspace: &Workspace) -> Result<()> {
    setup::run(workspace, Scope::Tests)?;
    program::build(workspace)?;
    let mut command = Command::new("node");
    command.arg("pictures/take.mjs").arg(workspace.root.join("docs/images"));
    prepare(workspace, Profile::Release, &mut command)?;
    process::run(&mut command)
}

/// Returns a call of node's test runner, prepared for a build of the program.
pub(crate) fn node_tests(workspace: &Workspace, profile: Profile) -> Result<Command> {
    let mut command = Command::new("node");
    command.args(["--test", "--test-reporter=spec"]);
    prepare(workspace, profile, &mut command)?;
    Ok(command)
}

pub(super) fn chromium() -> Result<PathBuf> {
    CHROMIUM.find().ok_or_else(|| {
        Failure::new("there is no Chromium").with_remedy("run `cargo xtask setup`, or set CHROMIUM to one")
    })
}

/// Sets the environment of `command`, a node call, for end-to-end tests and benchmarks of a build of the program.
pub(crate) fn prepare(workspace: &Workspace, profile: Profile, command: &mut Command) -> Result<()> {
    let artefacts = workspace.target.join("e2e");
    files::create(&artefacts)?;
    command.current_dir(workspace.root.join("e2e")).env_remove("LD_LIBRARY_PATH");
    for (name, value) in [
        ("SYCLSCOPE_BIN", profile.program(workspace)),
        ("SYCLSCOPE_TEST_PAGE", page::testing_folder(workspace)),
        ("EXAMPLES_DIR", examples::folder(workspace)),
        ("SYCL_VENV", sycl::runtime(workspace).link),
        ("SYCL_PYTHON_VENV", sycl::python(workspace).link),
        ("DUCKDB_PYTHON", DUCKDB.bin(workspace, "python")),
        ("JUPYTER_PYTHON", JUPYTER.bin(workspace, "python")),
        ("FRAMEWORKS_VENV", FRAMEWORKS.environment(workspace).link),
        ("PYTHON_TESTS", PYTHON_TESTS.environment(workspace).link),
        ("SCHEMATHESIS", SCHEMATHESIS.bin(workspace, "schemathesis")),
        ("MPIRUN", MPICH.bin(workspace, "mpirun")),
        ("MPIRUN_OPEN_MPI", OPEN_MPI.bin(workspace, "mpirun")),
        ("MPIRUN_INTEL_MPI", INTEL_MPI.bin(workspace, "mpiexec.hydra")),
        ("LEVEL_ZERO_DRIVER", program::test_driver(workspace)),
        ("CHROMIUM", chromium()?),
        ("ARTEFACTS", artefacts),
    ] {
        command.env(name, value);
    }
    for (name, found) in [("POSTGRES_BIN", POSTGRES.find()), ("NGINX", NGINX.find())] {
        let found = found.ok_or_else(|| {
            Failure::new(format!("the program for {name} is missing")).with_remedy("run `cargo xtask setup`")
        })?;
        command.env(name, found);
    }
    let mut maybe = |name: &str, found: std::result::Result<PathBuf, String>| {
        match found {
            Ok(path) => command.env(name, path),
            Err(missing) => command.env(format!("{name}_MISSING"), missing),
        };
    };
    maybe("GARAGE", cargo_tools::find_garage(workspace));
    maybe("CODE_SERVER", npm::find_code_server(workspace)?);
    maybe("LEVEL_ZERO_LOADER", level_zero::LOADER.find(workspace));
    maybe("KOKKOS", kokkos::KOKKOS.find(workspace));
    for version in sycl::OLDER {
        let runtime = sycl::older(workspace, version)?.map(|environment| environment.link);
        maybe(&format!("SYCL_VENV_{}", version.replace('.', "_")), runtime);
    }
    Ok(())
}

pub(crate) fn specs(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for path in files::entries(&folder)? {
            let name = files::name(&path);
            if path.is_dir() && name != "node_modules" {
                waiting.push(path);
            } else if name.ends_with(".test.mjs") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

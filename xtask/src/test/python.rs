//! The tests of the Python package, run by pytest on the built program and on a real SYCL runtime.

use std::process::Command;

use super::runner::{Done, Runner};
use super::tally::Tally;
use crate::artefacts::program::Profile;
use crate::failure::Result;
use crate::setup::pypi::{FRAMEWORKS, PYTHON_TESTS};
use crate::setup::sycl;
use crate::workspace::Workspace;

pub(super) fn run(workspace: &Workspace, tally: &mut Tally) -> Result<Done> {
    let mut command = Command::new(PYTHON_TESTS.bin(workspace, "python"));
    command.current_dir(workspace.root.join("python")).args(["-m", "pytest", "-p", "no:cacheprovider"]);
    command.env("SYCLSCOPE_PROGRAM", Profile::Tested.program(workspace)).env_remove("PYTHONPATH");
    command.env("SYCL_PYTHON_VENV", sycl::python(workspace).link);
    command.env("FRAMEWORKS_VENV", FRAMEWORKS.environment(workspace).link);
    Runner::Pytest.run(workspace, "python", &mut command, tally)
}

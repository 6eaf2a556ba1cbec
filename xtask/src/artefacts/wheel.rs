//! The Python wheel, with the program inside. `python/wheel.py` makes it from the built program.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::program;
use super::released::Build;
use crate::failure::Result;
use crate::process;
use crate::say;
use crate::workspace::Workspace;

/// Builds the program if needed, and the wheel around it; returns the wheel's file.
pub(crate) fn build(workspace: &Workspace) -> Result<PathBuf> {
    let program = program::build(workspace)?;
    // The program embeds it, so it also determines the systems that the wheel supports.
    let subscriber = program::build_subscriber(workspace)?;
    let begun = Instant::now();
    let wheel = of(workspace, &Build::native(program, subscriber), &workspace.target.join("wheels"))?;
    say::step("built", "wheel", &wheel.display().to_string(), begun.elapsed());
    Ok(wheel)
}

/// Writes the wheel of a program and its subscriber into a folder; returns the wheel's file.
pub(crate) fn of(workspace: &Workspace, build: &Build, folder: &Path) -> Result<PathBuf> {
    let mut command = Command::new("python3");
    command.current_dir(&workspace.root).arg("python/wheel.py");
    command.arg("--program").arg(&build.program).arg("--also").arg(&build.subscriber);
    Ok(PathBuf::from(process::answer(command.arg(folder))?.trim()))
}

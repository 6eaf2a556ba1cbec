//! The artefacts of a release, made twice from the built program, run in place, and used in an empty Debian.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::end_to_end;
use super::runner::{Done, Runner};
use super::tally::Tally;
use crate::artefacts::program::Profile;
use crate::artefacts::released::Build;
use crate::artefacts::{examples, page, program};
use crate::failure::{AtPath, Failure, Result};
use crate::process;
use crate::release::{self, Release, needs};
use crate::say;
use crate::setup::browser::Chromium;
use crate::setup::sycl;
use crate::workspace::Workspace;

/// Dependencies of the program in `e2e/install/minute.sh`: the smallest part of PyPI with a SYCL device, and dpctl,
/// which runs kernels on it.
const PACKAGES: [&str; 2] = ["dpctl==0.22.1", "intel-opencl-rt==2026.2.0"];

pub(super) fn run(workspace: &Workspace, tally: &mut Tally) -> Result<Done> {
    let made = release::pack(&trial(workspace, "once")?)?;
    let again = release::pack(&trial(workspace, "again")?)?;
    if made.len() != again.len() {
        return Err(Failure::new(format!("{} files are made, and {} again", made.len(), again.len())));
    }
    for (one, two) in made.iter().zip(&again) {
        if one.file_name() != two.file_name() {
            return Err(Failure::new(format!("{} is made once, {} again", one.display(), two.display())));
        }
        if std::fs::read(one).at("read", one)? != std::fs::read(two).at("read", two)? {
            return Err(Failure::new(format!("{} and {} differ", one.display(), two.display())));
        }
        tally.passed += 1;
    }
    let package = ending(&made, ".deb")?;
    let root = workspace.target.join("xtask/installed");
    if root.is_dir() {
        std::fs::remove_dir_all(&root).at("empty", &root)?;
    }
    process::answer(Command::new("dpkg-deb").arg("--extract").arg(package).arg(&root))?;
    works(&root.join("usr/bin/syclscope"), &root)?;
    let archive = root.join("archive");
    std::fs::create_dir_all(&archive).at("create", &archive)?;
    let mut tar = Command::new("tar");
    process::answer(
        tar.arg("--extract")
            .arg("--file")
            .arg(ending(&made, ".tar.gz")?)
            .arg("--strip-components=1")
            .arg("--directory")
            .arg(&archive),
    )?;
    works(&archive.join("bin/syclscope"), &root)?;
    tally.passed += 2;
    is_whole(ending(&made, &format!("/syclscope-{}.crate", workspace.locked_version("syclscope-cli")?))?)?;
    tally.passed += 1;
    let sums = ending(&made, "SHA256SUMS")?;
    let folder = sums.parent().unwrap_or(Path::new("."));
    process::answer(Command::new("sha256sum").current_dir(folder).args(["--check", "--strict"]).arg(sums))?;
    tally.passed += 1;
    // A machine's folder in the program would also be in a release.
    needs::names_no_folder(workspace, &page::folder(workspace))?;
    tally.passed += 1;
    let mut node = Command::new("node");
    node.args(["--test", "--test-reporter=spec", "page/shipped.mjs"]);
    end_to_end::prepare(workspace, Profile::Release, &mut node)?;
    Runner::Node.run(workspace, "shipped-page", &mut node, tally)?;
    if !process::is_root() || process::on_path("mmdebstrap").is_none() {
        return Ok(Done::Passed(format!("{tally}; not in an empty Debian, which wants root and mmdebstrap")));
    }
    let empty = workspace.cache.join("empty-debian");
    let mut command = Command::new("bash");
    command.current_dir(&workspace.root).arg("e2e/install/empty_root.sh").arg(folder);
    command.arg(std::fs::canonicalize(&sycl::runtime(workspace).link).unwrap_or_default());
    command.arg(examples::folder(workspace)).arg(&empty);
    process::logged(&mut command, &workspace.log("release"), process::PATIENCE)?;
    tally.passed += 1;
    if let Some(missing) =
        ["buildah", "podman", "runc"].into_iter().find(|name| process::on_path(name).is_none())
    {
        return Ok(Done::Passed(format!(
            "{tally}; the container's image was not built, which wants {missing}"
        )));
    }
    let program = Profile::Release.program(workspace);
    let mut images = vec![("release-recipe", &program)];
    // It exists if Debian's packages are available.
    images.extend(ending(&made, "-image.tar").ok().map(|image| ("release-image", image)));
    for (log, image) in images {
        let mut command = Command::new("bash");
        command.current_dir(&workspace.root).arg("e2e/install/image.sh").arg(image).arg(&empty);
        process::logged(&mut command, &workspace.log(log), process::PATIENCE)?;
        tally.passed += 1;
    }
    minute(workspace, folder, &empty)?;
    tally.passed += 1;
    Ok(Done::Passed(tally.to_string()))
}

/// Installs the wheel with nothing but pip, and shows the demo in a browser, then a program that runs on [`PACKAGES`]
/// and is recorded there. Prints the duration, which decides nothing.
fn minute(workspace: &Workspace, folder: &Path, empty: &Path) -> Result<()> {
    let begun = Instant::now();
    let Some(chromium) = Chromium::find() else {
        return Err(Failure::new("there is no Chromium").with_remedy("cargo xtask setup"));
    };
    let mut command = Command::new("bash");
    command.current_dir(&workspace.root).arg("e2e/install/minute.sh").arg(folder).arg(empty);
    command.args(PACKAGES).env("CHROMIUM", chromium);
    let log = workspace.log("release-minute");
    process::logged(&mut command, &log, process::PATIENCE)?;
    for line in process::read_log(&log).lines() {
        say::step("timed", "in an empty Debian", line.trim(), begun.elapsed());
    }
    Ok(())
}

/// The trial release of `build`'s program.
fn trial<'a>(workspace: &'a Workspace, name: &str) -> Result<Release<'a>> {
    Ok(Release {
        workspace,
        version: workspace.locked_version("syclscope-cli")?,
        epoch: release::epoch(workspace)?,
        native: Build::native(program::build(workspace)?, program::build_subscriber(workspace)?),
        others: Vec::new(),
        folder: workspace.target.join("xtask/release").join(name),
    })
}

fn ending<'a>(made: &'a [PathBuf], ending: &str) -> Result<&'a PathBuf> {
    let found = made.iter().find(|file| file.to_string_lossy().ends_with(ending));
    found.ok_or_else(|| Failure::new(format!("the release has no {ending}")))
}

/// Checks that a package for crates.io contains all of its sources; `cargo xtask release` installs it, which takes
/// minutes.
fn is_whole(package: &Path) -> Result<()> {
    let listed = process::answer(Command::new("tar").arg("--list").arg("--file").arg(package))?;
    for name in
        ["/Cargo.lock", "/build.rs", "/embedded/0.br", "/embedded/embedded.rs", "/recordings/heat.pftrace.gz"]
    {
        if !listed.lines().any(|line| line.ends_with(name)) {
            return Err(Failure::new(format!("{} holds no {name}", package.display())));
        }
    }
    Ok(())
}

/// Runs an installed program, in an empty environment, for its version, its manual and the subscriber inside.
fn works(program: &Path, folder: &Path) -> Result<()> {
    let call = |arguments: &[&str]| {
        let mut command = Command::new(program);
        command.env_clear().current_dir(folder).args(arguments);
        process::answer(&mut command)
    };
    let version = call(&["--version"])?;
    if !version.starts_with("syclscope ") {
        return Err(Failure::new(format!("{} says {version}", program.display())));
    }
    call(&["man", "manual"])?;
    let page = folder.join("manual/syclscope-record.1");
    page.metadata().at("find", &page).map(|_| ())
}

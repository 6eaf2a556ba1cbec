//! The artefacts of a release, built twice from the built program, run in place, and used in an empty Debian.

use super::end_to_end;
use super::runner::{Done, Runner, Tally};
use crate::artefacts::program::{self, Profile};
use crate::artefacts::released::Build;
use crate::artefacts::{examples, page};
use crate::prelude::*;
use crate::release::{self, Release, requirements};
use crate::setup::sycl;

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
        if files::bytes(one)? != files::bytes(two)? {
            return Err(Failure::new(format!("{} and {} differ", one.display(), two.display())));
        }
        tally.passed += 1;
    }
    let package = ending(&made, ".deb")?;
    let root = workspace.target.join("xtask/installed");
    files::empty(&root)?;
    process::quiet(Command::new("dpkg-deb").arg("--extract").arg(package).arg(&root))?;
    works(&root.join("usr/bin/syclscope"), &root)?;
    let archive = root.join("archive");
    files::create(&archive)?;
    let mut tar = Command::new("tar");
    tar.arg("--extract").arg("--file").arg(ending(&made, ".tar.gz")?).arg("--strip-components=1");
    process::quiet(tar.arg("--directory").arg(&archive))?;
    works(&archive.join("bin/syclscope"), &root)?;
    tally.passed += 2;
    check_package(ending(
        &made,
        &format!("/syclscope-{}.crate", workspace.locked_version("syclscope-cli")?),
    )?)?;
    tally.passed += 1;
    let sums = ending(&made, "SHA256SUMS")?;
    let folder = sums.parent().unwrap_or(Path::new("."));
    process::quiet(Command::new("sha256sum").current_dir(folder).args(["--check", "--strict"]).arg(sums))?;
    tally.passed += 1;
    // A machine's folder in the program would also be in a release.
    requirements::check_paths(workspace, &page::folder(workspace))?;
    tally.passed += 1;
    let mut node = end_to_end::node_tests(workspace, Profile::Release)?;
    Runner::Node.run(workspace, "shipped-page", node.arg("page/shipped.mjs"), tally)?;
    if !process::is_root() || process::on_path("mmdebstrap").is_none() {
        return Ok(Done::Passed(format!("{tally}; not in an empty Debian, which needs root and mmdebstrap")));
    }
    let empty = workspace.cache.join("empty-debian");
    let mut command = Command::new("bash");
    command.current_dir(&workspace.root).arg("e2e/install/empty_root.sh").arg(folder);
    command.arg(std::fs::canonicalize(&sycl::runtime(workspace).link).unwrap_or_default());
    command.arg(examples::folder(workspace)).arg(&empty);
    workspace.run("release", &mut command)?;
    tally.passed += 1;
    if let Some(missing) =
        ["buildah", "podman", "runc"].into_iter().find(|name| process::on_path(name).is_none())
    {
        return Ok(Done::Passed(format!(
            "{tally}; the container's image was not built, which needs {missing}"
        )));
    }
    let program = Profile::Release.program(workspace);
    let mut images = vec![("release-recipe", &program)];
    // The image exists if Debian's packages are available.
    images.extend(ending(&made, "-image.tar").ok().map(|image| ("release-image", image)));
    for (log, image) in images {
        let mut command = Command::new("bash");
        command.current_dir(&workspace.root).arg("e2e/install/image.sh").arg(image).arg(&empty);
        workspace.run(log, &mut command)?;
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
    let mut command = Command::new("bash");
    command.current_dir(&workspace.root).arg("e2e/install/minute.sh").arg(folder).arg(empty);
    command.args(PACKAGES).env("CHROMIUM", end_to_end::chromium()?);
    workspace.run("release-minute", &mut command)?;
    for line in process::read_log(&workspace.log("release-minute")).lines() {
        say::step("timed", "in an empty Debian", line.trim(), begun.elapsed());
    }
    Ok(())
}

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

/// Checks that a package for crates.io contains a lock file, the build script, embedded files and recordings.
/// `cargo xtask release` installs it, which takes minutes.
fn check_package(package: &Path) -> Result<()> {
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

/// Checks the version and the manual of an installed program, in an empty environment.
fn works(program: &Path, folder: &Path) -> Result<()> {
    let call = |arguments: &[&str]| {
        process::answer(Command::new(program).env_clear().current_dir(folder).args(arguments))
    };
    let version = call(&["--version"])?;
    if !version.starts_with("syclscope ") {
        return Err(Failure::new(format!("{} says {version}", program.display())));
    }
    call(&["man", "manual"])?;
    files::len(&folder.join("manual/syclscope-record.1")).map(|_| ())
}

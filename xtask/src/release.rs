//! `cargo xtask release`: all release artefacts in one folder, with checksums.
//!
//! Each artefact of the same program has the same bytes: times are those of the commit, names are sorted, owners
//! are root. The program itself is reproducible if [`released::build`] has built it.

mod changes;
mod crates;
mod dependencies;
mod image;
mod licences;
mod packages;
pub(crate) mod requirements;
mod sbom;
mod tried;

use std::time::Duration;

use crate::artefacts::released::{self, Build};
use crate::artefacts::{page, program};
use crate::prelude::*;
use crate::setup::other_target::OtherTarget;
use crate::setup::{self, Scope, image_base};

use dependencies::Dependencies;

pub(crate) struct Release<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) version: String,
    /// Time of files in archives, in seconds since 1970: that of the commit.
    pub(crate) epoch: String,
    pub(crate) native: Build,
    pub(crate) others: Vec<Build>,
    pub(crate) folder: PathBuf,
}

impl Release<'_> {
    /// Returns all builds, this machine's first.
    fn builds(&self) -> impl Iterator<Item = &Build> {
        std::iter::once(&self.native).chain(&self.others)
    }
}

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Options {
    /// Trial: package the working tree, release or not, with the program of `cargo xtask build`.
    pub(crate) is_trial: bool,
    pub(crate) program: Option<PathBuf>,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let version = workspace.locked_version("syclscope-cli")?;
    if !options.is_trial {
        check(workspace, &version)?;
    }
    let mut others = Vec::new();
    let native = if let Some(file) = &options.program {
        let program = file.canonicalize().at("find", file)?;
        // Every build writes the subscriber next to the program.
        let beside = program.with_file_name("libsyclscope_subscriber.so");
        let subscriber = if beside.is_file() { beside } else { program::build_subscriber(workspace)? };
        Build::native(program, subscriber)
    } else if options.is_trial {
        setup::run(workspace, Scope::Page)?;
        Build::native(program::build(workspace)?, program::build_subscriber(workspace)?)
    } else {
        setup::run(workspace, Scope::Release)?;
        let page = page::build(workspace)?;
        let native = released::build(workspace, &page, std::env::consts::ARCH)?;
        for target in OtherTarget::ready(workspace) {
            others.push(released::build(workspace, &page, target.architecture)?);
        }
        native
    };
    let folder = workspace.target.join("release-artefacts").join(&version);
    let release = Release { workspace, version, epoch: epoch(workspace)?, native, others, folder };
    if !options.is_trial {
        requirements::check(&release, &page::folder(workspace))?;
    }
    let made = pack(&release)?;
    if !options.is_trial {
        tried::on_other_machines(&release)?;
        tried::by_cargo(&release, &made)?;
        tried::on_an_older_system(workspace, &release.folder)?;
    }
    Ok(())
}

pub(crate) fn pack(release: &Release<'_>) -> Result<Vec<PathBuf>> {
    say::heading("release");
    let folder = &release.folder;
    files::empty(folder)?;
    let dependencies =
        Dependencies::read(release.workspace, release.builds().map(|build| build.architecture))?;
    let notices = licences::text(&dependencies)?;
    let write = |ending: &str, text: &str| -> Result<PathBuf> {
        let file = folder.join(format!("syclscope-{}{ending}", release.version));
        files::write(&file, text)?;
        Ok(file)
    };
    let mut made = Vec::new();
    let mut step = |what: &str, make: &dyn Fn() -> Result<PathBuf>| {
        let begun = Instant::now();
        let file = make()?;
        say::step("built", what, &program::described(&file)?, begun.elapsed());
        made.push(file);
        Ok::<_, Failure>(())
    };
    let stage = |build| packages::stage(release, build, &notices);
    let staged = release.builds().map(stage).collect::<Result<Vec<_>>>()?;
    for (build, usr) in release.builds().zip(&staged) {
        step("archive", &|| packages::archive(release, build, usr))?;
        step("Debian package", &|| packages::debian(release, build, usr))?;
        step("wheel", &|| released::wheel(release.workspace, build, folder))?;
    }
    step("bill of materials", &|| {
        write(".cdx.json", &sbom::text(&dependencies, &release.version, &release.epoch)?)
    })?;
    step("licences", &|| write("-licences.txt", &notices))?;
    step("changes", &|| write("-changes.md", &changes::read(release.workspace, &release.version)?))?;
    if let Some(base) = image_base::folder(release.workspace)? {
        step("image", &|| image::make(release, &staged[0], &base))?;
    } else {
        let lacks = "its packages of Debian are missing: run `cargo xtask setup release`";
        say::step("skipped", "image", lacks, Duration::ZERO);
    }
    if page::folder(release.workspace).join("index.html").is_file() {
        made.extend(crates::make(release)?);
    } else {
        say::step("skipped", "crates", "they contain the page, which is not built", Duration::ZERO);
    }
    made.sort();
    let mut sums = Command::new("sha256sum");
    sums.current_dir(folder).args(made.iter().filter_map(|file| file.file_name()));
    let file = folder.join("SHA256SUMS");
    files::write(&file, process::answer(&mut sums)?)?;
    made.push(file);
    Ok(made)
}

/// Returns the time of the commit: `SOURCE_DATE_EPOCH`, or from git.
pub(crate) fn epoch(workspace: &Workspace) -> Result<String> {
    if let Ok(given) = std::env::var("SOURCE_DATE_EPOCH") {
        return Ok(given);
    }
    git(workspace, &["log", "-1", "--format=%ct"])
}

fn git(workspace: &Workspace, arguments: &[&str]) -> Result<String> {
    process::answer(Command::new("git").current_dir(&workspace.root).args(arguments))
}

/// Rejects anything but a release: the tree must equal the tag's, and the version needs a changelog section and its
/// kept recordings.
fn check(workspace: &Workspace, version: &str) -> Result<()> {
    let trial = "run `cargo xtask release --trial` to make artefacts of the present files";
    if !git(workspace, &["status", "--porcelain"])?.is_empty() {
        return Err(Failure::new("files differ from the commit").with_remedy(trial));
    }
    let tag = format!("v{version}");
    if !git(workspace, &["tag", "--points-at", "HEAD"])?.lines().any(|line| line == tag) {
        return Err(Failure::new(format!("the commit has no tag {tag}")).with_remedy(trial));
    }
    if !changes::is_ready(workspace, version)? {
        let remedy = format!("rename the heading `## Unreleased` to `## {version}`");
        let why = format!("CHANGELOG.md has no section {version}, or unreleased changes above it");
        return Err(Failure::new(why).with_remedy(remedy));
    }
    let kept = workspace.root.join("trace/engine/tests/data/released").join(version);
    if !kept.is_dir() {
        let remedy = "run `UPDATE_RELEASED=1 cargo test -p syclscope-engine --test it released`";
        return Err(Failure::new(format!("there is no {}", kept.display())).with_remedy(remedy));
    }
    Ok(())
}

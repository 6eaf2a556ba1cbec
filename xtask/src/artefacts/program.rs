//! The one binary, with the page, the documents and the subscriber inside.

use super::embedded::{self, Packing};
use super::{page, site};
use crate::fingerprint::{self, Fingerprint};
use crate::prelude::*;

pub(super) const CLI: &str = "syclscope-cli";
pub(super) const SUBSCRIBER: &str = "syclscope-subscriber";

/// Builds of the program with a page.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Profile {
    Release,
    /// Takes a third of the time to build.
    Demo,
    /// Consists of the crates that `cargo test` has compiled, so that only the program is linked again; checks
    /// overflows, and its page has hooks for tests.
    Tested,
}

impl Profile {
    fn name(self) -> &'static str {
        match self {
            Profile::Release => "release",
            Profile::Demo => "demo",
            Profile::Tested => "tested",
        }
    }

    fn page(self, workspace: &Workspace) -> Result<PathBuf> {
        match self {
            Profile::Release => page::build(workspace),
            Profile::Tested => page::build_for_tests(workspace),
            Profile::Demo => page::build_for_demo(workspace),
        }
    }

    fn packing(self) -> Packing {
        match self {
            Profile::Release => Packing::SMALL,
            Profile::Demo | Profile::Tested => Packing::QUICK,
        }
    }

    fn folder(self, workspace: &Workspace) -> PathBuf {
        workspace.target.join(self.name())
    }

    pub(crate) fn program(self, workspace: &Workspace) -> PathBuf {
        self.folder(workspace).join("syclscope")
    }

    pub(crate) fn subscriber(self, workspace: &Workspace) -> PathBuf {
        self.folder(workspace).join("libsyclscope_subscriber.so")
    }

    fn cargo(self, workspace: &Workspace) -> Command {
        let mut command;
        if self == Profile::Tested {
            command = workspace.linting_cargo();
            // With examples, dependencies have the features that `cargo test` gives them.
            let selected = ["--workspace", "--exclude", "xtask", "--lib", "--examples", "--bin", "syclscope"];
            command.args(["build", "--locked"]).args(selected);
        } else {
            command = workspace.cargo();
            command.args(["build", "--locked", "--profile", self.name()]);
            command.args(["--package", CLI, "--package", SUBSCRIBER]);
        }
        command.env_remove(embedded::VARIABLE);
        command
    }

    /// Calls cargo; `embedded` lists the files inside the program.
    fn compile(self, workspace: &Workspace, embedded: Option<&Path>, log: &str) -> Result<()> {
        let mut command = self.cargo(workspace);
        command.envs(embedded.map(|file| (embedded::VARIABLE, file)));
        workspace.run(log, &mut command)?;
        if self == Profile::Tested {
            files::create(&self.folder(workspace))?;
            for file in [self.program(workspace), self.subscriber(workspace)] {
                let of_cargo = workspace.target.join("debug").join(files::name(&file));
                process::quiet(Command::new("strip").arg("--strip-debug").arg(of_cargo).arg("-o").arg(file))?;
            }
        }
        Ok(())
    }
}

/// Builds page, documents, subscriber and program, each if needed, and returns the program's file.
pub(crate) fn build(workspace: &Workspace) -> Result<PathBuf> {
    build_as(workspace, Profile::Release)
}

pub(crate) fn build_as(workspace: &Workspace, profile: Profile) -> Result<PathBuf> {
    build_beside(workspace, profile, || Ok(()))
}

/// Builds the program in parallel with `set_up`, which installs the tools for page and documents.
pub(crate) fn build_beside(
    workspace: &Workspace,
    profile: Profile,
    set_up: impl FnOnce() -> Result<()> + Send,
) -> Result<PathBuf> {
    say::heading("build");
    let begun = Instant::now();
    let artefact = profile.program(workspace);
    if is_current(workspace, profile)? {
        // Benchmarks and tests read its folder.
        profile.page(workspace)?;
        say::step("current", "program", &artefact.display().to_string(), begun.elapsed());
        return Ok(artefact);
    }
    let sources = sources(workspace)?;
    let (page, parts) = process::side_by_side(
        || {
            set_up()?;
            profile.page(workspace)
        },
        || build_parts(workspace, profile),
    )?;
    let site = site::build(workspace, &parts.commands)?;
    let begun = Instant::now();
    let embedded = embedded::write(workspace, &page, &site, &parts.subscriber, profile.packing())?;
    profile.compile(workspace, Some(&embedded), "build-program")?;
    fingerprint::write_artefact_stamp(&stamp(workspace, profile), &sources, &artefact)?;
    say::step("built", "program", &described(&artefact)?, begun.elapsed());
    Ok(artefact)
}

/// True if the complete program of a profile exists and was built from the current sources.
pub(crate) fn is_current(workspace: &Workspace, profile: Profile) -> Result<bool> {
    let (stamp, program) = (stamp(workspace, profile), profile.program(workspace));
    Ok(fingerprint::is_current(&stamp, &sources(workspace)?, &program))
}

fn stamp(workspace: &Workspace, profile: Profile) -> PathBuf {
    workspace.stamp(&format!("whole-{}", profile.name()))
}

fn sources(workspace: &Workspace) -> Result<String> {
    let mut inputs = Fingerprint::new();
    page::with_tools(inputs.trees(&files_of(workspace))?);
    Ok(inputs.finish())
}

/// Returns the files and folders from which the whole program is built.
pub(crate) fn files_of(workspace: &Workspace) -> Vec<PathBuf> {
    let mut files = workspace.sources_of(&[CLI, SUBSCRIBER]);
    files.extend(page::sources(workspace).into_iter().chain(site::sources(workspace)));
    let others = [embedded::RECORDED, "xtask/src/artefacts/embedded.rs"];
    files.extend(others.map(|name| workspace.root.join(name)));
    files
}

/// Builds the program unoptimised, with neither page nor subscriber inside, as its tests run it.
pub(crate) fn build_quickly(workspace: &Workspace) -> Result<PathBuf> {
    let begun = Instant::now();
    let mut command = workspace.cargo();
    command.args(["build", "--locked", "--package", CLI]);
    workspace.run("build-program-dev", &mut command)?;
    let program = workspace.target.join("debug/syclscope");
    say::step("built", "program", &program.display().to_string(), begun.elapsed());
    Ok(program)
}

pub(super) struct Parts {
    /// The library that a SYCL runtime loads.
    pub(super) subscriber: PathBuf,
    /// The command reference, printed by the program (`syclscope man --markdown`).
    pub(super) commands: PathBuf,
}

/// Builds the parts, if needed. One cargo call compiles the common dependencies of program and subscriber once.
pub(super) fn build_parts(workspace: &Workspace, profile: Profile) -> Result<Parts> {
    let begun = Instant::now();
    let subscriber = profile.subscriber(workspace);
    let folder = workspace.target.join("xtask/commands");
    let commands = folder.join("commands.md");
    let mut inputs = Fingerprint::new();
    inputs.trees(&workspace.sources_of(&[CLI, SUBSCRIBER]))?.compiler();
    let inputs = inputs.finish();
    let made = [(&subscriber, "subscriber"), (&commands, "commands")]
        .map(|(file, name)| (workspace.stamp(&format!("{name}-{}", profile.name())), file));
    if made.iter().all(|(stamp, file)| fingerprint::is_current(stamp, &inputs, file)) {
        say::step("current", "subscriber", &subscriber.display().to_string(), begun.elapsed());
        return Ok(Parts { subscriber, commands });
    }
    say::begins("building", "subscriber", "and the program's crates …");
    profile.compile(workspace, None, "build-parts")?;
    // A program without page and subscriber must not be mistaken for the complete one.
    let program = profile.program(workspace);
    process::quiet(Command::new(&program).args(["man", "--markdown"]).arg(&folder))?;
    files::remove(&program)?;
    for (stamp, file) in &made {
        fingerprint::write_artefact_stamp(stamp, &inputs, file)?;
    }
    say::step("built", "subscriber", &described(&subscriber)?, begun.elapsed());
    Ok(Parts { subscriber, commands })
}

pub(crate) fn build_subscriber(workspace: &Workspace) -> Result<PathBuf> {
    Ok(build_parts(workspace, Profile::Release)?.subscriber)
}

pub(crate) fn described(file: &Path) -> Result<String> {
    Ok(format!("{} ({:.1} MB)", file.display(), files::len(file)? as f64 / 1e6))
}

/// Builds the Level Zero driver for the tests. It is never shipped, so it is built for development only.
pub(crate) fn build_test_driver(workspace: &Workspace) -> Result<PathBuf> {
    let mut command = workspace.linting_cargo();
    workspace.run(
        "build-test-driver",
        command.args(["build", "--locked", "--package", "syclscope-test-driver"]),
    )?;
    Ok(test_driver(workspace))
}

pub(crate) fn test_driver(workspace: &Workspace) -> PathBuf {
    workspace.target.join("debug/libze_syclscope_test.so")
}

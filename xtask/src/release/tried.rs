//! Trials of a release: installed by cargo, used on an older system than the build machine, and on other architectures.

use super::{Release, crates};
use crate::prelude::*;
use crate::setup::other_target::OtherTarget;
use crate::setup::sycl;

/// Debian 11, with glibc 2.31: the oldest that Debian's mirrors still have.
const OLDER: &str = "bullseye";

/// Bytes that identify the recorder inside of a program.
const RECORDER: &[u8] = b"xptiTraceInit";

/// Installs the crates among `made` as `cargo install` does, and checks the result.
pub(super) fn by_cargo(release: &Release<'_>, made: &[PathBuf]) -> Result<()> {
    let begun = Instant::now();
    let crates: Vec<PathBuf> =
        made.iter().filter(|file| files::has_extension(file, "crate")).cloned().collect();
    let trial = std::env::temp_dir().join(format!("syclscope-cargo-install-{}", std::process::id()));
    let program = crates::install(release, &crates, &trial)?;
    let version = process::answer(Command::new(&program).arg("--version"))?;
    if version.trim() != format!("syclscope {}", release.version) {
        return Err(Failure::new(format!("{} says {version}", program.display())));
    }
    let bytes = files::bytes(&program)?;
    if !bytes.windows(RECORDER.len()).any(|place| place == RECORDER) {
        return Err(Failure::new(format!("{} carries no recorder", program.display())));
    }
    let note = format!("{:.1} MB, with page and recorder", bytes.len() as f64 / 1e6);
    say::step("passed", "cargo install", &note, begun.elapsed());
    files::remove_folder(&trial)
}

/// A recording in the repository that every program must summarize identically.
const RECORDING: &str = "e2e/traces/heat.pftrace.gz";

/// Runs the builds for other architectures in an emulator: each program must summarize a recording as this machine's
/// does. If that is impossible, prints the reason.
pub(super) fn on_other_machines(release: &Release<'_>) -> Result<()> {
    let recording = release.workspace.root.join(RECORDING);
    for other in OtherTarget::all() {
        let begun = Instant::now();
        let say = |outcome, note: &str| say::step(outcome, other.architecture, note, begun.elapsed());
        let Some(build) = release.others.iter().find(|build| build.architecture == other.architecture) else {
            say("skipped", "nothing was made for it: `cargo xtask setup release` says why");
            continue;
        };
        let Some(emulator) = other.emulator() else {
            say("skipped", "not run: it needs QEMU (Debian: qemu-user-static)");
            continue;
        };
        let libraries = match other.libraries(release.workspace)? {
            Ok(libraries) => libraries,
            Err(lacks) => {
                say("skipped", &format!("not run: {lacks}"));
                continue;
            }
        };
        let summary_of = |mut command: Command| process::answer(command.arg("summary").arg(&recording));
        let mut emulated = Command::new(&emulator);
        emulated.arg("-L").arg(&libraries).arg(&build.program);
        let (summary, native) = (summary_of(emulated)?, summary_of(Command::new(&release.native.program))?);
        if summary != native {
            return Err(Failure::new(format!(
                "{} sums up {RECORDING} in other words than this machine's program",
                build.program.display()
            )));
        }
        say("passed", "sums up a recording in QEMU as this machine's program does");
    }
    Ok(())
}

/// Installs package and wheel of `folder` on an older Debian, records, opens and summarizes. If that is impossible,
/// prints the reason.
pub(super) fn on_an_older_system(workspace: &Workspace, folder: &Path) -> Result<()> {
    let begun = Instant::now();
    let runtime = sycl::runtime(workspace);
    let lacks = if !process::is_root() || process::on_path("mmdebstrap").is_none() {
        Some("it needs root and mmdebstrap")
    } else if !runtime.is_complete(workspace)? {
        Some("it needs a SYCL runtime: run `cargo xtask setup demo`")
    } else {
        None
    };
    if let Some(lacks) = lacks {
        say::step("skipped", OLDER, &format!("not used on an older Debian: {lacks}"), begun.elapsed());
        return Ok(());
    }
    let mut command = Command::new("bash");
    command.current_dir(&workspace.root).arg("e2e/install/empty_root.sh").arg(folder);
    command.arg(std::fs::canonicalize(&runtime.link).unwrap_or_default());
    command.arg("examples/cpp").arg(workspace.cache.join("empty-debian")).arg(OLDER);
    workspace.run("release-older", &mut command)?;
    say::step("passed", OLDER, "installed, used and removed on an older Debian", begun.elapsed());
    Ok(())
}

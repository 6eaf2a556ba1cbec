//! A release that is used on an older system than the one that made it.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::failure::Result;
use crate::process;
use crate::say;
use crate::setup::sycl;
use crate::workspace::Workspace;

/// Debian 11, with glibc 2.31: the oldest that Debian's mirrors still have.
const OLDER: &str = "bullseye";
/// Longer than an empty system takes to be made and used.
const LIMIT: Duration = Duration::from_secs(20 * 60);

/// Installs package and wheel of `folder` there, records, opens and sums up; where that can't be done, says why.
pub(super) fn on_an_older_system(workspace: &Workspace, folder: &Path) -> Result<()> {
    let begun = Instant::now();
    let runtime = sycl::runtime(workspace);
    let lacks = if !process::is_root() || process::on_path("mmdebstrap").is_none() {
        Some("it wants root and mmdebstrap")
    } else if !runtime.is_complete(workspace)? {
        Some("it wants a SYCL runtime: `cargo xtask setup demo`")
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
    process::logged(&mut command, &workspace.log("release-older"), LIMIT)?;
    say::step("passed", OLDER, "installed, used and removed on an older Debian", begun.elapsed());
    Ok(())
}

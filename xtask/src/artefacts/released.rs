//! Released program and subscriber: reproducible in any folder, and compatible with older systems than this one; and
//! the Python wheel around a program, which `python/wheel.py` builds.

use super::embedded::{self, Packing};
use super::paths::Paths;
use super::program::{self, CLI, Profile, SUBSCRIBER};
use super::site;
use crate::prelude::*;
use crate::setup::other_target::target;
use crate::setup::pypi;

/// The minimum C library: that of Debian 10 and of RHEL 8 (2018).
pub(crate) const GLIBC: (u64, u64) = (2, 28);
const PROFILE: &str = "released";

/// Features of sqlx's SQLite that are not used: full-text and spatial search, and statistics of its pages.
const LEAN_SQLITE: &str = "-USQLITE_ENABLE_FTS3 -USQLITE_ENABLE_FTS3_PARENTHESIS -USQLITE_ENABLE_FTS5 -USQLITE_ENABLE_RTREE \
     -USQLITE_ENABLE_DBSTAT_VTAB";
/// No panic passes through the C code of SQLite and the cryptography, so it needs no unwind tables.
const NO_UNWINDING: [&str; 2] = ["-fno-unwind-tables", "-fno-asynchronous-unwind-tables"];

pub(crate) struct Build {
    /// In Rust's terms.
    pub(crate) architecture: &'static str,
    pub(crate) program: PathBuf,
    pub(crate) subscriber: PathBuf,
}

impl Build {
    pub(crate) fn native(program: PathBuf, subscriber: PathBuf) -> Self {
        Self { architecture: std::env::consts::ARCH, program, subscriber }
    }
}

/// Builds program and subscriber around a built page, for this architecture or another one. They are built from scratch
/// into a separate folder, since each crate is compiled with other options.
pub(crate) fn build(workspace: &Workspace, page: &Path, architecture: &'static str) -> Result<Build> {
    let folder = workspace.target.join("reproducible");
    let target = target(architecture);
    let paths = Paths::new(workspace)?;
    let flags: Vec<String> = paths.rust_flags().iter().map(|flag| format!("{flag:?}")).collect();
    let rust = format!("target.{target}.rustflags=[{}]", flags.join(","));
    let build = |name: &str, what: &[&str], embedded: Option<PathBuf>| {
        let mut command = pypi::cargo_by_zig(workspace)?;
        command.args(what).args(["--profile", PROFILE, "--locked"]);
        command.arg("--target").arg(format!("{target}.{}.{}", GLIBC.0, GLIBC.1));
        command.arg("--config").arg(&rust).arg("--target-dir").arg(&folder);
        let mut c_flags = paths.c_flags();
        c_flags.extend(NO_UNWINDING.map(str::to_owned));
        command.env(format!("CFLAGS_{}", target.replace('-', "_")), c_flags.join(" "));
        command.env("LIBSQLITE3_FLAGS", LEAN_SQLITE);
        command.envs(embedded.map(|file| (embedded::VARIABLE, file)));
        workspace.run(&format!("{name}-{architecture}"), &mut command)
    };
    let made = folder.join(&target).join(PROFILE);
    // Only a pure shared library is compiled as one piece.
    build(
        "release-subscriber",
        &["rustc", "--package", SUBSCRIBER, "--lib", "--crate-type", "cdylib"],
        None,
    )?;
    let subscriber = made.join("libsyclscope_subscriber.so");
    let site = site::build_with(workspace, Profile::Demo)?;
    build(
        "release-program",
        &["zigbuild", "--package", CLI],
        Some(embedded::write(workspace, page, &site, &subscriber, Packing::SMALL)?),
    )?;
    Ok(Build { architecture, program: made.join("syclscope"), subscriber })
}

/// Builds the program if needed, and the wheel around it; returns the wheel's file.
pub(crate) fn build_wheel(workspace: &Workspace) -> Result<PathBuf> {
    let program = program::build(workspace)?;
    // The program embeds the subscriber, which therefore also determines the systems that the wheel supports.
    let subscriber = program::build_subscriber(workspace)?;
    let begun = Instant::now();
    let wheel = wheel(workspace, &Build::native(program, subscriber), &workspace.target.join("wheels"))?;
    say::step("built", "wheel", &wheel.display().to_string(), begun.elapsed());
    Ok(wheel)
}

/// Writes the wheel of a program and its subscriber into a folder; returns the wheel's file.
pub(crate) fn wheel(workspace: &Workspace, build: &Build, folder: &Path) -> Result<PathBuf> {
    let mut command = Command::new("python3");
    command.current_dir(&workspace.root).arg("python/wheel.py");
    command.arg("--program").arg(&build.program).arg("--also").arg(&build.subscriber);
    Ok(process::answer(command.arg(folder))?.into())
}

//! Program and subscriber as they are given away: with the same bytes wherever they are built, for older systems than this one.

use std::path::{Path, PathBuf};

use super::embedded::{self, Packing};
use super::paths::Paths;
use super::program::{Profile, SERVER, SUBSCRIBER};
use super::site;
use crate::failure::Result;
use crate::process;
use crate::setup::other_target::target;
use crate::setup::zig::Zig;
use crate::workspace::Workspace;

/// The C library that they want, or a newer one: that of Debian 10 and of RHEL 8 (2018).
pub(crate) const GLIBC: (u64, u64) = (2, 28);
/// The profile of Cargo.toml.
const PROFILE: &str = "released";

/// What sqlx's SQLite could do and nobody here asks for: search in texts and in space, and statistics of its pages.
const LEAN_SQLITE: &str = "-USQLITE_ENABLE_FTS3 -USQLITE_ENABLE_FTS3_PARENTHESIS -USQLITE_ENABLE_FTS5 -USQLITE_ENABLE_RTREE \
     -USQLITE_ENABLE_DBSTAT_VTAB";
/// No panic passes through what is written in C, SQLite and the cryptography: it has no need of tables that say how.
const NO_UNWINDING: [&str; 2] = ["-fno-unwind-tables", "-fno-asynchronous-unwind-tables"];

/// A program, the subscriber that it carries, and what machines they are for.
pub(crate) struct Build {
    /// As Rust calls it.
    pub(crate) architecture: &'static str,
    pub(crate) program: PathBuf,
    pub(crate) subscriber: PathBuf,
}

impl Build {
    /// What runs on this machine.
    pub(crate) fn native(program: PathBuf, subscriber: PathBuf) -> Self {
        Self { architecture: std::env::consts::ARCH, program, subscriber }
    }
}

/// Builds both around a page that is built, for this architecture or another one. They are made from nothing into a folder of their
/// own, since each crate is compiled with other options.
pub(crate) fn build(workspace: &Workspace, page: &Path, architecture: &'static str) -> Result<Build> {
    let folder = workspace.target.join("reproducible");
    let target = target(architecture);
    let paths = Paths::of(workspace)?;
    let flags: Vec<String> = paths.rust_flags().iter().map(|flag| format!("{flag:?}")).collect();
    let rust = format!("target.{target}.rustflags=[{}]", flags.join(","));
    let build = |name: &str, what: &[&str], embedded: Option<PathBuf>| {
        let mut command = Zig::cargo(workspace)?;
        command.args(what).args(["--profile", PROFILE, "--locked"]);
        command.arg("--target").arg(format!("{target}.{}.{}", GLIBC.0, GLIBC.1));
        command.arg("--config").arg(&rust).arg("--target-dir").arg(&folder);
        let mut c_flags = paths.c_flags();
        c_flags.extend(NO_UNWINDING.map(str::to_owned));
        command.env(format!("CFLAGS_{}", target.replace('-', "_")), c_flags.join(" "));
        command.env("LIBSQLITE3_FLAGS", LEAN_SQLITE);
        command.envs(embedded.map(|file| (embedded::VARIABLE, file)));
        process::logged(&mut command, &workspace.log(&format!("{name}-{architecture}")), process::PATIENCE)
    };
    let made = folder.join(&target).join(PROFILE);
    // Only what is a shared library and nothing else is compiled as one piece.
    build(
        "release-subscriber",
        &["rustc", "--package", SUBSCRIBER, "--lib", "--crate-type", "cdylib"],
        None,
    )?;
    let subscriber = made.join("libsyclscope_subscriber.so");
    let site = site::build_with(workspace, Profile::Demo)?;
    build(
        "release-program",
        &["zigbuild", "--package", SERVER],
        Some(embedded::write(workspace, page, &site, &subscriber, Packing::Small)?),
    )?;
    Ok(Build { architecture, program: made.join("syclscope"), subscriber })
}

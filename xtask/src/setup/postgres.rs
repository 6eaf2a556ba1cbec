//! PostgreSQL, started by the server's tests.

use std::path::{Path, PathBuf};

use super::Step;
use super::browser::apt_install;
use crate::failure::Result;
use crate::process;
use crate::workspace::Workspace;

/// Debian's folder of the server's programs, with a folder per version: they are not on PATH.
const VERSIONS: &str = "/usr/lib/postgresql";

/// The programs of a PostgreSQL server. A service started by Debian's package is not touched.
pub(crate) struct Postgres;

impl Postgres {
    /// Folder of `initdb` and `postgres`: `POSTGRES_BIN`, or that of the newest version.
    pub(crate) fn bin() -> Option<PathBuf> {
        let given = std::env::var_os("POSTGRES_BIN").filter(|value| !value.is_empty()).map(PathBuf::from);
        given.or_else(|| newest(Path::new(VERSIONS)))
    }
}

fn newest(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let number = |entry: &std::fs::DirEntry| entry.file_name().to_str()?.parse::<u32>().ok();
    let versions = entries.filter_map(|entry| Some((number(&entry)?, entry.path().join("bin"))));
    versions.filter(|(_, bin)| bin.join("initdb").is_file()).max().map(|(_, bin)| bin)
}

impl Step for Postgres {
    fn name(&self) -> String {
        "PostgreSQL".to_owned()
    }

    fn check(&self, _: &Workspace) -> std::result::Result<String, String> {
        let bin = Self::bin().ok_or_else(|| format!("there is no server in {VERSIONS}"))?;
        process::version_of(bin.join("postgres"))
            .ok_or_else(|| format!("{} does not run", bin.join("postgres").display()))
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        apt_install(workspace, &["postgresql"])
    }

    fn by_hand(&self, _: &Workspace) -> String {
        "install a PostgreSQL server (Debian: apt-get install postgresql), or set POSTGRES_BIN to the folder of its programs"
            .to_owned()
    }
}

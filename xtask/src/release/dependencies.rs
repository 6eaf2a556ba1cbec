//! Dependencies of the program according to `cargo metadata`: the crates compiled into it, its page and its recorder.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::artefacts::page;
use crate::prelude::*;
use crate::setup::other_target::target;
use crate::setup::rustup::WASM;

/// Crates whose dependencies are in the program itself; those of the page are in its modules.
const NATIVE: &[&str] = &["syclscope-cli", "syclscope-subscriber"];

pub(super) struct Crate {
    pub(super) name: String,
    pub(super) version: String,
    /// An SPDX expression; empty if the crate names a file only.
    pub(super) licence: String,
    pub(super) repository: Option<String>,
    /// SHA-256 of the registry's package; `None` for our own.
    pub(super) checksum: Option<String>,
    pub(super) folder: PathBuf,
    /// Ids of its dependencies.
    pub(super) needs: BTreeSet<String>,
    pub(super) is_ours: bool,
}

/// The crates by id (`NAME@VERSION`).
pub(super) struct Dependencies(pub(super) BTreeMap<String, Crate>);

impl Dependencies {
    /// Reads the dependencies of programs for some architectures, and of the page.
    pub(super) fn read<'a>(
        workspace: &Workspace,
        architectures: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self> {
        let lock = files::read(&workspace.root.join("Cargo.lock"))?;
        let checksums = lock.split("[[package]]").filter_map(checksum).collect();
        let mut all = BTreeMap::new();
        let programs = architectures.into_iter().map(|architecture| (NATIVE, target(architecture)));
        for (roots, target) in programs.chain([(page::CRATES, WASM.to_owned())]) {
            let mut command = workspace.cargo();
            command.args(["metadata", "--format-version=1", "--locked", "--filter-platform", &target]);
            add(&process::json(&process::answer(&mut command)?)?, roots, &checksums, &mut all)?;
        }
        Ok(Self(all))
    }

    pub(super) fn foreign(&self) -> impl Iterator<Item = &Crate> {
        self.0.values().filter(|one| !one.is_ours)
    }
}

/// Adds the dependencies of `roots`, except for those of tests and build scripts.
fn add<'a>(
    metadata: &'a Value,
    roots: &[&str],
    checksums: &BTreeMap<String, String>,
    all: &mut BTreeMap<String, Crate>,
) -> Result<()> {
    let by_id = |list: &'static str, of: &'a Value| -> BTreeMap<&'a str, &'a Value> {
        items(&of[list]).filter_map(|one| Some((one["id"].as_str()?, one))).collect()
    };
    let (packages, nodes) = (by_id("packages", metadata), by_id("nodes", &metadata["resolve"]));
    let is_root =
        |package: &&Value| is_ours(package) && roots.contains(&package["name"].as_str().unwrap_or(""));
    let mut waiting: Vec<&str> =
        packages.values().copied().filter(is_root).filter_map(|package| package["id"].as_str()).collect();
    if waiting.len() != roots.len() {
        return Err(Failure::new(format!("cargo metadata does not know all of {roots:?}")));
    }
    let mut seen = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        if !seen.insert(id) {
            continue;
        }
        let package = packages[id];
        let is_normal = |dep: &&Value| items(&dep["dep_kinds"]).any(|kind| kind["kind"].is_null());
        let needs = items(&nodes[id]["deps"]).filter(is_normal).filter_map(|dep| dep["pkg"].as_str());
        let needs: Vec<&str> = needs.collect();
        let name = name_and_version(package);
        let one = all.entry(name.clone()).or_insert_with(|| Crate {
            name: text(package, "name").unwrap_or_default(),
            version: text(package, "version").unwrap_or_default(),
            licence: text(package, "license").unwrap_or_default(),
            repository: text(package, "repository"),
            checksum: checksums.get(&name).cloned(),
            folder: Path::new(package["manifest_path"].as_str().unwrap_or_default())
                .parent()
                .map(Path::to_owned)
                .unwrap_or_default(),
            needs: BTreeSet::new(),
            is_ours: is_ours(package),
        });
        one.needs.extend(needs.iter().map(|id| name_and_version(packages[id])));
        waiting.extend(needs);
    }
    Ok(())
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn is_ours(package: &Value) -> bool {
    package["source"].is_null()
}

fn text(package: &Value, name: &str) -> Option<String> {
    package[name].as_str().map(str::to_owned)
}

fn name_and_version(package: &Value) -> String {
    format!(
        "{}@{}",
        package["name"].as_str().unwrap_or_default(),
        package["version"].as_str().unwrap_or_default()
    )
}

fn checksum(package: &str) -> Option<(String, String)> {
    let value = |name: &str| {
        let line = package.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = \""))?;
        line.strip_suffix('"')
    };
    Some((format!("{}@{}", value("name")?, value("version")?), value("checksum")?.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_root_is_built_of_is_found_and_what_tests_it_is_not() {
        let package = |name: &str, source: Option<&str>| {
            serde_json::json!({"id": format!("id-{name}"), "name": name, "version": "1.0.0", "license": "MIT",
                "source": source, "manifest_path": format!("/{name}/Cargo.toml")})
        };
        let registry = |name| package(name, Some("registry"));
        let metadata = serde_json::json!({
            "packages": [package("root", None), registry("a"), registry("b"), registry("c")],
            "resolve": {"nodes": [
                {"id": "id-root", "deps": [{"pkg": "id-a", "dep_kinds": [{"kind": null}]},
                                           {"pkg": "id-c", "dep_kinds": [{"kind": "dev"}]}]},
                {"id": "id-a", "deps": [{"pkg": "id-b", "dep_kinds": [{"kind": null}]}]},
                {"id": "id-b", "deps": []}, {"id": "id-c", "deps": []},
            ]},
        });
        let checksums = [("a@1.0.0".to_owned(), "00ff".to_owned())].into();
        let mut all = BTreeMap::new();
        add(&metadata, &["root"], &checksums, &mut all).unwrap();
        let dependencies = Dependencies(all);
        assert_eq!(dependencies.0.keys().collect::<Vec<_>>(), ["a@1.0.0", "b@1.0.0", "root@1.0.0"]);
        assert_eq!(dependencies.foreign().count(), 2);
        assert_eq!(dependencies.0["a@1.0.0"].checksum.as_deref(), Some("00ff"));
        assert!(dependencies.0["a@1.0.0"].needs.contains("b@1.0.0"));
        assert!(add(&metadata, &["gone"], &checksums, &mut BTreeMap::new()).is_err());
    }

    #[test]
    fn checksums_are_read_from_the_lock_file() {
        let package = "\nname = \"a\"\nversion = \"1.2.3\"\nsource = \"x\"\nchecksum = \"ab\"\n";
        assert_eq!(checksum(package), Some(("a@1.2.3".to_owned(), "ab".to_owned())));
        assert_eq!(checksum("\nname = \"ours\"\nversion = \"0.1.0\"\n"), None);
    }
}

//! Arrows between crates, read from `cargo metadata`.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use crate::sources::{CRATES, assert_none, root};

/// Every permitted arrow between our own crates.
const ARROWS: &[(&str, &str)] = &[
    ("syclscope-engine", "syclscope-language"),
    ("syclscope-subscriber", "syclscope-engine"),
    ("syclscope-subscriber", "syclscope-language"),
    ("syclscope-text", "syclscope-language"),
    ("syclscope-system", "syclscope-engine"),
    ("syclscope-report", "syclscope-engine"),
    ("syclscope-report", "syclscope-language"),
    ("syclscope-report", "syclscope-text"),
    ("syclscope-sql", "syclscope-engine"),
    ("syclscope-sql", "syclscope-language"),
    ("syclscope-sql", "syclscope-system"),
    ("syclscope-client", "syclscope-language"),
    ("syclscope-client", "syclscope-system"),
    ("syclscope-launcher", "syclscope-engine"),
    ("syclscope-launcher", "syclscope-language"),
    ("syclscope-launcher", "syclscope-system"),
    ("syclscope-launcher", "syclscope-text"),
    ("syclscope-server", "syclscope-engine"),
    ("syclscope-server", "syclscope-language"),
    ("syclscope-server", "syclscope-report"),
    ("syclscope-server", "syclscope-sql"),
    ("syclscope-server", "syclscope-system"),
    ("syclscope-server", "syclscope-text"),
    ("syclscope-cli", "syclscope-client"),
    ("syclscope-cli", "syclscope-engine"),
    ("syclscope-cli", "syclscope-language"),
    ("syclscope-cli", "syclscope-launcher"),
    ("syclscope-cli", "syclscope-report"),
    ("syclscope-cli", "syclscope-server"),
    ("syclscope-cli", "syclscope-sql"),
    ("syclscope-cli", "syclscope-system"),
    ("syclscope-cli", "syclscope-text"),
    ("syclscope-frontend", "syclscope-language"),
    ("syclscope-worker", "syclscope-engine"),
    ("syclscope-worker", "syclscope-language"),
    ("syclscope-exporter", "syclscope-engine"),
    ("syclscope-exporter", "syclscope-language"),
];

/// Crates that a crate must not reach, even indirectly.
const UNREACHABLE: &[(&str, &[&str])] = &[
    (
        "syclscope-engine",
        &[
            "async-std",
            "axum",
            "getrandom",
            "hyper",
            "js-sys",
            "leptos",
            "libc",
            "mio",
            "rand",
            "rayon",
            "reqwest",
            "rusqlite",
            "sqlx",
            "tokio",
            "wasm-bindgen",
            "web-sys",
        ],
    ),
    (
        "syclscope-subscriber",
        &["axum", "brotli", "clap", "getrandom", "hyper", "leptos", "mio", "tokio", "web-sys"],
    ),
    ("syclscope-cli", &["js-sys", "leptos", "wasm-bindgen", "web-sys"]),
    ("syclscope-launcher", &["axum", "hyper", "reqwest", "sqlx", "tokio"]),
    ("syclscope-report", &["axum", "hyper", "reqwest", "sqlx", "tokio"]),
    ("syclscope-sql", &["axum", "clap", "hyper", "reqwest", "sqlx", "tokio"]),
    ("syclscope-client", &["axum", "clap", "sqlx"]),
    ("syclscope-server", &["clap"]),
    (
        "syclscope-frontend",
        &[
            "arrow-ipc",
            "axum",
            "brotli",
            "clap",
            "flate2",
            "fxprof-processed-profile",
            "hyper",
            "mio",
            "parquet",
            "reqwest",
            "ruzstd",
            "sqlx",
            "syclscope-engine",
        ],
    ),
    ("syclscope-exporter", &["axum", "brotli", "clap", "hyper", "leptos", "mio", "reqwest", "sqlx"]),
    ("syclscope-worker", &["axum", "brotli", "clap", "hyper", "leptos", "mio", "reqwest", "sqlx"]),
];

/// Maximum third-party dependencies of language and engine: the former is compiled into recorder and page, the latter
/// into recorder and worker.
const BUDGETS: [(&str, usize); 2] = [("syclscope-language", 2), ("syclscope-engine", 8)];

/// Features of the engine for the program and the page's exporter only.
const EXPORTS: [&str; 3] = ["clean", "fxprof", "tables"];

struct Workspace<'a>(&'a Value);

impl<'a> Workspace<'a> {
    fn members(&self) -> Vec<&'a Value> {
        let ids: BTreeSet<&str> = list(&self.0["workspace_members"]).map(text).collect();
        list(&self.0["packages"]).filter(|package| ids.contains(text(&package["id"]))).collect()
    }

    fn member(&self, name: &str) -> &'a Value {
        let found = self.members().into_iter().find(|package| package["name"] == name);
        found.unwrap_or_else(|| panic!("no member {name}"))
    }

    fn dependencies(&self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        self.members().into_iter().flat_map(|package| {
            list(&package["dependencies"]).map(|dependency| (text(&package["name"]), dependency))
        })
    }

    fn undrawn(&self, arrows: &[(&str, &str)]) -> Vec<String> {
        let pairs = self.dependencies().map(|(from, dependency)| (from, text(&dependency["name"])));
        pairs
            .filter(|(from, to)| (to.starts_with("syclscope-") || *to == "xtask") && from != to)
            .filter(|arrow| !arrows.contains(arrow))
            .map(|(from, to)| format!("{from} → {to}"))
            .collect()
    }

    fn weight(&self, name: &str) -> usize {
        let named = list(&self.member(name)["dependencies"]);
        let named = named.filter(|one| one["kind"].is_null() && one["optional"] != true);
        named.filter(|one| !text(&one["name"]).starts_with("syclscope-")).count()
    }

    fn asking_for(&self, features: &[&str]) -> Vec<&'a str> {
        let asks = |dependency: &Value| {
            dependency["name"] == "syclscope-engine"
                && list(&dependency["features"]).any(|one| features.contains(&text(one)))
        };
        self.dependencies().filter(|(_, dependency)| asks(dependency)).map(|(from, _)| from).collect()
    }
}

/// Returns the lines of a manifest that set a version which belongs to the whole workspace.
fn own_versions(manifest: &str) -> Vec<&str> {
    let mut in_dependencies = false;
    let mut found = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            in_dependencies = line.contains("dependencies");
        } else if in_dependencies && line.contains('=') && !line.contains("workspace = true") {
            found.push(line);
        }
    }
    found
}

fn out_of_bounds(from: &str, reached: &BTreeSet<String>, unreachable: &[&str]) -> Vec<String> {
    let found = unreachable.iter().filter(|name| reached.contains(**name));
    found.map(|to| format!("{from} … {to}")).collect()
}

#[test]
fn our_crates_depend_on_each_other_only_as_drawn() {
    assert_none("docs/ARCHITECTURE.md has no such arrow:", &Workspace(metadata()).undrawn(ARROWS));
}

#[test]
fn the_rules_know_every_crate() {
    let folder = |package: &Value| {
        let manifest = Path::new(text(&package["manifest_path"])).parent().expect("a folder");
        manifest.strip_prefix(root()).expect("in the clone").display().to_string()
    };
    let members: Vec<String> = Workspace(metadata()).members().into_iter().map(folder).collect();
    assert_none("CRATES lacks:", &unknown(&members, CRATES));
}

fn unknown(folders: &[String], known: &[&str]) -> Vec<String> {
    folders.iter().filter(|folder| !known.contains(&folder.as_str())).cloned().collect()
}

#[test]
fn no_crate_reaches_what_it_must_not_know() {
    let mut broken = Vec::new();
    for (from, unreachable) in UNREACHABLE {
        let reached = reached_from(from);
        assert!(reached.len() > 1, "cargo tree shows nothing that {from} depends on");
        broken.extend(out_of_bounds(from, &reached, unreachable));
    }
    assert_none("a crate reaches what it must not know (`cargo tree -e normal -i NAME` shows how):", &broken);
}

#[test]
fn the_trace_engine_stays_light() {
    for (name, budget) in BUDGETS {
        let named = Workspace(metadata()).weight(name);
        assert!(named <= budget, "{name} names {named} crates, {budget} is its budget");
    }
}

#[test]
fn only_the_program_and_the_exporter_write_tables_and_profiles() {
    let mut asking = Workspace(metadata()).asking_for(&EXPORTS);
    asking.sort_unstable();
    assert_eq!(
        asking,
        ["syclscope-cli", "syclscope-exporter", "syclscope-server", "syclscope-sql"],
        "Arrow, Parquet and Firefox are for neither the recorder nor what the page loads to show a trace"
    );
}

#[test]
fn xtask_needs_only_serde_json() {
    let workspace = Workspace(metadata());
    let names: Vec<&str> =
        list(&workspace.member("xtask")["dependencies"]).map(|one| text(&one["name"])).collect();
    assert_eq!(names, ["serde_json"], "xtask must compile in seconds on a fresh machine");
}

#[test]
fn every_version_is_set_once_for_the_whole_workspace() {
    let mut broken = Vec::new();
    for package in Workspace(metadata()).members() {
        let path = text(&package["manifest_path"]);
        let manifest = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
        broken.extend(own_versions(&manifest).into_iter().map(|line| format!("{path}: {line}")));
    }
    assert_none("versions belong into [workspace.dependencies]:", &broken);
}

fn metadata() -> &'static Value {
    static METADATA: OnceLock<Value> = OnceLock::new();
    METADATA.get_or_init(|| {
        let output = Command::new(env!("CARGO"))
            .args([
                "metadata",
                "--format-version=1",
                "--locked",
                "--filter-platform=x86_64-unknown-linux-gnu",
            ])
            .current_dir(root())
            .output()
            .expect("cargo runs");
        assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("cargo metadata gives JSON")
    })
}

/// Returns the names of all default dependencies of `from`, except for those of tests and build scripts.
fn reached_from(from: &str) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--edges=normal", "--prefix=none", "--format={p}"])
        .args(["--target=x86_64-unknown-linux-gnu", "--package", from])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "cargo tree: {}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8_lossy(&output.stdout);
    lines.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns two members, the first of which has `dependencies`, and a third-party crate.
    fn made_up(dependencies: Value) -> Value {
        json!({
            "workspace_members": ["1", "2"],
            "packages": [
                {"id": "1", "name": "syclscope-engine", "dependencies": dependencies},
                {"id": "2", "name": "syclscope-worker", "dependencies": []},
                {"id": "3", "name": "leptos", "dependencies": [{"name": "syclscope-server", "kind": null}]},
            ],
        })
    }

    #[test]
    fn an_arrow_that_is_not_drawn_is_found() {
        let data = made_up(json!([
            {"name": "syclscope-language", "kind": null},
            {"name": "syclscope-server", "kind": "dev"},
            {"name": "xtask", "kind": null},
            {"name": "leptos", "kind": null},
        ]));
        let broken = Workspace(&data).undrawn(&[("syclscope-engine", "syclscope-language")]);
        assert_eq!(broken, ["syclscope-engine → syclscope-server", "syclscope-engine → xtask"]);
    }

    #[test]
    fn a_crate_that_the_rules_do_not_know_is_found() {
        let folders = ["server".to_owned(), "new".to_owned()];
        assert_eq!(unknown(&folders, &["server"]), ["new"]);
    }

    #[test]
    fn a_crate_out_of_bounds_is_found() {
        let reached = BTreeSet::from(["axum".to_owned(), "bytes".to_owned()]);
        assert_eq!(out_of_bounds("a", &reached, &["axum", "tokio"]), ["a … axum"]);
        assert_eq!(out_of_bounds("a", &reached, &["tokio"]), [""; 0]);
    }

    #[test]
    fn what_tests_and_features_name_weighs_nothing() {
        let data = made_up(json!([
            {"name": "a", "kind": null, "optional": false},
            {"name": "b", "kind": null, "optional": true},
            {"name": "c", "kind": "dev", "optional": false},
            {"name": "syclscope-language", "kind": null, "optional": false},
        ]));
        assert_eq!(Workspace(&data).weight("syclscope-engine"), 1);
    }

    #[test]
    fn who_asks_for_a_feature_is_found() {
        let mut data = made_up(json!([]));
        data["packages"][1]["dependencies"] = json!([{"name": "syclscope-engine", "features": ["tables"]}]);
        assert_eq!(Workspace(&data).asking_for(&EXPORTS), ["syclscope-worker"]);
        data["packages"][1]["dependencies"][0]["features"] = json!([]);
        assert_eq!(Workspace(&data).asking_for(&EXPORTS), [""; 0]);
    }

    #[test]
    fn a_version_of_its_own_is_found() {
        let manifest = "[package]\nversion = \"1\"\n[dependencies]\nb = { workspace = true }\nc = \"2\"\n[dev-dependencies]\nd = { path = \"e\" }\n";
        assert_eq!(own_versions(manifest), ["c = \"2\"", "d = { path = \"e\" }"]);
    }
}

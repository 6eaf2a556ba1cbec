//! Arrows between crates, read from `cargo metadata`.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use crate::sources::{assert_none, root};

/// Every arrow between our own crates that there may be.
const ARROWS: &[(&str, &str)] = &[
    ("syclscope-engine", "syclscope-language"),
    ("syclscope-subscriber", "syclscope-engine"),
    ("syclscope-subscriber", "syclscope-language"),
    ("syclscope-server", "syclscope-engine"),
    ("syclscope-server", "syclscope-language"),
    ("syclscope-frontend", "syclscope-language"),
    ("syclscope-worker", "syclscope-engine"),
    ("syclscope-worker", "syclscope-language"),
];

/// What a crate must not reach, through however many others.
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
    ("syclscope-server", &["js-sys", "leptos", "wasm-bindgen", "web-sys"]),
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
    ("syclscope-worker", &["axum", "brotli", "clap", "hyper", "leptos", "mio", "reqwest", "sqlx"]),
];

/// How many crates of others language and engine may name: the one is compiled into recorder and page, the other into
/// recorder and worker.
const BUDGETS: [(&str, usize); 2] = [("syclscope-language", 2), ("syclscope-engine", 8)];

/// Features of the engine that only the program asks for.
const EXPORTS: [&str; 2] = ["fxprof", "tables"];

#[test]
fn our_crates_depend_on_each_other_only_as_drawn() {
    let mut broken = Vec::new();
    for package in members() {
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let (from, to) = (text(&package["name"]), text(&dependency["name"]));
            let is_ours = to.starts_with("syclscope-") || to == "xtask";
            if is_ours && from != to && !ARROWS.contains(&(from, to)) {
                broken.push(format!("{from} → {to}"));
            }
        }
    }
    assert_none("docs/ARCHITECTURE.md has no such arrow:", &broken);
}

#[test]
fn no_crate_reaches_what_it_must_not_know() {
    let mut broken = Vec::new();
    for (from, unreachable) in UNREACHABLE {
        let reached = reached_from(from);
        assert!(reached.len() > 1, "cargo metadata shows nothing that {from} depends on");
        broken.extend(
            unreachable.iter().filter(|name| reached.contains(**name)).map(|to| format!("{from} … {to}")),
        );
    }
    assert_none("a crate reaches what it must not know (`cargo tree -e normal -i NAME` shows how):", &broken);
}

#[test]
fn the_trace_engine_stays_light() {
    for (name, budget) in BUDGETS {
        let named = member(name)["dependencies"].as_array().into_iter().flatten();
        let named = named.filter(|one| one["kind"].is_null() && one["optional"] != true);
        let named = named.filter(|one| !text(&one["name"]).starts_with("syclscope-")).count();
        assert!(named <= budget, "{name} names {named} crates, {budget} is its budget");
    }
}

#[test]
fn only_the_program_writes_tables_and_profiles() {
    let mut asking = Vec::new();
    for package in members() {
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let features = dependency["features"].as_array().into_iter().flatten();
            if dependency["name"] == "syclscope-engine"
                && features.clone().any(|one| EXPORTS.iter().any(|export| one == export))
            {
                asking.push(text(&package["name"]));
            }
        }
    }
    assert_eq!(
        asking,
        ["syclscope-server"],
        "Arrow, Parquet and Firefox are for neither the recorder nor the page"
    );
}

#[test]
fn xtask_needs_only_serde_json() {
    let xtask = member("xtask");
    let names: Vec<&str> =
        xtask["dependencies"].as_array().into_iter().flatten().map(|one| text(&one["name"])).collect();
    assert_eq!(names, ["serde_json"], "xtask must compile in seconds on a fresh machine");
}

#[test]
fn every_version_is_set_once_for_the_whole_workspace() {
    let mut broken = Vec::new();
    for package in members() {
        let path = text(&package["manifest_path"]);
        let manifest = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let mut in_dependencies = false;
        for line in manifest.lines() {
            if line.starts_with('[') {
                in_dependencies = line.contains("dependencies");
            } else if in_dependencies && line.contains('=') && !line.contains("workspace = true") {
                broken.push(format!("{path}: {line}"));
            }
        }
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

fn members() -> Vec<&'static Value> {
    let ids: BTreeSet<&str> =
        metadata()["workspace_members"].as_array().into_iter().flatten().map(text).collect();
    packages().filter(|package| ids.contains(text(&package["id"]))).collect()
}

fn member(name: &str) -> &'static Value {
    members()
        .into_iter()
        .find(|package| package["name"] == name)
        .unwrap_or_else(|| panic!("no member {name}"))
}

fn packages() -> impl Iterator<Item = &'static Value> {
    metadata()["packages"].as_array().into_iter().flatten()
}

/// The names of all packages that `from` is built of when nobody asks for more of it; tests and build scripts apart.
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

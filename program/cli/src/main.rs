//! The `syclscope` program; everything is in the library but the page and the recorder that it carries.

use std::process::ExitCode;

use syclscope_system::embedded::Embedded;

/// A file of Rust that `cargo xtask build` writes; `.cargo/config.toml` names the one with nothing.
static EMBEDDED: Embedded =
    include!(env!("SYCLSCOPE_EMBEDDED", "build the program inside its repository: `cargo xtask build`"));

fn main() -> ExitCode {
    syclscope_cli::main(&EMBEDDED)
}

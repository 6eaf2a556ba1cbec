//! The `syclscope` program. All of it is in the library, except for the embedded page and recorder.

use std::process::ExitCode;

use syclscope_system::embedded::Embedded;

/// Rust code that `cargo xtask build` generates; without it, `.cargo/config.toml` names a file without
/// contents.
static EMBEDDED: Embedded =
    include!(env!("SYCLSCOPE_EMBEDDED", "build the program inside its repository: `cargo xtask build`"));

fn main() -> ExitCode {
    syclscope_cli::main(&EMBEDDED)
}

//! The `syclscope` program; everything is in the library, so that tests can build the parts in process.

use std::process::ExitCode;

fn main() -> ExitCode {
    syclscope_server::cli::main()
}

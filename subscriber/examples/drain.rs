//! Helper process of `syclscope record` for tests: `drain FOLDER` empties the buffers of a run's programs.

fn main() -> std::io::Result<()> {
    let folder = std::env::args_os().nth(1).unwrap_or_default();
    syclscope_subscriber::drain::run(folder.as_ref())
}

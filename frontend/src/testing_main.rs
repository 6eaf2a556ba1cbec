//! Starts the page that browser tests run: that of users, with hooks that tell what was drawn.

#[cfg(target_arch = "wasm32")]
fn main() {
    syclscope_frontend::start_testing();
}

/// Says where the page runs.
#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("the page runs in a browser: `cargo xtask test` starts it there");
    std::process::exit(1);
}

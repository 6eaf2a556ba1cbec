//! Entry point of the page for browser tests: the users' page with hooks that report its drawing.

#[cfg(target_arch = "wasm32")]
fn main() {
    syclscope_frontend::start_testing();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("the page runs in a browser: `cargo xtask test` starts it there");
    std::process::exit(1);
}

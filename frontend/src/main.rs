//! Starts the page in a browser.

#[cfg(target_arch = "wasm32")]
fn main() {
    // Until the browser tests start the page of `syclscope-page-testing`.
    syclscope_frontend::start_testing();
}

/// Says where the page runs.
#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("the page runs in a browser: `cargo xtask build` puts it into the `syclscope` binary");
    std::process::exit(1);
}

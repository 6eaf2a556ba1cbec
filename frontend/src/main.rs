//! Entry point of the page in a browser.

#[cfg(target_arch = "wasm32")]
fn main() {
    syclscope_frontend::start();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("the page runs in a browser: `cargo xtask build` puts it into the `syclscope` binary");
    std::process::exit(1);
}

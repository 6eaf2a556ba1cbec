//! The engine in the page: a web worker with a local trace.
//!
//! It is a separate WebAssembly module, optimised for speed instead of size: a page that shows a server's traces never
//! loads it. `assets/boot.js` starts the worker, and the page's `data::worker` sends it queries.

#[cfg(target_arch = "wasm32")]
mod page;
#[cfg(target_arch = "wasm32")]
mod worker;

#[cfg(target_arch = "wasm32")]
fn main() {
    std::panic::set_hook(Box::new(|panic| web_sys::console::error_1(&panic.to_string().into())));
    worker::start();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("the worker runs in a browser: `cargo xtask build` puts it into the `syclscope` binary");
    std::process::exit(1);
}

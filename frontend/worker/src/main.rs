//! The engine's side of the page: a web worker that holds a trace of one of this computer's files.
//!
//! It is a WebAssembly module of its own, fast rather than small: a page that shows a server's traces never loads it.
//! `assets/boot.js` starts it, the page's `data::worker` talks to it.

#[cfg(target_arch = "wasm32")]
mod page;
#[cfg(target_arch = "wasm32")]
mod worker;

/// Listens to the page that started this worker.
#[cfg(target_arch = "wasm32")]
fn main() {
    std::panic::set_hook(Box::new(|panic| web_sys::console::error_1(&panic.to_string().into())));
    worker::start();
}

/// Says where the worker runs.
#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("the worker runs in a browser: `cargo xtask build` puts it into the `syclscope` binary");
    std::process::exit(1);
}

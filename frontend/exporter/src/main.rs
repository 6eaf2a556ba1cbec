//! Writes a file of this computer in another format: a web worker of the page.
//!
//! It is a WebAssembly module of its own: the formats' writers are loaded when somebody wants one, and the worker that
//! answers questions goes on answering. It reads the file again and ends with the page's last word to it.

#[cfg(target_arch = "wasm32")]
mod exporter;
#[cfg(target_arch = "wasm32")]
#[path = "../../worker/src/page.rs"]
mod page;

/// Listens to the page that started this worker.
#[cfg(target_arch = "wasm32")]
fn main() {
    std::panic::set_hook(Box::new(|panic| web_sys::console::error_1(&panic.to_string().into())));
    exporter::start();
}

/// Says where the worker runs.
#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("the exporter runs in a browser: `cargo xtask build` puts it into the `syclscope` binary");
    std::process::exit(1);
}

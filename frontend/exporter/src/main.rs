//! Web worker that writes a local file in another format.
//!
//! It is a separate WebAssembly module: the formats' writers load on demand, and the worker that answers queries is not
//! blocked. It reads the file again and ends after its last message to the page.

#[cfg(target_arch = "wasm32")]
mod exporter;
#[cfg(target_arch = "wasm32")]
#[path = "../../worker/src/page.rs"]
mod page;

#[cfg(target_arch = "wasm32")]
fn main() {
    std::panic::set_hook(Box::new(|panic| web_sys::console::error_1(&panic.to_string().into())));
    exporter::start();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("the exporter runs in a browser: `cargo xtask build` puts it into the `syclscope` binary");
    std::process::exit(1);
}

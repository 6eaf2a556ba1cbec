//! Large traces and recordings, and what is asked of them: for `tiles`, and as a WebAssembly module.

pub mod figure;
pub mod large;
pub mod memory;
pub mod selections;
#[cfg(target_family = "wasm")]
mod wasm;

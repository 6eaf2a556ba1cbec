//! Large traces and recordings, and what is asked of them: for `tiles` and `graph`, and as a WebAssembly module.

pub mod compare;
pub mod figure;
pub mod large;
pub mod memory;
pub mod selections;
pub mod tasks;
pub mod uses;
#[cfg(target_family = "wasm")]
mod wasm;

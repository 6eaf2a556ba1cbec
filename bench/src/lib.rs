//! Synthetic traces of any size and queries to them, for the benchmarks here; also built as a WebAssembly module.

pub mod compare;
pub mod figure;
pub mod large;
pub mod memory;
pub mod selections;
pub mod tasks;
pub mod uses;
#[cfg(target_family = "wasm")]
mod wasm;

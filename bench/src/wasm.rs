//! What the WebAssembly module offers: scripts in `e2e/bench` call and time it.

mod graphs;
mod imports;
mod memory;
mod screens;

//! Functions of the WebAssembly module: scripts in `e2e/bench` call and time them.

mod graphs;
mod imports;
mod memory;
mod screens;

//! Base of every view with a canvas: input, frames, pictures to be saved, and hooks for tests. A view supplies drawing
//! and the meaning of input.

pub mod fingers;
pub mod log;
pub mod picture;
pub mod pointer;
pub mod wheel;

#[cfg(target_arch = "wasm32")]
pub(crate) mod board;
#[cfg(target_arch = "wasm32")]
pub(crate) mod canvas;
#[cfg(target_arch = "wasm32")]
pub(crate) mod saving;
#[cfg(target_arch = "wasm32")]
pub(crate) mod tooltip;

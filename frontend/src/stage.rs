//! What is below every view that draws: the canvas with the user's hands on it, its frames, pictures of it to be saved, and
//! what tests see of it. A view says what is drawn and what the hands mean.

pub mod log;
pub mod picture;
pub mod pointer;
pub mod wheel;

#[cfg(target_arch = "wasm32")]
pub(crate) mod canvas;
#[cfg(target_arch = "wasm32")]
pub(crate) mod saving;
#[cfg(target_arch = "wasm32")]
pub(crate) mod tooltip;

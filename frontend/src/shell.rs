//! Everything around the views of a trace: the workbench, the panel below, keys, help, palette.

pub mod commands;
pub mod offers;
pub mod tasks;

#[cfg(target_arch = "wasm32")]
pub(crate) mod help;
#[cfg(target_arch = "wasm32")]
pub(crate) mod keys;
#[cfg(target_arch = "wasm32")]
pub(crate) mod menu;
#[cfg(target_arch = "wasm32")]
pub(crate) mod palette;
#[cfg(target_arch = "wasm32")]
pub(crate) mod panel;
#[cfg(target_arch = "wasm32")]
pub(crate) mod share;
#[cfg(target_arch = "wasm32")]
pub(crate) mod view_switch;
#[cfg(target_arch = "wasm32")]
pub(crate) mod workbench;

//! Drawing: from pure draw lists to pixels. Only `surface`, `frame` and `paint` use the browser.

pub mod draw_list;
mod oklch;
pub mod palette;
pub mod scale;
pub mod strips;
pub mod svg;
pub mod text;

#[cfg(target_arch = "wasm32")]
pub mod frame;
#[cfg(target_arch = "wasm32")]
pub mod paint;
#[cfg(target_arch = "wasm32")]
pub mod surface;

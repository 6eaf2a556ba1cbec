//! The task graph: folded by place in the code or by rounds of loops, or every command, with why each waits for which.
//!
//! The engine answers with a drawing; here it is looked at. `model` is the drawing with its indices, `camera` what of it is
//! on screen, `draw` what is painted, `hit` what is under the pointer, `walk` where keys lead; all of it is plain. `view`
//! joins them with the browser.

pub mod camera;
pub mod colour;
pub mod columns;
pub mod decode;
pub mod dot;
pub mod draw;
pub mod grid;
pub mod hit;
pub mod keys;
pub mod labels;
pub mod log;
pub mod model;
pub mod picture;
pub mod plug;
pub mod question;
pub mod selection;
pub mod state;
pub mod walk;

#[cfg(target_arch = "wasm32")]
#[expect(unreachable_pub, reason = "the component macro makes what it writes public")]
pub(crate) mod view;

use crate::state::view::View;

/// The view's id, which addresses and keys that users chose hold.
pub const ID: View = View::of("graph");

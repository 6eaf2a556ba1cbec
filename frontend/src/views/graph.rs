//! The task graph: folded by source location or by rounds of loops, or every command, with the reason of each
//! dependence.
//!
//! The engine computes the layout. `model` is the drawing with its indices, `camera` its visible part, `draw` the
//! painting, `hit` the entity under the pointer, `walk` the navigation by keys, and `schedule` the pictures of the
//! what-if panel. None of these depends on the browser, to which `view` connects them.

pub mod camera;
pub mod colour;
pub mod columns;
pub mod decode;
pub mod descriptor;
pub mod dot;
pub mod draw;
pub mod grid;
pub mod hit;
pub mod keys;
pub mod labels;
pub mod log;
pub mod model;
pub mod picture;
pub mod question;
pub mod schedule;
pub mod selection;
pub mod state;
pub mod walk;

#[cfg(target_arch = "wasm32")]
#[expect(unreachable_pub, reason = "the component macro makes what it writes public")]
pub(crate) mod view;

use crate::state::view::View;

pub const ID: View = View::new("graph");

//! The timeline: devices and their queues, memory in use, and the host's threads over time.
//!
//! `model` is the tree of tracks, `layout` the position of each track, `draw` the painting, and `input` the
//! interpretation of input. None of the four depends on the browser, to which `view` connects them.

pub mod additions;
pub mod descriptor;
pub mod draw;
pub mod glide;
pub mod hit;
pub mod input;
pub mod keys;
pub mod layout;
pub mod log;
pub mod measure;
pub mod model;
pub mod objects;
pub mod overlay_answers;
pub mod pattern;
pub mod phases;
pub mod picture;
pub mod state;
pub mod tracks;

#[cfg(target_arch = "wasm32")]
#[expect(unreachable_pub, reason = "the component macro makes what it writes public")]
pub(crate) mod view;

use crate::state::view::View;

pub const ID: View = View::new("timeline");

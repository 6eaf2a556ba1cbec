//! The timeline: devices and their queues, memory in use, and the host's threads over time.
//!
//! `model` is the tree of tracks, `layout` where each track is, `draw` what is painted, `input` what the user's
//! hands mean; all four are plain. `view` joins them with the browser.

pub mod draw;
pub mod glide;
pub mod hit;
pub mod input;
pub mod keys;
pub mod known;
pub mod layout;
pub mod log;
pub mod measure;
pub mod model;
pub mod objects;
pub mod picture;

#[cfg(target_arch = "wasm32")]
#[expect(unreachable_pub, reason = "the component macro makes what it writes public")]
pub(crate) mod view;

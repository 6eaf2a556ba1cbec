//! Memory: how much is in use, what is where and when, the objects of a program, what is copied, and what is never given
//! back.
//!
//! `map` is the axis of addresses and its tiles, `draw` what is painted, `gesture` what the user's hands mean; all
//! three are plain. `view` joins them with the browser.

pub mod columns;
pub mod draw;
pub mod gesture;
pub mod keys;
pub mod map;
pub mod names;
pub mod objects;
pub mod plug;
pub mod state;
pub mod touched;
pub mod transfers;

#[cfg(target_arch = "wasm32")]
#[expect(unreachable_pub, reason = "the component macro makes what it writes public")]
pub(crate) mod view;

use crate::state::view::View;

/// The view's id, which addresses and keys that users chose hold.
pub const ID: View = View::of("memory");

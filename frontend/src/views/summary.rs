//! The summary: what a person wants to know of a run first.

pub mod parts;
pub mod plug;

#[cfg(target_arch = "wasm32")]
#[expect(unreachable_pub, reason = "the component macro makes what it writes public")]
pub(crate) mod view;

use crate::state::view::View;

/// The view's id, which addresses and keys that users chose hold.
pub const ID: View = View::of("summary");

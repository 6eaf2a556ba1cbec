//! Calls of the runtime and of the native API below it: summed by name, one by one, and by who called whom.

pub mod columns;
pub mod plug;
pub mod state;

#[cfg(target_arch = "wasm32")]
#[expect(unreachable_pub, reason = "the component macro makes what it writes public")]
pub(crate) mod view;

use crate::state::view::View;

/// The view's id, which addresses and keys that users chose hold.
pub const ID: View = View::of("calls");

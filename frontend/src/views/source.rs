//! Source files as they were recorded, with what each line costs.

pub mod costs;
pub mod files;
pub mod plug;
pub mod state;
pub mod tokens;

#[cfg(target_arch = "wasm32")]
#[expect(unreachable_pub, reason = "the component macro makes what it writes public")]
pub(crate) mod view;

use crate::state::view::View;

/// The view's id, which addresses and keys that users chose hold.
pub const ID: View = View::of("source");

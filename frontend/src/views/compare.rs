//! Two runs side by side: what changed, why, and whether it is real.

pub mod calls;
pub mod columns;
pub mod keys;
pub mod lines;
pub mod live;
pub mod merged;
pub mod plug;
pub mod sources;
pub mod state;
pub mod steps;
pub mod texts;
pub mod warp;
pub mod words;

#[cfg(target_arch = "wasm32")]
#[expect(unreachable_pub, reason = "the component macro makes what it writes public")]
pub(crate) mod view;

use crate::state::view::View;

/// The view's id, which addresses and keys that users chose hold.
pub const ID: View = View::of("compare");

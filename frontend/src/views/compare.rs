//! Two runs side by side: changes, causes, and significance.

pub mod calls;
pub mod columns;
pub mod descriptor;
pub mod keys;
pub mod lines;
pub mod live;
pub mod merged;
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

pub const ID: View = View::new("compare");

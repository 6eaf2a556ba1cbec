//! The summary: the main facts about a run.

pub mod descriptor;
pub mod parts;
pub mod state;

#[cfg(target_arch = "wasm32")]
#[expect(unreachable_pub, reason = "the component macro makes what it writes public")]
pub(crate) mod view;

use crate::state::view::View;

pub const ID: View = View::new("summary");

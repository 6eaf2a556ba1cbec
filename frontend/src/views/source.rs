//! Recorded source files, with the cost of each line.

pub mod costs;
pub mod descriptor;
pub mod files;
pub mod state;
pub mod tokens;

#[cfg(target_arch = "wasm32")]
#[expect(unreachable_pub, reason = "the component macro makes what it writes public")]
pub(crate) mod view;

use crate::state::view::View;

pub const ID: View = View::new("source");

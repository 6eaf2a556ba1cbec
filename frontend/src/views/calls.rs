//! Calls of the runtime and of the native API below it: summed by name, one by one, and as a call tree.

pub mod columns;
pub mod descriptor;
pub mod state;

#[cfg(target_arch = "wasm32")]
#[expect(unreachable_pub, reason = "the component macro makes what it writes public")]
pub(crate) mod view;

use crate::state::view::View;

pub const ID: View = View::new("calls");

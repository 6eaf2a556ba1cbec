//! One kernel: how long its executions take, which are unlike the others, on which queues and of which sizes.

pub mod chart;
pub mod keys;
pub mod names;
pub mod plug;
pub mod state;

#[cfg(target_arch = "wasm32")]
#[expect(unreachable_pub, reason = "the component macro makes what it writes public")]
pub(crate) mod view;

use crate::state::view::View;

/// The view's id, which addresses and keys that users chose hold.
pub const ID: View = View::of("kernel");

//! One kernel: durations of its executions, outliers, queues and sizes.

pub mod chart;
pub mod descriptor;
pub mod keys;
pub mod names;
pub mod state;

#[cfg(target_arch = "wasm32")]
#[expect(unreachable_pub, reason = "the component macro makes what it writes public")]
pub(crate) mod view;

use crate::state::view::View;

pub const ID: View = View::new("kernel");

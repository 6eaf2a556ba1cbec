//! Rows that an SQL statement selects from the trace's tables: as a table, a chart, and marks in the timeline.

pub mod chart;
pub mod descriptor;
pub mod examples;
pub mod rows;
pub mod state;
pub mod tokens;

#[cfg(target_arch = "wasm32")]
#[expect(unreachable_pub, reason = "the component macro makes what it writes public")]
pub(crate) mod view;

use crate::state::view::View;

pub const ID: View = View::new("sql");

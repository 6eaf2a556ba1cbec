//! Memory: use over time, the address space, the objects of a program, transfers, and leaks.
//!
//! `map` is the axis of addresses and its tiles, `draw` the painting, `gesture` the meaning of input; none of the three
//! depends on the browser. `view` connects them to the browser.

pub mod columns;
pub mod descriptor;
pub mod draw;
pub mod gesture;
pub mod keys;
pub mod map;
pub mod names;
pub mod objects;
pub mod related;
pub mod state;
pub mod transfers;

#[cfg(target_arch = "wasm32")]
#[expect(unreachable_pub, reason = "the component macro makes what it writes public")]
pub(crate) mod view;

use crate::state::view::View;

pub const ID: View = View::new("memory");

//! Calls of the runtime and of the native API below it: summed by name, one by one, and by who called whom.

pub mod columns;
pub mod flame;

#[cfg(target_arch = "wasm32")]
#[expect(unreachable_pub, reason = "the component macro makes what it writes public")]
pub(crate) mod view;

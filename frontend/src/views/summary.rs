//! The summary: what a person wants to know of a run first.

pub mod parts;

#[cfg(target_arch = "wasm32")]
#[expect(unreachable_pub, reason = "the component macro makes what it writes public")]
pub(crate) mod view;

//! Where tiles come from and how long they stay. `client` and `upload` talk to the server; the rest is
//! plain.

pub mod cache;
pub mod plan;
pub mod tile;

#[cfg(target_arch = "wasm32")]
pub mod client;
#[cfg(target_arch = "wasm32")]
pub mod upload;

//! Sources of answers, and the lifetime of tiles. `client`, `upload`, `export` and `worker` talk to the server or to a
//! worker, `trace_source` and `pair` choose between them, and the rest is independent of the browser.

mod answers;
pub mod cache;
pub mod json;
pub mod pieces;
pub mod plan;
pub mod tile;

#[cfg(target_arch = "wasm32")]
pub mod client;
#[cfg(target_arch = "wasm32")]
pub mod export;
#[cfg(target_arch = "wasm32")]
pub mod pair;
#[cfg(target_arch = "wasm32")]
pub mod trace_source;
#[cfg(target_arch = "wasm32")]
pub mod upload;
#[cfg(target_arch = "wasm32")]
pub mod worker;

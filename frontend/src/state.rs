//! What the page knows beside the tiles: what is on screen, what is selected, how the address holds both, which keys
//! mean what, and what is wrong with the trace. All of it is plain but for `session`, where it becomes signals.

pub mod area;
pub mod attached;
pub mod call;
pub mod comments;
pub mod filters;
pub mod flame;
pub mod history;
pub mod keys;
pub mod listing;
pub mod long_list;
pub mod notice;
pub mod objects;
pub mod panes;
pub mod plug;
pub mod problems;
pub mod route;
pub mod rows;
pub mod selection;
pub mod table;
pub mod theme;
pub mod time;
pub mod tracks;
pub mod trends;
pub mod url;
pub mod view;
pub mod viewers;
pub mod viewport;
pub mod words;

#[cfg(target_arch = "wasm32")]
pub(crate) mod detail;
#[cfg(target_arch = "wasm32")]
pub(crate) mod session;
#[cfg(target_arch = "wasm32")]
pub(crate) mod slot;

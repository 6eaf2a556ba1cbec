//! State of the page besides the tiles: the screen, the selection, their form in the address, key bindings, and the
//! trace's problems. Only `session`, `slot`, `detail` and `settings` depend on the browser; in `session` the state
//! becomes signals.

pub mod area;
pub mod attached;
pub mod call;
pub mod comments;
pub mod filters;
pub mod flame;
pub mod history;
pub mod keys;
pub mod labels;
pub mod listing;
pub mod long_list;
pub mod notice;
pub mod objects;
pub mod panes;
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
pub mod view_descriptor;
pub mod viewers;
pub mod viewport;
pub mod words;

#[cfg(target_arch = "wasm32")]
pub(crate) mod detail;
#[cfg(target_arch = "wasm32")]
pub(crate) mod session;
#[cfg(target_arch = "wasm32")]
pub(crate) mod settings;
#[cfg(target_arch = "wasm32")]
pub(crate) mod slot;

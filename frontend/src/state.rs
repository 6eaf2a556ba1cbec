//! What the page knows beside the tiles, as plain values: what is on screen, what is selected, how the
//! address holds both, and what is wrong with the trace.

pub mod history;
pub mod problems;
pub mod route;
pub mod theme;
pub mod url;
pub mod viewport;
pub mod words;

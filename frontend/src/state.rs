//! What the page knows beside the trace, as plain values: what is on screen, what is selected, and how the
//! address holds both.

pub mod history;
pub mod route;
pub mod theme;
pub mod url;
pub mod viewport;

//! Hooks of the pages: queries, code loaded on demand, debouncing, element sizes, and work in turns.

pub(crate) mod answer;
pub(crate) mod code;
pub(crate) mod rested;
pub(crate) mod size;
pub(crate) mod turn;

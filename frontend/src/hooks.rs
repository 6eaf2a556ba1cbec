//! Hooks of the pages: queries, sizes.

pub(crate) mod answer;
pub(crate) mod code;
pub(crate) mod rested;
pub(crate) mod size;
pub(crate) mod turn;

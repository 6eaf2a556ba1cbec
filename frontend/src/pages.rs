//! The pages, one module each.

pub(crate) mod list;
pub(crate) mod not_found;
pub(crate) mod trace;

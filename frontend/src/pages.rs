pub(crate) mod list;
pub(crate) mod local;
pub(crate) mod not_found;
mod open_trace;
pub(crate) mod trace;

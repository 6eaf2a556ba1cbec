pub(crate) mod list;
pub(crate) mod local;
pub(crate) mod not_found;
mod opened;
pub(crate) mod trace;

//! From an uploaded file to a trace in memory that answers queries.

pub mod imports;
pub mod jobs;
pub(crate) mod loading;
pub mod trace_cache;
pub mod trace_metrics;
pub(crate) mod upload;

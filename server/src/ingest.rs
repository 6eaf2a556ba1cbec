//! Turns uploaded files into traces in memory that answer queries.

pub(crate) mod file_metrics;
pub mod imports;
pub mod jobs;
pub(crate) mod loading;
pub mod trace_cache;
pub mod trace_metrics;
pub(crate) mod upload;

//! The `syclscope` program: records SYCL programs, hosts their traces and summarises them.
//!
//! # Design constraints
//! - **One file to install.** The page and the subscriber are inside the binary (`embedded`).
//! - **The recorded program comes first.** `launch` changes neither its output nor its exit code, and does not
//!   start it if recording can't work.
//! - **No data is lost**: not an older recording, not a stored trace, not by an upload that breaks off.
//! - **Errors are typed** where they happen. They get their exit code in `cli::error` or their status in `error`, nowhere
//!   else.
//!
//! Parsing and queries are in `syclscope_engine`; the page draws.

pub mod access;
pub mod address;
pub mod app;
pub mod cli;
pub mod comments;
mod comparison;
mod controllers;
pub mod db;
pub mod embedded;
mod error;
pub mod exports;
mod extract;
pub mod frame_ancestors;
pub mod id;
pub mod identity;
pub mod imports;
pub mod jobs;
mod launch;
pub mod trace_metrics;

pub mod external_viewers;
pub mod fair_semaphore;
mod ingest;
mod listen;
pub mod listing;
mod loading;
mod logging;
pub mod memory;
pub mod metrics;
mod middleware;
mod overview;
pub mod page;
mod private;
pub mod provider;
pub mod query_executor;
pub mod router;
pub mod share;
mod static_page;
pub mod storage;
mod svg;
mod text;
pub mod trace_cache;
mod unsent;
pub mod view_sync;

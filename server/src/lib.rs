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
pub mod figures;
pub mod frames;
pub mod id;
pub mod identity;
pub mod imports;
pub mod jobs;
mod launch;

mod listen;
pub mod listing;
mod loading;
mod logging;
pub mod memory;
pub mod metrics;
mod middleware;
mod overview;
pub mod page;
mod plain;
mod private;
pub mod provider;
pub mod questions;
pub mod router;
pub mod share;
pub mod shown;
pub mod storage;
mod svg;
mod taking;
mod text;
pub mod trace_cache;
pub mod turns;
mod unsent;
pub mod viewers;

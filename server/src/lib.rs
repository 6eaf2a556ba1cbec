//! The `syclscope` program: records SYCL programs, hosts their traces and summarises them.
//!
//! # Design constraints
//! - **One file to install.** The page and the subscriber are inside the binary ([`embedded`]).
//! - **The recorded program comes first.** [`launch`] changes neither its output nor its exit code, and
//!   starts nothing if the recording could not work.
//! - **Nothing that existed is lost**: not an older recording, not a stored trace, not by a broken-off upload.
//! - **Errors are typed** where they happen and get their exit code in [`cli`] or their status in the HTTP
//!   error module, nowhere else.
//!
//! How a trace is parsed and queried is the business of `syclscope_engine`; how it's drawn that of the page.

pub mod app;
pub mod cli;
mod controllers;
pub mod embedded;
pub mod error;
mod extract;
pub mod launch;
pub mod listen;
pub mod loading;
pub mod logging;
mod middleware;
pub mod page;
pub mod router;
pub mod storage;
pub mod text;
pub mod trace_cache;

//! The trace engine of syclscope: the store of one recorded SYCL run, readers and writers of standard files, and the
//! answers to all queries of the language (`syclscope-language`).
//!
//! # Design constraints
//! - **Bytes in, values out.** No files, sockets, threads, clocks or async runtimes: the same code runs in the
//!   server, in the command line, in the recorder and, compiled to WebAssembly, in the browser.
//! - **Bad input is data.** An importer never panics; what it can't use becomes a counted diagnostic.
//! - **Columns and typed handles.** A `store::Trace` is immutable tables; rows are `u32` handles.
//! - **A query costs what it shows.** Views request tiles whose size follows pixels, not events.
//!
//! # Reading order
//! [`builder`] (takes the events of the language) → [`store`] → [`query`] (with [`graph`], the consequences of
//! dependences) → [`compare`] (two traces). [`import`] and [`export`] read and write files; `docs/FORMAT.md` describes
//! their convention.
//!
//! # Example
//! ```
//! use syclscope_language::event::{Event, EventSink as _, Process};
//! use syclscope_engine::export::{Exporter as _, perfetto};
//! use syclscope_engine::import;
//!
//! let mut writer = perfetto::Writer::new();
//! writer.event(&Event::Process(Process { pid: 7, name: "program", ..Process::default() }));
//! writer.event(&Event::Finish { at: Default::default() });
//! let trace = import::open(&writer.take_bytes())?;
//! assert_eq!(trace.info().process.name, "program");
//! # Ok::<(), syclscope_engine::import::ImportError>(())
//! ```

#![warn(missing_docs)]

pub mod budget;
pub mod builder;
pub mod cancel;
#[cfg(feature = "clean")]
pub mod clean;
pub mod compare;
mod convention;
pub mod convert;
pub mod cut;
pub mod diagnostics;
mod dump;
pub mod emit;
pub mod export;
mod first_fit;
#[cfg(feature = "fxprof")]
pub mod fxprof;
pub mod graph;
mod hash;
pub mod id;
pub mod import;
pub mod merge;
mod numbers;
mod privacy_scan;
mod proto;
pub mod query;
mod slots;
pub mod store;
mod stretches;
mod strings;
#[cfg(feature = "tables")]
pub mod tables;

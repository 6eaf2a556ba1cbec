//! The trace engine of syclscope: the model of one recorded SYCL run, how it is read from and written to
//! standard files, and every query that a view asks of it.
//!
//! # Design constraints
//! - **Bytes in, values out.** No files, sockets, threads, clocks or async runtimes: the same code runs in the
//!   server, in the command line, in the recorder and, compiled to WebAssembly, in the browser.
//! - **Bad input is data.** An importer never panics; what it can't use becomes a counted diagnostic.
//! - **Columns and typed handles.** A `store::Trace` is immutable tables; rows are `u32` handles.
//! - **A query costs what it shows.** Views ask for tiles whose size follows pixels, not events.
//!
//! # Reading order
//! [`time`] → [`event`] (the vocabulary that recorders write and importers read) → [`builder`] → [`store`] →
//! [`query`] (with [`graph`], what follows from dependences) → [`source`] and [`api`] (what a view sees). [`import`] and [`export`] are the files' ends of it;
//! `docs/FORMAT.md` tells their convention.
//!
//! # Example
//! ```
//! use syclscope_trace::event::{Event, EventSink as _, Process};
//! use syclscope_trace::export::{Exporter as _, perfetto};
//! use syclscope_trace::import;
//! use syclscope_trace::source::TraceSource as _;
//!
//! let mut writer = perfetto::Writer::new();
//! writer.event(&Event::Process(Process { pid: 7, name: "program", ..Process::default() }));
//! writer.event(&Event::Finish { at: Default::default() });
//! let trace = import::open(&writer.take_bytes())?;
//! assert_eq!(trace.info().process.name, "program");
//! # Ok::<(), syclscope_trace::import::ImportError>(())
//! ```

pub mod api;
pub mod builder;
mod convention;
pub mod diagnostics;
pub mod event;
pub mod export;
pub mod filter;
pub mod fxprof;
pub mod graph;
mod hash;
pub mod id;
pub mod import;
pub mod merge;
pub mod names;
mod proto;
pub mod query;
pub mod replay;
mod slots;
pub mod source;
pub mod store;
mod strings;
#[cfg(feature = "tables")]
pub mod tables;
pub mod time;

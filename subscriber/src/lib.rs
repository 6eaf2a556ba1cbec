//! The shared library that a SYCL runtime's XPTI framework loads to record a trace.
//!
//! XPTI finds the library through `XPTI_SUBSCRIBERS` and calls its two exported functions, `xptiTraceInit` and
//! `xptiTraceFinish`. This is the path of a notification:
//!
//! ```text
//! entry → handlers → buffer (per thread) ┈┈ writer's thread: merge by time → record → model → exporter → file
//! ```
//!
//! Dependences between modules have one direction. `os` (the operating system) and `xpti` (the runtime's structures and
//! functions) are at the bottom. `buffer` and `record` contain the data that handlers copy. `entry`, which only XPTI
//! calls, is at the top, next to `ranges`, which ITT, NVTX and Kokkos call.
//!
//! # Design constraints
//! - **The program comes first.** Its output, its exit code and its results are unchanged. Errors of the recorder
//!   go to the status file. Only without a launcher, the first one is a line on standard error.
//! - **The program's threads never wait.** Once a thread has its buffer, there is no lock, no allocation and no system
//!   call but the clock's. When the thread starts a wait, its stack is unwound, for which the unwinder may take a lock.
//!   A full buffer drops records and counts them by kind.
//! - **No order is assumed at the end.** Notifications arrive after destructors. XPTI calls `xptiTraceFinish` several
//!   times or never. The file contains all but the last moments at any time.
//! - **`unsafe` stays in `os`, `xpti`, `vendor`, `ranges` and `entry`.**

mod buffer;
mod clock;
mod config;
mod control;
mod cost;
mod counters;
mod device_time;
mod device_time_reader;
pub mod drain;
mod entry;
mod exit;
mod facts;
mod fault;
mod flags;
mod handlers;
mod lines;
mod model;
mod os;
mod private;
mod ranges;
mod record;
mod recorder;
mod sampler;
mod serialize;
mod shared_page;
mod sources;
mod target_process;
mod vendor;
mod writer;
mod xpti;

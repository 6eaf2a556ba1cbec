//! Tables in files: what the program keeps beside a trace, and what other programs read.
//!
//! [`derived`] stores a trace as it lies in memory, as Apache Arrow IPC, and reads it back without copying. [`parquet`]
//! writes documented tables. Bytes in,
//! values out: who calls it maps files and writes them.

mod arrow;
pub mod derived;
pub mod parquet;

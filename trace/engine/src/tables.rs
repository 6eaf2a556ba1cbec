//! Tables in files: what the program keeps beside a trace, and what other programs read.
//!
//! [`derived`] stores a trace as it lies in memory, as Apache Arrow IPC, and reads it back without copying. [`parquet`]
//! writes documented tables, [`archive`] all of them as one zip file. Bytes in,
//! values out: who calls it maps files and writes them.

pub mod archive;
mod arrow;
pub mod derived;
pub mod parquet;

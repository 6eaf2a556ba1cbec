//! Tables in files: the program's derived files, and exports for other programs.
//!
//! [`derived`] stores a trace in its memory layout, as Apache Arrow IPC, and reads it back without copying. [`parquet`]
//! writes documented tables, [`archive`] all of them as one zip file. Bytes in, values out: the caller maps and writes
//! files.

pub mod archive;
mod arrow;
pub mod derived;
pub mod parquet;

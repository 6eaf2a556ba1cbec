//! What follows from the task graph: which chain of commands and host work decided how long the run took, how much
//! later each command could have been, and how short the run could be.
//!
//! [`Steps`] and [`Schedule`] are plain graph algorithms; `commands` makes the graph of a trace's commands, waits and
//! threads; `idle` explains why a queue had nothing to do.

pub(crate) mod commands;
pub(crate) mod idle;
mod schedule;
mod steps;

pub use schedule::Schedule;
pub use steps::{Arc, Steps};

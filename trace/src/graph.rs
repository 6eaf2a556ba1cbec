//! What follows from the task graph: which chain of commands and host work decided how long the run took, how much
//! later each command could have been, and how short the run could be; and how the graph is drawn.
//!
//! [`Links`], [`Steps`], [`Schedule`] and [`layout`] are plain graph algorithms; `commands` makes the graph of a
//! trace's commands, waits and threads; `idle` explains why a queue had nothing to do.

pub(crate) mod commands;
pub(crate) mod idle;
pub mod layout;
mod links;
mod schedule;
mod steps;

pub use links::Links;
pub use schedule::Schedule;
pub use steps::{Arc, Steps};

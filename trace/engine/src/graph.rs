//! Analysis of the task graph: the critical path, the slack of each command, the shortest possible run; and folding and
//! layout of the graph.
//!
//! [`Links`], [`Steps`], [`Schedule`], [`Reduction`], [`Repeats`] and [`layout`] are plain algorithms. `commands`
//! builds the graph of a trace's commands, waits and threads. `blocking` finds the blocked times of threads,
//! `host_tasks` the times of host tasks. `groups` folds nodes together. `idle` splits the idle times of queues by
//! cause.

mod behind_tasks;
pub(crate) mod blocking;
pub(crate) mod commands;
mod devices;
mod end_times;
pub(crate) mod groups;
mod handover;
pub(crate) mod host_tasks;
pub(crate) mod idle;
mod launches;
pub mod layout;
mod links;
mod neighbours;
pub(crate) mod path;
mod reduction;
pub(crate) mod regions;
mod repeats;
mod run_graph;
mod running;
mod schedule;
mod silence;
mod steps;
mod submitting_calls;

pub(crate) use devices::{device_title, device_track, devices_of_queues, queues_of_tracks};
pub use groups::PARTS;
pub(crate) use launches::Launches;
pub use links::Links;
pub use reduction::Reduction;
pub use repeats::{Loop, Part, Repeats};
pub(crate) use run_graph::RunGraph;
pub use schedule::Schedule;
pub use steps::{Arc, Steps};
pub(crate) use submitting_calls::submitting_calls;

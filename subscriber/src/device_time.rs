//! Execution times of commands on their device.
//!
//! The program's threads only retain each command's event. The recorder's thread in the program polls the events in
//! queue order, reads their times and releases them. It never waits for an event. Times that can't be read are counted,
//! not estimated.

mod bounds;
mod clamp;
mod clock;
pub(crate) mod devices;
mod events;
mod fit;
#[cfg(test)]
mod measured;
pub(crate) mod messages;
mod outstanding;
mod readings;
mod resolution;
mod waits;

pub(crate) use clamp::clamp_times;
pub(crate) use events::{give_back, is_reachable, keep};
pub(crate) use outstanding::{DeviceAnswers, Outstanding, Reading};
pub(crate) use waits::wants_waits;

//! Execution times of commands on their device.
//!
//! On the program's threads a reference to each command's event is taken, nothing more. The recorder's thread in the
//! program polls the events in the order of their queue, reads their times and releases them. An event that isn't done
//! is never waited for; a time that can't be read is counted, never guessed.

mod bounds;
mod clock;
pub(crate) mod devices;
mod events;
mod fit;
mod laps;
#[cfg(test)]
mod measured;
pub(crate) mod messages;
mod outstanding;
mod possible;
mod readings;
mod resolution;
mod waits;

pub(crate) use events::{give_back, is_reachable, keep};
pub(crate) use outstanding::{DeviceAnswers, Outstanding, Reading};
pub(crate) use possible::possible;
pub(crate) use waits::wants_waits;

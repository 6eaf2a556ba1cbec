//! When commands really ran on their device.
//!
//! On the program's threads a reference to each command's event is taken, nothing more. The writer's thread asks the
//! events now and then whether they are done, in the order of their queue, reads their times and gives them back. An event
//! that isn't done is never waited for; a time that can't be had is counted, never guessed.

mod bounds;
mod clock;
pub(crate) mod devices;
mod events;
mod fit;
mod laps;
#[cfg(test)]
mod measured;
mod outstanding;
mod readings;
mod resolution;
mod timing;
pub(crate) mod told;

pub(crate) use events::{give_back, is_reachable, keep};
pub(crate) use outstanding::{Asked, Kept, Launch, Outstanding, Reading, Wait, emit, possible, size_text};
pub(crate) use timing::{There, Timing};

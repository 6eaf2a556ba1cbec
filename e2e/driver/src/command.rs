//! Commands: their action, their duration, and their words in the log.

use std::sync::Arc;

use crate::clock::Clock;
use crate::event::{Event, Target, Wait};
use crate::image::{Image, Part};
use crate::kernel::Launch;
use crate::layout::Region;
use crate::log::Line;
use crate::{clock, copy};

/// Action of a command.
#[derive(Clone)]
pub(crate) enum Action {
    Kernel(Launch),
    Copy {
        to: usize,
        from: usize,
        bytes: usize,
    },
    Fill {
        to: usize,
        pattern: Vec<u8>,
        bytes: usize,
    },
    CopyRegion {
        to: Rows,
        from: Rows,
    },
    CopyImage {
        to: (Arc<Image>, Part),
        from: (Arc<Image>, Part),
    },
    ReadImage {
        to: usize,
        from: (Arc<Image>, Part),
    },
    WriteImage {
        to: (Arc<Image>, Part),
        from: usize,
    },
    /// Only waits.
    Barrier,
    Signal,
    Reset(Arc<Event>),
    WriteTime {
        to: usize,
    },
    /// Writes the kernel timestamps of events, each to its place.
    WriteTimes {
        events: Vec<Arc<Event>>,
        places: Vec<usize>,
    },
    /// Advice about memory, which this driver ignores.
    Hint,
}

/// A box in memory that is laid out in rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    pub(crate) base: usize,
    pub(crate) region: Region,
    pub(crate) row_bytes: usize,
    pub(crate) slice_bytes: usize,
}

impl Action {
    /// Runs the action.
    pub(crate) fn run(&self, clock: &Clock) {
        match self {
            Self::Copy { to, from, bytes } => copy::bytes(*to, *from, *bytes),
            Self::Fill { to, pattern, bytes } => copy::fill(*to, pattern, *bytes),
            Self::CopyRegion { to, from } => copy::rows(to, from),
            Self::CopyImage { to, from } => {
                copy::rows(&to.0.rows(&to.1), &from.0.rows(&from.1));
            }
            Self::ReadImage { to, from } => {
                let rows = from.0.rows(&from.1);
                copy::rows(&packed(*to, &rows), &rows);
            }
            Self::WriteImage { to, from } => {
                let rows = to.0.rows(&to.1);
                copy::rows(&rows, &packed(*from, &rows));
            }
            Self::Reset(event) => event.reset(),
            Self::WriteTime { to } => copy::word(*to, &[clock.global(clock.ticks(clock::host_ns()))]),
            Self::WriteTimes { events, places } => {
                for (event, place) in events.iter().zip(places) {
                    let times = event.times().unwrap_or_default();
                    let [start, end] = times.global;
                    copy::word(*place, &[start, end, times.context[0], times.context[1]]);
                }
            }
            Self::Kernel(_) | Self::Barrier | Self::Signal | Self::Hint => {}
        }
    }

    /// Returns its minimum duration in nanoseconds.
    pub(crate) fn duration_ns(&self) -> u64 {
        let settings = crate::settings::Settings::get();
        match self {
            Self::Kernel(launch) => settings.kernel_ns(&launch.name),
            _ => self.bytes().map_or(0, |bytes| settings.copy_ns(bytes)),
        }
    }

    fn bytes(&self) -> Option<usize> {
        let of_rows = |rows: &Rows| rows.region.size.iter().map(|side| (*side).max(1) as usize).product();
        match self {
            Self::Copy { bytes, .. } | Self::Fill { bytes, .. } => Some(*bytes),
            Self::CopyRegion { to, .. } => Some(of_rows(to)),
            Self::CopyImage { to: image, .. }
            | Self::ReadImage { from: image, .. }
            | Self::WriteImage { to: image, .. } => Some(of_rows(&image.0.rows(&image.1))),
            _ => None,
        }
    }

    /// Returns its name in the log.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Kernel(_) => "kernel",
            Self::Copy { .. } | Self::CopyRegion { .. } => "copy",
            Self::CopyImage { .. } | Self::ReadImage { .. } | Self::WriteImage { .. } => "image copy",
            Self::Fill { .. } => "fill",
            Self::Barrier => "barrier",
            Self::Signal => "signal",
            Self::Reset(_) => "reset",
            Self::WriteTime { .. } | Self::WriteTimes { .. } => "times",
            Self::Hint => "hint",
        }
    }

    /// Adds the action's details to a line of the log.
    pub(crate) fn describe(&self, line: Line) -> Line {
        if let Self::Kernel(launch) = self {
            let groups = launch.groups.map(|count| count.to_string()).join("x");
            let size = launch.group_size.map(|size| size.to_string()).join("x");
            return line.text("name", &launch.name).text("groups", &groups).text("group_size", &size);
        }
        match self.bytes() {
            Some(bytes) => line.number("bytes", bytes as u64),
            None => line,
        }
    }
}

/// Returns the layout without gaps for the region of `rows`.
fn packed(base: usize, rows: &Rows) -> Rows {
    let [width, height, _] = rows.region.size;
    let region = Region { origin: [0; 3], size: rows.region.size };
    let row_bytes = width as usize;
    Rows { base, region, row_bytes, slice_bytes: row_bytes * (height as usize).max(1) }
}

/// A command in a list.
#[derive(Clone)]
pub(crate) struct Command {
    pub(crate) action: Action,
    pub(crate) waits: Vec<Arc<Event>>,
    pub(crate) signals: Option<Arc<Event>>,
    pub(crate) appended_ns: u64,
    /// Id for changes in a mutable list.
    pub(crate) id: u64,
}

impl Command {
    /// Returns the command as submitted now.
    pub(crate) fn work(&self) -> Work {
        Work {
            action: self.action.clone(),
            waits: self.waits.iter().map(Event::wait).collect(),
            signals: self.signals.iter().map(Event::target).collect(),
            appended_ns: self.appended_ns,
            submitted_ns: clock::host_ns(),
            event: self.signals.as_ref().map_or(0, |event| event.number()),
        }
    }
}

/// A submitted command.
pub(crate) struct Work {
    pub(crate) action: Action,
    pub(crate) waits: Vec<Wait>,
    pub(crate) signals: Vec<Target>,
    pub(crate) appended_ns: u64,
    pub(crate) submitted_ns: u64,
    /// Handle of the event that it signals, 0 without one.
    pub(crate) event: u64,
}

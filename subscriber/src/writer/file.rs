//! The file of a recording: one, or with a size limit the newest two.
//!
//! A file that reaches half of the allowed size is closed, and a new one starts. The new file repeats the state that is
//! still valid (queues, live memory, open slices), so that it can be opened alone. The older file is removed when a
//! third one starts.

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use syclscope_language::event::{Dropped, Event, EventSink, NO_DEVICE_TIME};
use syclscope_language::time::Timestamp;

use super::encoder::Encoder;
use super::output::{Output, free_name};
use super::rotation_state::RotationState;
use crate::config::{Config, Format, with_part};
use crate::control;

/// Size of the encoded events that are written without waiting for the end of a step.
const LARGE_BYTES: usize = 256 << 10;

pub(crate) struct TraceFile {
    encoder: Encoder,
    output: Output,
    rotation: Option<Rotation>,
    /// Events in the files so far.
    pub(crate) written: u64,
    /// Events that were written only because files start and end.
    pub(crate) repeated: u64,
    pub(crate) error: Option<String>,
    /// Time up to which events have arrived.
    pub(crate) at: Timestamp,
}

struct Rotation {
    format: Format,
    half_bytes: u64,
    /// Length at which the file is closed.
    limit_bytes: u64,
    path: PathBuf,
    older: Option<PathBuf>,
    older_bytes: u64,
    /// Number of dropped older halves.
    given_up: u64,
    /// Device times whose command is in no remaining file.
    missed: u64,
    /// Number of these that events have stated.
    stated: u64,
    state: RotationState,
    now: Timestamp,
}

impl Rotation {
    /// Returns an event with the number of missed device times that no event has stated; `None` for zero.
    fn take_missed(&mut self, at: Timestamp) -> Option<Event<'static>> {
        let count = self.missed - std::mem::replace(&mut self.stated, self.missed);
        (count > 0).then_some(Event::Dropped(Dropped { at, kind: NO_DEVICE_TIME, count }))
    }
}

impl TraceFile {
    pub(crate) fn create(config: &Config) -> Self {
        let output = Output::create(&config.output, config.is_reserved);
        let rotation = config.max_bytes.map(|bytes| Rotation {
            format: config.format,
            half_bytes: bytes / 2,
            limit_bytes: bytes / 2,
            path: output.place().to_owned(),
            older: None,
            older_bytes: 0,
            given_up: 0,
            missed: 0,
            stated: 0,
            state: RotationState::default(),
            now: Timestamp(0),
        });
        let error = output.error().map(str::to_owned);
        let encoder = Encoder::new(config.format);
        Self { encoder, output, rotation, written: 0, repeated: 0, error, at: Timestamp(0) }
    }

    pub(crate) fn path(&self) -> &str {
        self.output.path()
    }

    /// Returns all paths, the oldest first.
    pub(crate) fn paths(&self) -> Vec<String> {
        let older = self.rotation.as_ref().and_then(|rotation| rotation.older.as_deref());
        older.map(|older| older.display().to_string()).into_iter().chain([self.path().to_owned()]).collect()
    }

    pub(crate) fn lost_count(&self) -> u64 {
        self.encoder.lost
    }

    /// Returns the length of all files in bytes.
    pub(crate) fn length(&self) -> u64 {
        self.output.length() + self.rotation.as_ref().map_or(0, |rotation| rotation.older_bytes)
    }

    pub(crate) fn dropped_files(&self) -> Option<String> {
        let Rotation { given_up, half_bytes, missed, .. } = self.rotation.as_ref()?;
        let files = (*given_up > 0).then(|| {
            format!(
                "only the newest two files are kept (SYCLSCOPE_MAX_SIZE): {given_up} older ones of {half_bytes} bytes \
                 were given up"
            )
        });
        let times = (*missed > 0).then(|| {
            format!("device times of {missed} commands came after a change of files (SYCLSCOPE_MAX_SIZE), and were lost")
        });
        let said: Vec<String> = files.into_iter().chain(times).collect();
        (!said.is_empty()).then(|| said.join("; "))
    }

    /// States the device times that came after a change of files, at the end of the recording.
    pub(crate) fn state_missed(&mut self, at: Timestamp) {
        let missed = self.rotation.as_mut().and_then(|rotation| rotation.take_missed(at));
        if let Some(missed) = missed {
            self.encoder.event(&missed);
        }
    }

    /// Writes the encoded events if there are many: more would not stay in the processor's cache until they are
    /// written.
    #[inline]
    pub(crate) fn flush_large(&mut self, is_finished: bool) {
        if self.encoder.buffered_bytes() >= LARGE_BYTES {
            self.flush(is_finished);
        }
    }

    pub(crate) fn flush(&mut self, is_finished: bool) {
        control::set_at_disk(true);
        let written = self.encoder.write_to(&mut self.output, self.at, is_finished);
        control::set_at_disk(false);
        self.written = self.written.strict_add_signed(written);
        if let Some(error) = self.output.error() {
            self.error.get_or_insert_with(|| error.to_owned());
        }
    }

    /// True if the next event belongs in another file.
    fn is_full(&mut self, event: &Event<'_>) -> bool {
        let Some(rotation) = &mut self.rotation else { return false };
        let at = match event {
            Event::SliceBegin(slice) => slice.at,
            Event::Instant(instant) => instant.at,
            Event::Node(node) => node.at,
            // An end stays in the file of its start: device work arrives seconds late, so that ending it at a change of
            // files would stretch it until then.
            Event::SliceEnd(slice) => {
                rotation.now = rotation.now.max(slice.at);
                return false;
            }
            _ => return false,
        };
        rotation.now = rotation.now.max(at);
        self.output.length() + self.encoder.buffered_bytes() as u64 >= rotation.limit_bytes
    }

    fn rotate(&mut self) {
        let Some(mut rotation) = self.rotation.take() else { return };
        let older =
            rotation.older.get_or_insert_with(|| free_name(&with_part(&rotation.path, ".older"))).clone();
        if let Err(error) = std::fs::rename(&rotation.path, &older) {
            // Without a change of files, the recording is complete but too large.
            self.error =
                Some(format!("{} can't be renamed: {error}; it keeps growing", rotation.path.display()));
            return;
        }
        let at = rotation.now;
        for end in rotation.state.ends(at) {
            self.repeat(&Event::SliceEnd(end));
        }
        if let Some(missed) = rotation.take_missed(at) {
            self.repeat(&missed);
        }
        self.repeat(&Event::PartEnd { at });
        self.flush(true);
        if self.error.is_some() {
            // The written file gets back the name that the status has.
            let _ = std::fs::rename(&older, &rotation.path);
            return;
        }
        rotation.given_up += u64::from(rotation.older_bytes > 0);
        rotation.older_bytes = self.output.length();
        self.output = Output::create(&rotation.path, true);
        self.encoder = Encoder::new(rotation.format);
        rotation.state.repeat(at, rotation.half_bytes, &mut |event| self.repeat(event));
        // The repeated part of a file may be large: new events need space as well.
        let repeated = self.encoder.buffered_bytes() as u64;
        rotation.limit_bytes = rotation.half_bytes.max(repeated + rotation.half_bytes / 2);
        self.rotation = Some(rotation);
        self.flush(false);
    }

    fn repeat(&mut self, event: &Event<'_>) {
        self.repeated += 1;
        self.encoder.event(event);
    }
}

impl EventSink for TraceFile {
    fn event(&mut self, event: &Event<'_>) {
        if self.is_full(event) {
            self.rotate();
        }
        let Some(rotation) = &mut self.rotation else { return self.encoder.event(event) };
        if rotation.state.misses_node(event) {
            rotation.missed += u64::from(matches!(event, Event::Execution(_)));
            return;
        }
        let event = rotation.state.with_known_node(event);
        rotation.state.remember(&event);
        self.encoder.event(&event);
    }
}

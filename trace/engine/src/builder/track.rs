//! Slices and samples by track, starts paired with ends.

use syclscope_language::event::{Category, CounterSample, Instant, SliceBegin, SliceEnd, Track, TrackKind};
use syclscope_language::names::plain_name;

use super::TraceBuilder;
use super::chunks::Chunks;
use crate::diagnostics::DiagnosticKind;
use crate::id::{ArgsId, NONE, StringId};
use crate::store::slices::SliceRow;

/// A track, with its events in the order of the file.
#[derive(Debug)]
pub(super) struct TrackBuilder {
    pub(super) id: u64,
    pub(super) process: u32,
    pub(super) tid: u32,
    pub(super) parent: Option<u64>,
    pub(super) kind: TrackKind,
    pub(super) name: StringId,
    /// Order among the tracks with the same parent.
    pub(super) rank: i64,
    /// True if its slices were moved to another track.
    pub(super) is_joined: bool,
    /// Slices in the order of their starts.
    pub(super) slices: Chunks<SliceRow>,
    pub(super) samples: Vec<(u64, f64)>,
    open: Vec<Open>,
    /// The slice that ended last, or `NONE`.
    pub(super) ended: u32,
    /// Packed arguments of the open slices, one after the other.
    open_args: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    row: u32,
    args_start: u32,
}

impl TrackBuilder {
    pub(super) fn new(id: u64, process: u32, kind: TrackKind, name: StringId) -> Self {
        Self {
            id,
            process,
            tid: 0,
            parent: None,
            kind,
            name,
            rank: 0,
            is_joined: false,
            slices: Chunks::default(),
            samples: Vec::new(),
            open: Vec::new(),
            ended: NONE,
            open_args: Vec::new(),
        }
    }

    pub(super) fn announce(&mut self, track: &Track<'_>, process: u32, name: StringId) {
        self.process = process;
        self.tid = track.tid;
        self.parent = track.parent;
        self.kind = track.kind;
        self.name = name;
    }

    pub(super) fn shift(&mut self, origin: u64) {
        for slice in self.slices.iter_mut() {
            slice.start = slice.start.saturating_sub(origin);
            slice.end = slice.end.saturating_sub(origin);
        }
        for (at, _) in &mut self.samples {
            *at = at.saturating_sub(origin);
        }
    }
}

impl TraceBuilder {
    pub(super) fn slice_begin(&mut self, slice: &SliceBegin<'_>) {
        if !self.count_slice() {
            return;
        }
        let start = self.time(slice.at);
        let name = self.strings.intern(plain_name(slice.name));
        let location = self.location(&slice.location);
        let node = self.node_row(slice.node);
        self.calls += u64::from(slice.category == Category::Call);
        self.native_calls += u64::from(slice.category == Category::Native);
        self.regions += u64::from(slice.category == Category::User);
        let row = self.track_row(slice.track, false) as usize;
        let mut packed = std::mem::take(&mut self.tracks[row].open_args);
        let args_start = packed.len() as u32;
        self.pack(slice.args, &mut packed);
        let track = &mut self.tracks[row];
        track.open_args = packed;
        track.open.push(Open { row: track.slices.len() as u32, args_start });
        track.slices.push(SliceRow {
            start,
            end: start,
            name,
            args: ArgsId::default(),
            location,
            node,
            category: slice.category,
            unfinished: true,
        });
    }

    pub(super) fn slice_end(&mut self, end: &SliceEnd<'_>) {
        let at = self.time(end.at);
        let row = self.track_row(end.track, false) as usize;
        let Some(open) = self.tracks[row].open.pop() else {
            self.diagnostics.count(DiagnosticKind::EndWithoutBegin);
            return;
        };
        let args = self.close_args(row, open, end.args);
        let slice = &mut self.tracks[row].slices[open.row as usize];
        if at < slice.start {
            self.diagnostics.count(DiagnosticKind::EndBeforeBegin);
        }
        slice.end = at.max(slice.start);
        slice.args = args;
        slice.unfinished = false;
        self.tracks[row].ended = open.row;
    }

    fn close_args(&mut self, row: usize, open: Open, end: syclscope_language::event::Args<'_>) -> ArgsId {
        let mut packed = std::mem::take(&mut self.tracks[row].open_args);
        self.pack(end, &mut packed);
        let args = self.packed_args(packed.get(open.args_start as usize..).unwrap_or_default());
        packed.truncate(open.args_start as usize);
        self.tracks[row].open_args = packed;
        args
    }

    pub(super) fn instant(&mut self, instant: &Instant<'_>) {
        if !self.count_slice() {
            return;
        }
        let at = self.time(instant.at);
        let name = self.strings.intern(plain_name(instant.name));
        let location = self.location(&instant.location);
        let node = self.node_row(instant.node);
        let args = self.args(instant.args);
        let row = self.track_row(instant.track, false) as usize;
        let category = instant.category;
        let slice = SliceRow { start: at, end: at, name, args, location, node, category, unfinished: false };
        self.tracks[row].slices.push(slice);
    }

    pub(super) fn sample(&mut self, sample: &CounterSample) {
        let at = self.time(sample.at);
        // A value that is not finite can't be drawn on a scale, and JSON has no such number.
        if !sample.value.is_finite() {
            return self.diagnostics.count(DiagnosticKind::UnusableSample);
        }
        // The memory counters add further samples.
        if self.samples >= u64::from(NONE / 4) {
            return self.diagnostics.count(DiagnosticKind::TooManyRows);
        }
        self.samples += 1;
        let row = self.track_row(sample.track, false) as usize;
        self.tracks[row].samples.push((at, sample.value));
    }

    pub(super) fn close_open_slices(&mut self) {
        for row in 0..self.tracks.len() {
            while let Some(open) = self.tracks[row].open.pop() {
                self.diagnostics.count(DiagnosticKind::UnfinishedSlice);
                let args = self.close_args(row, open, &[]);
                let last = self.times.last;
                let slice = &mut self.tracks[row].slices[open.row as usize];
                slice.end = last.max(slice.start);
                slice.args = args;
            }
        }
        debug_assert!(self.last_track.1 == NONE || (self.last_track.1 as usize) < self.tracks.len());
    }
}

//! A trace's tracks, slices, counters and flows as events again: how a file of another program goes out in another
//! format. A recording of ours goes from file to file event by event instead, which loses nothing.

use syclscope_language::event::{
    Category, CounterSample, Event, EventSink, Flow, FlowBinding, FlowStep, Instant, Process, SliceBegin,
    SliceEnd, Track, TrackKind, Value,
};
use syclscope_language::time::Timestamp;

use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::store::tracks::TrackRow;

/// Tracks made up for slices that overlap count from here.
const FIRST_LANE_TRACK: u64 = 0x4c41_4e45_0000_0000;

/// Hands the events of a trace to `sink`, track by track. Slices of one track nest; those that would not stand on
/// further tracks below it.
pub fn replay(trace: &Trace, sink: &mut impl EventSink) {
    let process = trace.processes.first().cloned().unwrap_or_default();
    sink.event(&Event::Process(Process {
        pid: process.pid,
        name: &process.name,
        command_line: &process.command_line,
        host: &process.host,
        start_unix_ns: process.start_unix_ns,
        start_monotonic_ns: 0,
        recorder: &process.recorder,
    }));
    let rows = (0..trace.tracks.len() as u32).filter_map(|row| Some((row, trace.tracks.get(row)?)));
    for (row, track) in rows.clone() {
        let parent = some(track.parent).map(|parent| u64::from(parent) + 1);
        let name = trace.strings.get(track.name);
        let (kind, tid) = (track.kind, track.tid);
        sink.event(&Event::Track(Track { track: u64::from(row) + 1, parent, kind, name, tid }));
    }
    let mut replay = Replay { trace, sink, lane_tracks: 0 };
    for (row, track) in rows {
        replay.slices(u64::from(row) + 1, &track);
        if let Some(counter) = some(track.counter) {
            for sample in trace.counters.rows(counter) {
                let at = Timestamp(trace.counters.at[sample]);
                let value = trace.counters.value[sample];
                replay.sink.event(&Event::Counter(CounterSample { track: u64::from(row) + 1, at, value }));
            }
        }
    }
    sink.event(&Event::Finish { at: Timestamp(trace.duration_ns) });
}

struct Replay<'t, 's, S> {
    trace: &'t Trace,
    sink: &'s mut S,
    lane_tracks: u64,
}

/// A track that slices go to, with the ends of those that are open.
struct Nest {
    track: u64,
    open: Vec<u64>,
}

impl<S: EventSink> Replay<'_, '_, S> {
    fn slices(&mut self, track: u64, row: &TrackRow) {
        let slices = &self.trace.slices;
        let mut lanes: Vec<_> =
            (row.first_lane..row.first_lane + row.lanes).map(|lane| slices.lane(lane as usize)).collect();
        let mut nests = vec![Nest { track, open: Vec::new() }];
        // The slices of all lanes by their start, outer ones first.
        while let Some(lane) = next_lane(&lanes, |slice| (slices.start[slice], u64::MAX - slices.end(slice)))
        {
            let slice = lanes[lane].start;
            lanes[lane].start += 1;
            let (start, end) = (slices.start[slice], slices.end(slice));
            let fitting = nests.iter_mut().position(|nest| {
                while nest.open.last().is_some_and(|open| *open <= start) {
                    let at = Timestamp(nest.open.pop().unwrap_or_default());
                    self.sink.event(&Event::SliceEnd(SliceEnd { track: nest.track, at, args: &[] }));
                }
                nest.open.last().is_none_or(|open| *open >= end)
            });
            let nest = match fitting {
                Some(nest) => nest,
                None => {
                    nests.push(self.further_track(track, row, nests.len() + 1));
                    nests.len() - 1
                }
            };
            self.slice(&mut nests[nest], slice, end);
        }
        for nest in nests {
            for end in nest.open.into_iter().rev() {
                let at = Timestamp(end);
                self.sink.event(&Event::SliceEnd(SliceEnd { track: nest.track, at, args: &[] }));
            }
        }
    }

    fn further_track(&mut self, parent: u64, row: &TrackRow, number: usize) -> Nest {
        let track = FIRST_LANE_TRACK + self.lane_tracks;
        self.lane_tracks += 1;
        let name = format!("{} · lane {number}", self.trace.strings.get(row.name));
        let kind = TrackKind::Other;
        self.sink.event(&Event::Track(Track { track, parent: Some(parent), kind, name: &name, tid: 0 }));
        Nest { track, open: Vec::new() }
    }

    fn slice(&mut self, nest: &mut Nest, slice: usize, end: u64) {
        let Trace { slices, strings, locations, args, .. } = self.trace;
        let at = Timestamp(slices.start[slice]);
        let name = strings.get(slices.name.at(slice));
        let category: Category = slices.category(slice);
        let location = locations.place(slices.location.at(slice), strings).unwrap_or_default();
        let args: Vec<(&str, Value<'_>)> = args.get(slices.args.at(slice), strings).collect();
        let track = nest.track;
        let args = args.as_slice();
        if at.0 == end {
            self.sink.event(&Event::Instant(Instant {
                track,
                at,
                category,
                name,
                node: None,
                location,
                args,
            }));
        } else {
            let node = None;
            self.sink.event(&Event::SliceBegin(SliceBegin {
                track,
                at,
                category,
                name,
                node,
                location,
                args,
            }));
            // One without an end can only stand outside all others.
            if !slices.is_unfinished(slice) || !nest.open.is_empty() {
                nest.open.push(end);
            }
        }
        self.flows(track, slice as u32, at);
    }

    fn flows(&mut self, track: u64, slice: u32, at: Timestamp) {
        let flows = &self.trace.flows;
        let sides = [
            (flows.incoming_numbers(slice), FlowStep::End),
            (flows.outgoing_numbers(slice), FlowStep::Start),
        ];
        for (numbers, step) in sides {
            for (flow, name) in numbers {
                let name = self.trace.strings.get(name);
                let binding = FlowBinding::Latest;
                self.sink.event(&Event::Flow(Flow { at, flow: flow + 1, track, step, binding, name }));
            }
        }
    }
}

/// The lane whose next slice comes first.
fn next_lane(lanes: &[std::ops::Range<usize>], key: impl Fn(usize) -> (u64, u64)) -> Option<usize> {
    let waiting = lanes.iter().enumerate().filter(|(_, lane)| !lane.is_empty());
    waiting.min_by_key(|(position, lane)| (key(lane.start), *position)).map(|(position, _)| position)
}

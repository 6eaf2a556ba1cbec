//! Emitter of a trace's tracks, slices, counters and flows as events, to convert another tool's file. A recording of
//! ours is converted event by event instead, which loses nothing.

mod nests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use rustc_hash::FxHashMap;
use syclscope_language::event::{
    Category, CounterSample, Device, Event, EventSink, Flow, FlowBinding, FlowStep, Instant, Process,
    SliceBegin, SliceEnd, Track, TrackKind, Value,
};
use syclscope_language::time::Timestamp;

use self::nests::Nests;
use crate::cancel::{self, Stopped};
use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::store::tracks::TrackRow;

/// First id of the tracks added for overlapping slices.
const FIRST_LANE_TRACK: u64 = 0x4c41_4e45_0000_0000;

/// Passes the events of a trace to `sink`, track by track. Slices of one track nest; overlapping ones are moved to
/// additional tracks below it.
pub fn emit(trace: &Trace, sink: &mut impl EventSink) {
    if let Err(stopped) = emit_within(trace, sink) {
        cancel::stop(stopped);
    }
}

/// Passes the events like [`emit`], but returns at a limit of the current query: the page's exporter can't be
/// unwound.
pub(crate) fn emit_within(trace: &Trace, sink: &mut impl EventSink) -> Result<(), Stopped> {
    let process = trace.processes.first().cloned().unwrap_or_default();
    sink.event(&Event::Process(Process {
        pid: process.pid,
        name: &process.name,
        command_line: &process.command_line,
        host: &process.host,
        start_unix_ns: process.start_unix_ns,
        start_monotonic_ns: 0,
        start_ns: process.start_ns,
        from_ns: process.from_ns,
        recorder: &process.recorder,
        rank: process.rank,
        rank_count: process.rank_count,
        local_rank: process.local_rank,
    }));
    let rows = (0..trace.tracks.len() as u32).filter_map(|row| Some((row, trace.tracks.get(row)?)));
    for (row, track) in rows.clone() {
        let parent = some(track.parent).map(|parent| u64::from(parent) + 1);
        let name = trace.strings.get(track.name);
        let (kind, tid) = (track.kind, track.tid);
        sink.event(&Event::Track(Track { track: u64::from(row) + 1, parent, kind, name, tid }));
    }
    devices(trace, sink)?;
    let mut emitter = Emitter { trace, sink, lane_tracks: 0 };
    for (row, track) in rows {
        emitter.slices(u64::from(row) + 1, &track)?;
        if let Some(counter) = some(track.counter) {
            for sample in trace.counters.rows(counter) {
                let at = Timestamp(trace.counters.at[sample]);
                let value = trace.counters.value[sample];
                emitter.sink.event(&Event::Counter(CounterSample { track: u64::from(row) + 1, at, value }));
            }
        }
    }
    sink.event(&Event::Finish { at: Timestamp(trace.duration_ns) });
    Ok(())
}

/// Passes the devices of queues. Each has the number of its track, as importers give it, so that its queues find it.
fn devices(trace: &Trace, sink: &mut impl EventSink) -> Result<(), Stopped> {
    let Trace { strings, args, tracks, queues, machine, .. } = trace;
    let mut of_devices = FxHashMap::default();
    for number in 0..queues.len() {
        cancel::take_row(number)?;
        let queue = queues.row(number);
        if let Some(device) = tracks.get(queue.track).and_then(|track| some(track.parent)) {
            of_devices.insert(queue.device_handle, u64::from(device) + 1);
        }
    }
    for number in 0..machine.devices.len() {
        cancel::take_row(number)?;
        let row = machine.devices.row(number);
        let Some(device) = of_devices.get(&row.handle).copied() else { continue };
        let args: Vec<(&str, Value<'_>)> = args.get(row.args, strings).collect();
        sink.event(&Event::Device(Device {
            device,
            at: Timestamp::ZERO,
            name: strings.get(row.name),
            handle: device,
            device_type: strings.get(row.device_type),
            platform: strings.get(row.platform),
            driver: strings.get(row.driver),
            args: &args,
        }));
    }
    Ok(())
}

struct Emitter<'t, 's, S> {
    trace: &'t Trace,
    sink: &'s mut S,
    lane_tracks: u64,
}

impl<S: EventSink> Emitter<'_, '_, S> {
    fn slices(&mut self, track: u64, row: &TrackRow) -> Result<(), Stopped> {
        let slices = &self.trace.slices;
        let mut nests = Nests::default();
        nests.push(track);
        // The slices of all lanes by start, outer ones first, equal ones by lane.
        let mut lanes: Vec<Range<usize>> = row.lane_range().map(|lane| slices.lane(lane)).collect();
        let next = |lane: usize, rows: &mut Range<usize>| {
            let slice = rows.next()?;
            Some(Reverse((slices.start[slice], Reverse(slices.end(slice)), lane, slice)))
        };
        let mut waiting: BinaryHeap<_> =
            lanes.iter_mut().enumerate().filter_map(|(lane, rows)| next(lane, rows)).collect();
        while let Some(Reverse((start, Reverse(end), lane, slice))) = waiting.pop() {
            cancel::take_row(slice)?;
            waiting.extend(next(lane, &mut lanes[lane]));
            nests.end_until(start, |track, at| self.end(track, at));
            let nest = match nests.fitting(end) {
                Some(nest) => nest,
                None => {
                    let further = self.further_track(track, row, nests.len() + 1);
                    nests.push(further)
                }
            };
            self.slice(&mut nests, nest, slice, end);
        }
        nests.end_until(u64::MAX, |track, at| self.end(track, at));
        Ok(())
    }

    fn end(&mut self, track: u64, at: u64) {
        self.sink.event(&Event::SliceEnd(SliceEnd { track, at: Timestamp(at), args: &[] }));
    }

    fn further_track(&mut self, parent: u64, row: &TrackRow, number: usize) -> u64 {
        let track = FIRST_LANE_TRACK + self.lane_tracks;
        self.lane_tracks += 1;
        let name = self.trace.strings.get(row.name);
        // Queues with the same name are one queue.
        let (name, parent, kind) = match row.kind {
            TrackKind::Queue => (name.to_owned(), some(row.parent).map(|row| u64::from(row) + 1), row.kind),
            _ => (format!("{name} · lane {number}"), Some(parent), TrackKind::Other),
        };
        self.sink.event(&Event::Track(Track { track, parent, kind, name: &name, tid: 0 }));
        track
    }

    fn slice(&mut self, nests: &mut Nests, nest: usize, slice: usize, end: u64) {
        let Trace { slices, strings, locations, args, .. } = self.trace;
        let at = Timestamp(slices.start[slice]);
        let name = strings.get(slices.name.at(slice));
        let category: Category = slices.category(slice);
        let location = locations.place(slices.location.at(slice), strings).unwrap_or_default();
        let args: Vec<(&str, Value<'_>)> = args.get(slices.args.at(slice), strings).collect();
        let (track, is_inside) = nests.at(nest);
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
            // Only an outermost slice may stay without an end, because an open slice encloses all later ones of its
            // track.
            if !slices.is_unfinished(slice) || is_inside {
                nests.open(nest, end);
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
                // The points of a flow are in the order of time, but an arrow may lead to a slice that started before
                // its source, such as a thread's loop.
                let source = flows.rows.source.at(flow as usize);
                let at = Timestamp(at.0.max(self.trace.slices.start.at(source as usize)));
                self.sink.event(&Event::Flow(Flow { at, flow: flow + 1, track, step, binding, name }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use syclscope_language::event::SourceLocation;

    use super::*;
    use crate::budget::Budget;
    use crate::builder::TraceBuilder;
    use crate::cancel::Work;

    struct Nothing;

    impl EventSink for Nothing {
        fn event(&mut self, _event: &Event<'_>) {}
    }

    #[test]
    fn a_limit_is_an_error_for_those_who_can_not_be_unwound() {
        let mut builder = TraceBuilder::new();
        let (track, category, location) = (1, Category::Call, SourceLocation::default());
        let (at, name, node) = (Timestamp(1), "call", None);
        let begin = SliceBegin { track, at, category, name, node, location, args: &[] };
        builder.event(&Event::SliceBegin(begin));
        builder.event(&Event::SliceEnd(SliceEnd { track, at: Timestamp(2), args: &[] }));
        let trace = builder.build();
        let returned = |steps: u64| {
            let work = Work::with_steps(steps);
            cancel::within(&work, Budget::unlimited(), || emit_within(&trace, &mut Nothing))
        };
        assert_eq!(returned(0), Ok(Err(Stopped::TooLong)));
        assert_eq!(returned(u64::MAX), Ok(Ok(())));
        let unwound =
            cancel::within(&Work::with_steps(0), Budget::unlimited(), || emit(&trace, &mut Nothing));
        assert_eq!(unwound, Err(Stopped::TooLong));
    }
}

//! Rules for device times of commands from their events, and for vendors' records of device work: executions on queues,
//! and slices on the tracks of streams.

use syclscope_language::event::{
    Category, Event, EventSink, Fact, FactKind, NoTime, NodeKind, SliceBegin, SliceEnd, Track, TrackKind,
    Untimed, Value,
};
use syclscope_language::time::Timestamp;

use crate::device_time::clamp_times;
use crate::model::Model;
use crate::model::commands::{emit, size_text};
use crate::model::device_calls::DriverCall;
use crate::model::device_work::{Piece, StreamKey, WorkState};
use crate::model::process::PROCESS_TRACK;
use crate::record::Cursor;
use crate::record::device::{BY_TIME, DeviceTimes, DeviceWork, TAKEN, WorkKind};
use crate::xpti::ProfilingTimes;

/// Interval of checking commands.
const EVERY_NS: u64 = 50_000_000;
/// Seen on two H200 without peer access: for 64 MiB in 1.9 ms CUPTI reported 22 µs each way.
const LAST_PIECES: &str =
    "the end of it: CUPTI tells only the last pieces of a copy through the host's memory";

impl Model {
    /// Records the source of device times: a vendor's records, or the reason why there are none.
    pub(super) fn device_source(
        &mut self,
        source: u32,
        at: Timestamp,
        words: &str,
        sink: &mut dyn EventSink,
    ) {
        self.works.is_active |= source != 0;
        self.works.is_taken |= source == TAKEN;
        self.works.finder.is_needed = source == BY_TIME;
        sink.event(&Event::Fact(Fact { at, kind: FactKind::Setting, name: "device times", value: words }));
    }

    pub(super) fn add_native_call(&mut self, now_ns: u64, detail: u32, mut cursor: Cursor<'_>) {
        let correlation = cursor.word();
        if detail != BY_TIME {
            self.works.called(correlation, cursor.word());
            return;
        }
        let (thread, begin_ns, end_ns) = (cursor.word(), cursor.word(), cursor.word());
        self.works.called_sometime(now_ns, DriverCall { correlation, thread, begin_ns, end_ns });
    }

    pub(super) fn device_work(&mut self, now_ns: u64, work: &DeviceWork<'_>, sink: &mut dyn EventSink) {
        let kind = match work.kind {
            WorkKind::Kernel => NodeKind::Kernel,
            WorkKind::Copy => NodeKind::Copy,
            WorkKind::Fill => NodeKind::Fill,
            WorkKind::Graph => NodeKind::CommandGraph,
        };
        self.commands.counts.records += 1;
        self.works.came(now_ns, work, kind);
        self.settle_due(now_ns, sink);
    }

    /// Records work that is complete by now, at most once an interval.
    pub(crate) fn settle_due(&mut self, now_ns: u64, sink: &mut dyn EventSink) {
        if self.works.is_active && now_ns >= self.works.settled_ns + EVERY_NS {
            self.works.settled_ns = now_ns;
            self.settle(now_ns, false, sink);
        }
    }

    /// Notes that records of a vendor were lost.
    pub(crate) fn lose_device_records(&mut self) {
        self.works.is_lossy = true;
    }

    /// Records all complete work. Commands without work had not finished; if the program was killed, their work was not
    /// delivered; if records were lost, it may be among those.
    pub(super) fn settle_works(&mut self, at: Timestamp, is_cut: bool, sink: &mut dyn EventSink) {
        let reason = self.works.why_without_work(is_cut);
        self.settle(u64::MAX / 2, true, sink);
        for command in self.works.take_rest() {
            // Other commands cause no device work.
            if command.kind.is_device_work() {
                self.commands.untimed(command.node, at, reason, sink);
            } else {
                sink.event(&Event::Untimed(Untimed { node: command.node, at, reason: NoTime::NoWork }));
            }
        }
    }

    fn settle(&mut self, now_ns: u64, is_end: bool, sink: &mut dyn EventSink) {
        self.works.find_calls(now_ns);
        while let Some(state) = self.works.next_settled(now_ns, is_end) {
            self.executed(state, sink);
        }
        self.works.give_up_early(now_ns, is_end);
        let keys: Vec<StreamKey> = self.works.streams.keys().copied().collect();
        for key in keys {
            while let Some(piece) =
                self.works.streams.get_mut(&key).and_then(|stream| stream.next(now_ns, is_end))
            {
                self.piece(key, &piece, sink);
            }
        }
    }

    fn executed(&mut self, state: WorkState, sink: &mut dyn EventSink) {
        let (Some((start_ns, end_ns)), Some(command)) = (state.span(), &state.command) else { return };
        let times = ProfilingTimes { queued: None, submitted: None, start: start_ns, end: end_ns };
        let (times, is_impossible) = clamp_times(&times, (command.called_ns, u64::MAX), 0);
        self.commands.counts.impossible += u64::from(is_impossible);
        let times = ProfilingTimes { queued: Some(command.called_ns), ..times };
        emit(command, &times, state.is_through_host().then_some(LAST_PIECES), self.start_ns, sink);
        self.commands.counts.read += 1;
        let (node, name) = (command.node, command.name.clone());
        let is_kernel = command.kind == NodeKind::Kernel;
        if let Some(((device, ..), _)) = state.pieces.first()
            && !command.device_name.is_empty()
        {
            self.works.names.entry(*device).or_insert_with(|| command.device_name.clone());
        }
        for (key, mut piece) in state.pieces {
            piece.node = Some(node);
            if is_kernel {
                piece.name = name.clone();
            }
            self.works.add(key, piece);
        }
    }

    fn piece(&mut self, key: StreamKey, piece: &Piece, sink: &mut dyn EventSink) {
        let (device, _, number) = key;
        let track = match self.works.streams.get(&key).and_then(|stream| stream.track) {
            Some(track) => track,
            None => {
                let track = self.threads.new_track();
                let on = self.works.names.get(&device).map(ToString::to_string);
                let name = format!("stream {number} · {}", on.unwrap_or_else(|| format!("device {device}")));
                let (parent, kind) = (Some(PROCESS_TRACK), TrackKind::Other);
                sink.event(&Event::Track(Track { track, parent, kind, name: &name, tid: 0 }));
                track
            }
        };
        let Some(stream) = self.works.streams.get_mut(&key) else { return };
        stream.track = Some(track);
        // Two pieces of a stream may overlap by some tens of nanoseconds in a device's records.
        let start_ns = piece.start_ns.max(stream.end_ns);
        stream.end_ns = piece.end_ns.max(start_ns);
        let (start, end) = (self.timestamp(start_ns), self.timestamp(piece.end_ns.max(start_ns)));
        let sizes = piece.launch.map(|(blocks, threads)| (size_text(blocks), size_text(threads)));
        let mut args: Vec<(&str, Value<'_>)> = Vec::new();
        args.extend(piece.bytes.map(|bytes| ("bytes", Value::Uint(bytes))));
        if !piece.direction.is_empty() {
            args.push(("direction", Value::Str(piece.direction)));
        }
        if let Some((blocks, threads)) = &sizes {
            args.extend([("blocks", Value::Str(blocks)), ("threads", Value::Str(threads))]);
        }
        if piece.graph_node != 0 {
            args.push(("graph_node", Value::Uint(piece.graph_node)));
        }
        let name = match (&*piece.name, piece.kind) {
            ("", NodeKind::CommandGraph) => "command graph",
            ("", kind) => kind.as_str(),
            (name, _) => name,
        };
        let category = match piece.kind {
            NodeKind::Kernel => Category::Kernel,
            NodeKind::Copy => Category::Copy,
            NodeKind::Fill => Category::Fill,
            _ => Category::Command,
        };
        sink.event(&Event::SliceBegin(SliceBegin {
            track,
            at: start,
            category,
            name,
            node: piece.node,
            location: Default::default(),
            args: &args,
        }));
        sink.event(&Event::SliceEnd(SliceEnd { track, at: end, args: &[] }));
    }

    /// Records the result of a command. False if the command is unknown or already complete.
    pub(crate) fn device_times(
        &mut self,
        at: Timestamp,
        answer: &DeviceTimes,
        sink: &mut dyn EventSink,
    ) -> bool {
        let Some(command) = self.commands.take(answer.instance) else { return false };
        let counts = &mut self.commands.counts;
        counts.impossible += u64::from(answer.is_impossible);
        match answer.times {
            Ok(times) => {
                counts.read += 1;
                counts.records += 1;
                // The reader of the times has converted the call's start with its own readings, which differ by some
                // nanoseconds.
                let (times, _) = clamp_times(&times, (command.called_ns, u64::MAX), 0);
                emit(&command, &times, None, self.start_ns, sink);
            }
            Err(reason) => self.commands.untimed(command.node, at, reason, sink),
        }
        true
    }
}

//! Device work from a vendor's records: its commands, and its streams.
//!
//! A command may consist of several pieces of work, which arrive independently: it is complete when nothing more has
//! arrived for a while. Pieces are added to their stream's track by start.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use rustc_hash::FxHashMap;
use syclscope_language::event::{NoTime, NodeKind};

use super::commands::PendingCommand;
use super::device_calls::{DeviceCalls, DriverCall};
use super::kernel_names::KernelNames;
use crate::record::device::DeviceWork;

/// Time without new records after which a command is complete; longer for a command graph, whose nodes may be far
/// apart.
const SETTLED_NS: u64 = 200_000_000;
const GRAPH_SETTLED_NS: u64 = 2_000_000_000;
/// Time without new records after which a call that has not returned is given up: it has failed, or its end was lost.
/// Shorter than [`IN_ORDER_NS`], so that its work keeps its order.
const LOST_NS: u64 = 2_000_000_000;
/// Delay of pieces before they are added to their track, so that earlier ones can arrive.
const IN_ORDER_NS: u64 = 3_000_000_000;

#[derive(Default)]
pub(super) struct DeviceWorks {
    /// The enclosing call of the Unified Runtime, by native call.
    calls: FxHashMap<u64, u64>,
    /// Commands by the call that enqueued them.
    commands: FxHashMap<u64, WorkState>,
    /// Commands with some work, with the time of its first arrival.
    waiting: VecDeque<(u64, u64)>,
    /// Pieces of native calls that are not yet known: records may overtake each other, and so may the threads that
    /// deliver them.
    early: FxHashMap<u64, Vec<(StreamKey, Piece)>>,
    /// Arrival time of the first piece of each call.
    early_since: VecDeque<(u64, u64)>,
    /// Matches native calls with the Unified Runtime's if they are not reported.
    pub(super) finder: DeviceCalls,
    pub(super) streams: BTreeMap<StreamKey, Stream>,
    kernels: KernelNames,
    /// Names of devices, by the vendor's number.
    pub(super) names: FxHashMap<u32, std::sync::Arc<str>>,
    pub(super) settled_ns: u64,
    /// True if a vendor's records are available.
    pub(super) is_active: bool,
    /// True if another tool receives the vendor's records.
    pub(super) is_taken: bool,
    /// True if some of the vendor's records were lost.
    pub(super) is_lossy: bool,
}

/// Device, context and number of a stream.
pub(super) type StreamKey = (u32, u32, u32);

#[derive(Default)]
pub(super) struct Stream {
    pub(super) track: Option<u64>,
    /// End of its last slice.
    pub(super) end_ns: u64,
    pieces: BinaryHeap<Reverse<Piece>>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Piece {
    pub(super) start_ns: u64,
    pub(super) end_ns: u64,
    came_ns: u64,
    pub(super) node: Option<u64>,
    pub(super) kind: NodeKind,
    pub(super) name: std::sync::Arc<str>,
    pub(super) direction: &'static str,
    pub(super) bytes: Option<u64>,
    pub(super) launch: Option<([u64; 3], [u64; 3])>,
    pub(super) graph_node: u64,
}

#[derive(Default)]
pub(super) struct WorkState {
    /// `None` until the call has returned.
    pub(super) command: Option<PendingCommand>,
    pub(super) pieces: Vec<(StreamKey, Piece)>,
    calls: Vec<u64>,
    came_ns: u64,
}

impl WorkState {
    /// Returns the start of the first piece and the end of the last.
    pub(super) fn span(&self) -> Option<(u64, u64)> {
        let start = self.pieces.iter().map(|(_, piece)| piece.start_ns).min()?;
        let end = self.pieces.iter().map(|(_, piece)| piece.end_ns).max()?;
        Some((start, end))
    }

    /// True if some pieces copy to the host and others from it: a copy between two devices.
    pub(super) fn is_through_host(&self) -> bool {
        let has = |direction| self.pieces.iter().any(|(_, piece)| piece.direction == direction);
        has("device → host") && has("host → device")
    }

    fn is_settled(&self, now_ns: u64) -> bool {
        let Some(command) = &self.command else { return false };
        let wait = if command.kind == NodeKind::CommandGraph { GRAPH_SETTLED_NS } else { SETTLED_NS };
        self.came_ns + wait <= now_ns
    }
}

impl DeviceWorks {
    pub(super) fn called(&mut self, correlation: u64, instance: u64) {
        if self.calls.insert(correlation, instance) != Some(instance) {
            self.commands.entry(instance).or_default().calls.push(correlation);
        }
        for (key, piece) in self.early.remove(&correlation).unwrap_or_default() {
            self.join(instance, key, piece);
        }
    }

    /// Adds a native call whose call of the Unified Runtime is not known yet.
    pub(super) fn called_sometime(&mut self, now_ns: u64, call: DriverCall) {
        if let Some(instance) = self.finder.came(now_ns, call) {
            self.called(call.correlation, instance);
        }
    }

    /// Assigns the native calls whose call of the Unified Runtime is known by now.
    pub(super) fn find_calls(&mut self, now_ns: u64) {
        for (correlation, instance) in self.finder.find_late(now_ns) {
            self.called(correlation, instance);
        }
    }

    pub(super) fn submitted(&mut self, (instance, thread): (u64, u32), command: PendingCommand) {
        self.finder.submitted(instance, thread, command.called_ns, command.returned_ns);
        self.commands.entry(instance).or_default().command = Some(command);
    }

    pub(super) fn came(&mut self, now_ns: u64, work: &DeviceWork<'_>, kind: NodeKind) {
        let key = (work.device, work.context, work.stream);
        let piece = Piece {
            start_ns: work.start_ns,
            end_ns: work.end_ns,
            came_ns: now_ns,
            node: None,
            kind,
            name: self.kernels.name(&work.name),
            direction: work.direction,
            bytes: work.bytes,
            launch: work.launch,
            graph_node: work.graph_node,
        };
        match self.calls.get(&work.correlation).copied() {
            Some(instance) => self.join(instance, key, piece),
            None => {
                let early = self.early.entry(work.correlation).or_default();
                if early.is_empty() {
                    self.early_since.push_back((work.correlation, now_ns));
                }
                early.push((key, piece));
            }
        }
    }

    /// Adds a piece to its command, or directly to its track if the command is complete.
    fn join(&mut self, instance: u64, key: StreamKey, piece: Piece) {
        let Some(state) = self.commands.get_mut(&instance) else { return self.add(key, piece) };
        if state.pieces.is_empty() {
            self.waiting.push_back((instance, piece.came_ns));
        }
        state.came_ns = state.came_ns.max(piece.came_ns);
        state.pieces.push((key, piece));
    }

    /// Writes work without a known command directly to its track.
    pub(super) fn give_up_early(&mut self, now_ns: u64, is_end: bool) {
        while let Some((correlation, since_ns)) = self.early_since.front().copied() {
            if !is_end && since_ns + SETTLED_NS > now_ns {
                return;
            }
            self.early_since.pop_front();
            for (key, piece) in self.early.remove(&correlation).unwrap_or_default() {
                self.add(key, piece);
            }
        }
    }

    /// Takes the next command whose work is complete. Work without a command to wait for is written directly to its
    /// track.
    pub(super) fn next_settled(&mut self, now_ns: u64, is_end: bool) -> Option<WorkState> {
        for _ in 0..self.waiting.len() {
            let (instance, first_ns) = *self.waiting.front()?;
            if !is_end && first_ns + SETTLED_NS > now_ns {
                return None;
            }
            self.waiting.pop_front();
            let state = self.commands.get(&instance)?;
            if state.is_settled(now_ns) || (is_end && state.command.is_some()) {
                return self.take(instance);
            }
            if state.command.is_none() && (is_end || state.came_ns + LOST_NS <= now_ns) {
                let state = self.take(instance)?;
                state.pieces.into_iter().for_each(|(key, piece)| self.add(key, piece));
                continue;
            }
            if !is_end {
                self.waiting.push_back((instance, now_ns));
            }
        }
        None
    }

    fn take(&mut self, instance: u64) -> Option<WorkState> {
        let state = self.commands.remove(&instance)?;
        for call in &state.calls {
            self.calls.remove(call);
        }
        if let Some(command) = &state.command {
            self.finder.complete(instance, command.called_ns);
        }
        Some(state)
    }

    /// At the end, takes the commands without any work.
    pub(super) fn take_rest(&mut self) -> Vec<PendingCommand> {
        self.calls.clear();
        let mut rest: Vec<PendingCommand> =
            self.commands.drain().filter_map(|(_, state)| state.command).collect();
        rest.sort_by_key(|command| command.node);
        rest
    }

    /// Returns why a command has no work at the end. `is_cut` is true if the program was killed.
    pub(super) fn why_without_work(&self, is_cut: bool) -> NoTime {
        if self.is_taken {
            NoTime::Taken
        } else if is_cut {
            NoTime::Undelivered
        } else if self.is_lossy {
            NoTime::Lost
        } else {
            NoTime::Unfinished
        }
    }

    pub(super) fn add(&mut self, key: StreamKey, piece: Piece) {
        self.streams.entry(key).or_default().pieces.push(Reverse(piece));
    }
}

impl Stream {
    /// Takes the next piece by start, if all earlier ones must have arrived.
    pub(super) fn next(&mut self, now_ns: u64, is_end: bool) -> Option<Piece> {
        let Reverse(first) = self.pieces.peek()?;
        if !is_end && first.came_ns + IN_ORDER_NS > now_ns {
            return None;
        }
        self.pieces.pop().map(|Reverse(piece)| piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::device::WorkKind;

    fn work(correlation: u64, start_ns: u64) -> DeviceWork<'static> {
        DeviceWork {
            kind: WorkKind::Kernel,
            direction: "",
            start_ns,
            end_ns: start_ns + 10,
            correlation,
            device: 0,
            stream: 7,
            context: 1,
            graph_node: 0,
            launch: None,
            bytes: None,
            name: "".into(),
        }
    }

    fn command(node: u64) -> PendingCommand {
        PendingCommand {
            node,
            queue: 1,
            kind: NodeKind::Kernel,
            name: "".into(),
            device_name: "".into(),
            called_ns: 0,
            returned_ns: 1,
            size_bytes: None,
            launch: None,
        }
    }

    fn on_tracks(works: &mut DeviceWorks, now_ns: u64, is_end: bool) -> Vec<u64> {
        let streams = works.streams.values_mut();
        let next =
            |stream: &mut Stream| std::iter::from_fn(|| stream.next(now_ns, is_end)).collect::<Vec<_>>();
        streams.flat_map(next).map(|piece| piece.start_ns).collect()
    }

    #[test]
    fn work_of_a_call_that_never_returns_reaches_its_track_once() {
        let mut works = DeviceWorks::default();
        for (correlation, instance) in [(1, 10), (2, 20)] {
            works.called(correlation, instance);
            works.came(0, &work(correlation, correlation * 100), NodeKind::Kernel);
        }
        works.submitted((20, 0), command(5));
        let settled = works.next_settled(SETTLED_NS, false).and_then(|state| state.command);
        assert_eq!(settled.map(|command| command.node), Some(5));
        // The call may still be running.
        assert!(works.next_settled(LOST_NS - 1, false).is_none());
        assert_eq!(on_tracks(&mut works, LOST_NS - 1, true), Vec::<u64>::new());
        assert!(works.next_settled(LOST_NS + SETTLED_NS, false).is_none());
        assert_eq!(
            on_tracks(&mut works, LOST_NS + SETTLED_NS, false),
            Vec::<u64>::new(),
            "earlier work may come"
        );
        assert_eq!(on_tracks(&mut works, IN_ORDER_NS, false), [100]);
        // Another piece of the same call.
        works.came(IN_ORDER_NS, &work(1, 300), NodeKind::Kernel);
        works.give_up_early(IN_ORDER_NS + SETTLED_NS, false);
        assert!(works.next_settled(u64::MAX / 2, true).is_none());
        assert_eq!(on_tracks(&mut works, u64::MAX / 2, true), [300]);
        assert!(works.take_rest().is_empty());
    }

    #[test]
    fn commands_whose_records_may_be_lost_are_not_called_unfinished() {
        let lossy = DeviceWorks { is_lossy: true, ..DeviceWorks::default() };
        assert_eq!(lossy.why_without_work(false), NoTime::Lost);
        assert_eq!(lossy.why_without_work(true), NoTime::Undelivered);
        assert_eq!(DeviceWorks::default().why_without_work(false), NoTime::Unfinished);
    }

    #[test]
    fn work_of_a_call_that_has_not_returned_at_the_end_reaches_its_track() {
        let mut works = DeviceWorks::default();
        for (correlation, instance) in [(1, 10), (2, 20)] {
            works.called(correlation, instance);
            works.came(0, &work(correlation, correlation * 100), NodeKind::Kernel);
        }
        works.submitted((20, 0), command(5));
        // One call settles all work before the next command.
        assert_eq!(works.next_settled(1, true).map(|state| state.pieces.len()), Some(1));
        assert!(works.next_settled(1, true).is_none());
        assert_eq!(on_tracks(&mut works, 1, true), [100]);
    }
}

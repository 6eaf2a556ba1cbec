//! The walk from the last event of a run back to its first.

use std::cell::OnceCell;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::threads::{Thread, Threads};
use super::{Piece, PieceKind};
use crate::cancel::Steps;
use crate::graph::blocking::{Block, Blocking};
use crate::graph::commands::unnamed::Ends;
use crate::graph::end_times::EndTime;
use crate::graph::handover::Handover;
use crate::graph::launches::{Last, Launches};
use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;

enum Place {
    Thread(Thread),
    Command(u32),
    First,
}

/// The last event of a run: the end of a command, or the last event of a thread.
#[derive(Clone, Copy)]
enum LastEvent {
    Command(EndTime),
    Thread(Thread, u64),
}

/// By time of request: the command of a queue that ended last among those requested so far.
type LastEnds = Vec<(u64, EndTime)>;

pub(super) struct Walk<'t> {
    trace: &'t Trace,
    blocking: &'t Blocking,
    launches: &'t Launches,
    threads: Threads,
    queues: FxHashMap<u64, LastEnds>,
    unnamed: Ends,
    /// Commands on the walked path, also as a list.
    passed: Vec<bool>,
    passed_nodes: Vec<u32>,
    first: OnceCell<u64>,
    last: OnceCell<Option<LastEvent>>,
    pieces: Vec<Piece>,
    /// Start of the first piece so far.
    at: u64,
    steps: Steps,
}

impl<'t> Walk<'t> {
    pub(super) fn new(trace: &'t Trace, launches: &'t Launches) -> Self {
        let mut by_time: Vec<&Handover> = launches.handovers().iter().collect();
        by_time.sort_unstable_by_key(|handover| (handover.at, handover.node));
        let mut queues: FxHashMap<u64, LastEnds> = FxHashMap::default();
        for handover in by_time {
            let queue =
                some(trace.nodes.queue.at(handover.node as usize)).and_then(|row| trace.queues.get(row));
            if let (Some(queue), Some(end)) = (queue, launches.ends().get(handover.node)) {
                let ends = queues.entry(queue.number).or_default();
                let last = ends.last().map(|(_, last)| *last).filter(|last| last.at > end.at);
                ends.push((handover.at, last.unwrap_or(end)));
            }
        }
        Self {
            trace,
            blocking: trace.blocking(),
            launches,
            threads: Threads::new(trace),
            queues,
            unnamed: Ends::new(trace, launches.handovers()),
            passed: vec![false; trace.nodes.len()],
            passed_nodes: Vec::new(),
            first: OnceCell::new(),
            last: OnceCell::new(),
            pieces: Vec::new(),
            at: trace.duration_ns,
            steps: Steps::default(),
        }
    }

    /// Returns the pieces, last to first.
    pub(super) fn pieces(mut self) -> Vec<Piece> {
        let last = self.last();
        let place = self.leave(last);
        self.follow(place, 0, usize::MAX);
        self.pieces
    }

    /// Returns at most about `most` pieces of a range that ends where a command, or a piece of it, starts; last to
    /// first.
    pub(super) fn before_command(&mut self, node: u32, range: Range<u64>, most: usize) -> Vec<Piece> {
        self.begin_at(range.end);
        self.pass(node);
        let slice = self.trace.nodes.execution.at(node as usize) as usize;
        // Earlier pieces of the command ran before the range.
        self.back_to(PieceKind::Launch(node), self.trace.slices.start.at(slice));
        let place = self.started(node);
        self.follow(place, range.start, most);
        self.cut(range.start)
    }

    /// Returns at most about `most` pieces of a range that ends with the recording, last to first.
    pub(super) fn before_end(&mut self, from: u64, most: usize) -> Vec<Piece> {
        self.begin_at(self.trace.duration_ns);
        let last = self.last();
        let place = self.leave(last);
        self.follow(place, from, most);
        self.cut(from)
    }

    fn begin_at(&mut self, at: u64) {
        self.at = at;
        self.pieces.clear();
        for node in self.passed_nodes.drain(..) {
            self.passed[node as usize] = false;
        }
        self.threads.put_back();
    }

    /// Takes the pieces, clipped to start at `from` or later.
    fn cut(&mut self, from: u64) -> Vec<Piece> {
        let mut pieces = std::mem::take(&mut self.pieces);
        pieces.retain(|piece| piece.to > from);
        if let Some(first) = pieces.last_mut() {
            first.from = first.from.max(from);
        }
        pieces
    }

    /// Walks back to a moment, or until there are `most` pieces.
    fn follow(&mut self, mut place: Place, from: u64, most: usize) {
        while self.at > from && self.pieces.len() < most {
            self.steps.add(1);
            place = match place {
                Place::Thread(thread) => self.thread(thread),
                Place::Command(node) => self.command(node),
                Place::First => return self.begin(),
            };
        }
    }

    /// Fills the time up to the start of the recording.
    fn begin(&mut self) {
        let first = *self.first.get_or_init(|| {
            let commands = self.trace.nodes.execution.iter().filter_map(some);
            let starts = commands.map(|slice| self.trace.slices.start.at(slice as usize));
            starts.chain(self.threads.firsts()).min().unwrap_or(u64::MAX)
        });
        self.back_to(PieceKind::Unknown, first.min(self.at));
        self.back_to(PieceKind::Start, 0);
    }

    fn pass(&mut self, node: u32) {
        if !std::mem::replace(&mut self.passed[node as usize], true) {
            self.passed_nodes.push(node);
        }
    }

    fn last(&self) -> Option<LastEvent> {
        *self.last.get_or_init(|| self.find_last())
    }

    fn find_last(&self) -> Option<LastEvent> {
        let command = (0..self.trace.nodes.len() as u32)
            .filter_map(|node| self.launches.ends().get(node).filter(|end| end.command == node))
            .max_by_key(|end| (end.at, end.command));
        let thread = self.threads.last();
        match (command, thread) {
            (Some(end), thread) if thread.is_none_or(|(_, last)| end.at > last) => {
                Some(LastEvent::Command(end))
            }
            (_, Some((thread, last))) => Some(LastEvent::Thread(thread, last)),
            (_, None) => None,
        }
    }

    /// Walks back from the end of the recording to its last event.
    fn leave(&mut self, last: Option<LastEvent>) -> Place {
        match last {
            Some(LastEvent::Command(end)) => {
                self.back_to(PieceKind::End, end.at);
                Place::Command(end.command)
            }
            Some(LastEvent::Thread(thread, last)) => {
                self.back_to(PieceKind::End, last);
                Place::Thread(thread)
            }
            None => Place::First,
        }
    }

    /// Prepends a piece that starts at `from`.
    fn back_to(&mut self, kind: PieceKind, from: u64) {
        if from < self.at {
            self.pieces.push(Piece { kind, from, to: self.at });
            self.at = from;
        }
    }

    /// Walks a thread back to its last wait, to the end of a thread that it joined, or to its start.
    fn thread(&mut self, thread: Thread) -> Place {
        let block = self.blocking.before(thread.track, self.at).map(|row| self.blocking.blocks()[row]);
        let from = block.map_or(thread.first, |block| block.end).min(self.at);
        if let Some(joined) = self.threads.join(self.trace, &thread, from, self.at) {
            self.back_to(PieceKind::Thread(thread.track), joined.last);
            return Place::Thread(joined);
        }
        self.back_to(PieceKind::Thread(thread.track), from);
        match (block, self.threads.main(thread.process)) {
            (Some(block), _) => self.wait(&block, thread),
            // The creation of threads is not recorded: the first thread of its process existed before.
            (None, Some(main)) if main.track != thread.track => Place::Thread(main),
            (None, _) => Place::First,
        }
    }

    /// Walks a wait back to the end of the awaited commands.
    fn wait(&mut self, block: &Block, thread: Thread) -> Place {
        let awaited =
            self.awaited(block).filter(|end| end.at > block.begin && !self.passed[end.command as usize]);
        let Some(end) = awaited else {
            self.back_to(PieceKind::Wait(block.slice), block.begin);
            return Place::Thread(thread);
        };
        let kind = some(end.task).map_or(PieceKind::Wait(block.slice), PieceKind::HostTask);
        self.back_to(kind, end.at);
        Place::Command(end.command)
    }

    /// Returns the awaited command that ended last.
    fn awaited(&self, block: &Block) -> Option<EndTime> {
        // A command requested after the end of the wait can't have been awaited: the event's address was reused.
        let may_be =
            |node: &u32| self.launches.handover(*node).is_none_or(|handover| handover.at < block.end);
        let nodes = self.blocking.nodes_of(block);
        let queues = self.blocking.queues_of(self.trace, block);
        if nodes.is_empty() && queues.is_empty() {
            let (_, command) = self.unnamed.awaited(self.trace, block)?;
            return self.launches.ends().get(command);
        }
        let named =
            nodes.iter().filter(|node| may_be(node)).filter_map(|node| self.launches.ends().get(*node));
        let of_queues = queues.iter().filter_map(|queue| {
            let ends = self.queues.get(queue)?;
            let before = ends.partition_point(|(at, _)| *at <= block.begin);
            Some(ends[before.checked_sub(1)?].1)
        });
        named.chain(of_queues).max_by_key(|end| (end.at, end.command))
    }

    /// Walks a command back to its last dependence, other work of its device, or its handover.
    fn command(&mut self, node: u32) -> Place {
        self.pass(node);
        let slice = self.trace.nodes.execution.at(node as usize) as usize;
        self.back_to(PieceKind::Command(node), self.trace.slices.start.at(slice));
        self.started(node)
    }

    fn started(&mut self, node: u32) -> Place {
        let Some(launch) = self.launches.get(node) else { return self.handed_over(node) };
        let end = |other: u32| self.launches.ends().get(other).map_or(self.at, |end| end.at);
        // What the device ran before the runtime enqueued the command did not delay it.
        let delayed = |other: u32| {
            launch.host_task_delay.is_none_or(|host_task_delay| host_task_delay.until <= end(other))
        };
        let device_order = some(launch.device_order)
            .filter(|other| !self.passed[*other as usize] && delayed(*other))
            .map(|other| (other, end(other)));
        if let Some((other, end)) = device_order {
            self.back_to(PieceKind::Launch(node), end);
            return Place::Command(other);
        }
        if let Some(host_task_delay) = launch.host_task_delay {
            self.back_to(PieceKind::Launch(node), host_task_delay.until);
        }
        let task = launch.host_task_delay.map(|host_task_delay| host_task_delay.task);
        let until_ready = |task: Option<u32>| task.map_or(PieceKind::Launch(node), PieceKind::HostTask);
        match launch.last {
            Last::Command(end) if !self.passed[end.command as usize] => {
                self.back_to(until_ready(task.or(some(end.task))), end.at);
                Place::Command(end.command)
            }
            Last::Thread { track } => {
                self.back_to(until_ready(task), launch.ready);
                self.threads.get(track).map_or(Place::First, Place::Thread)
            }
            // The path has already visited this command: clocks are not exact.
            Last::Command(_) => self.handed_over(node),
        }
    }

    /// Walks a command back to its handover, and returns the thread that handed it over, if known.
    fn handed_over(&mut self, node: u32) -> Place {
        let Some(handover) = self.launches.handover(node) else { return Place::First };
        self.back_to(PieceKind::Launch(node), handover.at);
        self.threads.get(handover.track).map_or(Place::First, Place::Thread)
    }
}

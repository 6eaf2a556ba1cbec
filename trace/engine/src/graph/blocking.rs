//! Blocked times of host threads, and their causes. Only this module decides whether a slice is a wait of the host.
//!
//! A slice blocks its thread if it is a wait of SYCL, a call of the runtime or of the native API that returns only when
//! other work has ended (`urEventWait`, `cuStreamSynchronize`, a blocking copy), or a barrier of the runtime's own.
//! Such slices nest (`urEventWait` in `event.wait` in `queue.wait`): they form one [`Block`], represented by the
//! outermost slice. The calls in which one host accessor waits form one block, too.

mod awaited;
mod place;
mod runtime_threads;
mod slices;

use syclscope_language::event::{Category, NodeKind, ObjectKind, TrackKind};

use self::awaited::Awaited;
use self::slices::Blockers;
use crate::id::{LocationId, some};
use crate::store::Trace;
use crate::store::cache::cached;
use crate::store::table::Table as _;

/// A period in which a host thread was blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// The outermost slice; the first if there are several.
    pub(crate) slice: u32,
    pub(crate) track: u32,
    pub(crate) begin: u64,
    pub(crate) end: u64,
    pub(crate) cause: Cause,
    /// The line of the program that waits, if known.
    pub(crate) place: LocationId,
    /// True if a thread of the runtime was blocked before a host task, and no thread of the program.
    pub(crate) is_of_runtime: bool,
    first_slice: u32,
    slices: u32,
    first_node: u32,
    nodes: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// A wait, a barrier or a blocking call with neither of the causes below.
    Call,
    /// A host accessor: its node, by row.
    HostAccessor(u32),
    /// The destructor of a buffer or image, by the object's row.
    Destructor(u32),
}

#[derive(Debug, Default)]
pub(crate) struct Blocking {
    /// By track, then by time; blocks of a track don't overlap.
    blocks: Vec<Block>,
    /// The slices of each block, block by block, by start.
    slices: Vec<u32>,
    /// The nodes that each block waited for, block by block.
    nodes: Vec<u32>,
    /// Every blocking slice and the index of its block, by slice.
    of_slice: Vec<(u32, u32)>,
}

cached!(Blocking { blocks, slices, nodes, of_slice });

impl Blocking {
    fn new(trace: &Trace) -> Self {
        let held = Blockers::default().slices_by_thread(trace);
        let awaited = Awaited::new(trace);
        let mut blocking = Self::default();
        for (track, slices) in held {
            blocking.add_thread(trace, &awaited, track, slices);
        }
        blocking.mark_runtime_threads(trace);
        place::find_destructors(trace, &mut blocking);
        let mut of_slice = Vec::with_capacity(blocking.slices.len());
        for (number, block) in blocking.blocks.iter().enumerate() {
            of_slice.extend(blocking.slices_of(block).iter().map(|slice| (*slice, number as u32)));
        }
        blocking.of_slice = of_slice;
        blocking.of_slice.sort_unstable();
        blocking
    }

    /// Joins the slices that block a thread into blocks. The slices are ordered by start, outer ones first.
    fn add_thread(&mut self, trace: &Trace, awaited: &Awaited, track: u32, slices: Vec<u32>) {
        let first_block = self.blocks.len();
        for slice in slices {
            let (begin, end) = trace.slices.interval(slice as usize);
            let accessor = place::host_accessor(trace, slice as usize);
            match self.blocks[first_block..].last_mut() {
                // The slice is nested in the previous one, or continues the wait of the same accessor.
                Some(block)
                    if begin < block.end
                        || accessor.is_some_and(|node| block.cause == Cause::HostAccessor(node)) =>
                {
                    block.end = block.end.max(end);
                    block.slices += 1;
                }
                _ => self.blocks.push(Block {
                    slice,
                    track,
                    begin,
                    end,
                    cause: accessor.map_or(Cause::Call, Cause::HostAccessor),
                    place: LocationId(0),
                    is_of_runtime: false,
                    first_slice: self.slices.len() as u32,
                    slices: 1,
                    first_node: 0,
                    nodes: 0,
                }),
            }
            self.slices.push(slice);
        }
        for number in first_block..self.blocks.len() {
            let block = self.blocks[number];
            let mut nodes: Vec<u32> = self
                .slices_of(&block)
                .iter()
                .flat_map(|slice| awaited.nodes(trace, *slice as usize))
                .collect();
            nodes.sort_unstable();
            nodes.dedup();
            let block = &mut self.blocks[number];
            (block.first_node, block.nodes) = (self.nodes.len() as u32, nodes.len() as u32);
            self.nodes.extend(nodes);
            let block = self.blocks[number];
            self.blocks[number].place = place::find(trace, &block, self.slices_of(&block));
        }
    }

    /// Marks the calls in which threads of the runtime wait. A wait of SYCL on such a thread is in a host task's body,
    /// which is the program's.
    fn mark_runtime_threads(&mut self, trace: &Trace) {
        let is_call = |block: &Block| trace.slices.category(block.slice as usize) == Category::Call;
        let calls = self.blocks.iter().filter(|block| is_call(block));
        let threads = runtime_threads::find(trace, calls.map(|block| (block.track, self.nodes_of(block))));
        for block in &mut self.blocks {
            block.is_of_runtime = threads.contains(&block.track) && is_call(block);
        }
    }

    /// Returns every block: by track, then by time.
    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Returns the blocks of the program's threads: by track, then by time.
    pub(crate) fn of_program(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(|block| !block.is_of_runtime)
    }

    pub(crate) fn slices_of(&self, block: &Block) -> &[u32] {
        let first = block.first_slice as usize;
        &self.slices[first..first + block.slices as usize]
    }

    /// Returns the nodes whose events a block waited for, by row; commands submitted to its queues are not included.
    pub(crate) fn nodes_of(&self, block: &Block) -> &[u32] {
        let first = block.first_node as usize;
        &self.nodes[first..first + block.nodes as usize]
    }

    pub(crate) fn queues_of(&self, trace: &Trace, block: &Block) -> Vec<u64> {
        let queues = self.slices_of(block).iter();
        let mut queues: Vec<u64> =
            queues.filter_map(|slice| awaited::queue(trace, *slice as usize)).collect();
        queues.sort_unstable();
        queues.dedup();
        queues
    }

    /// Returns the source location that submitted the commands that a block waited for, if there is only one.
    pub(crate) fn submitted(&self, trace: &Trace, block: &Block) -> LocationId {
        let mut places = self.nodes_of(block).iter().map(|node| trace.nodes.location.at(*node as usize));
        let first = places.next().unwrap_or_default();
        if places.all(|place| place == first) { first } else { LocationId(0) }
    }

    pub(crate) fn of_slice(&self, slice: u32) -> Option<&Block> {
        let place = self.of_slice.binary_search_by_key(&slice, |(slice, _)| *slice).ok()?;
        self.blocks.get(self.of_slice[place].1 as usize)
    }

    /// Returns the row of a thread's last block that had ended by a moment.
    pub(crate) fn before(&self, track: u32, at: u64) -> Option<usize> {
        let after = self.blocks.partition_point(|block| (block.track, block.end) <= (track, at));
        let mut own = (0..after).rev().take_while(|row| self.blocks[*row].track == track);
        own.find(|row| self.blocks[*row].begin < at)
    }

    pub(crate) fn at(&self, track: u32, at: u64) -> Option<&Block> {
        let after = self.blocks.partition_point(|block| (block.track, block.begin) <= (track, at));
        let block = self.blocks.get(after.checked_sub(1)?)?;
        (block.track == track && at < block.end).then_some(block)
    }
}

impl Block {
    /// Returns the blocked time in nanoseconds.
    pub(crate) fn duration(&self) -> u64 {
        self.end - self.begin
    }

    /// Returns the title: the cause of the wait, or the name of the outermost call.
    pub(crate) fn name<'t>(&self, trace: &'t Trace) -> &'t str {
        match self.cause {
            Cause::HostAccessor(_) => "host accessor",
            Cause::Destructor(object) => match trace.objects.rows.row(object as usize).kind {
                ObjectKind::Buffer => "buffer destructor",
                _ => "image destructor",
            },
            Cause::Call => trace.strings.get(trace.slices.name.at(self.slice as usize)),
        }
    }
}

impl Trace {
    /// Returns the blocked times of host threads. The first call walks over every slice.
    pub(crate) fn blocking(&self) -> &Blocking {
        self.shelf.slot().get_or_init(|| Blocking::new(self))
    }

    /// Returns the source location of a slice that is a wait, or that represents the block of a host accessor or a
    /// destructor. Returns `None` for other slices, most of which the category alone rules out.
    pub(crate) fn waiting_place(&self, slice: usize) -> Option<LocationId> {
        if slice < self.executions.len() || !slices::may_hold(self.slices.category(slice)) {
            return None;
        }
        let block = self.blocking().of_slice(slice as u32)?;
        let stands_for_it = block.slice as usize == slice && block.cause != Cause::Call;
        let is_wait = self.slices.category(slice) == Category::Wait;
        if stands_for_it { Some(block.place) } else { is_wait.then(|| place::own(self, slice)) }
    }
}

/// Returns the track of a slice's thread: the slice's own track, or for native calls the calling thread's.
fn thread_of(trace: &Trace, slice: usize) -> u32 {
    let track = trace.tracks.of_lane(trace.slices.lane_of(slice)) as u32;
    let parent = trace.tracks.get(track).filter(|row| row.kind == TrackKind::Stream).map(|row| row.parent);
    let is_thread = |row: &u32| trace.tracks.get(*row).is_some_and(|row| row.kind == TrackKind::Thread);
    parent.and_then(some).filter(is_thread).unwrap_or(track)
}

fn is_accessor(trace: &Trace, node: u32) -> bool {
    trace.nodes.kind.at(node as usize) == NodeKind::HostAccessor
}

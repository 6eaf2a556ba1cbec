//! Calls that copy, fill, map or release memory, with their arguments: of the Unified Runtime, and of its predecessor,
//! the Plugin Interface.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Category, Value};

use crate::id::{LocationId, StringId};
use crate::query::report::copies::arguments_of_kernel;
use crate::store::Trace;
use crate::store::table::Table as _;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Copies between addresses or handles.
    Copy,
    /// Copies from a handle to the host.
    Read,
    /// Copies from the host to a handle.
    Write,
    Fill,
    Map,
    Unmap,
    Advice,
    Launch,
    Graph,
    Free,
    Part,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spot {
    /// Address or handle.
    pub(super) pointer: u64,
    /// Offset of the accessed bytes, if known.
    pub(super) offset: Option<u64>,
    pub(super) is_handle: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) slice: u32,
    pub(super) process: u32,
    pub(super) kind: Kind,
    pub(super) to: Option<Spot>,
    pub(super) from: Option<Spot>,
    pub(super) bytes: Option<u64>,
    pub(super) failed: bool,
    /// Addresses among a kernel's arguments, if these were recorded.
    pub(super) pointers: Option<Vec<u64>>,
}

/// Every such call, by start.
pub(super) fn calls(trace: &Trace) -> Vec<Call> {
    let mut kinds: FxHashMap<StringId, Option<Kind>> = FxHashMap::default();
    let mut calls = Vec::new();
    for track in trace.tracks.iter().filter(|track| track.lanes > 0) {
        let first = track.first_lane as usize;
        for slice in (first..first + track.lanes as usize).flat_map(|lane| trace.slices.lane(lane)) {
            if trace.slices.category(slice) != Category::Call {
                continue;
            }
            let name = trace.slices.name.at(slice);
            let kind = *kinds.entry(name).or_insert_with(|| kind_of(trace.strings.get(name)));
            calls.extend(kind.map(|kind| call(trace, slice, track.process, kind)));
        }
    }
    calls.sort_by_key(|call| (trace.slices.start.at(call.slice as usize), call.slice));
    calls
}

fn kind_of(name: &str) -> Option<Kind> {
    let has = |part: &str| name.contains(part);
    if !has("Enqueue") {
        return match () {
            () if has("USMFree") => Some(Kind::Free),
            () if has("MemBufferPartition") => Some(Kind::Part),
            () => None,
        };
    }
    match () {
        () if has("KernelLaunch") => Some(Kind::Launch),
        () if has("CommandBuffer") => Some(Kind::Graph),
        () if has("USMFree") => Some(Kind::Free),
        () if has("Unmap") => Some(Kind::Unmap),
        () if has("BufferMap") => Some(Kind::Map),
        () if has("Prefetch") || has("Advise") => Some(Kind::Advice),
        () if has("Fill") || has("Memset") => Some(Kind::Fill),
        () if has("BufferRead") || has("ImageRead") => Some(Kind::Read),
        () if has("BufferWrite") || has("ImageWrite") => Some(Kind::Write),
        () if has("Memcpy") || has("BufferCopy") || has("ImageCopy") => Some(Kind::Copy),
        () => None,
    }
}

#[derive(Default)]
struct CallArguments {
    to: Option<Spot>,
    from: Option<Spot>,
    /// An end that is neither named source nor destination.
    one: Option<Spot>,
    to_offset: Option<u64>,
    from_offset: Option<u64>,
    offset: Option<u64>,
    size: Option<u64>,
    width: Option<u64>,
    height: Option<u64>,
    depth: Option<u64>,
    is_rectangle: bool,
    failed: bool,
    made: Option<u64>,
}

fn call(trace: &Trace, slice: usize, process: u32, kind: Kind) -> Call {
    let mut named = CallArguments::default();
    let args = trace.slices.args.at(slice);
    for (key, value) in trace.args.get(args, &trace.strings) {
        match value {
            Value::Uint(number) | Value::Pointer(number) => named.take(key, number),
            Value::Str(_) if key == "result" => named.failed = true,
            _ => {}
        }
    }
    if kind == Kind::Free && named.one.is_none() {
        named.one = named.to;
    }
    let pointers = (kind == Kind::Launch).then(|| pointers(trace, slice)).flatten();
    let CallArguments { to, from, one, to_offset, from_offset, offset, is_rectangle, .. } = named;
    let plain = |spot: Option<Spot>, own: Option<u64>| {
        // The offset of rectangles and parts of images is not a single number.
        let known = if is_rectangle { None } else { Some(own.or(offset).unwrap_or_default()) };
        spot.map(|spot| Spot { offset: if spot.is_handle { known } else { Some(0) }, ..spot })
    };
    let (to, from) = match kind {
        Kind::Copy => (plain(to, to_offset), plain(from, from_offset)),
        Kind::Read => (plain(to.or(from), None), plain(one, offset)),
        Kind::Write => (plain(one, offset), plain(from.or(to), None)),
        Kind::Fill | Kind::Map | Kind::Unmap | Kind::Advice | Kind::Free => (plain(one.or(to), offset), None),
        Kind::Part => {
            let made = named.made.map(|pointer| Spot { pointer, offset: named.offset, is_handle: true });
            (made, one)
        }
        Kind::Launch | Kind::Graph => (None, None),
    };
    let area = named.width.zip(named.height).map(|(width, height)| width.saturating_mul(height));
    let region = area.map(|area| area.saturating_mul(named.depth.unwrap_or(1)));
    let bytes = named.size.or(region.filter(|_| !matches!(kind, Kind::Launch | Kind::Graph)));
    Call { slice: slice as u32, process, kind, to, from, bytes, failed: named.failed, pointers }
}

impl CallArguments {
    fn take(&mut self, key: &str, number: u64) {
        let handle = Some(Spot { pointer: number, offset: None, is_handle: true });
        let address = Some(Spot { pointer: number, offset: None, is_handle: false });
        match key {
            "hBuffer" | "buffer" | "hImage" | "image" | "hMem" | "memobj" => self.one = handle,
            "pMem" | "ptr" => match self.one {
                // The host's end of a copy with a handle.
                Some(Spot { is_handle: true, .. }) => self.to = address,
                _ => self.one = address,
            },
            "hBufferSrc" | "src_buffer" | "hImageSrc" | "src_image" => self.from = handle,
            "hBufferDst" | "dst_buffer" | "hImageDst" | "dst_image" => self.to = handle,
            "pDst" | "dst_ptr" => self.to = address,
            "pSrc" | "src_ptr" => self.from = address,
            "dstOffset" | "dst_offset" => self.to_offset = Some(number),
            "srcOffset" | "src_offset" => self.from_offset = Some(number),
            "offset" | "pRegion.origin" => self.offset = Some(number),
            "size" | "count" | "pRegion.size" => self.size = Some(number),
            "width" | "region.width" => self.width = Some(number),
            "height" | "region.height" => self.height = Some(number),
            "region.depth" => self.depth = Some(number),
            "phMem" => self.made = Some(number),
            _ => {}
        }
        self.is_rectangle |= key.starts_with("region.") || key.starts_with("origin");
    }
}

/// The addresses among a kernel's arguments; `None` if these were not recorded, or some could be anything.
fn pointers(trace: &Trace, slice: usize) -> Option<Vec<u64>> {
    let arguments = arguments_of_kernel(trace, slice);
    if arguments.is_empty() {
        return None;
    }
    arguments.into_iter().filter(|(kind, _)| kind.contains("POINTER")).map(|(_, value)| value).collect()
}

/// The error that a call returned, empty if it succeeded.
pub(super) fn result(trace: &Trace, slice: u32) -> &str {
    let args = trace.slices.args.at(slice as usize);
    let mut pairs = trace.args.get(args, &trace.strings);
    pairs
        .find_map(|(key, value)| match value {
            Value::Str(text) if key == "result" => Some(text),
            _ => None,
        })
        .unwrap_or_default()
}

/// The source location of a slice, or else of the innermost enclosing slice with a location.
pub(super) fn place_of(trace: &Trace, slice: u32) -> LocationId {
    let slices = &trace.slices;
    let row = slice as usize;
    let own = slices.location.at(row);
    if own != LocationId(0) {
        return own;
    }
    let lane = slices.lane_of(row);
    let first_lane = trace.tracks.first_lane.at(trace.tracks.of_lane(lane)) as usize;
    let places = slices.around(first_lane..lane, row).map(|around| slices.location.at(around));
    places.into_iter().find(|place| *place != LocationId(0)).unwrap_or_default()
}

/// The innermost slice of a category on a thread at a moment.
pub(super) fn slice_at(trace: &Trace, process: u32, tid: u32, at: u64, category: Category) -> Option<u32> {
    let slices = &trace.slices;
    trace.tracks_of_thread(process, tid).find_map(|track| {
        let lanes = track.first_lane as usize..track.first_lane as usize + track.lanes as usize;
        slices.at(lanes.rev(), at).find(|row| slices.category(*row) == category).map(|row| row as u32)
    })
}

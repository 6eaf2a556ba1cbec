//! Calls that copy, fill, map or release memory, with their arguments: of the Unified Runtime, and of its predecessor,
//! the Plugin Interface.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Category, Value};

use crate::id::StringId;
use crate::query::report::copies::arguments_of_kernel;
use crate::store::Trace;

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
    /// Creates a sub-buffer.
    SubBuffer,
}

/// Source or destination of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MemoryLocation {
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
    pub(super) to: Option<MemoryLocation>,
    pub(super) from: Option<MemoryLocation>,
    pub(super) bytes: Option<u64>,
    pub(super) failed: bool,
    /// Addresses among a kernel's arguments, if these were recorded.
    pub(super) pointers: Option<Vec<u64>>,
}

/// Kinds of calls that put a command on a queue, by a part of their name; the first match counts.
const ENQUEUED: &[(&[&str], Kind)] = &[
    // The accesses of a native command are unknown, like those of a kernel without recorded arguments.
    (&["KernelLaunch", "NativeCommand"], Kind::Launch),
    (&["CommandBuffer"], Kind::Graph),
    (&["Unmap"], Kind::Unmap),
    (&["BufferMap"], Kind::Map),
    (&["Prefetch", "Advise"], Kind::Advice),
    (&["Fill", "Memset"], Kind::Fill),
    (&["BufferRead", "ImageRead"], Kind::Read),
    (&["BufferWrite", "ImageWrite"], Kind::Write),
    (&["Memcpy", "BufferCopy", "ImageCopy"], Kind::Copy),
];
/// Kinds of other calls.
const IMMEDIATE: &[(&[&str], Kind)] =
    &[(&["USMFree"], Kind::Free), (&["MemBufferPartition"], Kind::SubBuffer)];

/// Returns the calls that access memory, by start.
pub(super) fn calls(trace: &Trace) -> Vec<Call> {
    let mut kinds: FxHashMap<StringId, Option<Kind>> = FxHashMap::default();
    let mut calls = Vec::new();
    for (track, slice) in trace.slices_of_category(Category::Call) {
        let name = trace.slices.name.at(slice);
        let kind = *kinds.entry(name).or_insert_with(|| kind_of(trace.strings.get(name)));
        calls.extend(kind.map(|kind| call(trace, slice, track.process, kind)));
    }
    calls.sort_by_key(|call| (trace.slices.start.at(call.slice as usize), call.slice));
    calls
}

fn kind_of(name: &str) -> Option<Kind> {
    let kinds = if name.contains("Enqueue") { ENQUEUED } else { IMMEDIATE };
    let kind = kinds.iter().find(|(parts, _)| parts.iter().any(|part| name.contains(part)));
    kind.map(|(_, kind)| *kind)
}

#[derive(Default)]
struct CallArguments {
    to: Option<MemoryLocation>,
    from: Option<MemoryLocation>,
    /// An end whose argument's name shows neither a source nor a destination.
    other_end: Option<MemoryLocation>,
    to_offset: Option<u64>,
    from_offset: Option<u64>,
    offset: Option<u64>,
    size: Option<u64>,
    width: Option<u64>,
    height: Option<u64>,
    depth: Option<u64>,
    is_rectangle: bool,
    is_image: bool,
    /// Bytes from one row to the next of a copy or fill of rows; the larger one of both ends.
    pitch: Option<u64>,
    sub_buffer: Option<u64>,
}

fn call(trace: &Trace, slice: usize, process: u32, kind: Kind) -> Call {
    let mut arguments = CallArguments::default();
    let args = trace.slices.args.at(slice);
    for (key, value) in trace.args.get(args, &trace.strings) {
        if let Value::Uint(number) | Value::Pointer(number) = value {
            arguments.take(key, number);
        }
    }
    let pointers = (kind == Kind::Launch).then(|| pointers(trace, slice)).flatten();
    let CallArguments { to, from, other_end, to_offset, from_offset, offset, is_rectangle, .. } = arguments;
    // Rows with bytes between them have no single range.
    let is_pitched = arguments.pitch.is_some() && arguments.pitch != arguments.width;
    let plain = |location: Option<MemoryLocation>, own: Option<u64>| {
        // The offset of rectangles and parts of images is not a single number.
        let offset = if is_rectangle { None } else { Some(own.or(offset).unwrap_or_default()) };
        let of_address = (!is_pitched).then_some(0);
        location.map(|end| MemoryLocation { offset: if end.is_handle { offset } else { of_address }, ..end })
    };
    let (to, from) = match kind {
        Kind::Copy => (plain(to, to_offset), plain(from, from_offset)),
        Kind::Read => (plain(to.or(from), None), plain(other_end, offset)),
        Kind::Write => (plain(other_end, offset), plain(from.or(to), None)),
        Kind::Fill | Kind::Map | Kind::Unmap | Kind::Advice | Kind::Free => {
            (plain(other_end.or(to), offset), None)
        }
        Kind::SubBuffer => {
            let sub_buffer = arguments.sub_buffer.map(|pointer| MemoryLocation {
                pointer,
                offset: arguments.offset,
                is_handle: true,
            });
            (sub_buffer, other_end)
        }
        Kind::Launch | Kind::Graph => (None, None),
    };
    // The width of an image is in elements, whose size is unknown.
    let width = arguments.width.filter(|_| !arguments.is_image);
    let area = width.zip(arguments.height).map(|(width, height)| width.saturating_mul(height));
    let region = area.map(|area| area.saturating_mul(arguments.depth.unwrap_or(1)));
    let bytes = arguments.size.or(region.filter(|_| !matches!(kind, Kind::Launch | Kind::Graph)));
    let failed = trace.is_error(args);
    Call { slice: slice as u32, process, kind, to, from, bytes, failed, pointers }
}

impl CallArguments {
    fn take(&mut self, key: &str, number: u64) {
        let handle = Some(MemoryLocation { pointer: number, offset: None, is_handle: true });
        let address = Some(MemoryLocation { pointer: number, offset: None, is_handle: false });
        match key {
            "hBuffer" | "buffer" | "hImage" | "image" | "hMem" | "memobj" => self.other_end = handle,
            "pMem" | "ptr" => match self.other_end {
                // The host's end of a copy with a handle.
                Some(MemoryLocation { is_handle: true, .. }) => self.to = address,
                _ => self.other_end = address,
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
            "pitch" | "dstPitch" | "srcPitch" | "dst_pitch" | "src_pitch" => {
                self.pitch = self.pitch.max(Some(number));
            }
            "phMem" => self.sub_buffer = Some(number),
            _ => {}
        }
        self.is_rectangle |= key.starts_with("region.") || key.starts_with("origin");
        self.is_image |= key.starts_with("hImage") || key.ends_with("image");
    }
}

/// Returns the addresses among a kernel's arguments; `None` if there are no arguments, they were not recorded, or the
/// value of a pointer is unknown.
fn pointers(trace: &Trace, slice: usize) -> Option<Vec<u64>> {
    let arguments = arguments_of_kernel(trace, slice);
    if arguments.is_empty() {
        return None;
    }
    arguments.into_iter().filter(|(kind, _)| kind.contains("POINTER")).map(|(_, value)| value).collect()
}

/// Returns the error of a call, by name or number; empty if it succeeded.
pub(super) fn error_text(trace: &Trace, slice: u32) -> String {
    let args = trace.slices.args.at(slice as usize);
    match trace.result(args).filter(|_| trace.is_error(args)) {
        Some(Value::Str(name)) => name.to_owned(),
        Some(Value::Int(code)) => code.to_string(),
        Some(Value::Uint(code)) => code.to_string(),
        _ => String::new(),
    }
}

//! Memory objects of a program: buffers, images, USM allocations.

use serde::{Deserialize, Serialize};

use super::Amount;
use crate::api::{ArgValue, LocationInfo, SliceRef};

answer_words! {
    /// Kind of an object.
    #[derive(Default)]
    ObjectWhat {
        /// A buffer.
        Buffer = "buffer",
        /// A buffer that is part of another one.
        SubBuffer = "sub_buffer",
        /// An image of any kind.
        Image = "image",
        /// USM of a device.
        Device = "device",
        /// USM shared by host and devices.
        Shared = "shared",
        /// USM of the host.
        Host = "host",
        /// Memory of unknown kind.
        #[default]
        #[serde(other)]
        Other = "other",
    }
}

impl ObjectWhat {
    /// Returns the display name of the kind.
    pub fn words(self) -> &'static str {
        match self {
            Self::Buffer => "Buffer",
            Self::SubBuffer => "Sub-buffer",
            Self::Image => "Image",
            Self::Device => "USM device",
            Self::Shared => "USM shared",
            Self::Host => "USM host",
            Self::Other => "Other memory",
        }
    }

    /// Returns the title of an object of this kind: with its number if it is a buffer or image of the recording, else
    /// with its address.
    pub fn title(self, number: Option<u64>, pointer: u64) -> String {
        match number {
            Some(number) => format!("{} {number}", self.words()),
            None => format!("{} {pointer:#x}", self.words()),
        }
    }
}

answer_words! {
    /// Probable problem of an object.
    ObjectProblem {
        /// It was never used.
        Unused = "unused",
        /// Part of it was never touched.
        Oversize = "oversize",
        /// It was still live when the program ended.
        Unreleased = "unreleased",
        /// It stayed live for a long time after its last use.
        ReleasedLate = "released_late",
    }
}

/// A page of the list of a program's objects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObjectList {
    /// All requested objects.
    pub total: Amount,
    /// Number of objects before this page, in the requested order.
    pub offset: u64,
    /// The objects of this page.
    pub objects: Vec<ObjectItem>,
    /// Positions of marked objects in that order: the first 10,000.
    #[serde(default)]
    pub marked: Vec<u64>,
}

/// An object: a buffer or image with its native memory, or USM.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObjectItem {
    /// Its id, for `objects/ID`: buffers and images by creation, then all other memory.
    pub id: u32,
    /// Kind of the object.
    pub what: ObjectWhat,
    /// Number of a buffer or image in the recording.
    pub object: Option<u64>,
    /// Its process, an index into [`TraceInfo::processes`](crate::api::TraceInfo::processes).
    pub process: u32,
    /// Address of USM; the address by which the runtime identifies a buffer or image.
    pub pointer: u64,
    /// Host memory that a buffer or image was created over, 0 if none.
    pub host_pointer: u64,
    /// Id of the USM allocation that contains this host memory.
    pub over: Option<u32>,
    /// Id of the buffer that it is part of.
    pub part_of: Option<u32>,
    /// Name of the device of USM, empty if there is none or it is unknown.
    pub device: String,
    /// Readable element type if it is a plain one, else as named by `typeid`; empty if unknown.
    pub element_type: String,
    /// Size of an element, 0 if unknown.
    pub element_size_bytes: u64,
    /// Number of elements along each dimension.
    pub range: Vec<u64>,
    /// Size.
    pub size_bytes: u64,
    /// Time of its creation.
    pub made_ns: u64,
    /// Time of its destruction, if it was destroyed.
    pub gone_ns: Option<u64>,
    /// Source location that created it.
    pub location: Option<LocationInfo>,
    /// Its native memory: for a buffer or image one entry for each context and part.
    pub memory: Vec<NativeMemory>,
    /// Accessors by target and mode, most frequent first.
    pub accessors: Vec<AccessorCount>,
    /// Number of commands known to use it, including copies and maps.
    pub commands: u64,
    /// Copies into it; for a buffer or image, to a device.
    pub copied_in: Amount,
    /// Copies from it; for a buffer or image, to the host.
    pub copied_out: Amount,
    /// Start of its first known use.
    pub first_use_ns: Option<u64>,
    /// End of its last known use.
    pub last_use_ns: Option<u64>,
    /// True if all its uses are known. Kernels may use USM without a record, unless recorded with `--detail high`.
    pub uses_known: bool,
    /// True if it was never used; `None` if unknown.
    pub unused: Option<bool>,
    /// Bytes that no accessor, copy or fill touched; `None` if unknown.
    pub untouched_bytes: Option<u64>,
    /// Time from its last use to its end; `None` if unknown, or never used.
    pub idle_at_end_ns: Option<u64>,
    /// Probable problems.
    pub problems: Vec<ObjectProblem>,
    /// Locations of its newest contents, by time; the first 64.
    pub placement: Vec<Placement>,
}

impl ObjectItem {
    /// Returns the title of the object.
    pub fn title(&self) -> String {
        self.what.title(self.object, self.pointer)
    }
}

/// Memory of an object below SYCL.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NativeMemory {
    /// Row of the allocation, as in [`MemoryTile`](crate::api::MemoryTile), if it was recorded.
    pub allocation: Option<u32>,
    /// Handle of the Unified Runtime, 0 for USM.
    pub handle: u64,
    /// The native memory object or the address of the handle, 0 if unknown.
    pub native: u64,
    /// Size, if the allocation was recorded.
    pub size_bytes: Option<u64>,
    /// Time when the object got it.
    pub from_ns: Option<u64>,
    /// Time when the object lost it, if it did.
    pub to_ns: Option<u64>,
}

/// Number of an object's accessors with one target and mode.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessorCount {
    /// Target: `device`, `host_buffer`, `host_task`, …
    pub target: String,
    /// Mode: `read`, `write`, `read_write`, …
    pub mode: String,
    /// Number of accessors.
    pub count: u64,
}

answer_words! {
    /// Location of memory.
    #[derive(Default)]
    Side {
        /// The host.
        Host = "host",
        /// A device.
        Device = "device",
        /// Both: host and device have the same contents.
        Both = "both",
        /// Shared USM: the driver decides where each page is.
        Shared = "shared",
        /// There are no contents yet.
        Nowhere = "nowhere",
        /// Unknown.
        #[default]
        #[serde(other)]
        Unknown = "unknown",
    }
}

/// Location of an object's newest contents for a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placement {
    /// Start.
    pub from_ns: u64,
    /// End.
    pub to_ns: u64,
    /// Location.
    pub side: Side,
}

/// An object and its events.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObjectHistory {
    /// The object.
    #[serde(flatten)]
    pub item: ObjectItem,
    /// Other arguments from the runtime (an image's format and sampler).
    pub args: Vec<(String, ArgValue)>,
    /// Ids of its parts.
    pub parts: Vec<u32>,
    /// Number of lanes of its tiles: one for allocations and releases, and as many as uses overlap.
    #[serde(default)]
    pub lanes: u32,
    /// A page of events, sorted by start.
    pub events: Vec<ObjectEvent>,
    /// Number of events before this page.
    pub offset: u64,
    /// Total number of events.
    pub total: u64,
}

answer_words! {
    /// Kind of an object's event.
    #[derive(Default)]
    ObjectEventKind {
        /// The object was created.
        Made = "made",
        /// It got memory.
        Allocated = "allocated",
        /// Data was copied into it; for a buffer or image, to its memory on a device.
        CopyIn = "copy_in",
        /// Data was copied from it; for a buffer or image, from a device to the host.
        CopyOut = "copy_out",
        /// A copy between two devices, or within one.
        CopyWithin = "copy_within",
        /// It was filled.
        Fill = "fill",
        /// A kernel or another command reads it.
        Read = "read",
        /// A kernel or another command writes it.
        Write = "write",
        /// A kernel or another command reads and writes it, or the mode is unknown.
        ReadWrite = "read_write",
        /// It was mapped to the host.
        Map = "map",
        /// It was unmapped from the host.
        Unmap = "unmap",
        /// A host accessor was created.
        HostAccess = "host_access",
        /// It was advised or prefetched.
        Advice = "advice",
        /// Its memory was released.
        Released = "released",
        /// The object was destroyed.
        Gone = "gone",
        /// Another event that names it.
        #[default]
        #[serde(other)]
        Other = "other",
    }
}

/// An event of an object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObjectEvent {
    /// Kind of the event.
    pub kind: ObjectEventKind,
    /// Its start: on the device, if it has device times.
    pub start_ns: u64,
    /// Its end; not before `start_ns`.
    pub end_ns: u64,
    /// Name of the command or call.
    pub name: String,
    /// Mode of the accessor, empty without one.
    pub mode: String,
    /// Number of bytes moved, filled or allocated, if known.
    pub bytes: Option<u64>,
    /// First byte of the object that it touched, if known.
    pub offset_bytes: Option<u64>,
    /// Number of the command.
    pub node: Option<u64>,
    /// Position of its execution, its submission or the call.
    pub at: Option<SliceRef>,
    /// Source code that caused it.
    pub location: Option<LocationInfo>,
}

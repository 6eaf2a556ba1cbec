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
        /// A buffer that is a part of another.
        SubBuffer = "sub_buffer",
        /// An image of any kind.
        Image = "image",
        /// USM of a device.
        Device = "device",
        /// USM that host and devices share.
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
    /// Name of the kind for people.
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

    /// Title of an object of this kind: by its number if it is a buffer or image of the recording, else by its address.
    pub fn title(self, number: Option<u64>, pointer: u64) -> String {
        match number {
            Some(number) => format!("{} {number}", self.words()),
            None => format!("{} {pointer:#x}", self.words()),
        }
    }
}

answer_words! {
    /// Likely problem of an object.
    ObjectProblem {
        /// Nothing was ever done with it.
        Unused = "unused",
        /// A part of it was never touched.
        Oversize = "oversize",
        /// It was live when the program ended.
        Unreleased = "unreleased",
        /// It was kept for long after its last use.
        ReleasedLate = "released_late",
    }
}

/// A part of the list of a program's objects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObjectList {
    /// All that were asked for.
    pub total: Amount,
    /// Objects before these, in the order asked for.
    pub offset: u64,
    /// These.
    pub objects: Vec<ObjectItem>,
    /// Where those that were to be marked are in that order: the first 10,000.
    #[serde(default)]
    pub marked: Vec<u64>,
}

/// An object: buffer or image, the native memory that it had, and USM, on one row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObjectItem {
    /// Its id, for `objects/ID`: buffers and images in the order of their making, then all other memory.
    pub id: u32,
    /// Kind of the object.
    pub what: ObjectWhat,
    /// Number of a buffer or image in the recording.
    pub object: Option<u64>,
    /// Its process, an index into [`TraceInfo::processes`](crate::api::TraceInfo::processes).
    pub process: u32,
    /// Address of USM; the address by which the runtime knows a buffer or image.
    pub pointer: u64,
    /// Host memory that a buffer or image was made over, 0 if none.
    pub host_pointer: u64,
    /// The USM allocation that this host memory lies in, an id of an object.
    pub over: Option<u32>,
    /// The buffer that it is a part of, an id of an object.
    pub part_of: Option<u32>,
    /// Name of the device of USM, empty if it belongs to none or it is not known.
    pub device: String,
    /// Element type in words if it is a plain one, else as `typeid` names it; empty if not known.
    pub element_type: String,
    /// Size of an element, 0 if not known.
    pub element_size_bytes: u64,
    /// Elements along each dimension.
    pub range: Vec<u64>,
    /// Size.
    pub size_bytes: u64,
    /// When it was made.
    pub made_ns: u64,
    /// When it was gone, if it was.
    pub gone_ns: Option<u64>,
    /// Source code that made it.
    pub location: Option<LocationInfo>,
    /// Native memory that it had: of a buffer or image one for each context and part.
    pub memory: Vec<NativeMemory>,
    /// Accessors by target and mode, most first.
    pub accessors: Vec<AccessorCount>,
    /// Commands that are known to use it, copies and maps among them.
    pub commands: u64,
    /// Copies that brought something into it; of a buffer or image, to a device.
    pub copied_in: Amount,
    /// Copies that took something out of it; of a buffer or image, to the host.
    pub copied_out: Amount,
    /// When its first known use began.
    pub first_use_ns: Option<u64>,
    /// When its last known use was over.
    pub last_use_ns: Option<u64>,
    /// True if all its uses are known. Kernels may use USM without a trace, unless recorded with `--detail high`.
    pub uses_known: bool,
    /// True if it was never used; `None` if unknown.
    pub unused: Option<bool>,
    /// Bytes that no accessor, copy or fill touched; `None` if the recording can't tell.
    pub untouched_bytes: Option<u64>,
    /// From its last use to its end; `None` if the recording can't tell, or it never was used.
    pub idle_at_end_ns: Option<u64>,
    /// Likely problems.
    pub problems: Vec<ObjectProblem>,
    /// Where its newest content was, by time; the first 64 stretches.
    pub placement: Vec<Placement>,
}

impl ObjectItem {
    /// Title of the object.
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
    /// The native memory object or the address behind the handle, 0 if not known.
    pub native: u64,
    /// Size, where the allocation was recorded.
    pub size_bytes: Option<u64>,
    /// When the object got it.
    pub from_ns: Option<u64>,
    /// When the object lost it, if it did.
    pub to_ns: Option<u64>,
}

/// Number of an object's accessors with one mode.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessorCount {
    /// Where from: `device`, `host_buffer`, `host_task`, …
    pub target: String,
    /// Mode: `read`, `write`, `read_write`, …
    pub mode: String,
    /// Number of accessors.
    pub count: u64,
}

answer_words! {
    /// A side that memory may be on.
    #[derive(Default)]
    Side {
        /// The host.
        Host = "host",
        /// A device.
        Device = "device",
        /// Both: host and device hold the same.
        Both = "both",
        /// Shared USM: where a page is, is the driver's business.
        Shared = "shared",
        /// There is no content yet.
        Nowhere = "nowhere",
        /// The recording does not say.
        #[default]
        #[serde(other)]
        Unknown = "unknown",
    }
}

/// Where an object's newest content was for a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placement {
    /// From when.
    pub from_ns: u64,
    /// Until when.
    pub to_ns: u64,
    /// Where.
    pub side: Side,
}

/// An object and what happened to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObjectHistory {
    /// The object.
    #[serde(flatten)]
    pub item: ObjectItem,
    /// More of what the runtime says (an image's format and sampler).
    pub args: Vec<(String, ArgValue)>,
    /// Its parts, ids of objects.
    pub parts: Vec<u32>,
    /// Lanes of its tiles: what gives it memory and takes it, and as many as uses overlap.
    #[serde(default)]
    pub lanes: u32,
    /// Events by start: a part of them.
    pub events: Vec<ObjectEvent>,
    /// Events before these.
    pub offset: u64,
    /// Events in all.
    pub total: u64,
}

answer_words! {
    /// Kind of an object's event.
    #[derive(Default)]
    ObjectEventKind {
        /// It was made.
        Made = "made",
        /// It got memory.
        Allocated = "allocated",
        /// Something was copied into it; into a buffer's or image's memory on a device.
        CopyIn = "copy_in",
        /// Something was copied out of it; from a device to the host.
        CopyOut = "copy_out",
        /// A copy between two devices, or within one.
        CopyWithin = "copy_within",
        /// It was filled.
        Fill = "fill",
        /// A kernel or another command reads it.
        Read = "read",
        /// A kernel or another command writes it.
        Write = "write",
        /// A kernel or another command reads and writes it, or it is not known which.
        ReadWrite = "read_write",
        /// It was mapped to the host.
        Map = "map",
        /// It was given back to the device.
        Unmap = "unmap",
        /// A host accessor was made.
        HostAccess = "host_access",
        /// It was advised or fetched.
        Advice = "advice",
        /// Its memory was released.
        Released = "released",
        /// It was gone.
        Gone = "gone",
        /// Something else that names it.
        #[default]
        #[serde(other)]
        Other = "other",
    }
}

/// Something that happened to an object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObjectEvent {
    /// Kind of the event.
    pub kind: ObjectEventKind,
    /// When it began: on the device, if it has device times.
    pub start_ns: u64,
    /// When it was over; not before `start_ns`.
    pub end_ns: u64,
    /// Name of the command or call.
    pub name: String,
    /// Mode of the accessor, empty if it was by none.
    pub mode: String,
    /// Bytes that it moved, filled or made, if that is known.
    pub bytes: Option<u64>,
    /// First byte of the object that it touched, if that is known.
    pub offset_bytes: Option<u64>,
    /// Number of the command.
    pub node: Option<u64>,
    /// Where to jump: its execution, its submission or the call.
    pub at: Option<SliceRef>,
    /// Source code that caused it.
    pub location: Option<LocationInfo>,
}

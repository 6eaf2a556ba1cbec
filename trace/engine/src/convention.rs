//! The convention shared by our Perfetto and Chrome JSON files: `docs/FORMAT.md` in code.
//!
//! Everything that the formats can't express is a *record*: an instant whose category names the kind of event and whose
//! arguments start with the event's own facts, followed by the recorded arguments.

mod keys;
mod record;
mod text_value;

pub(crate) use keys::{EXECUTION_KEYS, Keys, SLICE_KEYS, escape_key, unescape_key};
pub(crate) use record::{
    Facts, Record, RecordHead, event_of_record, is_record, location_of, split_facts, with_record,
};
pub(crate) use text_value::{JsonText, json_text, json_value, stage_text, stage_value};

use syclscope_language::event::{AllocationKind, NodeKind, TrackKind};
use syclscope_language::machine_counters;

/// Version of the convention, written into every file.
pub(crate) const FORMAT_VERSION: u64 = 1;

/// Identity of the track of the first process's records in a Perfetto file. The tracks of its derived counters follow,
/// then the tracks of the next process.
const RECORD_TRACK: u64 = 0x5359_434c_0000_0000;

/// Distance between the track identities of the records of consecutive processes.
const RECORD_TRACKS: u64 = 0x100;

/// Returns the identity of the track of a process's records, by the position of the process in the file.
pub(crate) fn record_track(process: u32) -> u64 {
    RECORD_TRACK + RECORD_TRACKS * u64::from(process & 0x00ff_ffff)
}

pub(crate) fn memory_track(process: u32, kind: AllocationKind) -> u64 {
    record_track(process) + 1 + kind as u64
}

pub(crate) fn is_record_track(track: u64) -> bool {
    track & !0xffff_ff00 == RECORD_TRACK
}

pub(crate) const RECORD_TRACK_NAME: &str = "SYCL task graph";

/// Category of counter samples that can be derived from other events; an importer leaves them out.
pub(crate) const DERIVED: &str = "syclscope.derived";

/// Prefix of every record's category.
pub(crate) const RECORD_PREFIX: &str = "sycl.";

/// Prefix of an execution's category in JSON.
pub(crate) const EXECUTION_PREFIX: &str = "sycl.execution,";

/// Name of the JSON metadata that maps a thread number to its track.
pub(crate) const TRACK_RECORD: &str = "sycl.track";

/// Category of the record that a file starts with.
pub(crate) const RECORDING: &str = "sycl.recording";

pub(crate) fn memory_counter_name(kind: AllocationKind) -> &'static str {
    match kind {
        AllocationKind::Device => "memory in use: device",
        AllocationKind::Host => "memory in use: host",
        AllocationKind::Shared => "memory in use: shared",
        AllocationKind::Buffer => "memory in use: buffers",
        AllocationKind::Image => "memory in use: images",
        AllocationKind::Other => "memory in use: other",
    }
}

/// Returns the unit of a counter that the recorder named: memory in use, a device's free memory, the machine's
/// counters. Empty for others.
pub(crate) fn counter_unit(name: &str) -> &'static str {
    match name.starts_with("memory in use: ") || name.starts_with("free memory: ") {
        true => BYTES,
        false => machine_counters::unit(name).unwrap_or_default(),
    }
}

pub(crate) const BYTES: &str = "bytes";

/// Returns the device of a stream, by the name of its track: `stream 17 · DEVICE`.
pub(crate) fn device_of_stream(name: &str) -> Option<&str> {
    let (number, device) = name.strip_prefix("stream ")?.split_once(" · ")?;
    number.bytes().all(|letter| letter.is_ascii_digit()).then_some(device)
}

pub(crate) fn queue_description(queue: u64) -> String {
    format!("syclscope queue {queue}")
}

pub(crate) fn queue_of_description(description: &str) -> Option<u64> {
    description.strip_prefix("syclscope queue ")?.parse().ok()
}

pub(crate) fn stage_description(kind: NodeKind) -> [&'static str; 2] {
    ["syclscope ", kind.as_str()]
}

pub(crate) fn kind_of_description(description: &str) -> Option<NodeKind> {
    Some(NodeKind::from_text(description.strip_prefix("syclscope ")?))
}

/// Returns the description of a track that Perfetto has no descriptor for.
pub(crate) fn track_description(kind: TrackKind) -> String {
    format!("syclscope {}", kind.as_str())
}

pub(crate) fn kind_of_track_description(description: &str) -> TrackKind {
    description.strip_prefix("syclscope ").map(TrackKind::from_text).unwrap_or_default()
}

//! Problems of an import: counted, typed, never printed and never fatal.

use syclscope_language::api::{DiagnosticInfo, Severity};

macro_rules! diagnostics {
    ($($(#[$doc:meta])* $variant:ident = $severity:ident $text:literal $message:literal,)+) => {
        /// A kind of problem.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum DiagnosticKind {
            $($(#[$doc])* $variant,)+
        }

        impl DiagnosticKind {
            /// Every kind, in the order in which they are reported.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the severity of the problem.
            pub fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)+ }
            }

            /// Returns the stable name.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// Returns an explanation and advice for users.
            pub fn message(self) -> &'static str {
                match self { $(Self::$variant => $message,)+ }
            }
        }
    };
}

diagnostics! {
    /// The file ends in the middle of a packet or record.
    TruncatedFile = DataLoss "truncated_file"
        "The file ends in the middle of an event; the events before it are shown. If the file should be longer, copy it again or record again.",
    /// A packet or record that can't be read.
    MalformedPacket = Error "malformed_packet"
        "Events that cannot be read were left out: the file is damaged there.",
    /// The recorder reported lost packets before this one.
    PacketsLost = DataLoss "packets_lost"
        "The recorder of this file lost packets before it could write them; packets that need them are left out, too. Record with larger buffers.",
    /// Compressed data that can't be decompressed.
    DamagedCompression = DataLoss "damaged_compression"
        "Compressed data in the file is damaged; the data before the damage is shown. Copy the file again, or compress the original again.",
    /// Compressed data with an implausible compression ratio.
    Bomb = DataLoss "unpacks_to_too_much"
        "Compressed data unpacks to more than 200 times its size; the rest of it was left out. If it really is a trace, unpack it first.",
    /// Something larger than the reader accepts.
    Oversized = DataLoss "oversized"
        "Something in the file is larger than any trace needs (an event or its arguments of 64 MiB, a packet of 256 MiB, 65,536 packet sequences, 2 GiB of interned texts, a million open asynchronous slices) and was left out.",
    /// Lists and objects are nested too deeply.
    TooDeep = Error "too_deep"
        "Lists or objects nested more than 128 deep were left out.",
    /// An event refers to a text that was never interned.
    LostText = DataLoss "lost_text"
        "Events refer to texts that the file does not hold, so names are missing. Its beginning may have been overwritten.",
    /// Text that is not UTF-8.
    InvalidText = Error "invalid_text"
        "Texts that are not UTF-8 were cut at the first wrong byte.",
    /// A record of ours with missing fields.
    MalformedRecord = Error "malformed_record"
        "Records with missing facts were left out. Was the file written by another program?",
    /// A clock without a snapshot.
    UnknownClock = Error "unknown_clock"
        "Events on a clock that the file does not relate to its others are shown at that clock's time.",
    /// A time before the start of the trace, or too large.
    TimeOutOfRange = Error "time_out_of_range"
        "Times out of range were moved to the nearest possible moment.",
    /// A slice that ends before its start.
    EndBeforeBegin = Error "end_before_begin"
        "Slices that end before they begin are shown without a duration.",
    /// An end without a start.
    EndWithoutBegin = DataLoss "end_without_begin"
        "Ends of slices whose begin is not in the file were left out.",
    /// Too many arguments for a trace.
    TooManyArguments = DataLoss "too_many_arguments"
        "The trace holds more than 4 GiB of arguments; later ones were left out.",
    /// Too many slices for a trace.
    TooManySlices = DataLoss "too_many_slices"
        "The trace holds more than 4 billion slices; later ones were left out.",
    /// Too many rows of another table for a trace.
    TooManyRows = DataLoss "too_many_rows"
        "The trace holds more than 4 billion edges, or 1 billion samples or allocations; later ones were left out.",
    /// Too much text for a trace.
    TooMuchText = DataLoss "too_much_text"
        "The trace holds more than 4 GiB of names and other texts; later ones read as empty.",
    /// The convention is newer than this program.
    NewerFormat = Info "newer_format"
        "A newer syclscope wrote the file; data unknown to this version is left out. Update syclscope to see it.",
    /// A process whose start or end is not in the file.
    PartOfRun = Info "part_of_run"
        "The file has a part of the run. Earlier or later events are unknown: memory in use at its end may have been released later, and memory that seems unused may have been used.",
    /// Events of the operating system's kernel.
    Ftrace = Info "ftrace"
        "Packets with events of the operating system's kernel (ftrace) are not shown.",
    /// Packets of a kind that is not shown.
    UnknownPacket = Info "unknown_packet"
        "Packets of other kinds than tracks, events and device work are not shown.",
    /// Events of a kind that is not shown.
    UnknownEvent = Info "unknown_event"
        "Events of some kinds (memory dumps, clock marks, events without a phase) are not shown.",
    /// Arguments of a kind that is not shown.
    UnknownArgument = Info "unknown_argument"
        "Arguments of some kinds are not shown.",
    /// A counter sample that is infinite or not a number.
    UnusableSample = Info "unusable_sample"
        "Counter samples without a finite number were left out.",
    /// A track that was never announced.
    UnknownTrack = Info "unknown_track"
        "Events on tracks that the file does not announce are shown on tracks with a number for a name.",
    /// Device times of CUDA without the driver's own records.
    StreamStarts = DataLoss "stream_starts"
        "The driver's records (CUPTI) were missing: a command's start is the time when its stream reached it, even if the device did other work first. Ends are right; starts, durations, concurrency and rates are bounds. Install CUPTI (`pip install nvidia-cuda-cupti`, or the CUDA toolkit) and record again.",
    /// An edge that the times of its commands contradict.
    ContradictedEdge = Info "contradicted_edge"
        "Dependences that the commands' times contradict were left out: the source began after the target was over, or they close a cycle. Notifications that overtook one another turn a dependence around.",
    /// A command that was never announced.
    UnknownNode = Info "unknown_node"
        "Events belong to commands that the file does not announce: their kind and name may be missing.",
    /// A memory object that was never announced.
    UnknownObject = Info "unknown_object"
        "Accessors or memory belong to buffers or images that the file does not announce: their type and size are missing.",
    /// A command graph that was never announced.
    UnknownGraph = Info "unknown_graph"
        "Commands or runs belong to command graphs that the file does not announce: their content may be missing.",
    /// A point of a flow without a slice.
    UnboundFlow = Info "unbound_flow"
        "Flows (arrows between slices) that begin or end outside of slices were left out.",
    /// A slice that was open at the end.
    UnfinishedSlice = Info "unfinished_slice"
        "Slices that were open when the recording ended are shown up to its last event.",
    /// Memory that was allocated again without a release.
    AllocatedTwice = Info "allocated_twice"
        "Memory was allocated at an address that was still in use: its release was not recorded, and it counts as released then.",
    /// A release of unknown memory.
    ReleasedUnknown = Info "released_unknown"
        "Memory was released that was not in use: released twice, or allocated before the recording.",
    /// A queue's destruction without its creation.
    UnknownQueue = Info "unknown_queue"
        "Queues were used that the file does not announce: their order and device are not known.",
}

/// Counts of problems, with the position of the first of each kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    counts: [u64; DiagnosticKind::ALL.len()],
    first_offsets: [Option<u64>; DiagnosticKind::ALL.len()],
}

impl Default for Diagnostics {
    fn default() -> Self {
        Self { counts: [0; DiagnosticKind::ALL.len()], first_offsets: [None; DiagnosticKind::ALL.len()] }
    }
}

impl Diagnostics {
    /// Counts a problem without a position in the file.
    pub fn count(&mut self, kind: DiagnosticKind) {
        self.counts[kind as usize] += 1;
    }

    /// Counts a problem that was found several times.
    pub fn count_many(&mut self, kind: DiagnosticKind, times: u64) {
        self.counts[kind as usize] += times;
    }

    /// Counts a problem at a byte offset of the file.
    pub fn count_at(&mut self, kind: DiagnosticKind, offset: u64) {
        self.count(kind);
        self.first_offsets[kind as usize].get_or_insert(offset);
    }

    /// Returns the number of problems of a kind.
    pub fn get(&self, kind: DiagnosticKind) -> u64 {
        self.counts[kind as usize]
    }

    /// Adds the problems of another part of the import.
    pub fn merge(&mut self, other: &Self) {
        for kind in DiagnosticKind::ALL {
            let row = *kind as usize;
            self.counts[row] += other.counts[row];
            self.first_offsets[row] = self.first_offsets[row].or(other.first_offsets[row]);
        }
    }

    /// Returns the problems, with counts.
    pub fn infos(&self) -> impl Iterator<Item = DiagnosticInfo> + '_ {
        DiagnosticKind::ALL.iter().filter(|kind| self.get(**kind) > 0).map(|kind| DiagnosticInfo {
            severity: kind.severity(),
            kind: kind.as_str().to_owned(),
            message: kind.message().to_owned(),
            count: self.get(*kind),
            first_offset: self.first_offsets[*kind as usize],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_counted_and_keep_their_first_place() {
        let mut found = Diagnostics::default();
        found.count(DiagnosticKind::UnknownPacket);
        found.count_at(DiagnosticKind::UnknownPacket, 7);
        let mut all = Diagnostics::default();
        all.count_at(DiagnosticKind::UnknownPacket, 9);
        all.merge(&found);
        let infos: Vec<_> = all.infos().collect();
        assert_eq!(infos.len(), 1);
        assert_eq!((infos[0].count, infos[0].first_offset), (3, Some(9)));
        assert_eq!(infos[0].kind, "unknown_packet");
    }
}

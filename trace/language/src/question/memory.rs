//! Queries about memory.

mod objects;
mod touched;
mod transfers;

use std::fmt;

use super::params::{ParamWriter, Params};
use super::selection::{flag, limit, write_limit};
use super::{QuestionError, range};
use crate::event::AllocationKind;

pub use objects::{ObjectOrder, ObjectQuestion, ObjectsQuestion};
pub use touched::TouchedBy;
pub use transfers::{LeaksQuestion, TransferOrder, TransfersQuestion};

const TIME: &str = "nanoseconds since the trace's start";
const ADDRESS: &str = "an address, as 0x… or decimal";
const KINDS: &str = "kinds of memory with dots between them: device host shared buffer image other";

/// Filter of memory: `process=P&kinds=device.host&device=NAME`, each of them optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct MemoryOf {
    /// Of a process, an index into [`TraceInfo::processes`](crate::api::TraceInfo::processes).
    pub process: Option<u32>,
    /// Of these kinds.
    pub kinds: Option<Vec<AllocationKind>>,
    /// Of a device by its full name; empty for memory without a device.
    pub device: Option<String>,
}

impl MemoryOf {
    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        let kind = |text: &str| AllocationKind::ALL.iter().copied().find(|kind| kind.as_str() == text);
        let kinds = |text: &str| text.split('.').filter(|part| !part.is_empty()).map(kind).collect();
        Ok(Self {
            process: params.get("process", "the number of a process")?,
            kinds: params.parse("kinds", KINDS, kinds)?,
            device: params.text("device"),
        })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        out.pair("process", self.process)?;
        let joined = |kinds: &Vec<AllocationKind>| {
            kinds.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(".")
        };
        out.pair("kinds", self.kinds.as_ref().map(joined))?;
        out.pair("device", self.device.as_ref())
    }
}

/// `memory_use?from=NS&to=NS&points=N&places=N`: memory in use over time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MemoryUseQuestion {
    /// The filter.
    pub of: MemoryOf,
    /// `from`: begin of the range; the trace's start if omitted.
    pub from_ns: Option<u64>,
    /// `to`: end of the range, exclusive; after the trace's end if omitted.
    pub to_ns: Option<u64>,
    /// `points`: maximum buckets.
    pub points: u32,
    /// `places`: maximum allocation sites at the peak.
    pub places: u32,
}

/// Default number of buckets.
const POINTS: u32 = 500;

impl MemoryUseQuestion {
    /// The whole run.
    pub fn whole() -> Self {
        Self {
            of: MemoryOf::default(),
            from_ns: None,
            to_ns: None,
            points: POINTS,
            places: super::selection::LIMIT,
        }
    }

    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        let points = |text: &str| text.parse().ok().filter(|points| (1..=10_000).contains(points));
        let of = MemoryOf::read(params)?;
        let (from_ns, to_ns) = range::read(params)?;
        Ok(Self {
            of,
            from_ns,
            to_ns,
            points: params.parse("points", "a number from 1 to 10000", points)?.unwrap_or(POINTS),
            places: limit(params, "places")?,
        })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        self.of.write(out)?;
        range::write((self.from_ns, self.to_ns), out)?;
        out.pair("points", Some(self.points).filter(|points| *points != POINTS))?;
        write_limit(self.places, "places", out)
    }
}

/// `memory_at?at=NS&to=NS&lowest=0x…&highest=0x…&merge=BYTES&offset=N&limit=N&places=N`: live memory at a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct MemoryAtQuestion {
    /// The filter.
    pub of: MemoryOf,
    /// `at`: the moment.
    pub at_ns: u64,
    /// `to`: a second moment; the answer then contains the differences.
    pub to_ns: Option<u64>,
    /// `lowest`: blocks that end above this address.
    pub lowest: Option<u64>,
    /// `highest`: blocks that begin below this address.
    pub highest: Option<u64>,
    /// `merge`: smaller blocks are merged with those that begin in the same range of this size; 0 for none.
    pub merge_bytes: u64,
    /// `offset`: number of skipped blocks.
    pub offset: u64,
    /// `limit`: maximum blocks.
    pub limit: u32,
    /// `places`: maximum allocation sites.
    pub places: u32,
}

impl MemoryAtQuestion {
    /// Live memory at a moment.
    pub fn at(at_ns: u64) -> Self {
        let (limit, places) = (super::selection::LIMIT, super::selection::LIMIT);
        Self { at_ns, limit, places, ..Self::default() }
    }

    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        Ok(Self {
            of: MemoryOf::read(params)?,
            at_ns: params.get("at", TIME)?.unwrap_or_default(),
            to_ns: params.get("to", TIME)?,
            lowest: params.parse("lowest", ADDRESS, address)?,
            highest: params.parse("highest", ADDRESS, address)?,
            merge_bytes: params.get("merge", "a number of bytes")?.unwrap_or_default(),
            offset: params.get("offset", "a number of blocks")?.unwrap_or_default(),
            limit: limit(params, "limit")?,
            places: limit(params, "places")?,
        })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        self.of.write(out)?;
        out.pair("at", Some(self.at_ns))?;
        out.pair("to", self.to_ns)?;
        out.pair("lowest", self.lowest.map(|address| format!("{address:#x}")))?;
        out.pair("highest", self.highest.map(|address| format!("{address:#x}")))?;
        out.pair("merge", Some(self.merge_bytes).filter(|bytes| *bytes > 0))?;
        out.pair("offset", Some(self.offset).filter(|offset| *offset > 0))?;
        write_limit(self.limit, "limit", out)?;
        write_limit(self.places, "places", out)
    }
}

/// Parses an address, decimal or hexadecimal.
fn address(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

words! {
    /// Order of allocations; ties by row.
    AllocationOrder {
        /// Time of allocation, ascending.
        #[default]
        At = "at",
        /// Time of allocation, descending.
        AtDown = "-at",
        /// Size, ascending.
        Size = "size",
        /// Size, descending.
        SizeDown = "-size",
        /// Lifetime, ascending; up to the trace's end if not released.
        Lifetime = "lifetime",
        /// Lifetime, descending.
        LifetimeDown = "-lifetime",
        /// Address, ascending.
        Pointer = "pointer",
        /// Address, descending.
        PointerDown = "-pointer",
    }
}

/// `allocations?…`: a page of a list of allocations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AllocationsQuestion {
    /// The filter.
    pub of: MemoryOf,
    /// `from`: those live then or later.
    pub from_ns: Option<u64>,
    /// `to`: those made before that moment.
    pub to_ns: Option<u64>,
    /// `text`: those whose file, function or device contains it, ignoring case; or whose address equals it.
    pub text: String,
    /// `path`: those made in this file, by its full path.
    pub path: Option<String>,
    /// `line`: those made in this line.
    pub line: Option<u32>,
    /// `least`: minimum size in bytes.
    pub least_bytes: Option<u64>,
    /// `most`: maximum size in bytes.
    pub most_bytes: Option<u64>,
    /// `unreleased=true`: those never released.
    pub unreleased: bool,
    /// `sort`
    pub sort: AllocationOrder,
    /// `offset`: number of skipped allocations.
    pub offset: u64,
    /// `limit`: maximum number.
    pub limit: u32,
}

impl AllocationsQuestion {
    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        const BYTES: &str = "a number of bytes";
        let of = MemoryOf::read(params)?;
        let (from_ns, to_ns) = range::read(params)?;
        Ok(Self {
            of,
            from_ns,
            to_ns,
            text: params.text("text").unwrap_or_default(),
            path: params.text("path"),
            line: params.get("line", "the number of a line")?,
            least_bytes: params.get("least", BYTES)?,
            most_bytes: params.get("most", BYTES)?,
            unreleased: flag(params, "unreleased")?,
            sort: AllocationOrder::read(params, "sort")?,
            offset: params.get("offset", "a number of allocations")?.unwrap_or_default(),
            limit: limit(params, "limit")?,
        })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        self.of.write(out)?;
        range::write((self.from_ns, self.to_ns), out)?;
        out.pair("text", Some(&self.text).filter(|text| !text.is_empty()))?;
        out.pair("path", self.path.as_ref())?;
        out.pair("line", self.line)?;
        out.pair("least", self.least_bytes)?;
        out.pair("most", self.most_bytes)?;
        out.pair("unreleased", Some(true).filter(|_| self.unreleased))?;
        self.sort.write("sort", out)?;
        out.pair("offset", Some(self.offset).filter(|offset| *offset > 0))?;
        write_limit(self.limit, "limit", out)
    }
}

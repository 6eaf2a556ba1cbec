//! Columns of the memory view's short tables: live memory at a moment, and problems.

use syclscope_language::api::{
    Growth, LeakPlace, LocationInfo, MemoryAt, MemoryBlock, MemoryPlace, Misuse, PlaceChange, TraceInfo,
};

use super::names;
use crate::format;
use crate::state::table::{Column, forms};
use crate::state::words;

/// An address with all digits, so that it sorts as text.
fn sorted_address(pointer: u64) -> String {
    format!("{pointer:#018x}")
}

fn signed_bytes(value: f64) -> String {
    if value > 0.0 { format!("+{}", format::bytes(value)) } else { format::bytes(value) }
}

pub fn place(location: Option<&LocationInfo>) -> String {
    let place = location.map(words::short_place).unwrap_or_default();
    if place.is_empty() { "unknown location".to_owned() } else { place }
}

fn memory(
    info: &TraceInfo,
    kind: syclscope_language::event::AllocationKind,
    process: u32,
    device: &str,
) -> String {
    let title = names::title(info, kind, process);
    if device.is_empty() { title } else { format!("{title} · {device}") }
}

/// Live memory of an allocation site.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceRow {
    place: String,
    memory: String,
    bytes: u64,
    count: u64,
    pub location: Option<LocationInfo>,
}

impl PlaceRow {
    pub fn new(info: &TraceInfo, known: &MemoryPlace) -> Self {
        Self {
            place: place(known.location.as_ref()),
            memory: memory(info, known.kind, known.process, &known.device),
            bytes: known.amount.bytes,
            count: known.amount.count,
            location: known.location.clone(),
        }
    }
}

pub static PLACES: [Column<PlaceRow>; 4] = [
    Column::text("place", "Allocated in", |row| row.place.clone()),
    Column::text("memory", "Memory", |row| row.memory.clone()),
    Column::amount("bytes", "Live", |row| row.bytes as f64, format::bytes),
    Column::amount("count", "Allocations", |row| row.count as f64, forms::whole),
];

/// Change of an allocation site.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeRow {
    place: String,
    memory: String,
    kept: u64,
    allocated: u64,
    released: u64,
    passed: u64,
    pub location: Option<LocationInfo>,
}

impl ChangeRow {
    pub fn new(info: &TraceInfo, known: &PlaceChange) -> Self {
        Self {
            place: place(known.location.as_ref()),
            memory: memory(info, known.kind, known.process, &known.device),
            kept: known.kept.bytes,
            allocated: known.allocated.bytes,
            released: known.released.bytes,
            passed: known.passed.bytes,
            location: known.location.clone(),
        }
    }
}

pub static CHANGES: [Column<ChangeRow>; 7] = [
    Column::text("place", "Allocated in", |row| row.place.clone()),
    Column::text("memory", "Memory", |row| row.memory.clone()),
    Column::amount("change", "Change", |row| row.allocated as f64 - row.released as f64, signed_bytes),
    Column::amount("allocated", "New", |row| row.allocated as f64, format::bytes),
    Column::amount("released", "Released", |row| row.released as f64, format::bytes),
    Column::amount("kept", "At both", |row| row.kept as f64, format::bytes),
    Column::amount("passed", "Only in between", |row| row.passed as f64, format::bytes),
];

#[derive(Clone, Debug, PartialEq)]
pub struct BlockRow {
    address: String,
    pointer: u64,
    memory: String,
    bytes: u64,
    made_ns: u64,
    released_ns: Option<u64>,
    place: String,
    pub allocation: u32,
}

impl BlockRow {
    pub fn new(info: &TraceInfo, at: &MemoryAt, block: &MemoryBlock) -> Self {
        let space = at.spaces.get(block.space as usize);
        let location = block.location.and_then(|location| at.locations.get(location as usize));
        let count = if block.count > 1 {
            format!(" ({} merged)", format::count(block.count.into()))
        } else {
            String::new()
        };
        Self {
            address: format!("{:#x}{count}", block.pointer),
            pointer: block.pointer,
            memory: space
                .map_or_else(String::new, |space| memory(info, space.kind, space.process, &space.device)),
            bytes: block.bytes,
            made_ns: block.at_ns,
            released_ns: block.released_ns,
            place: place(location),
            allocation: block.allocation,
        }
    }
}

pub static BLOCKS: [Column<BlockRow>; 6] = [
    Column::words("address", "Address", |row| row.address.clone(), |row| sorted_address(row.pointer)),
    Column::text("memory", "Memory", |row| row.memory.clone()),
    Column::amount("bytes", "Size", |row| row.bytes as f64, format::bytes),
    Column::amount("made", "Allocated at", |row| row.made_ns as f64, format::duration),
    Column::amount(
        "released",
        "Released at",
        |row| row.released_ns.map_or(f64::INFINITY, |at| at as f64),
        forms::moment_or_never,
    ),
    Column::text("place", "Allocated in", |row| row.place.clone()),
];

/// Leaks of an allocation site.
#[derive(Clone, Debug, PartialEq)]
pub struct LeakRow {
    place: String,
    memory: String,
    bytes: u64,
    count: u64,
    made: u64,
    first_ns: u64,
    last_ns: u64,
    pub location: Option<LocationInfo>,
    pub objects: Vec<u32>,
}

impl LeakRow {
    pub fn new(info: &TraceInfo, known: &LeakPlace) -> Self {
        Self {
            place: place(known.location.as_ref()),
            memory: memory(info, known.kind, known.process, &known.device),
            bytes: known.live.bytes,
            count: known.live.count,
            made: known.made.count,
            first_ns: known.first_ns,
            last_ns: known.last_ns,
            location: known.location.clone(),
            objects: known.objects.clone(),
        }
    }
}

/// Live memory at the end, by allocation site.
pub static LEAKS: [Column<LeakRow>; 7] = [
    Column::text("place", "Allocated in", |row| row.place.clone()),
    Column::text("memory", "Memory", |row| row.memory.clone()),
    Column::amount("bytes", "Never released", |row| row.bytes as f64, format::bytes),
    Column::amount("count", "Allocations", |row| row.count as f64, forms::whole),
    Column::amount("made", "Of total", |row| row.made as f64, forms::whole),
    Column::amount("first", "First at", |row| row.first_ns as f64, format::duration),
    Column::amount("last", "Last at", |row| row.last_ns as f64, format::duration),
];

#[derive(Clone, Debug, PartialEq)]
pub struct GrowthRow {
    place: String,
    memory: String,
    rounds: String,
    bytes_per_round: f64,
    count_per_round: f64,
    live: String,
    last_bytes: u64,
    pub location: Option<LocationInfo>,
}

impl GrowthRow {
    pub fn new(info: &TraceInfo, known: &Growth) -> Self {
        let rounds = match (known.is_loop, &known.loop_location) {
            (true, Some(location)) => {
                format!("{} (loop in {})", format::count(known.rounds), words::short_place(location))
            }
            (true, None) => format!("{} (loop)", format::count(known.rounds)),
            (false, _) => format::counted(known.rounds, "allocation", "allocations"),
        };
        let live: Vec<u64> = known.live.iter().map(|live| live.bytes).collect();
        Self {
            place: place(known.location.as_ref()),
            memory: memory(info, known.kind, known.process, &known.device),
            rounds,
            bytes_per_round: known.bytes_per_round,
            count_per_round: known.count_per_round,
            last_bytes: live.last().copied().unwrap_or(0),
            live: bars(&live),
            location: known.location.clone(),
        }
    }
}

/// One letter per value, as tall as its share of the maximum.
fn bars(values: &[u64]) -> String {
    const LETTERS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = values.iter().copied().max().unwrap_or(0).max(1) as f64;
    let letter = |value: &u64| LETTERS[((*value as f64 / most * 8.0).ceil() as usize).clamp(1, 8) - 1];
    // If there are more than fit into a column, only some are shown.
    let step = values.len().div_ceil(24).max(1);
    values.iter().step_by(step).map(letter).collect()
}

pub static GROWTH: [Column<GrowthRow>; 7] = [
    Column::text("place", "Allocated in", |row| row.place.clone()),
    Column::text("memory", "Memory", |row| row.memory.clone()),
    Column::text("rounds", "Iterations", |row| row.rounds.clone()),
    Column::amount("bytes", "Growth per iteration", |row| row.bytes_per_round, format::bytes),
    Column::amount("count", "Allocations per iteration", |row| row.count_per_round, decimal),
    Column::amount("last", "Live at end", |row| row.last_bytes as f64, format::bytes),
    Column::text("live", "Live over time", |row| row.live.clone()),
];

fn decimal(value: f64) -> String {
    format::quantity(value, "")
}

#[derive(Clone, Debug, PartialEq)]
pub struct MisuseRow {
    what: String,
    message: String,
    pointer: u64,
    at_ns: u64,
    place: String,
    allocated: String,
    released: String,
    result: String,
    pub misuse: Misuse,
}

impl MisuseRow {
    pub fn new(known: &Misuse) -> Self {
        let released = match (&known.released_location, known.released_ns) {
            (Some(location), _) => words::short_place(location),
            (None, Some(at_ns)) => format!("at {}", format::moment(at_ns as f64)),
            (None, None) => "–".to_owned(),
        };
        Self {
            what: names::misuse(known.kind).to_owned(),
            message: known.message.clone(),
            pointer: known.pointer,
            at_ns: known.at_ns,
            place: place(known.location.as_ref()),
            allocated: known.allocated_location.as_ref().map_or_else(|| "–".to_owned(), words::short_place),
            released,
            result: known.result.clone(),
            misuse: known.clone(),
        }
    }
}

pub static MISUSE: [Column<MisuseRow>; 8] = [
    Column::text("what", "What", |row| row.what.clone()),
    Column::amount("at", "When", |row| row.at_ns as f64, format::duration),
    Column::text("place", "Called in", |row| row.place.clone()),
    Column::text("released", "First released in", |row| row.released.clone()),
    Column::text("allocated", "Allocated in", |row| row.allocated.clone()),
    Column::words(
        "pointer",
        "Address",
        |row| format!("{:#x}", row.pointer),
        |row| sorted_address(row.pointer),
    ),
    Column::text("result", "Result", |row| row.result.clone()),
    Column::text("message", "Explanation", |row| row.message.clone()),
];

#[cfg(test)]
mod tests {
    use syclscope_language::api::{Amount, MemorySpace};
    use syclscope_language::event::AllocationKind;

    use super::*;
    use crate::state::table::csv;

    fn location(line: u32) -> LocationInfo {
        LocationInfo { file: "/src/heat.cpp".into(), function: "main".into(), line, column: 3 }
    }

    #[test]
    fn what_was_alive_is_told_by_place_and_block() {
        let info = TraceInfo::default();
        let known = MemoryPlace {
            kind: AllocationKind::Device,
            device: "GPU".into(),
            location: Some(location(7)),
            amount: Amount { count: 2, bytes: 8192 },
            ..MemoryPlace::default()
        };
        let rows = [PlaceRow::new(&info, &known), PlaceRow::new(&info, &MemoryPlace::default())];
        let text = csv(&PLACES, &rows);
        assert_eq!(
            text,
            "Allocated in,Memory,Live,Allocations\r\nheat.cpp:7,USM device · GPU,8192,2\r\n\
             unknown location,Other memory,0,0\r\n"
        );
        let block = MemoryBlock {
            allocation: 4,
            pointer: 0x1000,
            bytes: 4096,
            count: 1,
            at_ns: 1_500,
            location: Some(0),
            ..MemoryBlock::default()
        };
        let space = MemorySpace { kind: AllocationKind::Host, ..MemorySpace::default() };
        let at = MemoryAt { spaces: vec![space], locations: vec![location(9)], ..MemoryAt::default() };
        let row = BlockRow::new(&info, &at, &block);
        let cells: Vec<String> = BLOCKS.iter().map(|column| column.show(&row)).collect();
        assert_eq!(cells, ["0x1000", "USM host", "4 KiB", "1.5 µs", "never", "heat.cpp:9"]);
    }

    #[test]
    fn changes_growth_and_faults_are_told_in_words() {
        let info = TraceInfo::default();
        let bytes = |bytes| Amount { count: 1, bytes };
        let change = PlaceChange { allocated: bytes(4096), released: bytes(8192), ..PlaceChange::default() };
        let row = ChangeRow::new(&info, &change);
        assert_eq!(CHANGES[2].show(&row), "-4 KiB");
        let growth = Growth {
            rounds: 3,
            is_loop: true,
            loop_location: Some(location(20)),
            bytes_per_round: 1024.0,
            count_per_round: 0.5,
            live: vec![bytes(1024), bytes(2048), bytes(3072)],
            ..Growth::default()
        };
        let row = GrowthRow::new(&info, &growth);
        let cells: Vec<String> = GROWTH[2..].iter().map(|column| column.show(&row)).collect();
        assert_eq!(cells, ["3 (loop in heat.cpp:20)", "1 KiB", "0.5", "3 KiB", "▃▆█"]);
        let misuse = Misuse {
            kind: syclscope_language::api::MisuseKind::DoubleRelease,
            location: Some(location(30)),
            released_ns: Some(2_000),
            ..Misuse::default()
        };
        let row = MisuseRow::new(&misuse);
        let cells: Vec<String> = MISUSE[..5].iter().map(|column| column.show(&row)).collect();
        assert_eq!(cells, ["released twice", "0 ns", "heat.cpp:30", "at 2 µs", "–"]);
    }
}

//! Columns of the memory view's short tables: live memory at a moment, and problems.

use syclscope_language::api::{
    Growth, LeakPlace, LocationInfo, MemoryAt, MemoryBlock, MemoryPlace, Misuse, PlaceChange, TraceInfo,
};

use super::names;
use crate::format;
use crate::state::table::{Column, forms};
use crate::state::words;

/// Formats an address with all digits, so that it sorts as text.
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

#[derive(Clone, Debug, PartialEq)]
pub struct Row<T> {
    memory: String,
    pub entry: T,
}

macro_rules! rows {
    ($($entry:ident),+) => {$(
        impl Row<$entry> {
            pub fn new(info: &TraceInfo, entry: &$entry) -> Self {
                let memory = memory(info, entry.kind, entry.process, &entry.device);
                Self { memory, entry: entry.clone() }
            }

            pub fn location(&self) -> Option<LocationInfo> {
                self.entry.location.clone()
            }
        }
    )+};
}

rows!(MemoryPlace, PlaceChange, LeakPlace, Growth);

pub static PLACES: [Column<Row<MemoryPlace>>; 4] = [
    Column::text("place", "Allocated in", |row| place(row.entry.location.as_ref())),
    Column::text("memory", "Memory", |row| row.memory.clone()),
    Column::amount("bytes", "Live", |row| row.entry.amount.bytes as f64, format::bytes),
    Column::amount("count", "Allocations", |row| row.entry.amount.count as f64, forms::whole),
];

pub static CHANGES: [Column<Row<PlaceChange>>; 7] = [
    Column::text("place", "Allocated in", |row| place(row.entry.location.as_ref())),
    Column::text("memory", "Memory", |row| row.memory.clone()),
    Column::amount(
        "change",
        "Change",
        |row| row.entry.allocated.bytes as f64 - row.entry.released.bytes as f64,
        signed_bytes,
    ),
    Column::amount("allocated", "New", |row| row.entry.allocated.bytes as f64, format::bytes),
    Column::amount("released", "Released", |row| row.entry.released.bytes as f64, format::bytes),
    Column::amount("kept", "At both", |row| row.entry.kept.bytes as f64, format::bytes),
    Column::amount("passed", "Only in between", |row| row.entry.passed.bytes as f64, format::bytes),
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
    Column::amount("made", "Allocated at", |row| row.made_ns as f64, format::moment),
    Column::amount(
        "released",
        "Released at",
        |row| row.released_ns.map_or(f64::INFINITY, |at| at as f64),
        forms::moment_or_never,
    ),
    Column::text("place", "Allocated in", |row| row.place.clone()),
];

pub static LEAKS: [Column<Row<LeakPlace>>; 7] = [
    Column::text("place", "Allocated in", |row| place(row.entry.location.as_ref())),
    Column::text("memory", "Memory", |row| row.memory.clone()),
    Column::amount("bytes", "Never released", |row| row.entry.live.bytes as f64, format::bytes),
    Column::amount("count", "Allocations", |row| row.entry.live.count as f64, forms::whole),
    Column::amount("made", "Of total", |row| row.entry.made.count as f64, forms::whole),
    Column::amount("first", "First at", |row| row.entry.first_ns as f64, format::moment),
    Column::amount("last", "Last at", |row| row.entry.last_ns as f64, format::moment),
];

fn rounds(growth: &Growth) -> String {
    match (growth.is_loop, &growth.loop_location) {
        (true, Some(location)) => {
            format!("{} (loop in {})", format::count(growth.rounds), words::short_place(location))
        }
        (true, None) => format!("{} (loop)", format::count(growth.rounds)),
        (false, _) => format::counted(growth.rounds, "allocation", "allocations"),
    }
}

fn live(growth: &Growth) -> Vec<u64> {
    growth.live.iter().map(|live| live.bytes).collect()
}

/// Returns one letter per shown value, as tall as its share of the maximum.
fn bars(values: &[u64]) -> String {
    let max = values.iter().copied().max().unwrap_or(0);
    // If there are more than fit into a column, only some are shown.
    let step = values.len().div_ceil(24).max(1);
    values.iter().step_by(step).map(|value| format::bar(*value, max)).collect()
}

pub static GROWTH: [Column<Row<Growth>>; 7] = [
    Column::text("place", "Allocated in", |row| place(row.entry.location.as_ref())),
    Column::text("memory", "Memory", |row| row.memory.clone()),
    Column::counted("rounds", "Iterations", |row| rounds(&row.entry), |row| row.entry.rounds as f64),
    Column::amount("bytes", "Growth per iteration", |row| row.entry.bytes_per_round, format::bytes),
    Column::amount("count", "Allocations per iteration", |row| row.entry.count_per_round, decimal),
    Column::amount(
        "last",
        "Live at end",
        |row| row.entry.live.last().map_or(0, |last| last.bytes) as f64,
        format::bytes,
    ),
    Column::text("live", "Live over time", |row| bars(&live(&row.entry))),
];

pub fn decimal(value: f64) -> String {
    format::quantity(value, "")
}

fn released(misuse: &Misuse) -> String {
    match (&misuse.released_location, misuse.released_ns) {
        (Some(location), _) => words::short_place(location),
        (None, Some(at_ns)) => format!("at {}", format::moment(at_ns as f64)),
        (None, None) => "–".to_owned(),
    }
}

pub static MISUSE: [Column<Misuse>; 8] = [
    Column::text("what", "Misuse", |row| names::misuse(row.kind).to_owned()),
    Column::amount("at", "When", |row| row.at_ns as f64, format::moment),
    Column::text("place", "Called in", |row| place(row.location.as_ref())),
    Column::text("released", "First released in", released),
    Column::text("allocated", "Allocated in", |row| {
        row.allocated_location.as_ref().map_or_else(|| "–".to_owned(), words::short_place)
    }),
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
    use crate::state::table::{Order, csv};

    fn location(line: u32) -> LocationInfo {
        LocationInfo { file: "/src/heat.cpp".into(), function: "main".into(), line, column: 3 }
    }

    #[test]
    fn iterations_are_sorted_as_numbers() {
        let info = TraceInfo::default();
        let of = |rounds| Row::<Growth>::new(&info, &Growth { rounds, ..Growth::default() });
        let mut rows = [of(10), of(9), of(1_000), of(200)];
        Order::from_text("rounds").sort(&GROWTH, &mut rows);
        assert_eq!(rows.each_ref().map(|row| row.entry.rounds), [9, 10, 200, 1_000]);
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
        let rows =
            [Row::<MemoryPlace>::new(&info, &known), Row::<MemoryPlace>::new(&info, &MemoryPlace::default())];
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
        let row = Row::<PlaceChange>::new(&info, &change);
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
        let row = Row::<Growth>::new(&info, &growth);
        let cells: Vec<String> = GROWTH[2..].iter().map(|column| column.show(&row)).collect();
        assert_eq!(cells, ["3 (loop in heat.cpp:20)", "1 KiB", "0.5", "3 KiB", "▃▆█"]);
        let misuse = Misuse {
            kind: syclscope_language::api::MisuseKind::DoubleRelease,
            location: Some(location(30)),
            released_ns: Some(2_000),
            ..Misuse::default()
        };
        let cells: Vec<String> = MISUSE[..5].iter().map(|column| column.show(&misuse)).collect();
        assert_eq!(cells, ["released twice", "0 ns", "heat.cpp:30", "at 2 µs", "–"]);
    }
}

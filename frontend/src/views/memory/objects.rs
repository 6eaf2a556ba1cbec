//! The table of objects: buffers, images and USM, each in one row with its memory and host pointer. Columns for rare
//! questions are last.

use syclscope_language::api::{AccessorCount, Amount, NativeMemory, ObjectItem, Placement, Side};

use super::columns::place;
use super::names;
use crate::format;
use crate::state::objects::selections;
use crate::state::rows::{Cell, Head, Link, Row};
use crate::state::selection::Selection;

const MAX_STRETCHES: usize = 5;

pub static HEADS: [Head; 16] = [
    Head::new("Object", None, false, "minmax(108px, 1.6fr)"),
    Head::new("Size", Some("size"), true, "62px"),
    Head::new("Lifetime", Some("lifetime"), true, "62px"),
    Head::new("Uses", Some("commands"), true, "44px"),
    Head::new("Flags", None, false, "minmax(86px, 1fr)"),
    Head::new("Created in", None, false, "minmax(104px, 1.2fr)"),
    Head::new("Content", None, false, "minmax(84px, 1.2fr)"),
    Head::new("Copied in", None, true, "76px"),
    Head::new("Copied out", Some("copied"), true, "76px"),
    Head::new("Accessors", None, false, "minmax(104px, 1.4fr)"),
    Head::new("Timeline", None, false, "72px"),
    Head::new("Created at", Some("made"), false, "62px"),
    Head::new("Untouched", Some("untouched"), true, "80px"),
    Head::new("Idle at end", Some("idle"), true, "60px"),
    Head::new("Elements", None, false, "minmax(84px, 1fr)"),
    Head::new("Backing memory", None, false, "minmax(104px, 1.6fr)"),
];

pub fn elements(item: &ObjectItem) -> String {
    let range: Vec<String> = item.range.iter().map(|elements| format::count(*elements)).collect();
    let parts = [item.element_type.clone(), range.join(" × ")];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(" × ")
}

pub fn accessors(accessors: &[AccessorCount]) -> String {
    let uses = accessors.iter().map(|accessor| {
        let (mode, target) = (accessor.mode.replace('_', " "), accessor.target.replace('_', " "));
        format!("{mode} on {target} ×{}", format::count(accessor.count))
    });
    uses.collect::<Vec<_>>().join(", ")
}

pub fn placement(placement: &[Placement]) -> String {
    let mut sides: Vec<&str> = Vec::new();
    for stretch in placement.iter().filter(|stretch| stretch.side != Side::Nowhere) {
        let side = names::side(stretch.side);
        if sides.last() != Some(&side) {
            sides.push(side);
        }
    }
    let more = if sides.len() > MAX_STRETCHES { " → …" } else { "" };
    sides.truncate(MAX_STRETCHES);
    sides.join(" → ") + more
}

pub fn flags(item: &ObjectItem) -> String {
    item.problems.iter().map(|problem| names::problem(*problem)).collect::<Vec<_>>().join(", ")
}

/// Describes the native memory, the host memory that the object wraps, and the device of a USM allocation.
pub fn behind(item: &ObjectItem) -> String {
    let memory = |memory: &NativeMemory| match (memory.handle, memory.native) {
        (0, _) => None,
        (handle, 0) => Some(format!("handle {handle:#x}")),
        (handle, native) => Some(format!("handle {handle:#x} of {native:#x}")),
    };
    let mut parts: Vec<String> = item.memory.iter().filter_map(memory).collect();
    if item.host_pointer != 0 {
        parts.push(format!("host pointer {:#x}", item.host_pointer));
    }
    if item.object.is_none() && !item.device.is_empty() {
        parts.push(item.device.clone());
    }
    parts.join(", ")
}

/// Creates a cell with bytes and count.
fn amount_cell(amount: Amount) -> Cell {
    let text = match amount.count {
        0 => "–".to_owned(),
        count => format!("{} ×{}", format::bytes(amount.bytes as f64), format::count(count)),
    };
    Cell { text, exported: Some(amount.bytes.to_string()), link: None }
}

/// Creates the row of an object; `end_ns` is the trace's end.
pub fn row(item: &ObjectItem, end_ns: u64) -> Row {
    let location = item.location.as_ref();
    let line = location
        .map(|location| Link::Select(Selection::Line { file: location.file.clone(), line: location.line }));
    let lived = item.gone_ns.unwrap_or(end_ns).saturating_sub(item.made_ns) as f64;
    let accessors = match accessors(&item.accessors) {
        // USM has no accessors.
        none if none.is_empty() && item.object.is_none() => "–".to_owned(),
        uses => uses,
    };
    let cells = vec![
        Cell::text(item.title()),
        Cell::number(Some(item.size_bytes as f64), format::bytes),
        Cell::number(Some(lived), format::duration),
        // Kernels may use USM without a record.
        Cell::number((item.uses_known || item.commands > 0).then_some(item.commands as f64), whole),
        Cell::text(flags(item)),
        Cell::text(place(location)).to(line),
        Cell::text(placement(&item.placement)),
        amount_cell(item.copied_in),
        amount_cell(item.copied_out),
        Cell::text(accessors),
        Cell { exported: Some(item.id.to_string()), ..Cell::text("Show track") }
            .to(Some(Link::Lane(item.id))),
        Cell {
            exported: Some(item.made_ns.to_string()),
            ..Cell::text(format::duration(item.made_ns as f64))
        },
        Cell::number(item.untouched_bytes.map(|bytes| bytes as f64), format::bytes),
        Cell::number(item.idle_at_end_ns.map(|idle| idle as f64), format::duration),
        Cell::text(elements(item)),
        Cell::text(behind(item)),
    ];
    Row { cells, selections: selections(item), at: None, objects: vec![item.id] }
}

fn whole(value: f64) -> String {
    format::count(value as u64)
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::{LocationInfo, ObjectProblem, ObjectWhat};

    use super::*;

    #[test]
    fn a_buffer_and_its_memory_are_on_one_row() {
        let item = ObjectItem {
            id: 3,
            what: ObjectWhat::Buffer,
            object: Some(7),
            host_pointer: 0x5000,
            element_type: "float".into(),
            range: vec![1024, 2],
            size_bytes: 8192,
            made_ns: 1_000,
            gone_ns: Some(5_000),
            location: Some(LocationInfo {
                file: "/s/heat.cpp".into(),
                function: String::new(),
                line: 9,
                column: 0,
            }),
            memory: vec![NativeMemory {
                allocation: Some(4),
                handle: 0x10,
                native: 0x20,
                ..NativeMemory::default()
            }],
            accessors: vec![AccessorCount { target: "device".into(), mode: "read_write".into(), count: 12 }],
            commands: 13,
            copied_in: Amount { count: 2, bytes: 16_384 },
            problems: vec![ObjectProblem::ReleasedLate, ObjectProblem::Oversize],
            placement: [Side::Nowhere, Side::Host, Side::Device, Side::Device, Side::Both]
                .map(|side| Placement { side, ..Placement::default() })
                .to_vec(),
            untouched_bytes: Some(4096),
            ..ObjectItem::default()
        };
        let row = row(&item, 10_000);
        let texts: Vec<&str> = row.cells.iter().map(|cell| cell.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "Buffer 7",
                "8 KiB",
                "4 µs",
                "13",
                "released late, oversize",
                "heat.cpp:9",
                "host → device → host and device",
                "16 KiB ×2",
                "–",
                "read write on device ×12",
                "Show track",
                "1 µs",
                "4 KiB",
                "–",
                "float × 1,024 × 2",
                "handle 0x10 of 0x20, host pointer 0x5000",
            ]
        );
        assert_eq!(row.selections, [Selection::Object(7), Selection::Allocation(4)]);
        assert_eq!((row.cells.len(), &row.objects[..]), (HEADS.len(), &[3][..]));
        assert_eq!(row.cells[10].link, Some(Link::Lane(3)));
        assert_eq!(row.cells[7].exported.as_deref(), Some("16384"));
    }

    #[test]
    fn usm_is_known_by_its_address() {
        let item = ObjectItem {
            what: ObjectWhat::Device,
            pointer: 0x7f00,
            device: "GPU".into(),
            memory: vec![NativeMemory { allocation: Some(2), ..NativeMemory::default() }],
            ..ObjectItem::default()
        };
        let row = row(&item, 10);
        assert_eq!((row.cells[0].text.as_str(), row.cells[15].text.as_str()), ("USM device 0x7f00", "GPU"));
        assert_eq!((row.cells[9].text.as_str(), row.selections), ("–", vec![Selection::Allocation(2)]));
        assert_eq!(row.cells[3].text, "–", "its uses are unknown");
    }
}

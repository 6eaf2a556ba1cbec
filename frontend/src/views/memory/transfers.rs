//! The table of transfers: bytes, cause, rate, and need.

use syclscope_language::api::{Transfer, TransferCause, TransferCauseKind, TransferSums};

use super::columns::{decimal, place};
use super::names;
use crate::format;
use crate::state::rows::{Cell, Head, Link, Row};
use crate::state::selection::Selection;

pub static HEADS: [Head; 11] = [
    Head::new("Copy", None, false, "minmax(144px, 1fr)"),
    Head::new("Bytes", Some("bytes"), true, "64px"),
    Head::new("Duration", Some("duration"), true, "72px"),
    Head::new("From → to", None, false, "minmax(108px, 1fr)"),
    Head::new("Start", Some("start"), false, "86px"),
    Head::new("GB/s", Some("rate"), true, "52px"),
    Head::new("Needed", None, false, "minmax(84px, 0.8fr)"),
    Head::new("Explanation", None, false, "minmax(274px, 3fr)"),
    Head::new("Cause", None, false, "minmax(150px, 1.6fr)"),
    Head::new("Caused in", None, false, "minmax(134px, 1fr)"),
    Head::new("Evidence", None, false, "106px"),
];

pub fn cause(cause: &TransferCause) -> String {
    let mut text = names::cause(cause.kind).to_owned();
    if !cause.mode.is_empty() {
        text = format!("{} {text}", cause.mode.replace('_', " "));
    }
    match (cause.name.is_empty(), cause.node) {
        (false, _) if cause.kind == TransferCauseKind::Program => format!("{text}: {}", cause.name),
        (false, _) => format!("{text} of {}", cause.name),
        (true, Some(node)) => format!("{text} of command {node}"),
        (true, None) => text,
    }
}

pub fn row(transfer: &Transfer) -> Row {
    let line = transfer
        .location
        .as_ref()
        .map(|location| Link::Select(Selection::Line { file: location.file.clone(), line: location.line }));
    let cause_link = transfer.cause.at.map(Link::Slice);
    let evidence = transfer.evidence.map(|at| format!("at {}", format::moment(at.start_ns as f64)));
    let name = match (&transfer.name, transfer.node) {
        (name, Some(node)) if name.is_empty() => format!("copy {node}"),
        (name, _) => name.clone(),
    };
    let cells = vec![
        Cell::text(name),
        Cell::number(transfer.bytes.map(|bytes| bytes as f64), format::bytes),
        Cell::number(transfer.duration_ns.map(|length| length as f64), format::duration),
        Cell::text(format!("{} → {}", names::side(transfer.from), names::side(transfer.to))),
        Cell {
            exported: Some(transfer.start_ns.to_string()),
            ..Cell::text(format::moment(transfer.start_ns as f64))
        },
        Cell::number(transfer.bytes_per_ns, decimal),
        Cell {
            exported: Some(names::need(transfer.need).to_owned()),
            ..Cell::text(names::short_need(transfer.need))
        },
        Cell::text(transfer.why.clone()),
        Cell::text(cause(&transfer.cause)).to(cause_link),
        Cell::text(place(transfer.location.as_ref())).to(line),
        Cell::text(evidence.unwrap_or_default()).to(transfer.evidence.map(Link::Slice)),
    ];
    let slice = transfer.at.or(transfer.call);
    let node = transfer.node.map(Selection::Node);
    let selections = slice.map(|at| Selection::Slice(at.slice)).into_iter().chain(node).collect();
    let objects = transfer.from_object.into_iter().chain(transfer.to_object).collect();
    Row { cells, selections, at: slice, objects }
}

/// Formats number of copies, bytes, time and rate.
pub fn sums(sums: &TransferSums) -> String {
    let mut parts = vec![format::counted(sums.count, "copy", "copies")];
    if sums.bytes > 0 {
        parts.push(format::bytes(sums.bytes as f64));
    }
    if sums.total_ns > 0 {
        // Copies of several devices overlap.
        parts.push(format!("{} summed", format::duration(sums.total_ns as f64)));
    }
    if sums.bytes_per_ns > 0.0 {
        parts.push(format!("{} GB/s", decimal(sums.bytes_per_ns)));
    }
    parts.join(" · ")
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::{Need, Side, SliceRef};

    use super::*;

    #[test]
    fn a_copy_tells_what_why_and_whether_it_was_needed() {
        let at = SliceRef { slice: 5, track: 0, lane: 0, start_ns: 9_000, duration_ns: 10 };
        let transfer = Transfer {
            node: Some(3),
            at: Some(at),
            start_ns: 12_000,
            duration_ns: Some(1_000),
            from: Side::Host,
            to: Side::Device,
            bytes: Some(4096),
            bytes_per_ns: Some(4.096),
            cause: TransferCause {
                kind: TransferCauseKind::Accessor,
                name: "diffuse".into(),
                mode: "read_write".into(),
                at: Some(at),
                ..TransferCause::default()
            },
            need: Need::Unchanged,
            why: "Nothing wrote to it.".into(),
            to_object: Some(7),
            evidence: Some(at),
            ..Transfer::default()
        };
        let row = row(&transfer);
        let texts: Vec<&str> = row.cells.iter().map(|cell| cell.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "copy 3",
                "4 KiB",
                "1 µs",
                "host → device",
                "12 µs",
                "4.096",
                "unchanged",
                "Nothing wrote to it.",
                "read write accessor of diffuse",
                "unknown location",
                "at 9 µs",
            ]
        );
        assert_eq!((row.cells.len(), &row.objects[..]), (HEADS.len(), &[7][..]));
        assert_eq!(row.selections, [Selection::Slice(5), Selection::Node(3)]);
        assert_eq!(row.cells[8].link, Some(Link::Slice(at)));
        let call = TransferCause { name: "urEnqueueUSMMemcpy".into(), ..TransferCause::default() };
        let by_program = TransferCause { kind: TransferCauseKind::Program, ..call };
        assert_eq!(cause(&by_program), "program: urEnqueueUSMMemcpy");
        let known = TransferSums { count: 2, bytes: 8192, total_ns: 2_000, bytes_per_ns: 4.096 };
        assert_eq!(sums(&known), "2 copies · 8 KiB · 2 µs summed · 4.096 GB/s");
        assert_eq!(sums(&TransferSums::default()), "0 copies");
    }
}

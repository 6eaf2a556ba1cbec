//! Parquet tables, against the trace, and their documentation.

use std::collections::BTreeMap;

use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::Field;
use syclscope_engine::budget::Budget;
use syclscope_engine::cancel::{self, Stopped, Work};
use syclscope_engine::import;
use syclscope_engine::store::Trace;
use syclscope_engine::tables::parquet::{Cell, describe, tables};
use syclscope_language::event::{NodeKind, QueueOrder};

use crate::recordings;
use crate::recordings::run::Command;
use crate::streams::{Piece, STREAMS, piece, with_streams};

/// A row: names and values.
type Row = Vec<(String, Field)>;

/// Returns the rows of every table, read by the crate's own reader.
fn read_back() -> (Trace, BTreeMap<&'static str, Vec<Row>>) {
    let bytes = recordings::write::<syclscope_engine::export::perfetto::Writer>(recordings::small);
    let trace = import::open(&bytes).unwrap();
    let mut found = BTreeMap::new();
    for table in tables(&trace) {
        let file = table.write(Vec::new()).unwrap();
        let reader = SerializedFileReader::new(bytes::Bytes::from(file)).unwrap();
        let rows = reader.get_row_iter(None).unwrap().map(|row| row.unwrap().into_columns());
        let rows: Vec<_> = rows.collect();
        assert_eq!(rows.len(), table.rows(), "{table:?}");
        found.insert(table.name(), rows);
    }
    (trace, found)
}

/// Returns a trace whose slices share one argument; a table repeats it in each row.
fn shared_text(slices: usize, bytes: usize) -> Trace {
    let text = "x".repeat(bytes);
    let events: Vec<String> = (0..slices)
        .map(|at| format!(r#"{{"ph":"X","ts":{at},"dur":1,"tid":1,"name":"a","args":{{"b":"{text}"}}}}"#))
        .collect();
    import::open(format!("[{}]", events.join(",")).as_bytes()).unwrap()
}

#[test]
fn what_is_written_counts_its_rows_and_texts() {
    let plenty = 1 << 50;
    for (slices, bytes) in [(20_000, 0), (40_000, 10), (500, 40_000), (100, 400_000)] {
        let trace = shared_text(slices, bytes);
        for table in tables(&trace) {
            let write = || table.write(std::io::sink()).map(drop).unwrap();
            let whole = Work::with_steps(plenty);
            cancel::within(&whole, Budget::unlimited(), write).unwrap();
            let steps = plenty - whole.left();
            assert!(table.rows() == 0 || steps > 0, "{table:?}");
            if table.name() == "slices" {
                assert!(steps >= (slices + slices * bytes / 100) as u64, "{steps} for {slices} × {bytes}");
            }
            if steps > 0 {
                let stopped = cancel::within(&Work::with_steps(steps - 1), Budget::unlimited(), write);
                assert_eq!(stopped, Err(Stopped::TooLong), "{table:?}");
                let off = Work::default();
                off.call_off();
                assert_eq!(cancel::within(&off, Budget::unlimited(), write), Err(Stopped::CalledOff));
            }
        }
    }
}

fn value<'a>(row: &'a [(String, Field)], name: &str) -> &'a Field {
    &row.iter().find(|(known, _)| known == name).unwrap().1
}

#[test]
fn tables_hold_what_the_trace_holds() {
    let (trace, tables) = read_back();
    let info = trace.info();
    let counts = info.counts;
    for (name, count) in [
        ("slices", counts.slices),
        ("nodes", counts.nodes),
        ("edges", counts.edges),
        ("executions", counts.executions),
        ("allocations", counts.allocations),
        ("flows", counts.flows),
        ("tracks", info.tracks.len() as u64),
        ("queues", info.queues.len() as u64),
        ("processes", info.processes.len() as u64),
        ("diagnostics", info.diagnostics.len() as u64),
    ] {
        assert_eq!(tables[name].len() as u64, count, "{name}");
    }
    for row in &tables["slices"] {
        let Field::Long(slice) = value(row, "slice") else { panic!("{row:?}") };
        let detail = trace.slice(*slice as u32).unwrap();
        assert_eq!(*value(row, "start_ns"), Field::Long(detail.at.start_ns as i64));
        assert_eq!(*value(row, "duration_ns"), Field::Long(detail.at.duration_ns as i64));
        assert_eq!(*value(row, "name"), Field::Str(detail.name.clone()));
        assert_eq!(*value(row, "track"), Field::Long(detail.at.track.into()));
        assert_eq!(*value(row, "lane"), Field::Long(detail.at.lane.into()));
        let Field::Str(args) = value(row, "args") else { panic!("{row:?}") };
        let args: serde_json::Map<String, serde_json::Value> = serde_json::from_str(args).unwrap();
        assert!(detail.args.iter().all(|(key, _)| args.contains_key(key)), "{args:?}");
    }
}

#[test]
fn memory_objects_and_command_graphs_have_their_process_and_thread() {
    let bytes = recordings::write::<syclscope_engine::export::perfetto::Writer>(recordings::whole);
    let trace = import::open(&bytes).unwrap();
    let tables = tables(&trace);
    for (name, rows) in [("objects", 1), ("command_graphs", 2)] {
        let table = tables.iter().find(|table| table.name() == name).unwrap();
        let column = |name: &str| table.columns().position(|column| column.name == name).unwrap();
        let (process, tid) = (column("process"), column("tid"));
        assert_eq!(table.rows(), rows, "{name}");
        for row in 0..rows {
            let found = [table.cell(process, row), table.cell(tid, row)];
            assert_eq!(found, [Cell::Integer(0), Cell::Integer(4711)], "{name}");
        }
    }
}

#[test]
fn work_that_the_program_gave_the_driver_itself_has_its_queue() {
    let mut run = with_streams(QueueOrder::InOrder);
    run.submit(Command { node: 1, at: 0, ran: (100, 200), ..Command::default() });
    let own = Piece { stream: STREAMS[0], kind: NodeKind::Kernel, name: "own", ran: (300, 400) };
    piece(&mut run, None, &own);
    let trace = run.trace();
    let tables = tables(&trace);
    let executions = tables.iter().find(|table| table.name() == "executions").unwrap();
    let queue = executions.columns().position(|column| column.name == "queue").unwrap();
    let queues: Vec<Cell<'_>> = (0..executions.rows()).map(|row| executions.cell(queue, row)).collect();
    assert_eq!(queues.len(), 2);
    assert!(!queues.contains(&Cell::Null) && queues[0] != queues[1], "{queues:?}");
}

#[test]
fn the_documents_say_what_the_columns_are() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/TABLES.md");
    let text = std::fs::read_to_string(path).unwrap();
    let described = describe();
    assert!(text.ends_with(&described), "docs/TABLES.md must end with:\n{described}");
}

//! Overlapping slices in other tools' traces: import and export in nearly linear time, however many are open at once.

use std::fmt::Write as _;

use proptest::prelude::*;
use syclscope_engine::emit::emit;
use syclscope_engine::export::{Exporter, chrome_json, perfetto};
use syclscope_engine::import;
use syclscope_engine::store::Trace;
use syclscope_language::event::{Event, EventSink as _, Execution, NodeKind};
use syclscope_language::time::Timestamp;

use crate::recordings::{Log, PROCESS, write};

fn open(json: &str) -> Trace {
    import::open(json.as_bytes()).unwrap()
}

/// Returns the trace after a conversion to a format and an import of the result.
fn converted<W: Exporter + Default>(trace: &Trace) -> Trace {
    let mut writer = W::default();
    emit(trace, &mut writer);
    writer.finish();
    let mut bytes = Vec::new();
    writer.drain_into(&mut bytes);
    import::open(&bytes).unwrap()
}

/// Writes an event on a line of its own.
fn event(json: &mut String, phase: char, at_us: u64, rest: std::fmt::Arguments<'_>) {
    let separator = if json.is_empty() { '[' } else { ',' };
    writeln!(json, r#"{separator}{{"ph":"{phase}","pid":1,"ts":{at_us},{rest}}}"#).unwrap();
}

/// Returns name, start and duration of every slice, sorted.
fn slices(trace: &Trace) -> Vec<(String, u64, u64)> {
    let slice = |row| {
        let slice = trace.slice(row).unwrap();
        (slice.name, slice.at.start_ns, slice.at.duration_ns)
    };
    let mut slices: Vec<_> = (0..trace.info().counts.slices as u32).map(slice).collect();
    slices.sort();
    slices
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn overlapping_slices_come_back(
        bounds in prop::collection::vec((0..200_u64, 0..100_u64, 0..3_usize, any::<bool>()), 1..60),
    ) {
        let mut json = String::new();
        for (number, (start, duration, name, on_a_thread)) in bounds.iter().enumerate() {
            let name = ["read", "wait", "send"][*name];
            if *on_a_thread {
                event(&mut json, 'X', *start, format_args!(r#""tid":3,"name":"{name}","dur":{duration}"#));
            } else {
                let rest = format!(r#""tid":3,"cat":"a","id":{number},"name":"{name}""#);
                event(&mut json, 'b', *start, format_args!("{rest}"));
                event(&mut json, 'e', start + duration, format_args!("{rest}"));
            }
        }
        json.push(']');
        let trace = open(&json);
        prop_assert_eq!(slices(&trace).len(), bounds.len());
        let converted = [converted::<perfetto::Writer>(&trace), converted::<chrome_json::Writer>(&trace)];
        for converted in converted {
            prop_assert_eq!(slices(&converted), slices(&trace));
            // A second conversion does not change the layout.
            prop_assert_eq!(converted.info().tracks.iter().map(|track| track.lanes).sum::<u32>(),
                self::converted::<perfetto::Writer>(&converted).info().tracks.iter().map(|track| track.lanes).sum::<u32>());
        }
    }
}

/// Enough slices to make a scan of all open slices for each of them measurable; `cargo xtask test --only steps` counts
/// the steps.
const MANY: u64 = 15_000;

fn assert_converts(json: &str, count: u64) {
    let trace = open(json);
    assert_eq!(trace.info().counts.slices, count);
    let duration_ns = trace.info().duration_ns;
    for converted in [converted::<perfetto::Writer>(&trace), converted::<chrome_json::Writer>(&trace)] {
        let info = converted.info();
        assert_eq!((info.counts.slices, info.duration_ns), (count, duration_ns));
    }
}

#[test]
fn many_open_at_once_of_one_name() {
    let mut json = String::new();
    for number in 0..MANY {
        event(&mut json, 'b', number, format_args!(r#""cat":"a","id":{number},"name":"read""#));
    }
    for number in 0..MANY {
        event(&mut json, 'e', MANY + number, format_args!(r#""cat":"a","id":{number},"name":"read""#));
    }
    assert_converts(&(json + "]"), MANY);
}

#[test]
fn many_open_at_once_of_one_identity() {
    let mut json = String::new();
    for number in 0..MANY {
        event(&mut json, 'b', number, format_args!(r#""cat":"a","id":1,"name":"part {number}""#));
    }
    for number in 0..MANY {
        event(&mut json, 'e', MANY + number, format_args!(r#""cat":"a","id":1,"name":"part {number}""#));
    }
    assert_converts(&(json + "]"), MANY);
}

#[test]
fn many_overlap_on_one_thread_with_flows() {
    let mut json = String::new();
    for number in 0..MANY {
        event(&mut json, 'X', number, format_args!(r#""tid":1,"name":"read","dur":{MANY}"#));
        event(&mut json, 's', number, format_args!(r#""tid":1,"cat":"f","name":"f","id":{number}"#));
        let (at, rest) = (number + MANY, format!(r#""tid":1,"cat":"f","name":"f","id":{number}"#));
        event(&mut json, 'f', at, format_args!(r#"{rest},"bp":"e""#));
    }
    assert_converts(&(json + "]"), MANY);
}

#[test]
fn an_arrow_to_a_slice_that_began_before_its_source_comes_back() {
    let trace = open(
        r#"[{"ph":"X","name":"loop","pid":1,"tid":1,"ts":0,"dur":100},
            {"ph":"X","name":"worker","pid":1,"tid":2,"ts":40,"dur":20},
            {"ph":"s","name":"done","cat":"f","id":1,"pid":1,"tid":2,"ts":50},
            {"ph":"f","name":"done","cat":"f","id":1,"bp":"e","pid":1,"tid":1,"ts":70}]"#,
    );
    for trace in [&trace, &converted::<perfetto::Writer>(&trace), &converted::<chrome_json::Writer>(&trace)] {
        let slice = trace.slice(0).unwrap();
        let [own] = &slice.flows_in[..] else { panic!("{:?}", slice.flows_in) };
        assert_eq!((&*own.name, &*own.slice), ("done", "worker"));
    }
}

#[test]
fn many_executions_of_one_queue_at_once() {
    let play = |take: &mut dyn FnMut(&Event<'_>)| {
        take(&Event::Process(PROCESS));
        for number in 0..MANY {
            take(&Event::Execution(Execution {
                node: number,
                queue: 1,
                kind: NodeKind::Kernel,
                name: "step",
                queued: None,
                submitted: None,
                // Executions with a later start end earlier, and are reported earlier.
                start: Timestamp(2 * MANY - number),
                end: Timestamp(4 * MANY + number),
                args: &[],
            }));
        }
        take(&Event::Finish { at: Timestamp(5 * MANY) });
    };
    let mut expected = Log::default();
    play(&mut |event| expected.event(event));
    let mut read = Log::default();
    import::read(&write::<chrome_json::Writer>(play), &mut read).unwrap();
    assert_eq!(read.0, expected.0);
}

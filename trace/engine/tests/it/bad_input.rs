//! Truncated, damaged and foreign files, and files that are no traces.

use proptest::prelude::*;
use syclscope_engine::export::{Exporter, chrome_json, perfetto};
use syclscope_engine::import::{self, ImportError};
use syclscope_language::api::{ArgValue, CounterTile, SliceDetail, TraceInfo};
use syclscope_language::event::TrackKind;

use crate::brute_force;
use crate::recordings::{Log, Play, small, whole, write};

fn count(info: &TraceInfo, kind: &str) -> u64 {
    info.diagnostics.iter().find(|found| found.kind == kind).map_or(0, |found| found.count)
}

/// Cuts a file at every `step`-th byte: nothing panics, and all events before the cut are read.
fn assert_cuts<W: Exporter + Default>(play: Play, step: usize) {
    let bytes = write::<W>(play);
    // Length of the file after each event, and the number of events up to there.
    let mut whole = Log::default();
    import::read(&bytes, &mut whole).unwrap();
    let mut lengths = vec![0];
    let mut length = 0;
    let mut writer = W::default();
    play(&mut |event| {
        writer.event(event);
        length += writer.take_bytes().len();
        lengths.push(length);
    });
    for cut in (1..bytes.len()).step_by(step) {
        let mut read = Log::default();
        let report =
            import::read(&bytes[..cut], &mut read).unwrap_or_else(|error| panic!("cut at {cut}: {error}"));
        let whole_events = lengths.iter().filter(|length| **length <= cut).count() - 1;
        assert!(read.0.len() >= whole_events, "cut at {cut}: {} of {whole_events}", read.0.len());
        assert_eq!(read.0, whole.0[..read.0.len()], "cut at {cut}");
        let info = import::open(&bytes[..cut]).unwrap().info();
        // The file after the last event lacks only the bytes that close a list.
        assert_eq!(info.complete, read.0.len() == whole.0.len() && count(&info, "truncated_file") == 0);
        for problem in report.diagnostics.infos() {
            assert_eq!(problem.kind, "truncated_file");
            assert!(problem.first_offset.unwrap() < cut as u64);
        }
    }
}

#[test]
fn a_perfetto_file_cut_anywhere_opens() {
    assert_cuts::<perfetto::Writer>(small, 1);
    assert_cuts::<perfetto::Writer>(whole, 29);
}

#[test]
fn a_json_file_cut_anywhere_opens() {
    assert_cuts::<chrome_json::Writer>(small, 1);
    assert_cuts::<chrome_json::Writer>(whole, 29);
}

/// True if the trace of a JSON text is reported as truncated; `None` if the text is no trace.
fn is_cut(text: &str) -> Option<bool> {
    let info = import::open(text.as_bytes()).ok()?.info();
    Some(count(&info, "truncated_file") == 1)
}

#[test]
fn a_json_text_that_ends_early_says_so_unless_only_the_end_of_its_list_is_missing() {
    let events = r#"[{"ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"name":"a"}, {"ph":"i","ts":2,"pid":1,"tid":1,"name":"]"}]"#;
    let members = [
        r#""otherData":{"a":[1,{"b":"}"}]}"#,
        r#""displayTimeUnit":"ns""#,
        r#""number":12"#,
        r#""deviceProperties":[{"id":0,"name":"d"}]"#,
        r#""stackFrames":{"1":{"name":"f"}}"#,
    ];
    for member in members {
        for text in [
            format!(r#"{{"traceEvents":{events},{member}}}"#),
            format!(r#"{{{member}, "traceEvents":{events} }}"#),
        ] {
            assert_eq!(is_cut(&text), Some(false), "{text}");
            for cut in 1..text.len() {
                assert_ne!(is_cut(&text[..cut]), Some(false), "{}", &text[..cut]);
            }
        }
    }
    let first = events.find(", ").unwrap();
    for cut in 1..events.len() {
        let is_between = cut == 1 || (first..first + 3).contains(&cut) || cut + 1 >= events.len();
        assert_eq!(is_cut(&events[..cut]), Some(!is_between), "{}", &events[..cut]);
    }
}

/// Opens any bytes and queries everything; nothing panics.
fn open_and_ask(bytes: &[u8]) {
    if let Ok(trace) = import::open(bytes) {
        brute_force::details(&trace);
        for track in trace.info().tracks {
            for level in [0, 20, 52] {
                let key = format!("timeline/{}/{level}/0", track.id).parse().unwrap();
                let _ = (trace.timeline_tile(key), trace.counter_tile(key));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..400), start in 0..4_usize) {
        open_and_ask(&bytes);
        // Starts that pass the detection of the format.
        let start = [&b"[{\"ph\":\"X\","[..], b"{\"traceEvents\":[{", b"\x0a\x7f", b"\x0a\x02\x50\x01\x0a\x30\x5a\x2e"][start];
        bytes.splice(..0, start.iter().copied());
        open_and_ask(&bytes);
    }

    #[test]
    fn damaged_recordings_never_panic(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        json in any::<bool>(),
        is_small in any::<bool>(),
    ) {
        let play = if is_small { small } else { whole };
        let mut bytes = if json { write::<chrome_json::Writer>(play) } else { write::<perfetto::Writer>(play) };
        for (index, byte) in damage {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        open_and_ask(&bytes);
    }
}

#[test]
fn what_is_no_trace_is_an_error_with_the_remedy() {
    let error = |bytes: &[u8]| import::open(bytes).unwrap_err();
    assert_eq!(error(b""), ImportError::Empty);
    assert!(matches!(error(b"\xfd7zXZ\x00"), ImportError::Compressed { found: "xz", .. }));
    // The header that `zstd --long=31` writes.
    let wide = error(b"\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00");
    assert_eq!(wide, ImportError::LargeWindow { window_bytes: 2 << 30 });
    let expected =
        "a window of 2048 MiB, more than the limit of 128 MiB: decompress it first with `zstd -d --long=31`";
    assert!(wide.to_string().contains(expected), "{wide}");
    assert!(!matches!(error(b"\x28\xb5\x2f\xfd\x00\x88\x01\x00\x00"), ImportError::LargeWindow { .. }));
    for (bytes, found) in [
        (&b"{\"a\": 1}"[..], "a JSON object without traceEvents"),
        (b"[1, 2, 3]", "a JSON list without trace events"),
        (b"[{\"name\": \"no phase\"}]", "a JSON list without trace events"),
        (b"\x7fELF\x02\x01", "a program (ELF)"),
        (b"int main() {}", "a text that starts with \"int main() {}\""),
    ] {
        let message = error(bytes).to_string();
        assert!(message.contains(found) && message.contains("syclscope record"), "{message}");
    }
}

#[test]
fn unknown_packets_are_counted() {
    let mut bytes = write::<perfetto::Writer>(small);
    let whole = import::open(&bytes).unwrap().info();
    // Field 2 of the trace; a packet with the unknown field 1999; a damaged packet.
    bytes.extend([0x12, 1, 0]);
    let unknown_at = bytes.len() as u64;
    bytes.extend([0x0a, 4, 0xfa, 0x7c, 1, 0]);
    bytes.extend([0x0a, 2, 0x0f, 0x0f]);
    let info = import::open(&bytes).unwrap().info();
    assert_eq!(count(&info, "unknown_packet"), 2);
    assert_eq!(count(&info, "malformed_packet"), 1);
    let first = info.diagnostics.iter().find(|found| found.kind == "malformed_packet").unwrap().first_offset;
    assert_eq!(first, Some(unknown_at + 6));
    assert_eq!((info.counts, info.complete), (whole.counts, true));
}

#[test]
fn a_newer_format_is_told() {
    let json = String::from_utf8(write::<chrome_json::Writer>(small)).unwrap();
    let newer = json.replace("\"format\":1", "\"format\":2");
    assert_ne!(newer, json);
    let info = import::open(newer.as_bytes()).unwrap().info();
    assert_eq!(count(&info, "newer_format"), 1);
}

#[test]
fn records_with_missing_or_impossible_facts_are_counted() {
    let json = String::from_utf8(write::<chrome_json::Writer>(whole)).unwrap();
    let records = |text: &str| {
        let trace = import::open(text.as_bytes()).unwrap();
        brute_force::details(&trace);
        (trace.info(), trace.dump())
    };
    let (info, _) = records(&json);
    assert_eq!(info.diagnostics, []);
    // Records without their identity are left out.
    for (category, fact) in [
        ("sycl.device", "\"device\":1,"),
        ("sycl.memory_object", "\"object\":1,"),
        ("sycl.accessor", "\"object\":1,"),
        ("sycl.command_graph", "\"graph\":1,"),
        ("sycl.graph_run", "\"graph\":1,"),
    ] {
        let line = json.lines().find(|line| line.contains(&format!("\"{category}\""))).unwrap();
        let damaged = json.replace(line, &line.replace(fact, ""));
        assert_ne!(damaged, json, "{category}");
        assert_eq!(count(&records(&damaged).0, "malformed_record"), 1, "{category}");
    }
    // Impossible numbers neither end the import, nor cause allocations of their size.
    let huge = json
        .replace("\"graph\":1", "\"graph\":18446744073709551615")
        .replace("\"position\":1", "\"position\":18446744073709551615")
        .replace("\"dimensions\":2", "\"dimensions\":4294967295")
        .replace("\"pairs\":8", "\"pairs\":-1")
        .replace("\"is_paused\":true", "\"is_paused\":\"yes\"")
        .replace("\"state\":\"whole\"", "\"state\":\"a state of the future\"")
        .replace("\"object\":1", "\"object\":18446744073709551614");
    let (info, dump) = records(&huge);
    assert!(dump.contains("partition 18446744073709551615 of graph 1 "), "{dump}");
    assert_eq!((info.counts.partitions, info.counts.objects, info.pauses.len()), (2, 1, 0));
}

#[test]
fn json_of_other_programs_opens() {
    let json = r#"{"displayTimeUnit": "ns", "otherData": {"x": [1, {}]}, "traceEvents": [
        {"ph": "M", "pid": 7, "name": "process_name", "args": {"name": "server"}},
        {"ph": "X", "pid": 7, "tid": "worker", "ts": 1000.5, "dur": 20, "name": "outer", "cat": "toplevel",
            "args": {"list": [1, 2], "none": null, "half": 0.5}},
        {"ph": "B", "pid": 7, "tid": 8, "ts": 1001, "name": "begun"},
        {"ph": "X", "pid": 7, "tid": "worker", "ts": 1010, "dur": 30, "name": "overlaps"},
        {"ph": "E", "pid": 7, "tid": 8, "ts": 1002},
        {"ph": "C", "pid": 7, "ts": 1003, "name": "queue", "args": {"length": 3, "free": 9}},
        {"ph": "i", "pid": 7, "tid": 8, "ts": 1004, "name": "now", "s": "g"},
        {"ph": "s", "id": 1, "pid": 7, "tid": 8, "ts": 1004, "name": "flow"},
        {"ph": "M", "pid": 7, "tid": 8, "name": "thread_name", "args": {"name": "main"}}
    ], "more": 1}"#;
    let trace = import::open(json.as_bytes()).unwrap();
    let info = trace.info();
    let names: Vec<_> = info.tracks.iter().map(|track| (track.name.as_str(), track.kind)).collect();
    assert_eq!(names[0], ("server", TrackKind::Process));
    assert!(names.contains(&("main", TrackKind::Thread)), "{names:?}");
    assert!(names.contains(&("queue length", TrackKind::Counter)), "{names:?}");
    assert_eq!((info.counts.slices, info.duration_ns), (4, 39_500), "the first event is the start");
    assert_eq!(count(&info, "unknown_event"), 0);
    let worker = info.tracks.iter().find(|track| track.lanes == 2).unwrap();
    assert_eq!(worker.slices, 2, "overlapping slices lie in lanes of their own");
    let dump = trace.dump();
    assert!(dump.contains(r#"list="[1, 2]" none="null" half=0.5 category="toplevel""#), "{dump}");
}

#[test]
fn a_damaged_line_of_json_is_left_out() {
    let json = "[\n{\"ph\":\"i\",\"name\":\"a\",\"ts\":1},\n{\"ph\":\"i\",,},\n{\"ph\":\"i\",\"name\":\"b\",\"ts\":2}\n]";
    let info = import::open(json.as_bytes()).unwrap().info();
    assert_eq!((info.counts.slices, count(&info, "malformed_packet")), (2, 1));
}

#[test]
fn a_list_within_a_damaged_event_is_not_the_end_of_all() {
    let other = r#"{"ph":"i","name":"b","ts":2}"#;
    for (open, close) in [("[", "]"), ("{\"traceEvents\":[", "]}")] {
        for list in ["[\n1\n]", "[{\"a\":1}, {\"b\":[\n]}]"] {
            for rest in ["", ",\"more\":{\"y\":1}"] {
                let args = format!(r#"{{"x":nope,"list":{list}{rest}}}"#);
                let damaged = format!(r#"{{"ph":"i","name":"a","ts":1,"args":{args}}}"#);
                let json = format!("{open}{damaged},\n{other}\n{close}");
                let info = import::open(json.as_bytes()).unwrap().info();
                assert_eq!((info.counts.slices, count(&info, "malformed_packet")), (1, 1), "{json}");
            }
        }
    }
}

#[test]
fn a_truncated_line_loses_no_other_line() {
    let others = r#"
{"ph":"i","name":"b","ts":2},
{"ph":"i","name":"c","ts":3}
"#;
    for cut in [
        r#"{"ph":"i","name":"a"#,
        r#"{"ph":"i","name":"a","ts":1,"#,
        r#"{"ph":"i","name":"a","ts":1"#,
        r#"{"ph":"i","name":"a","ts":1,"args":{"list":[1,2"#,
        r#"{"ph":"i","name":"a","ts":1,"args":{"list":[1,"#,
        r#"{"ph":"i","name":"a","ts":1,"args":{"list":[{"x":[1]}"#,
    ] {
        for (open, close) in [("[", "]"), ("{\"traceEvents\":[", "]}")] {
            let json = format!("{open}{cut}{others}{close}");
            let info = import::open(json.as_bytes()).unwrap().info();
            assert_eq!(info.counts.slices, 2, "{json}");
            let problems = count(&info, "malformed_packet") + count(&info, "truncated_file");
            assert_eq!(problems, 1, "{json}");
        }
    }
    let json = r#"[{"ph":"i","name":"a","ts":1,{"ph":"i","name":"b","ts":2},{"ph":"i","name":"c","ts":3}]"#;
    let info = import::open(json.as_bytes()).unwrap().info();
    assert_eq!(
        (info.counts.slices, count(&info, "malformed_packet")),
        (2, 1),
        "a lost bracket on a long line"
    );
}

#[test]
fn the_list_ends_after_a_damaged_event() {
    for end in ["}]", "},]", "},\n]"] {
        let list = format!(r#"[{{"ph":"i","name":"a","ts":1}},{{"ph":"i","name":"b","ts":{end}"#);
        for json in [list.clone(), format!(r#"{{"traceEvents":{list},"other":[{{"x":1}},{{"y":2}}]}}"#)] {
            let info = import::open(json.as_bytes()).unwrap().info();
            assert_eq!((info.counts.slices, info.diagnostics.len()), (1, 1), "{json}");
            assert_eq!(count(&info, "malformed_packet"), 1, "{json}");
        }
    }
}

#[test]
fn brackets_in_a_text_of_a_damaged_event_do_not_end_the_list() {
    let text = r#"{"ph":"i","x":nope,"args":{"text":"[{\"a\":1}] and {}]"}}"#;
    let other = r#"{"ph":"i","name":"b","ts":2}"#;
    for (open, close) in [("[", "]"), ("{\"traceEvents\":[", "]}")] {
        for between in [",", ",\n"] {
            let json = format!("{open}{text}{between}{other}{close}");
            assert_eq!(import::open(json.as_bytes()).unwrap().info().counts.slices, 1, "{json}");
        }
    }
}

#[test]
fn numbers_that_json_has_not_do_not_keep_a_trace_from_being_shown() {
    let json = r#"[{"ph":"C","ts":1,"pid":1,"name":"c","args":{"value":1e999}},
        {"ph":"C","ts":2,"pid":1,"name":"c","args":{"value":3}},
        {"ph":"i","ts":1,"pid":1,"tid":1,"name":"x","args":{"most":1e999}}]"#;
    let trace = import::open(json.as_bytes()).unwrap();
    // In the form that the page receives.
    let text = serde_json::to_string(&trace.info()).unwrap();
    let info: TraceInfo = serde_json::from_str(&text).unwrap();
    assert_eq!(count(&info, "unusable_sample"), 1);
    let track = info.tracks.iter().find(|track| track.kind == TrackKind::Counter).unwrap();
    assert_eq!(track.counter.as_ref().map(|counter| (counter.min, counter.max)), Some((3.0, 3.0)));
    let key = format!("counter/{}/20/0", track.id).parse().unwrap();
    let text = serde_json::to_string(&trace.counter_tile(key).unwrap()).unwrap();
    assert_eq!(serde_json::from_str::<CounterTile>(&text).unwrap().last, [3.0]);
    let text = serde_json::to_string(&trace.slice(0).unwrap()).unwrap();
    let slice: SliceDetail = serde_json::from_str(&text).unwrap();
    assert_eq!(slice.args, [("most".to_owned(), ArgValue::Float(f64::INFINITY))]);
}

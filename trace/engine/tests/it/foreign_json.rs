//! Chrome JSON as other programs write it.
//!
//! `viztracer.json` is a file of VizTracer 1.1.1, without its file texts; `chrome-cut.json` has the first bytes of a
//! file of Chromium; XLA's profiler wrote `tensorflow-profiler.json.gz` for five steps of a small JAX program. The
//! other samples have the documented forms of their programs.

use syclscope_engine::import;
use syclscope_engine::store::Trace;
use syclscope_language::api::{ArgValue, SliceDetail, TraceInfo};
use syclscope_language::event::TrackKind;
use syclscope_language::question::CallTreeQuestion;

fn open(bytes: impl AsRef<[u8]>) -> Trace {
    import::open(bytes.as_ref()).unwrap()
}

fn problems(info: &TraceInfo) -> Vec<(&str, u64)> {
    info.diagnostics.iter().map(|found| (found.kind.as_str(), found.count)).collect()
}

/// Returns names of tracks with their kinds, in display order.
fn tracks(info: &TraceInfo) -> Vec<(&str, TrackKind)> {
    info.tracks.iter().map(|track| (track.name.as_str(), track.kind)).collect()
}

fn slice(trace: &Trace, name: &str) -> SliceDetail {
    let count = trace.info().counts.slices as u32;
    let mut slices = (0..count).map(|slice| trace.slice(slice).unwrap());
    slices.find(|slice| slice.name == name).unwrap_or_else(|| panic!("no slice {name}"))
}

#[test]
fn viztracer() {
    let trace = open(include_bytes!("../data/foreign/viztracer.json"));
    let info = trace.info();
    let expected = [
        ("MainProcess", TrackKind::Process),
        ("worker", TrackKind::Thread),
        ("MainThread", TrackKind::Thread),
    ];
    assert_eq!(tracks(&info), expected);
    assert_eq!((info.counts.slices, problems(&info)), (15, vec![]));
    let inner = slice(&trace, "inner (/home/user/prog.py:2)");
    assert!(inner.at.lane > 0, "it lies below outer: {inner:?}");
    assert_eq!(inner.args[0].0, "func_args");
}

#[test]
fn tensorflow_profiler() {
    let trace = open(include_bytes!("../data/foreign/tensorflow-profiler.json.gz"));
    let info = trace.info();
    // Its last event is an empty object.
    assert_eq!((info.counts.slices, problems(&info)), (130, vec![]));
    let expected = [
        ("/host:CPU", TrackKind::Process),
        ("python", TrackKind::Thread),
        ("tf_XLAEigen/1049558189305945561", TrackKind::Thread),
        ("tf_XLAPjRtCpuClient/-2045881964009523862", TrackKind::Thread),
        ("tf_XLAPjRtCpuClient/1799659311672018184", TrackKind::Thread),
    ];
    assert_eq!(tracks(&info), expected, "in the order of their sort indices");
    let step = slice(&trace, "step");
    // 64.456000000000003 and 704.90599999999995 µs, from the first event at 7.6420000000000003 µs.
    assert_eq!((step.at.start_ns, step.at.duration_ns), (56_814, 704_906));
    assert_eq!(step.args, [("step_num".to_owned(), ArgValue::Str("0".to_owned()))]);
}

#[test]
fn chrome() {
    let trace = open(include_bytes!("../data/foreign/chrome-cut.json"));
    let info = trace.info();
    assert!(info.tracks.iter().any(|track| track.name == "CrBrowserMain"), "{:?}", tracks(&info));
    assert!(problems(&info).contains(&("truncated_file", 1)), "{:?}", problems(&info));
    assert!(info.counts.slices > 20, "{:?}", info.counts);
}

#[test]
fn pytorch() {
    let trace = open(
        r#"{ "schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "a device", "totalGlobalMem": 1}],
  "displayTimeUnit": "ms", "baseTimeNanoseconds": 1700000000000000000, "traceEvents": [
  {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 77, "tid": 77, "ts": 5000.125, "dur": 60.5,
    "args": {"External id": 9, "Input Dims": [[2, 3], []]}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 77, "tid": 77, "ts": 5010, "dur": 5,
    "args": {"correlation": 41}},
  {"ph": "s", "id": 41, "pid": 77, "tid": 77, "ts": 5010, "cat": "ac2g", "name": "ac2g"},
  {"ph": "X", "cat": "kernel", "name": "add_kernel", "pid": 0, "tid": 7, "ts": 5100, "dur": 30,
    "args": {"device": 0, "stream": 7, "correlation": 41}},
  {"ph": "f", "id": 41, "pid": 0, "tid": 7, "ts": 5100, "cat": "ac2g", "name": "ac2g", "bp": "e"},
  {"name": "process_name", "ph": "M", "ts": 5000, "pid": 77, "tid": 0, "args": {"name": "python"}},
  {"name": "process_labels", "ph": "M", "ts": 5000, "pid": 0, "tid": 0, "args": {"labels": "GPU 0"}},
  {"name": "process_sort_index", "ph": "M", "ts": 5000, "pid": 77, "tid": 0, "args": {"sort_index": 77}},
  {"name": "process_sort_index", "ph": "M", "ts": 5000, "pid": 0, "tid": 0, "args": {"sort_index": 5000000}},
  {"name": "thread_name", "ph": "M", "ts": 5000, "pid": 0, "tid": 7, "args": {"name": "stream 7 "}},
  {"ph": "X", "cat": "Trace", "ts": 5000, "dur": 200, "pid": "Spans", "tid": "PyTorch Profiler", "name": "step",
    "args": {"Op count": 1}},
  {"name": "process_sort_index", "ph": "M", "ts": 5000, "pid": "Spans", "tid": 0, "args": {"sort_index": 536870912}},
  {"name": "Iteration Start: PyTorch Profiler", "ph": "i", "s": "g", "pid": "Traces", "tid": "Trace PyTorch", "ts": 5000},
  {"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": 5300}
  ], "traceName": "run.json"}"#,
    );
    let info = trace.info();
    let processes: Vec<_> = info
        .tracks
        .iter()
        .filter(|track| track.kind == TrackKind::Process)
        .map(|track| &*track.name)
        .collect();
    assert_eq!(processes, ["Traces", "process", "python", "Spans"]);
    let device = &info.tracks[info.queues[0].track as usize];
    assert_eq!((&*device.name, &*info.queues[0].device), ("stream 7", "GPU 0 · a device"));
    assert_eq!((info.counts.flows, problems(&info)), (1, vec![]));
    let launch = slice(&trace, "cudaLaunchKernel");
    assert_eq!(
        (launch.flows_out[0].slice.as_str(), launch.flows_out[0].name.as_str()),
        ("add_kernel", "ac2g")
    );
    assert_eq!(slice(&trace, "add_kernel").flows_in[0].at, launch.at);
    let add = slice(&trace, "aten::add");
    assert_eq!((add.at.start_ns, add.at.duration_ns), (125, 60_500));
}

#[test]
fn every_phase() {
    let trace = open(
        r#"{"stackFrames": {"1": {"name": "main"}, "2": {"name": "work", "parent": "1"}}, "traceEvents": [
  {"ph": "b", "cat": "net", "name": "request", "id2": {"local": "0x1f"}, "pid": 1, "tid": 1, "ts": "10.5"},
  {"ph": "b", "cat": "net", "name": "connect", "id2": {"local": "0x1f"}, "pid": 1, "tid": 1, "ts": 11},
  {"ph": "n", "cat": "net", "name": "sent", "id2": {"local": "0x1f"}, "pid": 1, "tid": 1, "ts": 12},
  {"ph": "b", "cat": "net", "name": "request", "id2": {"local": "0x1f"}, "pid": 2, "tid": 1, "ts": 13},
  {"ph": "e", "cat": "net", "name": "connect", "id2": {"local": "0x1f"}, "pid": 1, "tid": 1, "ts": 14},
  {"ph": "e", "cat": "net", "name": "request", "id2": {"local": "0x1f"}, "pid": 1, "tid": 2, "ts": 20,
    "args": {"status": 200}},
  {"ph": "S", "cat": "old", "name": "job", "id": 5, "pid": 1, "tid": 1, "ts": 30},
  {"ph": "T", "cat": "old", "name": "job", "id": 5, "pid": 1, "tid": 1, "ts": 31, "args": {"step": "half"}},
  {"ph": "F", "cat": "old", "name": "job", "id": 5, "pid": 1, "tid": 1, "ts": 32},
  {"ph": "N", "name": "object", "id": "0xabc", "pid": 1, "tid": 1, "ts": 33},
  {"ph": "O", "name": "object", "id": "0xabc", "pid": 1, "tid": 1, "ts": 34, "args": {"snapshot": {"a": [1]}}},
  {"ph": "D", "name": "object", "id": "0xabc", "pid": 1, "tid": 1, "ts": 35},
  {"ph": "P", "name": "sample", "pid": 1, "tid": 1, "ts": 36, "sf": 2},
  {"ph": "I", "name": "everywhere", "s": "g", "pid": 1, "tid": 1, "ts": 37},
  {"ph": "C", "name": "pool", "id": 3, "pid": 1, "ts": 38, "args": {"free": 1.5}},
  {"ph": "X", "name": "sender", "pid": 1, "tid": 1, "ts": 40, "dur": 2, "bind_id": "0x9", "flow_out": true},
  {"ph": "X", "name": "taker", "pid": 1, "tid": 2, "ts": 45, "dur": 2, "bind_id": "0x9", "flow_in": true},
  {"ph": "s", "name": "arrow", "id": 1, "pid": 1, "tid": 1, "ts": 41},
  {"ph": "f", "name": "arrow", "id": 1, "pid": 1, "tid": 3, "ts": 46},
  {"ph": "X", "name": "next", "pid": 1, "tid": 3, "ts": 50, "dur": 1},
  {"ph": "E", "name": "early", "pid": 1, "tid": 4, "ts": 61, "args": {"result": 7}},
  {"ph": "B", "name": "early", "pid": 1, "tid": 4, "ts": 60},
  {"ph": "V", "name": "dump", "pid": 1, "ts": 62}, {"ph": "c", "name": "clock", "pid": 1, "ts": 63}, {}]}"#,
    );
    let info = trace.info();
    assert_eq!(problems(&info), [("unknown_event", 2), ("unfinished_slice", 1)]);
    let request = slice(&trace, "request");
    assert_eq!((request.at.start_ns, request.at.duration_ns), (0, 9_500));
    let connect = slice(&trace, "connect");
    assert_eq!(
        (connect.at.track, connect.at.lane),
        (request.at.track, request.at.lane + 1),
        "it lies inside"
    );
    assert_eq!(slice(&trace, "job").at.duration_ns, 2_000);
    assert_eq!(slice(&trace, "object").at.duration_ns, 2_000);
    let sample = slice(&trace, "sample");
    assert_eq!(sample.args[0].0, "stack");
    assert!(trace.dump().contains(r#"stack="work ← main""#), "{}", trace.dump());
    assert_eq!(info.tracks[slice(&trace, "everywhere").at.track as usize].kind, TrackKind::Process);
    assert!(tracks(&info).contains(&("pool 0x3 free", TrackKind::Counter)), "{:?}", tracks(&info));
    assert_eq!(
        slice(&trace, "sender").flows_out.iter().map(|flow| &*flow.slice).collect::<Vec<_>>(),
        ["taker", "next"]
    );
    let early = slice(&trace, "early");
    assert_eq!(early.at.duration_ns, 1_000, "its end stands before its begin");
    assert!(early.args.iter().any(|(key, _)| key == "result"), "{:?}", early.args);
}

#[test]
fn an_asynchronous_end_may_stand_before_its_begin() {
    let trace = open(
        r#"[{"ph":"e","cat":"net","name":"request","id":1,"pid":1,"tid":2,"ts":20,"args":{"status":200}},
  {"ph":"e","cat":"net","name":"request","id":1,"pid":1,"tid":2,"ts":90},
  {"ph":"b","cat":"net","name":"request","id":1,"pid":1,"tid":1,"ts":10},
  {"ph":"e","cat":"net","name":"other","id":2,"pid":1,"tid":1,"ts":30},
  {"ph":"b","cat":"net","name":"other","id":2,"pid":1,"tid":1,"ts":30},
  {"ph":"b","cat":"net","name":"request","id":1,"pid":1,"tid":1,"ts":50}]"#,
    );
    let request = slice(&trace, "request");
    assert_eq!(request.at.duration_ns, 10_000);
    assert!(request.args.iter().any(|(key, _)| key == "status"), "{:?}", request.args);
    let (mut lasted, count) = (Vec::new(), trace.info().counts.slices as u32);
    lasted.extend((0..count).map(|slice| trace.slice(slice).unwrap().at.duration_ns));
    lasted.sort_unstable();
    assert_eq!(lasted, [10_000, 40_000, 60_000], "the other one has no end");
    assert_eq!(problems(&trace.info()), [("end_without_begin", 1), ("unfinished_slice", 1)]);
}

#[test]
fn a_damaged_event_on_a_long_line_is_left_out() {
    let json = r#"{"traceEvents":[{"ph":"i","name":"a","ts":1},{"ph":"i","name":"b","ts":},{"ph":"i","name":"c","ts":3}]}"#;
    let info = open(json).info();
    assert_eq!((info.counts.slices, problems(&info)), (2, vec![("malformed_packet", 1)]));
}

#[test]
fn a_damaged_stack_frame_costs_no_event() {
    for damaged in [r#"{"name":nope,"parent":"1"}"#, r#"[{}]"#, ""] {
        let json = format!(
            r#"{{"stackFrames":{{"1":{{"name":"main"}},"3":{{"name":"work","parent":"1"}},"2":{damaged}}},
  "traceEvents":[{{"ph":"i","name":"a","ts":1,"sf":3}}]}}"#
        );
        let trace = open(&json);
        assert!(trace.dump().contains(r#"stack="work ← main""#), "{}", trace.dump());
        assert_eq!(problems(&trace.info()), [("malformed_packet", 1)], "{json}");
    }
}

#[test]
fn an_event_without_a_time_is_left_out() {
    let trace = open(
        r#"[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1700000000000000,"dur":5},
  {"ph":"i","name":"b","pid":1,"tid":1},
  {"ph":"C","name":"c","pid":1,"ts":null,"args":{"value":1}}]"#,
    );
    let info = trace.info();
    assert_eq!((info.counts.slices, info.duration_ns), (1, 5_000));
    assert_eq!(problems(&info), [("malformed_record", 2)]);
}

#[test]
fn what_follows_the_end_takes_no_memory() {
    use syclscope_engine::budget::Budget;
    use syclscope_engine::import::TraceImporter;
    let mut importer = TraceImporter::within(Budget::new(8 << 20, || 0));
    importer.feed(br#"[{"ph":"i","name":"a","ts":1}]"#).unwrap();
    for _ in 0..8 {
        importer.feed(" text".repeat(1 << 18).as_bytes()).unwrap();
    }
    assert_eq!(importer.finish().unwrap().info().counts.slices, 1);
}

#[test]
fn what_lies_too_deep_is_left_out() {
    let deep = format!("{}1{}", "[".repeat(500), "]".repeat(500));
    let json = format!(
        r#"[{{"ph":"i","name":"a","ts":1,"args":{{"deep":{deep}}}}},{{"ph":"i","name":"b","ts":2}}]"#
    );
    let info = open(json).info();
    assert_eq!(info.counts.slices, 1);
    assert_eq!(problems(&info)[0], ("too_deep", 1), "{:?}", problems(&info));
}

#[test]
fn short_events_with_long_stacks_need_room() {
    use syclscope_engine::budget::Budget;
    use syclscope_engine::import::{ImportError, TraceImporter};
    let name = "x".repeat(100 << 10);
    let json = format!(
        r#"{{"stackFrames":{{"1":{{"name":"{name}"}},"2":{{"name":"work","parent":"1"}}}},
  "traceEvents":[{{"ph":"i","name":"a","pid":1,"tid":1,"ts":1,"sf":2}}]}}"#
    );
    let open_within = |memory_bytes| {
        let mut importer = TraceImporter::within(Budget::new(memory_bytes, || 0));
        importer.feed(json.as_bytes())?;
        importer.finish()
    };
    assert_eq!(open_within(1 << 20).map(|trace| trace.info().counts.slices), Ok(1));
    assert!(matches!(open_within(256 << 10), Err(ImportError::Memory(_))));
}

#[test]
fn slices_that_follow_one_another_do_not_overlap_whatever_the_decimals() {
    let trace = open(
        r#"[{"ph":"M","pid":3,"name":"process_name","args":{"name":"/device:TPU:0"}},
  {"ph":"M","pid":3,"tid":1,"name":"thread_name","args":{"name":"XLA Ops"}},
  {"ph":"X","pid":3,"tid":1,"ts":1.0006,"dur":1.0006,"name":"fusion.1"},
  {"ph":"X","pid":3,"tid":1,"ts":2.0012,"dur":1.0,"name":"fusion.2"}]"#,
    );
    let found = ["fusion.1", "fusion.2"].map(|name| {
        let at = slice(&trace, name).at;
        (at.lane, at.start_ns, at.duration_ns)
    });
    assert_eq!(found, [(0, 0, 1_000), (0, 1_000, 1_000)]);
}

#[test]
fn a_name_that_looks_like_a_number_is_a_name() {
    let trace = open(
        r#"[{"ph":"M","name":"process_name","pid":1,"args":{"name":"inf"}},
  {"ph":"M","name":"thread_name","pid":1,"tid":5,"args":{"name":"0x7f3a12c0"}},
  {"ph":"X","name":"a","pid":1,"tid":5,"ts":0,"dur":1}]"#,
    );
    let expected = [("inf", TrackKind::Process), ("0x7f3a12c0", TrackKind::Thread)];
    assert_eq!(tracks(&trace.info()), expected);
}

#[test]
fn a_whole_number_with_a_point_is_the_same_thread() {
    let trace = open(
        r#"[{"ph":"M","name":"process_name","pid":1,"args":{"name":"app"}},
  {"ph":"M","name":"thread_name","pid":1,"tid":5,"args":{"name":"worker"}},
  {"ph":"X","name":"a","pid":1.0,"tid":5.0,"ts":0,"dur":1}]"#,
    );
    assert_eq!(tracks(&trace.info()), [("app", TrackKind::Process), ("worker", TrackKind::Thread)]);
}

#[test]
fn processes_stay_apart_in_a_conversion() {
    use syclscope_engine::emit::emit;
    use syclscope_engine::export::{Exporter as _, chrome_json};
    let trace = open(
        r#"{"traceEvents":[
            {"ph":"M","name":"process_name","pid":1,"args":{"name":"server"}},
            {"ph":"M","name":"thread_name","pid":1,"tid":7,"args":{"name":"listener"}},
            {"ph":"M","name":"process_name","pid":2,"args":{"name":"client"}},
            {"ph":"M","name":"thread_name","pid":2,"tid":7,"args":{"name":"sender"}},
            {"ph":"X","name":"serve","pid":1,"tid":7,"ts":0,"dur":100},
            {"ph":"X","name":"ask","pid":2,"tid":7,"ts":10,"dur":20}]}"#,
    );
    let mut writer = chrome_json::Writer::new();
    emit(&trace, &mut writer);
    writer.finish();
    let bytes = writer.take_bytes();
    let events: Vec<serde_json::Value> = serde_json::from_slice(&bytes).unwrap();
    let pid = |name: &str| {
        let named = events.iter().find(|event| event["name"] == name || event["args"]["name"] == name);
        named.unwrap_or_else(|| panic!("no {name}"))["pid"].as_u64().unwrap()
    };
    assert_ne!(pid("server"), pid("client"));
    assert_eq!([pid("listener"), pid("serve")], [pid("server"); 2]);
    assert_eq!([pid("sender"), pid("ask")], [pid("client"); 2]);
    let names = |trace: &Trace| {
        let info = trace.info();
        info.tracks.iter().map(|track| (track.kind, track.name.clone(), track.parent)).collect::<Vec<_>>()
    };
    assert_eq!(names(&open(bytes)), names(&trace));
}

#[test]
fn threads_of_two_programs_with_one_id_are_two() {
    let trace = open(
        r#"{"traceEvents":[
            {"ph":"X","name":"outer","pid":1,"tid":7,"ts":0,"dur":100},
            {"ph":"X","name":"other","pid":2,"tid":7,"ts":10,"dur":20}]}"#,
    );
    let tree = trace.call_tree(&CallTreeQuestion { limit: 100, ..CallTreeQuestion::default() }).unwrap();
    let [all] = &tree.groups[..] else { panic!("{:?}", tree.groups) };
    assert_eq!(all.threads, 2);
    assert!(all.nodes.iter().all(|node| node.parent.is_none()), "{:?}", all.nodes);
    let outer = all.nodes.iter().find(|node| tree.names[node.name as usize] == "outer").unwrap();
    assert_eq!((outer.total_ns, outer.self_ns), (100_000, 100_000));
}

#[test]
fn a_counter_may_have_its_numbers_as_texts() {
    let trace = open(
        r#"[{"ph":"C","name":"pool","pid":1,"ts":1,"args":{"value":"12.5"}},
  {"ph":"C","name":"pool","pid":1,"ts":2,"args":{"value":"13"}},
  {"ph":"C","name":"pool","pid":1,"ts":3,"args":{"value":"full"}}]"#,
    );
    let info = trace.info();
    assert_eq!(problems(&info), [("unknown_argument", 1)]);
    assert!(tracks(&info).contains(&("pool", TrackKind::Counter)), "{:?}", tracks(&info));
}

#[test]
fn numbers_as_python_and_c_write_them_are_no_damage() {
    let trace = open(
        r#"[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2,"args":{"blocks per SM":inf,"loss":NaN,
  "least":-Infinity,"rate":-nan,"none":null,"list":[NaN]}},
  {"ph":"C","name":"loss","pid":1,"ts":2,"args":{"value":NaN}},
  {"ph":"C","name":"loss","pid":1,"ts":3,"args":{"value":0.5}}]"#,
    );
    assert_eq!(problems(&trace.info()), [("unusable_sample", 1)]);
    let is_nan = |value: &ArgValue| matches!(value, ArgValue::Float(number) if number.is_nan());
    let args = slice(&trace, "a").args;
    let arg = |wanted: &str| args.iter().find(|(key, _)| key == wanted).map(|(_, value)| value).unwrap();
    assert_eq!(*arg("blocks per SM"), ArgValue::Float(f64::INFINITY));
    assert_eq!(*arg("least"), ArgValue::Float(f64::NEG_INFINITY));
    assert!(is_nan(arg("loss")) && is_nan(arg("rate")), "{args:?}");
}

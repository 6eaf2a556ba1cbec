//! The small and the whole recording in each format and in the store, against texts in `tests/data`. `UPDATE_GOLDEN=1`
//! rewrites the texts.

use std::path::Path;

use perfetto_protos::trace::Trace as ProtoTrace;
use protobuf::Message as _;
use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::export::{chrome_json, perfetto};
use syclscope_engine::import;
use syclscope_language::event::{
    Category, Event, EventSink as _, Process, SliceBegin, SliceEnd, SourceLocation, Track, TrackKind, Value,
};
use syclscope_language::time::Timestamp;

use crate::recordings::{Play, small, whole, write};

#[track_caller]
pub(crate) fn assert_golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = golden.lines().zip(text.lines()).position(|(a, b)| a != b);
    assert!(
        golden == text,
        "{name} differs from line {differs:?}; run with UPDATE_GOLDEN=1 and look at the change"
    );
}

const RECORDINGS: [(&str, Play); 2] = [("small", small), ("whole", whole)];

#[test]
fn perfetto_packets() {
    for (name, play) in RECORDINGS {
        let trace = ProtoTrace::parse_from_bytes(&write::<perfetto::Writer>(play)).unwrap();
        let text = protobuf::text_format::print_to_string_pretty(&trace);
        assert_golden(&format!("{name}.pftrace.txt"), &text);
    }
}

#[test]
fn chrome_json_records() {
    for (name, play) in RECORDINGS {
        let text = String::from_utf8(write::<chrome_json::Writer>(play)).unwrap();
        assert_golden(&format!("{name}.json"), &text);
    }
}

#[cfg(feature = "fxprof")]
#[test]
fn a_firefox_profile() {
    let trace = import::open(&write::<perfetto::Writer>(small)).unwrap();
    let mut out = Vec::new();
    syclscope_engine::fxprof::write(&trace, &mut out).unwrap();
    let profile: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_golden("small.profile.json", &serde_json::to_string_pretty(&profile).unwrap());
    // Requirements of the profiler's loader: every column has the table's length, and every number is in range.
    let texts = profile["threads"].as_array().unwrap();
    for thread in texts {
        let (markers, strings) = (&thread["markers"], thread["stringArray"].as_array().unwrap());
        let length = markers["length"].as_u64().unwrap() as usize;
        for column in ["data", "name", "startTime", "endTime", "phase", "category"] {
            assert_eq!(markers[column].as_array().unwrap().len(), length, "{column}");
        }
        for name in markers["name"].as_array().unwrap() {
            assert!((name.as_u64().unwrap() as usize) < strings.len());
        }
        for data in markers["data"].as_array().unwrap() {
            let kind = data["type"].as_str().unwrap();
            let schemas = profile["meta"]["markerSchema"].as_array().unwrap();
            assert!(schemas.iter().any(|schema| schema["name"] == kind), "{kind}");
        }
    }
    let counters = profile["counters"].as_array().unwrap();
    assert!(counters.iter().any(|counter| counter["category"] == "Memory"), "{counters:?}");
    for counter in counters {
        assert!(texts.iter().any(|thread| thread["pid"] == counter["pid"]), "no thread beside {counter}");
    }
}

#[test]
fn the_store_of_both() {
    for (name, play) in RECORDINGS {
        let from_perfetto = import::open(&write::<perfetto::Writer>(play)).unwrap();
        let from_json = import::open(&write::<chrome_json::Writer>(play)).unwrap();
        assert_eq!(from_perfetto.dump(), from_json.dump());
        assert_golden(&format!("{name}.store.txt"), &from_perfetto.dump());
    }
}

#[test]
fn wire_types() {
    let trace = import::open(&write::<perfetto::Writer>(small)).unwrap();
    let mut text = serde_json::to_string_pretty(&trace.info()).unwrap();
    for key in ["timeline/2/13/0", "timeline/6/6/0"] {
        let tile = trace.timeline_tile(key.parse().unwrap()).unwrap();
        text.push_str(&format!("\n{key} {}", serde_json::to_string(&tile).unwrap()));
    }
    let key = "counter/3/6/0";
    let tile = trace.counter_tile(key.parse().unwrap()).unwrap();
    text.push_str(&format!("\n{key} {}\n", serde_json::to_string(&tile).unwrap()));
    text.push_str(&serde_json::to_string_pretty(&trace.slice(1).unwrap()).unwrap());
    assert_golden("small.wire.txt", &format!("{text}\n"));

    let trace = import::open(&write::<perfetto::Writer>(whole)).unwrap();
    let mut text = serde_json::to_string_pretty(&trace.info()).unwrap();
    for slice in 0..trace.info().counts.slices as u32 {
        text.push_str(&format!("\n{}", serde_json::to_string_pretty(&trace.slice(slice).unwrap()).unwrap()));
    }
    text.push_str(&format!("\n{}\n", serde_json::to_string_pretty(&trace.source_text(0).unwrap()).unwrap()));
    assert_golden("whole.wire.txt", &text);
}

/// These answers are also test data for the page's JSON reader.
#[test]
fn answers_with_odd_texts_and_numbers() {
    let mut builder = TraceBuilder::new();
    builder.event(&Event::Process(Process { pid: 7, name: "a \"program\"\n→", ..Process::default() }));
    builder.event(&Event::Track(Track {
        track: 1,
        parent: None,
        kind: TrackKind::Thread,
        name: "t",
        tid: 3,
    }));
    let location = SourceLocation { function: "main", file: "/a/b.cpp", line: 3, column: 0 };
    for (number, at) in [10_u64, 40, 70].into_iter().enumerate() {
        let args = [
            ("bytes", Value::Uint(1 << 40)),
            ("error", Value::Int(-5)),
            ("share", Value::Float(f64::INFINITY)),
            ("half", Value::Float(0.5)),
            ("handle", Value::Pointer(0x7f00)),
            ("name", Value::Str("\\ä\"")),
            ("fine", Value::Bool(true)),
        ];
        let (name, at) = (["one", "two", "three"][number], Timestamp(at));
        builder.event(&Event::SliceBegin(SliceBegin {
            track: 1,
            at,
            category: Category::Call,
            name,
            node: None,
            location,
            args: &args,
        }));
        builder.event(&Event::SliceEnd(SliceEnd { track: 1, at: Timestamp(at.0 + 20), args: &[] }));
    }
    builder.event(&Event::Finish { at: Timestamp(100) });
    let trace = builder.build();
    let questions = ["", "slices/1", "slices?limit=10", "graph", "tiles/timeline/0/0/0"];
    let lines = questions.map(|question| {
        let answer = trace.answer(&question.parse().unwrap()).unwrap();
        format!("{question}\t{answer}\n")
    });
    assert_golden("answers.txt", &lines.concat());
}

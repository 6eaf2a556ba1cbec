//! The small and the whole recording as each format and the store have it, against texts in `tests/data`.
//! `UPDATE_GOLDEN=1` writes the texts anew.

use std::path::Path;

use perfetto_protos::trace::Trace as ProtoTrace;
use protobuf::Message as _;
use syclscope_trace::export::{chrome_json, perfetto};
use syclscope_trace::fxprof;
use syclscope_trace::import;
use syclscope_trace::source::TraceSource as _;

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

#[test]
fn a_firefox_profile() {
    let trace = import::open(&write::<perfetto::Writer>(small)).unwrap();
    let mut out = Vec::new();
    fxprof::write(&trace, &mut out).unwrap();
    let profile: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_golden("small.profile.json", &serde_json::to_string_pretty(&profile).unwrap());
    // What the profiler's loader asks of a profile: every column as long as the table says, every number in range.
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

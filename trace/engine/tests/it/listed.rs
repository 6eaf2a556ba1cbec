//! Traces that claim excessive numbers of lanes and tracks: answers stay small and report the omitted content.

use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::store::Trace;
use syclscope_language::event::{
    Category, Event, EventSink as _, SliceBegin, SourceLocation, Track, TrackKind,
};
use syclscope_language::time::Timestamp;

/// Returns nested slices, and tracks without slices.
fn hostile(depth: u64, tracks: u64) -> Trace {
    let mut builder = TraceBuilder::new();
    for track in 1..=tracks {
        let kind = TrackKind::Thread;
        builder.event(&Event::Track(Track { track, parent: None, kind, name: "thread", tid: track as u32 }));
    }
    for at in 0..depth {
        let (category, location) = (Category::Call, SourceLocation::default());
        let at = Timestamp(at);
        let slice = SliceBegin { track: 1, at, category, name: "f", node: None, location, args: &[] };
        builder.event(&Event::SliceBegin(slice));
    }
    builder.event(&Event::Finish { at: Timestamp(depth + 1) });
    builder.build()
}

fn answer(trace: &Trace, question: &str) -> String {
    trace.answer(&question.parse().expect("a question")).expect("an answer")
}

#[test]
fn many_lanes_are_cut_and_counted() {
    let trace = hostile(100_000, 1);
    let info = trace.info();
    assert_eq!(info.tracks[0].lanes, 2048);
    let hidden = info.diagnostics.iter().find(|info| info.kind == "lanes_not_shown").expect("it is said");
    assert_eq!(hidden.count, 100_000 - 2048);
    for question in ["tiles/timeline/0/20/0", "tiles/timeline/0/20/0?where=f", "tiles/density/0/20/0"] {
        let length = answer(&trace, question).len();
        assert!(length < 1 << 20, "{question}: {length} bytes");
    }
    assert!(answer(&trace, "search?where=f").contains("\"total\":100000"), "they are all there");
}

#[test]
fn many_tracks_are_cut_and_counted() {
    let trace = hostile(1, 50_000);
    let info = trace.info();
    assert_eq!(info.tracks.len(), 32_768);
    let hidden = info.diagnostics.iter().find(|info| info.kind == "tracks_not_listed").expect("it is said");
    assert_eq!(hidden.count, 50_000 - 32_768);
}

#[test]
fn a_trace_as_they_are_leaves_nothing_out() {
    let info = hostile(10, 3).info();
    assert_eq!((info.tracks.len(), info.tracks[0].lanes), (3, 10));
    assert!(!info.diagnostics.iter().any(|info| info.kind.contains("not_")), "{:?}", info.diagnostics);
}

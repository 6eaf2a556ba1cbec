//! The engine's operations on a trace.

use syclscope_engine::compare::Sample;
use syclscope_engine::cut::{self, Part};
use syclscope_engine::store::Trace;
use syclscope_language::formats::Format;
use syclscope_language::question::{CompareQuestion, Question};

/// Name and function of an operation.
pub(crate) type Work = (String, Box<dyn Fn(&Trace)>);

fn question(text: &str) -> Work {
    let question: Question = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    // The trace may lack the queried entity.
    (text.to_owned(), Box::new(move |trace| drop(trace.answer(&question))))
}

/// Returns the track with the most slices.
fn busiest(trace: &Trace) -> u32 {
    let info = trace.info();
    info.tracks.iter().max_by_key(|track| track.slices).map_or(0, |track| track.id)
}

/// Returns all operations on a trace; their numbers exist in every large trace.
pub(crate) fn everything(trace: &Trace) -> Vec<Work> {
    let (track, last) = (busiest(trace), trace.info().tracks.len().saturating_sub(1));
    let slices = trace.info().counts.slices.max(1);
    let mut all: Vec<Work> =
        vec![("info".to_owned(), Box::new(|trace| drop(trace.info()))), question("report")];
    let questions = [
        "activity",
        "calls",
        "calls?from=100&to=10000",
        "report?from=100&to=10000",
        "iterations?from=100&to=10000",
        "components",
        "contents",
        "critical_path",
        "files",
        "kernel_lanes",
        "calltree",
        "calltree?by=thread",
        "calltree?weight=device",
        "calltree?weight=waits",
        "calltree?weight=idle",
        "calltree?weight=samples",
        "calltree?weight=allocated",
        "calltree?weight=peak",
        "sandwich?name=f",
        "sandwich?name=queue.wait",
        "kernel?name=kernel",
        "kernel?name=copy",
        "select",
        "select?where=duration%3E1us",
        "select?where=name:f&sort=self&groups=10000",
        "select?tracks=0.1.2.3",
        "select?from=1000&to=100000",
        "slices?limit=10000&args=true",
        "slices?where=name:f&sort=-duration&offset=100",
        "search?where=name:f",
        "find?text=e",
        "find?text=kernel%205",
        "step?at=100",
        "step?at=100&where=name:nothing",
        "step?at=100000000&back=true&where=name:nothing",
        "graph",
        "graph?level=command",
        "graph?level=kernel",
        "graph_members?level=kernel&group=kernel",
        "gaps",
        "iterations",
        "iterations?command=kernel&limit=3",
        "findings?from=100&to=10000&limit=10",
        "start_up",
        "builds",
        "builds?from=100&to=10000",
        "regions",
        "energy",
        "energy?from=100&to=10000",
        "critical_path?from=100&to=10000&limit=10",
        "serialised",
        "serialised?from=100&to=10000",
        "what_if?kernel=kernel&faster=2&copies=0&schedule=1",
        "what_if?kernel=kernel&faster=2&copies=0&schedule=1&schedule_from=100&schedule_to=10000&columns=1000",
        "what_if?kernel=kernel&faster=2&builds=0&from=100&to=10000",
        "memory_use",
        "memory_use?from=100&to=10000&points=100&places=10",
        "memory_at?at=5000",
        "memory_at?at=5000&to=100000&places=10",
        "allocations",
        "allocations?sort=-size&text=main&unreleased=true",
        "objects",
        "objects?sort=-bytes",
        "objects/1",
        "objects/2",
        "transfers",
        "transfers?limit=10000",
        "leaks",
        "lines?path=main.cpp",
        "sources/0",
        "tiles/object/1/20/0",
        "tiles/kernel/0/20/0",
        "tiles/kernel/0/4/0",
        "tiles/activity/0/20/0",
    ];
    all.extend(questions.map(question));
    for track in [0, track as usize, last] {
        for view in ["timeline", "density", "counter"] {
            all.push(question(&format!("tiles/{view}/{track}/30/0")));
            all.push(question(&format!("tiles/{view}/{track}/6/1")));
        }
        all.push(question(&format!("tiles/timeline/{track}/30/0?where=name:f")));
        all.push(question(&format!("tiles/density/{track}/30/0?where=name:f")));
        all.push(question(&format!("memory/{track}/20/0/20/4096")));
    }
    for slice in [0, 1, slices / 2, slices - 1] {
        for word in [
            "",
            "/overlaps?limit=100",
            "/alike",
            "/waited_for?hops=100&limit=100",
            "/waited_by?hops=100&limit=100",
            "/chain?limit=100",
        ] {
            all.push(question(&format!("slices/{slice}{word}")));
        }
        all.push(question(&format!("life/{slice}")));
        all.push(question(&format!("dependences?slice={slice}")));
        all.push(question(&format!("dependences?slice={slice}&hops=100&limit=10000")));
    }
    all.push(("a sample".to_owned(), Box::new(|trace| drop(Sample::new("", trace).for_history()))));
    all.push(("dump".to_owned(), Box::new(|trace| drop(trace.dump()))));
    for format in [Format::Perfetto, Format::Json] {
        let name = format!("a part as {format:?}");
        all.push((
            name,
            Box::new(move |trace| {
                let part = Part::new(1_000, 100_000).expect("a part");
                cut::write(trace, part, format, Box::new(std::io::sink())).expect("nothing fails");
            }),
        ));
    }
    all.push((
        "a clean copy".to_owned(),
        Box::new(|trace| {
            use syclscope_engine::budget::Budget;
            use syclscope_engine::clean::{self, Choice};
            use syclscope_language::contents::ContentKind;
            let choice = Choice::new(ContentKind::ALL.iter().copied());
            let _ = clean::write(
                trace,
                choice,
                clean::Key::new("key"),
                Format::Json,
                Box::new(std::io::sink()),
                &Budget::unlimited(),
            );
        }),
    ));
    all
}

/// Returns queries to a comparison of two traces.
pub(crate) fn compare_questions() -> Vec<CompareQuestion> {
    let texts = [
        "overview",
        "commands?row=0",
        "counterpart?side=a&node=1",
        "graph",
        "live?side=a&at=5000",
        "live?side=a",
        "anchors?side=a",
    ];
    texts.iter().map(|text| text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))).collect()
}

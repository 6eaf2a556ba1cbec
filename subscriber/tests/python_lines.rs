//! Lines of Python, in every installed interpreter of a supported version: each must be the one that Python itself
//! reports.

#[path = "support/interpreters.rs"]
mod interpreters;
#[path = "support/recorded.rs"]
#[expect(dead_code, reason = "a part of what can be looked at")]
mod recorded;
#[path = "support/run.rs"]
#[expect(dead_code, reason = "a part of what can be run")]
mod run;

use interpreters::interpreters;
use run::Run;
use syclscope_language::event::{Category, Event, EventSink, NodeKind};

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/lines.py");

#[derive(Debug, Default)]
struct Told {
    places: Vec<String>,
}

impl EventSink for Told {
    fn event(&mut self, event: &Event<'_>) {
        let place = match event {
            Event::SliceBegin(slice) if slice.category == Category::Wait => slice.location,
            Event::Node(node) if node.kind == NodeKind::Barrier => node.location,
            Event::Allocation(allocation) => allocation.location,
            _ => return,
        };
        self.places.push(format!("{}:{} {}", place.file, place.line, place.function));
    }
}

#[test]
fn every_wait_barrier_and_allocation_stands_at_the_line_that_python_names() {
    let interpreters = interpreters();
    assert!(!interpreters.is_empty(), "the tests need a Python from 3.10 to 3.14 in PATH");
    for (minor, interpreter) in interpreters {
        println!("Python 3.{minor}: {}", interpreter.display());
        let (run, output) = Run::of_python(&interpreter, PROGRAM).run();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(output.status.success(), "3.{minor}: {}", text(&output.stderr));
        let mut told = Told::default();
        syclscope_engine::import::read(&std::fs::read(run.output()).unwrap(), &mut told).unwrap();
        let printed = text(&output.stdout);
        let mut expected: Vec<&str> = printed.lines().collect();
        assert!(expected.len() > 150, "3.{minor}: {printed}");
        assert_eq!(run.status()["notes"], serde_json::json!([]), "3.{minor}");
        // Threads print and notify in any order.
        expected.sort_unstable();
        told.places.sort_unstable();
        assert_eq!(told.places, expected, "3.{minor}");
    }
}

#[test]
fn without_lines_a_wait_stands_where_the_runtime_says() {
    let Some((_, interpreter)) = interpreters().pop() else { panic!("the tests need a Python in PATH") };
    let (run, output) = Run::of_python(&interpreter, PROGRAM).with("SYCLSCOPE_PYTHON_LINES", "0").run();
    assert!(output.status.success());
    let mut told = Told::default();
    syclscope_engine::import::read(&std::fs::read(run.output()).unwrap(), &mut told).unwrap();
    assert!(told.places.len() > 150);
    let (waits, barriers): (Vec<_>, Vec<_>) = told.places.iter().partition(|place| !place.starts_with(':'));
    assert!(waits.iter().all(|place| *place == "/gone/binding.cpp:7 binding"), "{waits:?}");
    assert_eq!(barriers, [":0 ", ":0 "], "a barrier and a buffer's memory");
}

//! Round trips of every event in both formats, exact to the nanosecond.

use proptest::prelude::*;
use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::export::{Exporter, chrome_json, perfetto};
use syclscope_engine::import;
use syclscope_language::event::{Event, EventSink as _};

use crate::recordings::{Log, Step, play, small, steps, whole, write};

fn assert_round_trip<W: Exporter + Default>(play: impl Fn(&mut dyn FnMut(&Event<'_>))) {
    let mut expected = Log::default();
    let mut direct = TraceBuilder::new();
    play(&mut |event| {
        expected.event(event);
        direct.event(event);
    });
    let bytes = write::<W>(&play);
    let mut read = Log::default();
    let report = import::read(&bytes, &mut read).unwrap();
    assert_eq!(read.0, expected.0);
    assert!(report.own_convention);
    assert_eq!(report.diagnostics.infos().count(), 0, "{:?}", report.diagnostics.infos().next());
    assert_eq!(import::open(&bytes).unwrap().dump(), direct.build().dump());
}

#[test]
fn a_recording_that_a_person_can_follow_comes_back() {
    for play in [small, whole] {
        assert_round_trip::<perfetto::Writer>(play);
        assert_round_trip::<chrome_json::Writer>(play);
    }
}

#[test]
fn interned_texts_are_forgotten_and_told_again() {
    // More text than the writer's limit: the sequence restarts in the middle.
    let names: Vec<String> = (0..40).map(|number| format!("{number} {}", "x".repeat(900_000))).collect();
    let long = |take: &mut dyn FnMut(&Event<'_>)| {
        play(&[], take);
        for file in names.iter().chain(&names[..2]) {
            let location = syclscope_language::event::SourceLocation { file, line: 1, ..Default::default() };
            let instant = syclscope_language::event::Instant {
                track: 9,
                at: Default::default(),
                category: Default::default(),
                name: "again",
                node: None,
                location,
                args: &[],
            };
            take(&Event::Instant(instant));
        }
    };
    assert_round_trip::<perfetto::Writer>(long);
}

#[test]
fn a_part_of_a_run_comes_back() {
    let part = |take: &mut dyn FnMut(&Event<'_>)| {
        let process = syclscope_language::event::Process { from_ns: Some(7), ..crate::recordings::PROCESS };
        take(&Event::Process(process));
        take(&Event::PartEnd { at: syclscope_language::time::Timestamp(9) });
    };
    assert_round_trip::<perfetto::Writer>(part);
    assert_round_trip::<chrome_json::Writer>(part);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn random_recordings_come_back_from_perfetto(steps in steps(60)) {
        assert_round_trip::<perfetto::Writer>(|take| play(&steps, take));
    }

    #[test]
    fn random_recordings_come_back_from_chrome_json(steps in steps(60)) {
        assert_round_trip::<chrome_json::Writer>(|take| play(&steps, take));
    }

    #[test]
    fn chrome_json_is_json_and_its_lanes_never_overlap(steps in steps(60)) {
        check_json(&steps);
    }
}

/// Reads the file with an independent parser, and finds no overlap on any thread of executions.
fn check_json(steps: &[Step]) {
    let bytes = write::<chrome_json::Writer>(|take| play(steps, take));
    let events: Vec<serde_json::Value> = serde_json::from_slice(&bytes).unwrap();
    let mut lanes = std::collections::BTreeMap::<_, Vec<(u64, u64)>>::new();
    for event in events.iter().filter(|event| event["ph"] == "X") {
        let ns = |key: &str| (event[key].as_f64().unwrap() * 1000.0).round() as u64;
        // Doubles represent these times exactly enough only below 2^52 ns, which is the limit of the steps.
        let lane = (event["pid"].as_u64().unwrap(), event["tid"].as_u64().unwrap());
        lanes.entry(lane).or_default().push((ns("ts"), ns("ts") + ns("dur")));
    }
    for lane in lanes.values_mut() {
        lane.sort_unstable();
        assert!(lane.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{lane:?}");
    }
}

//! Ranges of frameworks: a recording has exactly the calls of its client.

#[path = "support/recorded.rs"]
#[expect(dead_code, reason = "a part of what can be looked at")]
mod recorded;
#[path = "support/run.rs"]
#[expect(dead_code, reason = "a part of what can be run")]
mod run;

use recorded::{Recorded, Slice};
use run::{Run, Scenario};
use syclscope_language::event::Category;

fn kokkos() -> Scenario {
    Run::of("kokkos").with_tools()
}

fn text<'a>(range: &'a Slice, name: &str) -> &'a str {
    range.arg(name).trim_start_matches("Str(\"").trim_end_matches("\")")
}

/// Returns name, kind and parent of each range, ordered by start.
fn nesting(recorded: &Recorded) -> Vec<String> {
    let ranges: Vec<&Slice> = recorded.slices_of(Category::User).collect();
    let outer = |inner: &Slice| {
        let begins_before = |range: &&&Slice| range.track == inner.track && range.begin < inner.begin;
        let around = ranges.iter().filter(begins_before).filter(|range| range.end > inner.end);
        around.max_by_key(|range| range.begin).map_or("-", |range| range.name.as_str())
    };
    let line = |range: &&Slice| format!("{} {} in {}", text(range, "kind"), range.name, outer(range));
    ranges.iter().map(line).collect()
}

#[test]
fn kokkos_kernels_regions_copies_and_data_are_those_of_the_program() {
    for (format, is_alone) in [("perfetto", false), ("json", false), ("perfetto", true)] {
        let scenario = kokkos().with("SYCLSCOPE_FORMAT", format);
        let run = if is_alone { scenario.alone() } else { scenario }.finished();
        assert_eq!(run.import_problems(), 0, "{format}");
        let recorded = run.recorded();
        assert!(recorded.is_finished, "{format} {is_alone}");
        let step = [
            "region step in -",
            "parallel_for axpy in step",
            "region reduce in step",
            "parallel_reduce app::Dot in reduce",
        ];
        let mut expected: Vec<&str> = step.to_vec();
        expected.extend(["region step in -", "section whole in -"]);
        expected.extend(step[1..].iter().chain(&step));
        expected.extend(["section part in -"; 2]);
        expected.extend(["deep_copy deep_copy in -", "fence copy is done in deep_copy"]);
        assert_eq!(nesting(&recorded), expected, "{format}");
        let parts = recorded.slices_of(Category::User).filter(|slice| slice.name == "part");
        assert!(parts.map(|slice| slice.end).is_sorted(), "{format}: each ends where it was stopped");
        let copy = recorded.slices_of(Category::User).find(|slice| slice.name == "deep_copy").unwrap();
        let details =
            ["size_bytes", "source", "source_space", "target", "target_space"].map(|name| text(copy, name));
        assert_eq!(details, ["Uint(4096)", "x", "SYCLDeviceUSM", "y", "Host"]);
        let points: Vec<&str> = recorded.instants_of(Category::User).collect();
        assert_eq!(points, ["x", "x", "converged", "x"], "{format}");
        let tracks: Vec<&str> = recorded.stream_tracks.iter().map(|track| track.name.as_str()).collect();
        assert_eq!(tracks, ["Kokkos", "Kokkos (start, end)", "Kokkos (start, end) 2"]);
        assert_eq!(run.status()["streams"], serde_json::json!(["ranges.kokkos"]));
        assert!(recorded.slices_of(Category::User).all(|slice| slice.end.is_some()));
    }
}

fn compared(scenario: Scenario) -> String {
    let (run, output) = scenario.run();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(run.import_problems(), 0);
    let recorded = run.recorded();
    assert!(recorded.is_finished && recorded.slices.iter().all(|slice| slice.end.is_some()));
    let printed = String::from_utf8(output.stdout).unwrap();
    let of_kind = |kind: &str| -> Vec<&str> {
        printed.lines().filter_map(|line| line.strip_prefix(kind)?.strip_prefix(' ')).collect()
    };
    let track = |track: u64| recorded.stream_tracks.iter().find(|known| known.track == track).unwrap();
    let details = |slice: &Slice, printed: &str| {
        let details = printed.rsplit('|').next().unwrap().trim();
        let Some((name, _)) = details.split_once('=') else { return String::new() };
        let value = text(slice, name);
        let value = value.strip_prefix("Pointer(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(value);
        format!(" {name}={value}")
    };
    let ranges = recorded.slices_of(Category::User).enumerate().map(|(number, slice)| {
        let printed = of_kind("range").get(number).copied().unwrap_or_default();
        format!("{} | {} |{}", track(slice.track).name, slice.name, details(slice, printed))
    });
    let points = recorded.instants_of(Category::User).map(str::to_owned);
    let counters = of_kind("counter").into_iter().map(|line| {
        let (name, _) = line.split_once(" = ").unwrap();
        format!("{name} = {:?}", recorded.counter(name))
    });
    let pauses = recorded.pauses.iter().map(|(is_paused, reason)| {
        assert_eq!(reason, "the program");
        is_paused.to_string()
    });
    let found: Vec<String> = ranges.chain(points).chain(counters).chain(pauses).collect();
    let expected: Vec<&str> = ["range", "point", "counter", "pause"].into_iter().flat_map(of_kind).collect();
    assert_eq!(found, expected);
    printed
}

#[test]
fn what_a_client_of_itt_calls_is_in_the_recording() {
    for is_alone in [false, true] {
        let scenario = Run::of("itt").with_tools();
        let printed = compared(if is_alone { scenario.alone() } else { scenario });
        let expected = [
            "enabled [\"early\"]",
            "enabled solver true, OMP Metadata false",
            "what the recorder lacks does nothing: true",
        ];
        assert_eq!(printed.lines().take(expected.len()).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn a_pause_before_the_recording_begins_holds() {
    compared(Run::of("itt_paused_first").with_tools());
}

#[test]
fn kokkos_does_not_wait_for_its_kernels() {
    let (_, output) = kokkos().run();
    assert!(String::from_utf8_lossy(&output.stdout).contains("waits for kernels: false"));
}

#[test]
fn a_runtime_that_comes_after_the_first_range_is_recorded() {
    for is_alone in [false, true] {
        let scenario = Run::of("kokkos_then_graph").with_tools();
        let run = if is_alone { scenario.alone() } else { scenario }.finished();
        let recorded = run.recorded();
        assert!(recorded.is_finished && !recorded.nodes.is_empty() && !recorded.edges.is_empty());
        assert_eq!(recorded.slices_of(Category::User).count(), 17);
    }
}

#[test]
fn ranges_that_are_left_out_make_no_recording() {
    for streams in ["-ranges", "sycl", "-ranges.kokkos"] {
        let run = kokkos().with("SYCLSCOPE_STREAMS", streams).finished();
        assert!(!run.output().exists(), "{streams}");
        let run = Run::of("kokkos_then_graph").with_tools().with("SYCLSCOPE_STREAMS", streams).finished();
        let recorded = run.recorded();
        assert!(!recorded.nodes.is_empty() && recorded.slices_of(Category::User).count() == 0, "{streams}");
    }
}

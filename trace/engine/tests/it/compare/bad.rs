//! Notes about incomparable runs; no comparison fails.

use proptest::prelude::*;
use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::import;
use syclscope_engine::store::Trace;
use syclscope_language::api::Verdict;
use syclscope_language::event::{Event, EventSink as _, NodeKind, Pause, QueueOrder};

use super::compare;
use super::programs::{BODY, kernel, run, solver};
use crate::recordings::run::Run;
use crate::recordings::{play, steps, write};

fn notes(a: &Trace, b: &Trace) -> Vec<String> {
    compare(a, b).notes.into_iter().map(|note| note.kind).collect()
}

#[test]
fn an_empty_side_is_said() {
    let (empty, some) = (TraceBuilder::new().build(), run(&solver(3, &BODY)));
    for (a, b) in [(&empty, &some), (&some, &empty), (&empty, &empty)] {
        assert!(notes(a, b).contains(&"empty".to_owned()));
    }
}

#[test]
fn different_programs_are_said() {
    let other = run(&[kernel("One", 1, 5), kernel("Two", 2, 5), kernel("Two", 2, 5), kernel("One", 1, 5)]);
    let kinds = notes(&run(&solver(9, &BODY)), &other);
    assert_eq!(kinds[0], "nothing_in_common", "{kinds:?}");
}

#[test]
fn a_run_of_another_size_is_said() {
    let kinds = notes(&run(&solver(1_000, &BODY)), &run(&solver(1, &BODY)));
    assert!(kinds.contains(&"different_sizes".to_owned()), "{kinds:?}");
}

#[test]
fn commands_without_device_times_are_counted() {
    let without = || {
        let mut run = Run::new(QueueOrder::InOrder);
        for at in 0..5 {
            run.node(NodeKind::Kernel, at * 100);
        }
        run.trace()
    };
    let comparison = compare(&without(), &run(&solver(3, &BODY)));
    assert!(comparison.notes.iter().any(|note| note.kind == "no_device_times" && note.is_severe));
    assert_eq!(compare(&without(), &without()).matched, 5);
}

#[test]
fn a_cut_file_is_said() {
    let bytes = write::<syclscope_engine::export::perfetto::Writer>(crate::recordings::small);
    let whole = import::open(&bytes).unwrap();
    let cut = import::open(&bytes[..bytes.len() * 3 / 4]).unwrap();
    assert!(notes(&whole, &cut).contains(&"cut_short".to_owned()));
    assert!(!notes(&whole, &whole).contains(&"cut_short".to_owned()));
}

#[test]
fn a_part_of_a_run_has_a_note_and_no_duration_to_compare() {
    let recorded = |is_part: bool| {
        let bytes = write::<syclscope_engine::export::perfetto::Writer>(|take| {
            crate::recordings::small(&mut |event| match event {
                Event::Finish { at } if is_part => take(&Event::PartEnd { at: *at }),
                event => take(event),
            });
        });
        import::open(&bytes).unwrap()
    };
    let (whole, part) = (recorded(false), recorded(true));
    let found = compare(&whole, &part);
    assert!(found.notes.iter().any(|note| note.kind == "part_of_run"), "{:?}", found.notes);
    assert_eq!(found.duration.verdict, Verdict::Incomparable);
    assert!(found.memory.is_empty(), "the rest of the run may release it: {:?}", found.memory);
    let leaks = |a: &Trace, b: &Trace| {
        compare(a, b).figures.iter().filter(|figure| figure.name.starts_with("leak")).count()
    };
    assert_eq!((leaks(&whole, &whole), leaks(&whole, &part), leaks(&part, &part)), (2, 0, 0));
    assert!(!notes(&whole, &whole).contains(&"part_of_run".to_owned()));
}

#[test]
fn a_part_that_ends_in_a_pause_is_complete() {
    let recorded = |is_paused: bool| {
        let bytes = write::<syclscope_engine::export::perfetto::Writer>(|take| {
            crate::recordings::small(&mut |event| match event {
                Event::Finish { at } => {
                    take(&Event::Pause(Pause { at: *at, is_paused, reason: "program" }));
                    take(&Event::PartEnd { at: *at });
                }
                event => take(event),
            });
        });
        import::open(&bytes).unwrap()
    };
    let whole = import::open(&write::<syclscope_engine::export::perfetto::Writer>(crate::recordings::small));
    let whole = whole.unwrap();
    let has_note = |part: &Trace| notes(&whole, part).contains(&"part_of_run".to_owned());
    assert_eq!([false, true].map(|is_paused| has_note(&recorded(is_paused))), [true, false]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn no_trace_makes_it_fail(one in steps(60), other in steps(60)) {
        let trace = |steps| {
            let mut builder = TraceBuilder::new();
            play(steps, &mut |event| builder.event(event));
            builder.build()
        };
        let (a, b) = (trace(&one), trace(&other));
        compare(&a, &b);
        let own = compare(&a, &a);
        prop_assert_eq!(own.matched, own.a.commands, "each command is itself");
    }
}

//! Remedies of findings fit the program and its environment.

use syclscope_language::event::{
    Allocation, AllocationKind, Category, Event, Fact, FactKind, QueueOrder, Release, SourceFile,
    SourceLocation, SourceState, Value,
};
use syclscope_language::time::Timestamp;

use crate::recordings::run::{Command, Run, place, ranks};

/// Returns the remedy of `build_inside_run` for a process with these facts.
fn build_advice(process: &str, facts: &[(FactKind, &str, &str)]) -> String {
    let mut run = Run::with_name(process, QueueOrder::InOrder);
    for &(kind, name, value) in facts {
        run.event(&Event::Fact(Fact { at: Timestamp(0), kind, name, value }));
    }
    run.kernel(10_000, (12_000, 20_000));
    run.slice(Category::Call, "urProgramBuild", 30_000, 90_030_000, None, &[]);
    run.kernel(90_040_000, (90_050_000, 90_060_000));
    let findings = run.trace().report().findings;
    findings.iter().find(|finding| finding.kind == "build_inside_run").unwrap().remedy.clone()
}

#[test]
fn a_remedy_for_builds_is_none_that_is_there_crashes_or_cannot_be() {
    let cache = (FactKind::Environment, "SYCL_CACHE_PERSISTENT", "1");
    let crashing = (FactKind::Version, "intel-sycl-rt", "2025.3.3");
    let says = |text: &str, words: &[&str]| words.iter().map(|word| text.contains(word)).collect::<Vec<_>>();
    let words = ["-fsycl-targets", "SYCL_CACHE_PERSISTENT=1", "SYCL_CACHE_DIR", "each kernel once"];
    assert_eq!(says(&build_advice("heat", &[]), &words), [true, true, false, false]);
    let off = (FactKind::Environment, "SYCL_CACHE_PERSISTENT", "0");
    assert_eq!(says(&build_advice("heat", &[off]), &words), [true, true, false, false]);
    assert_eq!(says(&build_advice("heat", &[cache]), &words), [true, false, true, false]);
    assert_eq!(says(&build_advice("heat", &[crashing]), &words), [true, false, false, false]);
    assert_eq!(says(&build_advice("python3.12", &[]), &words), [false, true, false, true]);
    assert_eq!(
        says(&build_advice("/usr/bin/python", &[cache, crashing]), &words),
        [false, false, true, true]
    );
}

/// The call for several devices is rejected after a short time, and another call does the build, as in dpnp on runtime
/// 2026.2.
#[test]
fn a_build_that_was_refused_and_made_by_another_call_counts_once() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.kernel(10_000, (12_000, 20_000));
    for step in 0..3 {
        let at = 30_000 + step * 3_000_000;
        let refused = [("result", Value::Str("UR_RESULT_ERROR_UNSUPPORTED_FEATURE"))];
        run.slice(Category::Call, "urProgramBuildExp", at, at + 140_000, None, &refused);
        run.slice(Category::Call, "urProgramBuild", at + 150_000, at + 2_500_000, None, &[]);
    }
    let (node, ran) = (run.next_node(), (10_050_000, 10_060_000));
    run.submit(Command { node, name: "app::Kernel<app::Cells>", at: 10_040_000, ran, ..Command::default() });
    let findings = run.trace().report().findings;
    let build = findings.iter().find(|finding| finding.kind == "build_inside_run").unwrap();
    assert!(build.message.contains("(3 ×)"), "{}", build.message);
    assert!(build.evidence[1].contains("precedes Kernel<Cells>"), "{:?}", build.evidence);
    assert!(build.evidence[0].contains("(3 of them rejected or short)"), "{:?}", build.evidence);
}

#[test]
fn builds_have_the_line_with_most_of_their_time() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.kernel(10_000, (12_000, 20_000));
    for (at, length, line) in [(30_000, 2_000_000, 7), (3_000_000, 9_000_000, 8), (20_000_000, 3_000_000, 7)]
    {
        run.slice(Category::Call, "urProgramBuild", at, at + length, None, &[]);
        let (node, at) = (run.next_node(), at + length + 10_000);
        let (ran, location) = ((at + 10_000, at + 20_000), place(line));
        run.submit(Command { node, at, ran, location, ..Command::default() });
    }
    let findings = run.trace().report().findings;
    let build = findings.iter().find(|finding| finding.kind == "build_inside_run").unwrap();
    assert_eq!(build.location.as_ref().map(|place| place.line), Some(8));
    assert!(build.evidence[1].starts_with("The largest share, 9 ms, precedes "), "{:?}", build.evidence);
}

#[test]
fn a_remedy_for_builds_knows_what_was_loaded() {
    let message = |calls: &[&str]| {
        let mut run = Run::new(QueueOrder::InOrder);
        let (kind, name, value) = (FactKind::Environment, "SYCL_CACHE_PERSISTENT", "1");
        run.event(&Event::Fact(Fact { at: Timestamp(0), kind, name, value }));
        run.kernel(10_000, (12_000, 20_000));
        for (step, name) in (0..).zip(calls) {
            run.slice(Category::Call, name, 20_000 + step * 100, 20_050 + step * 100, None, &[]);
        }
        run.slice(Category::Call, "urProgramBuild", 30_000, 90_030_000, None, &[]);
        run.kernel(90_040_000, (90_050_000, 90_060_000));
        let findings = run.trace().report().findings;
        findings.iter().find(|finding| finding.kind == "build_inside_run").unwrap().message.clone()
    };
    let (loaded, compiled) = ("urProgramCreateWithBinary", "urProgramCreateWithIL");
    let compiler = "The runtime's own compiler is not recorded";
    let of_loaded = message(&[loaded, loaded]);
    assert!(of_loaded.contains("loaded as binaries") && !of_loaded.contains("cache did not"), "{of_loaded}");
    assert!(!of_loaded.contains(compiler), "nothing was compiled: {of_loaded}");
    let mixed = message(&[loaded, compiled, loaded]);
    assert!(mixed.contains("1 of 3 programs were not in the cache") && mixed.contains(compiler), "{mixed}");
    assert!(message(&[]).contains("is set: see"), "{}", message(&[]));
}

/// Returns the remedy of a finding of a program that allocates at a line of a file, and launches short kernels.
fn advice(process: &str, kind: &str, file: &str, state: Option<SourceState>) -> String {
    let mut run = Run::with_name(process, QueueOrder::InOrder);
    if let Some(state) = state {
        run.event(&Event::SourceFile(SourceFile { name: file, state, ..SourceFile::default() }));
    }
    let location = SourceLocation { function: "make", file, line: 7, column: 0 };
    for step in 0..60_u64 {
        let (at, pointer) = (10_000 + step * 30_000, 0x5000_0000 + step * 64);
        run.slice(Category::Memory, "malloc", at, at + 10_000, None, &[]);
        run.event(&Event::Allocation(Allocation {
            at: Timestamp(at + 5_000),
            pointer,
            size_bytes: 64,
            kind: AllocationKind::Device,
            guard_bytes: 0,
            device: "device",
            tid: 1,
            location,
        }));
        run.kernel(at + 10_000, (at + 12_000, at + 12_100));
        run.slice(Category::Memory, "free", at + 20_000, at + 29_000, None, &[]);
        run.event(&Event::Release(Release { at: Timestamp(at + 25_000), pointer, tid: 1 }));
    }
    let findings = run.trace().report().findings;
    findings
        .iter()
        .find(|finding| finding.kind == kind)
        .map_or_else(String::new, |finding| finding.remedy.clone())
}

#[test]
fn nobody_is_told_to_put_a_pool_into_a_library() {
    let says = |process, file, state| {
        let message = advice(process, "small_allocations", file, state);
        ["use a pool", "A library makes them", "`out=`"].map(|words| message.contains(words))
    };
    let (own, library, python) = ([true, false, false], [false, true, false], [false, false, true]);
    assert_eq!(says("heat", "src/heat.cpp", None), own);
    assert_eq!(says("heat", "src/heat.cpp", Some(SourceState::Whole)), own);
    assert_eq!(says("heat", "src/optimised/usr/heat.cpp", Some(SourceState::TooLarge)), own);
    for file in [
        "/usr/include/oneapi/dpl/sort.h",
        "/opt/intel/oneapi/dpl/sort.h",
        "/v/lib/python3/site-packages/a/b.hpp",
    ] {
        assert_eq!(says("heat", file, None), library, "{file}");
    }
    assert_eq!(says("heat", "/tmp/build/of/somebody/pool.cpp", Some(SourceState::Unreadable)), library);
    assert_eq!(says("/usr/bin/python3.12", "/tmp/build/dpctl/memory.cpp", None), python);
}

#[test]
fn users_of_python_are_not_told_how_to_write_kernels() {
    let says = |process| {
        let message = advice(process, "kernels_too_short", "a.cpp", None);
        ["several steps in one kernel", "larger arrays"].map(|words| message.contains(words))
    };
    assert_eq!((says("heat"), says("python3")), ([true, false], [false, true]));
}

#[test]
fn a_remedy_for_builds_fits_the_rank_that_builds() {
    let trace = ranks(|run, rank| {
        run.kernel(10_000, (12_000, 20_000));
        if rank == 1 {
            let (kind, name, value) = (FactKind::Environment, "SYCL_CACHE_PERSISTENT", "1");
            run.event(&Event::Fact(Fact { at: Timestamp(0), kind, name, value }));
            run.slice(Category::Call, "urProgramBuild", 30_000, 90_030_000, None, &[]);
        }
        run.kernel(90_040_000, (90_050_000, 90_060_000));
    });
    let remedy = trace.report().build_remedy;
    assert!(remedy.contains("SYCL_CACHE_PERSISTENT is set"), "{remedy}");
}

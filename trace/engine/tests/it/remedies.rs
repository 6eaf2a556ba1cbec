//! Remedies of findings fit the program and its environment.

use syclscope_language::event::{Category, Event, Fact, FactKind, QueueOrder};
use syclscope_language::time::Timestamp;

use crate::recordings::run::Run;

/// The message of `build_inside_run` for a process with these facts.
fn build_advice(process: &str, facts: &[(FactKind, &str, &str)]) -> String {
    let mut run = Run::of(process, QueueOrder::InOrder);
    for &(kind, name, value) in facts {
        run.event(&Event::Fact(Fact { at: Timestamp(0), kind, name, value }));
    }
    run.kernel(10_000, (12_000, 20_000));
    run.slice(Category::Call, "urProgramBuild", 30_000, 90_030_000, None, &[]);
    run.kernel(90_040_000, (90_050_000, 90_060_000));
    let findings = run.trace().report().findings;
    findings.iter().find(|finding| finding.kind == "build_inside_run").unwrap().message.clone()
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

//! Regions of two groups of runs, one of which is slower in one region.

use syclscope_engine::compare::{Comparing, Group, Sample, SampledGroup, compare_samples};
use syclscope_engine::store::Trace;
use syclscope_language::api::{ComparedRegion, Presence, Verdict};
use syclscope_language::event::{Category, QueueOrder};

use crate::recordings::run::Run;

/// Returns ten steps of a region `solve` and a region `assemble`, whose times vary by a hundredth.
fn run(number: u64, solve_ns: u64, last: &str) -> Trace {
    let mut run = Run::new(QueueOrder::InOrder);
    for step in 0..10 {
        let from = step * 1_000_000;
        let jitter = (number * 7 + step * 13) % 11;
        let solved = from + 1_000 + solve_ns + jitter * solve_ns / 1_000;
        let assembled = solved + 100_000 + jitter * 100;
        run.slice(Category::User, &format!("step {step}"), from, assembled + 1_000, None, &[]);
        run.slice(Category::User, "solve", from + 1_000, solved, None, &[]);
        run.slice(Category::User, "assemble", solved, assembled, None, &[]);
        run.kernel(from + 2_000, (from + 5_000, from + 6_000));
    }
    run.slice(Category::User, last, 10_500_000, 10_600_000, None, &[]);
    run.trace()
}

fn of<'r>(regions: &'r [ComparedRegion], path: &str) -> &'r ComparedRegion {
    regions.iter().find(|region| region.region == path).unwrap_or_else(|| panic!("{path}: {regions:?}"))
}

#[test]
fn a_region_is_slower_where_it_is_and_nowhere_else() {
    let runs = |solve_ns, last| -> Vec<Sample> {
        (0..8).map(|number| Sample::new("run", &run(number, solve_ns, last))).collect()
    };
    let (before, now) = (runs(300_000, "write"), runs(360_000, "export"));
    let compared = |b: &[Sample]| {
        compare_samples(SampledGroup { name: "a", runs: &before }, SampledGroup { name: "b", runs: b })
            .regions
    };
    let regions = compared(&now);
    let paths: Vec<&str> = regions.iter().map(|region| region.region.as_str()).collect();
    assert_eq!(paths, ["step #", "step #/solve", "step #/assemble", "export", "write"]);
    let solve = of(&regions, "step #/solve");
    assert_eq!(solve.time.verdict, Verdict::Slower);
    assert!((solve.time.ratio.unwrap() - 1.2).abs() < 0.01, "{solve:?}");
    assert_eq!(solve.a.as_ref().map(|side| side.count), Some(10));
    assert_eq!(of(&regions, "step #").time.verdict, Verdict::Slower);
    assert_eq!(of(&regions, "step #/assemble").time.verdict, Verdict::Same);
    assert_eq!(
        [of(&regions, "write").presence, of(&regions, "export").presence],
        [Presence::OnlyA, Presence::OnlyB]
    );
    // A group against itself, in another order.
    let mut again = before.clone();
    again.reverse();
    assert!(compared(&again).iter().all(|region| region.time.verdict == Verdict::Same));

    // Single whole recordings have the same regions.
    let [a, b] = [run(0, 300_000, "write"), run(1, 360_000, "export")];
    let whole = Comparing::new(Group::single("a", &a), Group::single("b", &b)).overview(3).regions;
    assert_eq!(whole.iter().map(|region| region.region.as_str()).collect::<Vec<_>>(), &paths[..3]);
    assert!(
        whole.iter().all(|region| region.time.is_of_single_runs() && region.time.p.is_none()),
        "{whole:?}"
    );
    assert_eq!(whole[1].b.as_ref().map(|side| side.count), Some(10));
}

//! Counts of steps in every part of a comparison: none exceeds its limit, for any runs.

use std::fmt::Write as _;

use proptest::prelude::*;
use syclscope_engine::budget::{Budget, Spent};
use syclscope_engine::cancel::{self, Stopped, Work};
use syclscope_engine::compare::{Comparing, Group, Sample};
use syclscope_engine::import;
use syclscope_engine::store::Trace;
use syclscope_language::question::CompareQuestion;

/// More steps than any of these comparisons takes.
const PLENTY: u64 = 1 << 50;

/// Returns a run that launches `kinds` kernels `times` times each, in an order that depends on `mix`.
fn run(kinds: usize, times: usize, mix: usize) -> Trace {
    let mut text = "[".to_owned();
    for launch in 0..kinds * times {
        let kind = launch * (mix + 1) % kinds;
        let comma = if launch == 0 { "" } else { "," };
        let duration = 10 + (launch * 7 + mix) % 13;
        write!(
            text,
            r#"{comma}{{"ph":"X","ts":{},"dur":{duration},"pid":1,"tid":1,"name":"k{kind}","cat":"kernel"}}"#,
            launch * 30
        )
        .unwrap();
    }
    import::open((text + "]").as_bytes()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn comparisons_end_at_their_limit(
        kinds in 1..12_usize,
        times in 1..12_usize,
        mixes in (0..5_usize, 0..5_usize),
        runs in prop::sample::select(vec![1_usize, 2, 7, 31]),
        part in 0..100_u64,
    ) {
        let traces = [run(kinds, times, mixes.0), run(kinds + 1, times, mixes.1)];
        let question: CompareQuestion = "overview".parse().unwrap();
        let compare = || {
            let sides = [("a", &traces[0]), ("b", &traces[1])].map(|(name, trace)| {
                let samples = (0..runs).map(|run| Sample::new(&format!("{name}{run}"), trace));
                let samples = if runs > 1 { samples.collect() } else { Vec::new() };
                Group { name: name.to_owned(), trace, runs: samples, shown: 0, part: None }
            });
            let [a, b] = sides;
            Comparing::new(a, b).answer(&question).unwrap()
        };
        // Fills the caches of the traces.
        compare();
        let whole = Work::with_steps(PLENTY);
        let answer = cancel::within(&whole, Budget::unlimited(), compare).unwrap();
        let steps = PLENTY - whole.left();
        // Each run is walked over, and resampled for each row of the comparison.
        let rows = (kinds * times * runs) as u64;
        prop_assert!(steps >= 2 * rows, "{steps} steps for {rows} rows");
        if runs > 1 {
            prop_assert!(steps >= 2 * 2_000 * (kinds * runs) as u64, "{steps} steps for {runs} runs");
        }
        let limit = steps * part / 100;
        let stopped = cancel::within(&Work::with_steps(limit), Budget::unlimited(), compare);
        prop_assert_eq!(stopped, Err(Stopped::TooLong));
        // The answer itself takes memory, too.
        let none = cancel::within(&Work::with_steps(PLENTY), Budget::new(0, || 0), compare);
        prop_assert_eq!(none, Err(Stopped::TooLarge(Spent { allowed_bytes: 0 })));
        // A stopped query leaves nothing behind.
        prop_assert_eq!(compare(), answer);
    }
}

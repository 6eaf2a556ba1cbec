//! Iterations of the main loop on both sides: steady ones, and what is before them.
//!
//! The run is the unit, as for launches. A loop that one run has and another has not, or that is marked by something else, is another
//! loop: then times are told, and nothing follows from them.

use syclscope_language::api::{ComparedIterations, ComparedLoopTimes, TimeChange, Verdict, ratio_words};

use super::iteration_sample::SampledIterations;
use super::sample::Sample;
use super::statistics::{Launches, evidence, verdict, whole_median};
use super::times::time_change;
use crate::query::findings::words::time;

/// The iterations of two groups of runs; `None` where a side has none.
pub(super) fn compared(runs: [&[Sample]; 2]) -> Option<ComparedIterations> {
    let loops = runs.map(|runs| runs.iter().filter_map(|run| run.iterations.as_ref()).collect::<Vec<_>>());
    if loops.iter().any(Vec::is_empty) {
        return None;
    }
    let [a, b] = loops.each_ref().map(|loops| side(loops));
    let mark = |of: &SampledIterations| (of.kind, of.name.clone());
    let first = mark(loops[0][0]);
    let are_one_loop = loops.iter().flatten().all(|of| mark(of) == first);
    let has_all = (0..2).all(|side| loops[side].len() == runs[side].len());
    let change = |of: &dyn Fn(&SampledIterations) -> Launches| {
        let launches = loops.each_ref().map(|loops| loops.iter().map(|run| of(run)).collect::<Vec<_>>());
        let evidence = evidence(&launches[0], &launches[1], 1.0);
        let mut change = time_change(evidence.as_ref(), &launches);
        if let Some(evidence) = evidence.filter(|_| are_one_loop && has_all) {
            change.verdict = verdict(&evidence, evidence.p);
        }
        change
    };
    let once = |ns: u64| Launches {
        durations_ns: if ns > 0 { vec![ns as f64] } else { Vec::new() },
        count: u64::from(ns > 0),
    };
    let mut found = ComparedIterations {
        steady: change(&|run| Launches {
            durations_ns: run.durations_ns.iter().map(|ns| *ns as f64).collect(),
            count: run.steady,
        }),
        start_up: TimeChange { quantiles: Vec::new(), ..change(&|run| once(run.start_up_ns)) },
        warm_up: TimeChange { quantiles: Vec::new(), ..change(&|run| once(run.warm_up_ns)) },
        a,
        b,
        message: String::new(),
    };
    found.message = message(&found, are_one_loop, has_all);
    Some(found)
}

fn side(loops: &[&SampledIterations]) -> ComparedLoopTimes {
    let middle =
        |of: fn(&SampledIterations) -> u64| whole_median(loops.iter().map(|run| of(run))).unwrap_or_default();
    let quantile = |run: &SampledIterations, tenths: usize| {
        let last = run.durations_ns.len().saturating_sub(1);
        run.durations_ns.get(last * tenths / 10).copied().unwrap_or_default()
    };
    let spread =
        |tenths: usize| whole_median(loops.iter().map(|run| quantile(run, tenths))).unwrap_or_default();
    ComparedLoopTimes {
        kind: loops[0].kind,
        name: loops[0].name.clone(),
        runs: loops.len() as u32,
        count: middle(|run| run.count),
        steady: middle(|run| run.steady),
        warm_up: middle(|run| run.warm_up),
        p10_ns: spread(1),
        p90_ns: spread(9),
    }
}

/// Describes steady iterations, and how far what is said of them holds.
fn message(found: &ComparedIterations, are_one_loop: bool, has_all: bool) -> String {
    let ComparedIterations { a, b, steady, .. } = found;
    let times = [steady.a_ns, steady.b_ns].map(|ns| time(ns.unwrap_or_default()));
    let mut text = format!("A steady iteration takes {} in A and {} in B", times[0], times[1]);
    if !are_one_loop {
        return text + &format!(". These are different loops ({} and {}), and not compared.", a.name, b.name);
    }
    if !has_all {
        return text + ". Some runs have no such loop, so that nothing follows from it.";
    }
    if let Some(ratio) = steady.ratio {
        text += &format!(", {}", ratio_words(ratio));
    }
    if let (Some(low), Some(high)) = (steady.low, steady.high) {
        text += &format!(" ({} to {})", ratio_words(low), ratio_words(high));
    }
    text += &match steady.verdict {
        Verdict::Same => ": the same".to_owned(),
        other => format!(": {}", other.as_str()),
    };
    if steady.is_of_single_runs() {
        text += ". One run each has many iterations and no significance: they tell of these runs only";
    }
    text + "."
}

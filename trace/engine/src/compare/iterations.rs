//! Iterations of the main loop on both sides: the steady ones, and the time before them.
//!
//! The run is the unit, as for launches. A loop that some runs lack, that has another mark or many more iterations is a
//! different loop: then times are shown without a verdict.

use syclscope_language::api::{
    ComparedIterations, ComparedLoopTimes, IterationMarkKind, TimeChange, Verdict, ratio_words,
};

use super::comparability;
use super::iteration_sample::SampledIterations;
use super::sample::Sample;
use super::statistics::{Launches, benjamini_hochberg, evidence, verdict, whole_median};
use super::times::time_change;
use crate::query::findings::words::time;

/// Returns the iterations of two groups of runs; `None` if a side has none.
pub(super) fn compared(runs: [&[Sample]; 2]) -> Option<ComparedIterations> {
    let loops = runs.map(|runs| runs.iter().filter_map(|run| run.iterations.as_ref()).collect::<Vec<_>>());
    if loops.iter().any(Vec::is_empty) {
        return None;
    }
    let [a, b] = loops.each_ref().map(|loops| side(loops));
    let doubt = doubt(&loops, runs);
    let launches = |of: &dyn Fn(&SampledIterations) -> Launches| {
        loops.each_ref().map(|loops| loops.iter().map(|run| of(run)).collect::<Vec<_>>())
    };
    let once = |ns: u64| Launches {
        durations_ns: if ns > 0 { vec![ns as f64] } else { Vec::new() },
        count: u64::from(ns > 0),
    };
    let times = [
        launches(&|run| Launches {
            durations_ns: run.durations_ns.iter().map(|ns| *ns as f64).collect(),
            count: run.steady,
        }),
        launches(&|run| once(run.start_up_ns)),
        launches(&|run| once(run.warm_up_ns)),
    ];
    let mut evidences = times.each_ref().map(|launches| {
        // A run without times must not count as a fast one.
        let has_time = launches.iter().flatten().all(|run| !run.durations_ns.is_empty());
        evidence(&launches[0], &launches[1], 1.0).filter(|_| doubt.is_none() && has_time)
    });
    // Start-up and warm-up of a part of a run are not those of the run.
    if runs.into_iter().flatten().any(comparability::is_cut) {
        evidences[1..].fill(None);
    }
    let p: Vec<f64> = evidences.iter().flatten().filter_map(|evidence| evidence.p).collect();
    let mut adjusted = benjamini_hochberg(&p).into_iter();
    let [steady, start_up, warm_up] = [0, 1, 2].map(|which: usize| {
        let evidence = evidences[which].as_ref();
        let mut change = time_change(evidence, &times[which]);
        if let Some(evidence) = evidence {
            change.p = evidence.p.and_then(|_| adjusted.next());
            change.verdict = verdict(evidence, change.p);
        }
        change
    });
    let mut found = ComparedIterations {
        steady,
        start_up: TimeChange { quantiles: Vec::new(), ..start_up },
        warm_up: TimeChange { quantiles: Vec::new(), ..warm_up },
        a,
        b,
        message: String::new(),
    };
    found.message = message(&found, doubt.as_deref());
    Some(found)
}

/// Returns the reason why times have no verdict, if any.
fn doubt(loops: &[Vec<&SampledIterations>; 2], runs: [&[Sample]; 2]) -> Option<String> {
    let first = loops[0][0];
    let is_other = |of: &&&SampledIterations| (of.kind, &of.name) != (first.kind, &first.name);
    if let Some(other) = loops.iter().flatten().find(is_other) {
        return Some(format!(
            "These are different loops ({} and {}), and not compared.",
            first.name, other.name
        ));
    }
    if (0..2).any(|side| loops[side].len() < runs[side].len()) {
        return Some("Some runs have no such loop, so that nothing follows from it.".to_owned());
    }
    let counts = || loops.iter().flatten().map(|of| of.count);
    let (least, most) = (counts().min()?, counts().max()?);
    // A named region defines what an iteration is.
    if first.kind == IterationMarkKind::Region || 2 * most < 3 * least {
        return None;
    }
    let of = |side: &[&SampledIterations]| -> Option<String> {
        let counts = || side.iter().map(|of| of.count);
        let (least, most) = (counts().min()?, counts().max()?);
        Some(if least == most { least.to_string() } else { format!("{least} to {most}") })
    };
    Some(format!(
        "A has {} iterations and B {}, so an iteration may not be the same work.",
        of(&loops[0])?,
        of(&loops[1])?
    ))
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

fn message(found: &ComparedIterations, doubt: Option<&str>) -> String {
    let steady = &found.steady;
    let times = [steady.a_ns, steady.b_ns].map(|ns| time(ns.unwrap_or_default()));
    let mut text = format!("The median steady iteration takes {} in A and {} in B", times[0], times[1]);
    if let Some(doubt) = doubt {
        return format!("{text}. {doubt}");
    }
    if let Some(ratio) = steady.ratio {
        // Of single runs, the ratio is not that of the two medians.
        let of = match steady.is_of_single_runs() {
            true => ". Over all pairs of an iteration of A and one of B, the median ratio is",
            false => ", ratio",
        };
        text += &format!("{of} {}", ratio_words(ratio));
    }
    if let Some(interval) = steady.interval_words() {
        text += &format!(" ({interval})");
    }
    text += &match steady.verdict {
        Verdict::Same => ": the same".to_owned(),
        other => format!(": {}", other.as_str()),
    };
    if steady.is_of_single_runs() {
        text += ". Each side has only one run, so this holds for these two runs only";
    }
    text + "."
}

//! Launch times of rows, with first launches separately.

use syclscope_language::api::{ComparedRow, TimeChange};

use super::sample::SampledCommand;
use super::statistics::{Evidence, Launches, benjamini_hochberg, evidence, verdict, whole_median};

/// Quantiles that are compared with one run on each side.
const QUANTILES: [u8; 4] = [10, 50, 90, 99];

pub(super) type Evidences = [Option<Evidence>; 2];

/// Returns the times of the commands of one kind in the runs of both sides: of launches, and of first launches.
/// Verdicts are set later.
pub(super) fn times(commands: &[Vec<&SampledCommand>; 2], clock_ns: u64) -> ([TimeChange; 2], Evidences) {
    let of = |launches: fn(&SampledCommand) -> Launches| {
        let launches =
            commands.each_ref().map(|runs| runs.iter().map(|run| launches(run)).collect::<Vec<_>>());
        let evidence = evidence(&launches[0], &launches[1], clock_ns as f64);
        (time_change(evidence.as_ref(), &launches), evidence)
    };
    // First launches include builds and transfers at run time. Where a run has no others, all are compared by them.
    let all = || commands.iter().flatten();
    let is_once = all().any(|run| run.is_once()) && !all().all(|run| run.is_once());
    let launches: fn(&SampledCommand) -> Launches = match is_once && all().all(|run| run.first_ns.is_some()) {
        true => SampledCommand::first_ones,
        false => SampledCommand::launches,
    };
    let ((time, evidence), (first, of_first)) = (of(launches), of(SampledCommand::first));
    ([time, first], [evidence, of_first])
}

/// Sets the verdicts of times, corrected for the number of tested rows. First launches are corrected separately: they
/// answer another question, and would weaken the tests of all others.
pub(super) fn judge(rows: &mut [(u32, ComparedRow, Evidences)]) {
    let times: [fn(&mut ComparedRow) -> &mut TimeChange; 2] = [|row| &mut row.time, |row| &mut row.first];
    for (which, time) in times.into_iter().enumerate() {
        let tested = |evidences: &Evidences| evidences[which].as_ref()?.p;
        let p: Vec<f64> = rows.iter().filter_map(|(_, _, evidences)| tested(evidences)).collect();
        let mut adjusted = benjamini_hochberg(&p).into_iter();
        for (_, row, evidences) in rows.iter_mut() {
            let p = tested(evidences).and_then(|_| adjusted.next());
            if let Some(evidence) = &evidences[which] {
                let time = time(row);
                time.p = p;
                time.verdict = verdict(evidence, p);
            }
        }
    }
}

/// Returns a time of two groups of runs; the verdict is set later.
pub(super) fn time_change(evidence: Option<&Evidence>, launches: &[Vec<Launches>; 2]) -> TimeChange {
    let middle = launches.each_ref().map(|runs| {
        let with_time = runs.iter().filter(|run| !run.durations_ns.is_empty());
        whole_median(with_time.map(|run| run.median_ns().round() as u64))
    });
    let with_time =
        |side: usize| launches[side].iter().filter(|run| !run.durations_ns.is_empty()).count() as u32;
    let mut change = TimeChange {
        a_ns: middle[0],
        b_ns: middle[1],
        a_runs: with_time(0),
        b_runs: with_time(1),
        ..TimeChange::default()
    };
    let Some(evidence) = evidence else { return change };
    let finite = |number: f64| Some(number).filter(|number| number.is_finite());
    change.ratio = finite(evidence.ratio);
    change.low = evidence.interval.and_then(|(low, _)| finite(low));
    change.high = evidence.interval.and_then(|(_, high)| finite(high));
    change.p = evidence.p;
    change.threshold = finite(evidence.threshold).unwrap_or_default();
    if change.is_of_single_runs() {
        let of = |side: usize, percent: u8| {
            let durations = &launches[side].iter().find(|run| !run.durations_ns.is_empty())?.durations_ns;
            durations.get((durations.len() - 1) * usize::from(percent) / 100).copied().filter(|ns| *ns > 0.0)
        };
        let ratio = |percent| Some((percent, of(1, percent)? / of(0, percent)?));
        change.quantiles = QUANTILES.into_iter().filter_map(ratio).collect();
    }
    change
}

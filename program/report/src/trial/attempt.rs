//! A try: predicted and achieved gain, and the state of the finding.

use serde::{Deserialize, Serialize};
use syclscope_engine::compare::statistics::{self, Evidence, RUNS_FOR_A_TEST, holm};
use syclscope_engine::compare::{SampledGroup, compare_samples};
use syclscope_language::api::{Comparison, FactDifference, FigureChange, TimeChange, Verdict};

use super::findings::partners;
use super::{LedgerFinding, Measurement, RenamedFile};
use crate::comparison::gate::{Judged, MAX_NOISE};
use crate::comparison::words;

/// Prefix of metrics that count findings, which an attempt lists by id.
const FINDING: &str = "finding_";

/// A change of the program, or a remedy of the runtime, compared with the runs before it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attempt {
    /// Date, in seconds since 1970-01-01 UTC.
    pub unix_s: u64,
    /// Commit of the working folder, empty if unknown.
    pub commit: String,
    pub command: String,
    /// Folder of its recordings, relative to the ledger's folder.
    pub folder: String,
    /// Folder of the recordings that these are compared with, relative to the ledger's folder; empty in
    /// ledgers of older versions.
    pub before_folder: String,
    /// Number of changes that were accepted since: each made another baseline, with findings of its own.
    pub accepted_since: u32,
    /// Remedy of the runtime; `None` for a change of the program.
    pub remedy: Option<AppliedRemedy>,
    /// The finding in the runs before; `None` if no single finding is under test.
    pub finding: Option<LedgerFinding>,
    /// The finding in the runs now; `None` if it is gone.
    pub finding_now: Option<LedgerFinding>,
    /// State of the finding; `None` if no single finding is under test.
    pub state: Option<FindingState>,
    /// Upper bound of the predicted gain, in ns; `None` if unknown.
    pub predicted_ns: Option<u64>,
    /// Achieved gain in ns: the time before minus the time now.
    pub achieved_ns: Option<i64>,
    pub verdict: Verdict,
    pub time: TimeChange,
    /// True if the runs before and now were recorded alternately.
    pub is_by_turns: bool,
    /// Number of attempts compared with the same runs, for which `time.p` is adjusted (Holm); 0 if it is not.
    pub tests: u32,
    /// Ids of the findings in the runs before that are gone.
    pub gone: Vec<String>,
    pub new: Vec<String>,
    pub figures: Vec<FigureChange>,
    /// Reasons to trust the result less, and environment differences.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppliedRemedy {
    pub name: String,
    pub variables: Vec<(String, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingState {
    Gone,
    /// In no run, but some runs lack data, or the clock rates differ.
    Unknown,
    /// In some runs.
    Partly,
    Present,
}

impl Attempt {
    /// Compares two measurements. `tested` is the finding under test, which `before` contains. Without it,
    /// the finding under test is the only one that was in all runs before and is gone.
    pub fn new(before: &Measurement, now: &Measurement, tested: Option<&str>) -> Self {
        let is_fair = |comparison: &Comparison| !comparison.differences.iter().any(is_argument);
        Self::compared(before, now, tested, None, is_fair)
    }

    /// Compares two programs that were recorded alternately. Their arguments may differ in the name of a
    /// script, which is in `renamed` then.
    pub fn of_programs(
        before: &Measurement,
        now: &Measurement,
        tested: Option<&str>,
        renamed: Option<&RenamedFile>,
    ) -> Self {
        Self { is_by_turns: true, ..Self::compared(before, now, tested, renamed, |_| true) }
    }

    fn compared(
        before: &Measurement,
        now: &Measurement,
        tested: Option<&str>,
        renamed: Option<&RenamedFile>,
        is_fair: impl Fn(&Comparison) -> bool,
    ) -> Self {
        let comparison = compare_samples(
            SampledGroup { name: "before", runs: &before.runs },
            SampledGroup { name: "now", runs: &now.runs },
        );
        let is_doubtful = is_doubtful(&comparison);
        let partners = partners(&before.findings, &now.findings, renamed);
        let gone: Vec<&LedgerFinding> = before
            .findings
            .iter()
            .zip(&partners)
            .filter(|(_, now)| now.is_none() && !is_doubtful)
            .map(|(one, _)| one)
            .collect();
        // A finding that was only in some runs may be gone by chance.
        let mut always = gone
            .iter()
            .filter(|finding| finding.runs as usize == before.runs.len())
            .map(|one| one.id.as_str());
        let only = always.next().filter(|_| always.next().is_none());
        let id = tested.or(only);
        let number = id.and_then(|id| before.findings.iter().position(|finding| finding.id == id));
        let finding = number.map(|number| before.findings[number].clone());
        let finding_now =
            number.and_then(|number| partners[number]).map(|now_at| now.findings[now_at].clone());
        let state = finding.as_ref().map(|_| match &finding_now {
            None if is_doubtful => FindingState::Unknown,
            None => FindingState::Gone,
            Some(found) if (found.runs as usize) < now.runs.len() => FindingState::Partly,
            Some(_) => FindingState::Present,
        });
        let is_new = |number: &usize| !is_doubtful && !partners.contains(&Some(*number));
        let ids = |findings: Vec<&LedgerFinding>| findings.iter().map(|finding| finding.id.clone()).collect();
        let new = (0..now.findings.len()).filter(is_new).map(|number| &now.findings[number]).collect();
        let time = comparison.duration.clone();
        Self {
            unix_s: now.unix_s,
            commit: now.commit.clone(),
            command: now.command.clone(),
            folder: now.folder.clone(),
            before_folder: before.folder.clone(),
            accepted_since: 0,
            remedy: None,
            predicted_ns: finding.as_ref().and_then(|finding| finding.gain_ns),
            finding,
            finding_now,
            state,
            achieved_ns: achieved(&time),
            verdict: verdict(&comparison, is_fair(&comparison)),
            time,
            is_by_turns: false,
            tests: 0,
            gone: ids(gone),
            new: ids(new),
            figures: figures(&comparison),
            notes: notes(&comparison),
        }
    }

    /// Sets the remedy of the later runs. Its variables are not noted as environment differences.
    pub fn of_remedy(mut self, remedy: AppliedRemedy, variables: &[&str]) -> Self {
        let is_own = |note: &str| {
            variables.iter().any(|variable| note.starts_with(&format!("environment {variable}: ")))
        };
        self.notes.retain(|note| !is_own(note));
        self.remedy = Some(remedy);
        self.is_by_turns = true;
        self
    }

    /// Returns the 95 % interval of the achieved gain, as fractions of the time before; `None` with fewer
    /// than two runs on a side.
    pub fn interval(&self) -> Option<(f64, f64)> {
        // A large time ratio means a small gain.
        Some((1.0 - self.time.high?, 1.0 - self.time.low?))
    }

    /// Returns the verdict as a gate's verdict, which has an exit code.
    pub fn judged(&self) -> Judged {
        match self.verdict {
            Verdict::Faster | Verdict::Same => Judged::Pass,
            Verdict::Undecided => Judged::Undecided,
            Verdict::Slower => Judged::Fail,
            Verdict::Incomparable => Judged::Incomparable,
        }
    }
}

/// Adjusts the probabilities of attempts that were compared with the same runs, so that all of them together
/// show a difference by chance no more often than a single one (Holm), and judges them again.
pub fn adjust_for_all(attempts: &mut [Attempt]) {
    let tested = |attempt: &&mut Attempt| attempt.time.p.is_some();
    let p: Vec<f64> = attempts.iter().filter_map(|attempt| attempt.time.p).collect();
    if p.len() < 2 {
        return;
    }
    for (attempt, adjusted) in attempts.iter_mut().filter(tested).zip(holm(&p)) {
        let time = &mut attempt.time;
        (time.p, attempt.tests) = (Some(adjusted), p.len() as u32);
        let evidence = Evidence {
            ratio: time.ratio.unwrap_or(1.0),
            interval: time.low.zip(time.high),
            p: time.p,
            threshold: time.threshold,
        };
        time.verdict = statistics::verdict(&evidence, time.p);
        if matches!(attempt.verdict, Verdict::Faster | Verdict::Slower) {
            attempt.verdict = time.verdict;
        }
    }
}

pub fn judged<'a>(attempts: impl IntoIterator<Item = &'a Attempt>) -> Judged {
    attempts.into_iter().map(Attempt::judged).max().unwrap_or(Judged::Pass)
}

fn achieved(time: &TimeChange) -> Option<i64> {
    Some((time.a_ns? as f64 * (1.0 - time.ratio?)).round() as i64)
}

/// True if recordings lack data, or were recorded at different clock rates.
fn is_doubtful(comparison: &Comparison) -> bool {
    let is_doubt =
        |kind: &str| matches!(kind, "cut_short" | "part_of_run" | "events_lost" | "paused" | "clocks_differ");
    comparison.notes.iter().any(|note| is_doubt(&note.kind))
}

/// Returns the verdict on the whole run. Incomplete recordings and unfair comparisons are undecided. Too few
/// or too different runs don't count as the same.
fn verdict(comparison: &Comparison, is_fair: bool) -> Verdict {
    if comparison.notes.iter().any(|note| note.kind == "empty") {
        return Verdict::Incomparable;
    }
    let time = &comparison.duration;
    let has_runs = time.a_runs.min(time.b_runs) as usize >= RUNS_FOR_A_TEST;
    match time.verdict {
        Verdict::Incomparable => Verdict::Incomparable,
        _ if is_doubtful(comparison) || !is_fair => Verdict::Undecided,
        Verdict::Same if !has_runs || time.threshold > MAX_NOISE => Verdict::Undecided,
        verdict => verdict,
    }
}

fn is_argument(difference: &FactDifference) -> bool {
    difference.about == "arguments"
}

fn figures(comparison: &Comparison) -> Vec<FigureChange> {
    let shown = |figure: &&FigureChange| figure.is_changed() && !figure.name.starts_with(FINDING);
    comparison.figures.iter().filter(shown).cloned().collect()
}

/// Returns reasons to trust the result less, and environment differences, arguments first.
fn notes(comparison: &Comparison) -> Vec<String> {
    let notes = comparison.notes.iter().map(|note| match note.message.split_once(' ') {
        Some(("A", rest)) => match rest.strip_prefix("and B ") {
            Some(rest) => format!("The runs before and now {rest}"),
            None => format!("The run before {rest}"),
        },
        Some(("B", rest)) => format!("The run now {rest}"),
        _ => note.message.replace(" of A ", " before ").replace(" of B ", " now "),
    });
    let mut differences: Vec<&FactDifference> = comparison.differences.iter().collect();
    differences.sort_by_key(|difference| !is_argument(difference));
    notes.chain(differences.into_iter().map(words::difference)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use syclscope_engine::compare::{Fact, Sample};
    use syclscope_language::api::LocationInfo;

    use super::*;

    fn finding(line: u32, runs: u32) -> LedgerFinding {
        let location = LocationInfo { file: "heat.cpp".to_owned(), line, ..LocationInfo::default() };
        LedgerFinding {
            id: format!("wait_after_kernel@heat.cpp:{line}"),
            kind: "wait_after_kernel".to_owned(),
            location: Some(location),
            gain_ns: Some(400_000),
            runs,
            ..LedgerFinding::default()
        }
    }

    fn measurement(times_us: &[u64], findings: Vec<LedgerFinding>) -> Measurement {
        let run = |us: &u64| Sample { duration_ns: us * 1_000, clock_ns: 1, ..Sample::default() };
        Measurement { findings, runs: times_us.iter().map(run).collect(), ..Measurement::default() }
    }

    const BEFORE: [u64; 5] = [1_000, 1_004, 996, 1_002, 998];
    const AFTER: [u64; 5] = [700, 703, 697, 702, 699];

    #[test]
    fn a_change_that_helps_is_faster_and_its_finding_is_gone() {
        let before = measurement(&BEFORE, vec![finding(12, 5)]);
        let attempt =
            Attempt::new(&before, &measurement(&AFTER, Vec::new()), Some("wait_after_kernel@heat.cpp:12"));
        assert_eq!((attempt.verdict, attempt.judged()), (Verdict::Faster, Judged::Pass));
        assert_eq!((attempt.state, &attempt.finding_now), (Some(FindingState::Gone), &None));
        assert_eq!((attempt.predicted_ns, attempt.achieved_ns), (Some(400_000), Some(300_000)));
        let (low, high) = attempt.interval().unwrap();
        assert!(low <= 0.3 && 0.3 <= high && low > 0.28 && high < 0.32, "{low} {high}");
        assert_eq!(attempt.gone, ["wait_after_kernel@heat.cpp:12"]);
    }

    #[test]
    fn verdicts_have_the_exit_codes_of_check() {
        let judged = |a: &[u64], b: &[u64]| {
            let attempt = Attempt::new(&measurement(a, Vec::new()), &measurement(b, Vec::new()), None);
            (attempt.verdict, attempt.judged().exit_code())
        };
        assert_eq!(judged(&BEFORE, &AFTER), (Verdict::Faster, 0));
        assert_eq!(judged(&BEFORE, &BEFORE), (Verdict::Same, 0));
        assert_eq!(judged(&AFTER, &BEFORE), (Verdict::Slower, 1));
        assert_eq!(judged(&BEFORE[..3], &AFTER[..3]), (Verdict::Undecided, 2));
        assert_eq!(judged(&BEFORE, &[]), (Verdict::Incomparable, 3));
        // Few or very different runs can't show that nothing changed.
        assert_eq!(judged(&BEFORE[..4], &BEFORE), (Verdict::Undecided, 2));
        let noisy = [1_000, 1_300, 700, 1_200, 800];
        assert_eq!(judged(&noisy, &noisy), (Verdict::Undecided, 2));
    }

    #[test]
    fn runs_of_other_arguments_decide_nothing() {
        let of = |times: &[u64], arguments: &str| {
            let mut measurement = measurement(times, Vec::new());
            for run in &mut measurement.runs {
                let fact = |about: &str, name: &str, value: &str| Fact {
                    about: about.to_owned(),
                    name: name.to_owned(),
                    value: value.to_owned(),
                };
                run.facts.push(fact("arguments", "heat", arguments));
            }
            measurement
        };
        let attempt = Attempt::new(&of(&BEFORE, "1000"), &of(&AFTER, "700"), None);
        assert_eq!(attempt.verdict, Verdict::Undecided);
        assert!(attempt.notes[0].contains("1000 → 700"), "{:?}", attempt.notes);
        assert_eq!(Attempt::new(&of(&BEFORE, "1000"), &of(&AFTER, "1000"), None).verdict, Verdict::Faster);
    }

    #[test]
    fn variables_of_a_remedy_push_no_difference_out_of_the_notes() {
        let of = |times: &[u64], value: &str| {
            let mut measurement = measurement(times, Vec::new());
            for run in &mut measurement.runs {
                for number in 0..20 {
                    let (about, name) = ("environment".to_owned(), format!("VARIABLE_{number}"));
                    run.facts.push(Fact { about, name, value: value.to_owned() });
                }
            }
            measurement
        };
        let names: Vec<String> = (0..19).map(|number| format!("VARIABLE_{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let attempt = Attempt::new(&of(&BEFORE, "0"), &of(&AFTER, "1"), None);
        let attempt = attempt.of_remedy(AppliedRemedy::default(), &names);
        let noted: Vec<_> = attempt.notes.iter().filter(|note| note.starts_with("environment")).collect();
        assert!(noted.len() == 1 && noted[0].contains("VARIABLE_19"), "{noted:?}");
    }

    #[test]
    fn programs_that_were_recorded_by_turns_may_have_other_arguments() {
        let of = |times: &[u64], arguments: &str| {
            let mut measurement = measurement(times, Vec::new());
            for run in &mut measurement.runs {
                let [about, name, value] = ["arguments", "python3", arguments].map(str::to_owned);
                run.facts.push(Fact { about, name, value });
            }
            measurement
        };
        let (before, now) = (of(&BEFORE, "before.py"), of(&AFTER, "after.py"));
        let attempt = Attempt::of_programs(&before, &now, None, None);
        assert_eq!((attempt.verdict, attempt.is_by_turns), (Verdict::Faster, true));
        assert!(attempt.notes[0].contains("before.py → after.py"), "{:?}", attempt.notes);
        assert_eq!(Attempt::new(&before, &now, None).verdict, Verdict::Undecided);
    }

    #[test]
    fn several_attempts_against_the_same_runs_need_more_evidence() {
        let before = measurement(&BEFORE, Vec::new());
        let of = |times: &[u64]| Attempt::new(&before, &measurement(times, Vec::new()), None);
        let adjusted = |count: usize| {
            let mut attempts = vec![of(&AFTER); count];
            attempts.push(of(&BEFORE));
            adjust_for_all(&mut attempts);
            attempts
        };
        let one = of(&AFTER).time.p.unwrap();
        let attempts = adjusted(2);
        assert!((attempts[0].time.p.unwrap() - 3.0 * one).abs() < 1e-12 && attempts[0].tests == 3);
        assert_eq!((attempts[0].verdict, attempts[2].verdict), (Verdict::Faster, Verdict::Same));
        // Five runs against five reach 2 of 252: seven attempts together prove nothing.
        let attempts = adjusted(6);
        assert!(attempts[0].time.p.unwrap() > 0.05, "{:?}", attempts[0].time);
        assert_eq!((attempts[0].verdict, attempts[0].time.verdict), (Verdict::Undecided, Verdict::Undecided));
        assert_eq!(judged(&attempts), Judged::Undecided);
        // Incomplete runs decide nothing, and the time's own verdict needs as much evidence.
        let mut cut = measurement(&AFTER, Vec::new());
        cut.runs[0].problems.push("events_lost".to_owned());
        let cut = Attempt::new(&before, &cut, None);
        assert_eq!((cut.verdict, cut.time.verdict), (Verdict::Undecided, Verdict::Faster));
        let mut attempts = vec![cut; 7];
        adjust_for_all(&mut attempts);
        assert_eq!((attempts[0].verdict, attempts[0].time.verdict), (Verdict::Undecided, Verdict::Undecided));
        let mut alone = [of(&AFTER)];
        adjust_for_all(&mut alone);
        assert_eq!((alone[0].tests, alone[0].time.p, alone[0].verdict), (0, Some(one), Verdict::Faster));
    }

    #[test]
    fn the_only_finding_that_is_gone_is_the_one_under_test() {
        let before = measurement(&BEFORE, vec![finding(12, 5), finding(40, 5)]);
        let now = measurement(&AFTER, vec![finding(38, 3)]);
        let attempt = Attempt::new(&before, &now, None);
        assert_eq!(attempt.finding.unwrap().id, "wait_after_kernel@heat.cpp:12");
        let attempt = Attempt::new(&before, &now, Some("wait_after_kernel@heat.cpp:40"));
        assert_eq!(attempt.state, Some(FindingState::Partly));
        assert_eq!(attempt.finding_now.unwrap().id, "wait_after_kernel@heat.cpp:38");
        let attempt = Attempt::new(&before, &measurement(&AFTER, Vec::new()), None);
        assert_eq!((attempt.finding, attempt.gone.len()), (None, 2));
        // A finding of some runs may be gone by chance, and is not under test then.
        let flaky = measurement(&BEFORE, vec![finding(12, 2)]);
        let attempt = Attempt::new(&flaky, &measurement(&AFTER, Vec::new()), None);
        assert_eq!((attempt.finding, attempt.gone.len()), (None, 1));
        let attempt = Attempt::new(&now, &before, None);
        assert_eq!((attempt.finding, attempt.new), (None, vec!["wait_after_kernel@heat.cpp:12".to_owned()]));
    }

    #[test]
    fn runs_that_miss_a_part_decide_nothing() {
        let mut now = measurement(&AFTER, Vec::new());
        now.runs[0].problems.push("events_lost".to_owned());
        let before = measurement(&BEFORE, vec![finding(12, 5)]);
        let attempt = Attempt::new(&before, &now, Some("wait_after_kernel@heat.cpp:12"));
        assert_eq!((attempt.state, attempt.gone.len()), (Some(FindingState::Unknown), 0));
        assert_eq!(Attempt::new(&before, &now, None).finding, None);
        let attempt = Attempt::new(&measurement(&BEFORE, Vec::new()), &now, None);
        assert_eq!(attempt.verdict, Verdict::Undecided);
        assert!(attempt.notes[0].starts_with("1 of 5 runs now lost events"), "{:?}", attempt.notes);
        now.runs[0].problems.push("empty".to_owned());
        assert_eq!(
            Attempt::new(&measurement(&BEFORE, Vec::new()), &now, None).judged(),
            Judged::Incomparable
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_gain_lies_in_its_interval_and_has_the_sign_of_the_verdict(
            a in prop::collection::vec(500..2_000_u64, 5..9),
            b in prop::collection::vec(500..2_000_u64, 5..9),
        ) {
            let attempt = Attempt::new(&measurement(&a, Vec::new()), &measurement(&b, Vec::new()), None);
            let (ns, (low, high)) = (attempt.achieved_ns.unwrap(), attempt.interval().unwrap());
            prop_assert!(low <= high);
            match attempt.verdict {
                Verdict::Faster => prop_assert!(low > 0.0 && ns > 0),
                Verdict::Slower => prop_assert!(high < 0.0 && ns < 0),
                _ => {}
            }
        }
    }
}

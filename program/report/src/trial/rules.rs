//! Tries grouped by rule, with predicted and achieved gains.

use std::collections::HashMap;

use serde::Serialize;
use syclscope_language::api::{Verdict, gain_sign, rule_title};
use syclscope_text::duration;

use super::{Attempt, FindingState};
use crate::comparison::words;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RuleTries {
    pub rule: String,
    pub tries: u32,
    pub gone: u32,
    /// Number of tries by verdict.
    pub faster: u32,
    pub same: u32,
    pub slower: u32,
    pub undecided: u32,
    /// Number of findings in the sums: for each of a baseline, the last try with a verdict and both gains.
    pub summed: u32,
    /// Sums of gains, in ns.
    pub predicted_ns: u64,
    pub achieved_ns: i64,
}

/// Returns the tries by rule, in the order of their first tries. Tries without a finding under test are left
/// out.
pub fn by_rule(attempts: &[Attempt]) -> Vec<RuleTries> {
    let mut rules: Vec<RuleTries> = Vec::new();
    let mut last: HashMap<(u32, &str), usize> = HashMap::new();
    for (number, attempt) in attempts.iter().enumerate().filter(|(_, attempt)| gains(attempt).is_some()) {
        let finding = attempt.finding.iter();
        last.extend(finding.map(|finding| ((attempt.accepted_since, finding.id.as_str()), number)));
    }
    for (place, attempt) in attempts.iter().enumerate() {
        let Some(finding) = &attempt.finding else { continue };
        let number = rules.iter().position(|rule| rule.rule == finding.kind).unwrap_or_else(|| {
            rules.push(RuleTries { rule: finding.kind.clone(), ..RuleTries::default() });
            rules.len() - 1
        });
        rules[number].count(attempt);
        // A prediction counts once, however often it is tried.
        if let Some((predicted_ns, achieved_ns)) = gains(attempt)
            && last.get(&(attempt.accepted_since, finding.id.as_str())) == Some(&place)
        {
            rules[number].sum(predicted_ns, achieved_ns);
        }
    }
    rules
}

/// Returns the predicted and the achieved gain; `None` without a verdict.
fn gains(attempt: &Attempt) -> Option<(u64, i64)> {
    let has_verdict = !matches!(attempt.verdict, Verdict::Undecided | Verdict::Incomparable);
    attempt.predicted_ns.zip(attempt.achieved_ns).filter(|_| has_verdict)
}

impl RuleTries {
    fn count(&mut self, attempt: &Attempt) {
        self.tries += 1;
        self.gone += u32::from(attempt.state == Some(FindingState::Gone));
        let count = match attempt.verdict {
            Verdict::Faster => &mut self.faster,
            Verdict::Same => &mut self.same,
            Verdict::Slower => &mut self.slower,
            Verdict::Undecided | Verdict::Incomparable => &mut self.undecided,
        };
        *count += 1;
    }

    fn sum(&mut self, predicted_ns: u64, achieved_ns: i64) {
        self.summed += 1;
        self.predicted_ns = self.predicted_ns.saturating_add(predicted_ns);
        self.achieved_ns = self.achieved_ns.saturating_add(achieved_ns);
    }

    /// Returns its cells in a table: rule, tries, verdicts, predicted, achieved.
    pub fn cells(&self) -> [String; 5] {
        let verdicts = [
            (self.faster, "faster"),
            (self.same, "same"),
            (self.slower, "slower"),
            (self.undecided, "undecided"),
        ];
        let verdicts: Vec<String> = verdicts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, verdict)| format!("{count} {verdict}"))
            .collect();
        let [predicted, achieved] = match self.summed {
            0 => ["–", "–"].map(str::to_owned),
            _ => [
                format!("{}{}", gain_sign(&self.rule), duration(self.predicted_ns)),
                words::signed(self.achieved_ns),
            ],
        };
        [
            rule_title(&self.rule),
            format!("{} ({} gone)", self.tries, self.gone),
            verdicts.join(", "),
            predicted,
            achieved,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::LedgerFinding;

    fn attempt(id: &str, verdict: Verdict, predicted_ns: Option<u64>, achieved_ns: i64) -> Attempt {
        let kind = id.split('@').next().unwrap_or_default().to_owned();
        Attempt {
            finding: Some(LedgerFinding { id: id.to_owned(), kind, ..LedgerFinding::default() }),
            state: (verdict == Verdict::Faster).then_some(FindingState::Gone),
            verdict,
            predicted_ns,
            achieved_ns: Some(achieved_ns),
            ..Attempt::default()
        }
    }

    #[test]
    fn the_last_try_of_each_finding_with_a_verdict_is_in_the_sums_of_its_rule() {
        let attempts = [
            attempt("wait_after_kernel@heat.cpp:13", Verdict::Same, Some(500_000), 10_000),
            attempt("wait_after_kernel@heat.cpp:13", Verdict::Faster, Some(500_000), 400_000),
            attempt("wait_after_kernel@heat.cpp:13", Verdict::Undecided, Some(500_000), 90_000),
            attempt("implicit_copies", Verdict::Undecided, Some(90_000), 70_000),
            Attempt::default(),
            attempt("wait_after_kernel@heat.cpp:20", Verdict::Slower, Some(100_000), -150_000),
            attempt("wait_after_kernel@heat.cpp:20", Verdict::Same, None, 1_000),
        ];
        let rules = by_rule(&attempts);
        assert_eq!(rules.iter().map(|rule| rule.tries).collect::<Vec<_>>(), [5, 1]);
        assert_eq!(
            rules[0].cells(),
            [
                "wait after kernel",
                "5 (1 gone)",
                "1 faster, 2 same, 1 slower, 1 undecided",
                "≤ 600.0 µs",
                "250.0 µs"
            ]
        );
        assert_eq!(rules[0].summed, 2);
        // Undecided tries are in no sum.
        assert_eq!(rules[1].cells(), ["implicit copies", "1 (0 gone)", "1 undecided", "–", "–"]);
        assert_eq!(by_rule(&[]), []);
    }

    #[test]
    fn a_finding_of_another_baseline_is_another_one() {
        let mut attempts = [3, 2, 1].map(|ms| {
            attempt("implicit_copies", Verdict::Faster, Some(ms * 2_000_000), ms as i64 * 1_000_000)
        });
        // The first two were accepted, one after the other.
        (attempts[0].accepted_since, attempts[1].accepted_since) = (2, 1);
        let rules = by_rule(&attempts);
        assert_eq!(rules[0].summed, 3);
        assert_eq!((rules[0].predicted_ns, rules[0].achieved_ns), (12_000_000, 6_000_000));
    }
}

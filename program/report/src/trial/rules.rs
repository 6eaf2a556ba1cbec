//! Tries by rule: the predicted gains beside the achieved ones.

use serde::Serialize;
use syclscope_language::api::{Verdict, rule_title};
use syclscope_text::duration;

use super::{Attempt, FindingState};
use crate::comparison::words;

/// Tries of the findings of one rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RuleTries {
    /// Name of the rule.
    pub rule: String,
    /// Number of tries.
    pub tries: u32,
    /// Tries after which the finding was gone.
    pub gone: u32,
    /// Tries by their verdict.
    pub faster: u32,
    pub same: u32,
    pub slower: u32,
    /// The others, which proved nothing.
    pub undecided: u32,
    /// Tries with a verdict and both gains, which the sums are about.
    pub summed: u32,
    /// Sum of the predicted gains, in ns.
    pub predicted_ns: u64,
    /// Sum of the achieved gains, in ns.
    pub achieved_ns: i64,
}

/// Returns the tries by rule, in the order of their first tries. Those without a finding under test are left out.
pub fn by_rule(attempts: &[Attempt]) -> Vec<RuleTries> {
    let mut rules: Vec<RuleTries> = Vec::new();
    for attempt in attempts {
        let Some(finding) = &attempt.finding else { continue };
        let number = rules.iter().position(|rule| rule.rule == finding.kind).unwrap_or_else(|| {
            rules.push(RuleTries { rule: finding.kind.clone(), ..RuleTries::default() });
            rules.len() - 1
        });
        rules[number].add(attempt);
    }
    rules
}

impl RuleTries {
    fn add(&mut self, attempt: &Attempt) {
        self.tries += 1;
        self.gone += u32::from(attempt.state == Some(FindingState::Gone));
        let count = match attempt.verdict {
            Verdict::Faster => &mut self.faster,
            Verdict::Same => &mut self.same,
            Verdict::Slower => &mut self.slower,
            Verdict::Undecided | Verdict::Incomparable => {
                self.undecided += 1;
                return;
            }
        };
        *count += 1;
        if let (Some(predicted), Some(achieved)) = (attempt.predicted_ns, attempt.achieved_ns) {
            self.summed += 1;
            self.predicted_ns = self.predicted_ns.saturating_add(predicted);
            self.achieved_ns = self.achieved_ns.saturating_add(achieved);
        }
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
            _ => [format!("≤ {}", duration(self.predicted_ns)), words::signed(self.achieved_ns)],
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

    fn attempt(kind: &str, verdict: Verdict, predicted_ns: Option<u64>, achieved_ns: i64) -> Attempt {
        Attempt {
            finding: Some(LedgerFinding { kind: kind.to_owned(), ..LedgerFinding::default() }),
            state: (verdict == Verdict::Faster).then_some(FindingState::Gone),
            verdict,
            predicted_ns,
            achieved_ns: Some(achieved_ns),
            ..Attempt::default()
        }
    }

    #[test]
    fn tries_with_a_verdict_are_summed_by_rule() {
        let attempts = [
            attempt("wait_after_kernel", Verdict::Faster, Some(500_000), 400_000),
            attempt("implicit_copies", Verdict::Undecided, Some(90_000), 70_000),
            Attempt::default(),
            attempt("wait_after_kernel", Verdict::Slower, Some(100_000), -150_000),
            attempt("wait_after_kernel", Verdict::Same, None, 1_000),
        ];
        let rules = by_rule(&attempts);
        assert_eq!(rules.iter().map(|rule| rule.tries).collect::<Vec<_>>(), [3, 1]);
        assert_eq!(
            rules[0].cells(),
            ["wait after kernel", "3 (1 gone)", "1 faster, 1 same, 1 slower", "≤ 600.0 µs", "250.0 µs"]
        );
        // What proved nothing is in no sum.
        assert_eq!(rules[1].cells(), ["implicit copies", "1 (0 gone)", "1 undecided", "–", "–"]);
        assert_eq!(by_rule(&[]), []);
    }
}

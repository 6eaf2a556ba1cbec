//! A ledger in Markdown, for the summary of a CI run.

use std::fmt::Write as _;

use super::text::{baseline_words, cells, prediction};
use super::{Ledger, by_rule};
use crate::overview::{code, sentence};

/// Returns the ledger in Markdown: the baseline, and tables of the tries, the rules and the findings.
pub fn markdown(ledger: &Ledger) -> String {
    let baseline = &ledger.baseline;
    let mut out = format!("### syclscope try\n\n{}\n", sentence(&baseline_words(baseline)));
    if !ledger.attempts.is_empty() {
        out += "\n| tried | place | predicted | achieved | verdict | date | commit |\n|---|---|--:|--:|---|---|---|\n";
        for attempt in &ledger.attempts {
            let [tried, place, predicted, achieved, verdict, date, commit] = cells(attempt);
            let name = |text: &str| if text.is_empty() { String::new() } else { code(text) };
            // Infallible, here and below: writes to a String don't fail.
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {} | {date} | {} |",
                sentence(&tried),
                name(&place),
                sentence(&predicted),
                sentence(&achieved),
                sentence(&verdict),
                name(&commit)
            );
        }
    }
    let rules = by_rule(&ledger.attempts);
    if !rules.is_empty() {
        out += "\n| rule | tries | verdicts | predicted | achieved |\n|---|---|---|--:|--:|\n";
        for rule in rules {
            let [rule, rest @ ..] = rule.cells();
            let _ = writeln!(out, "| {} | {} |", sentence(&rule), rest.join(" | "));
        }
    }
    if !baseline.findings.is_empty() {
        out += "\n| # | finding | predicted |\n|--:|---|--:|\n";
        for (number, finding) in (1_usize..).zip(&baseline.findings) {
            let _ =
                writeln!(out, "| {number} | {} | {} |", code(&finding.id), sentence(&prediction(finding)));
        }
    }
    out
}

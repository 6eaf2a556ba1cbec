//! A ledger as JSON for scripts, without the runs' samples.

use serde::Serialize;

use super::{Attempt, Ledger, LedgerFinding, RuleTries, by_rule};

#[derive(Debug, Serialize)]
pub struct LedgerView<'l> {
    program: &'l str,
    command: &'l str,
    baseline: BaselineView<'l>,
    under_test: Option<&'l str>,
    findings: Vec<NumberedFinding<'l>>,
    attempts: &'l [Attempt],
    rules: Vec<RuleTries>,
}

#[derive(Debug, Serialize)]
struct BaselineView<'l> {
    unix_s: u64,
    commit: &'l str,
    folder: &'l str,
    runs: usize,
    run_ns: u64,
}

#[derive(Debug, Serialize)]
struct NumberedFinding<'l> {
    number: usize,
    #[serde(flatten)]
    finding: &'l LedgerFinding,
}

impl<'l> LedgerView<'l> {
    pub fn new(ledger: &'l Ledger) -> Self {
        let baseline = &ledger.baseline;
        let number = |(number, finding)| NumberedFinding { number, finding };
        Self {
            program: &baseline.program,
            command: &baseline.command,
            baseline: BaselineView {
                unix_s: baseline.unix_s,
                commit: &baseline.commit,
                folder: &baseline.folder,
                runs: baseline.runs.len(),
                run_ns: baseline.run_ns(),
            },
            under_test: ledger.under_test.as_deref(),
            findings: (1..).zip(&baseline.findings).map(number).collect(),
            attempts: &ledger.attempts,
            rules: by_rule(&ledger.attempts),
        }
    }
}

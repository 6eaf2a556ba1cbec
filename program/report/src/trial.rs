//! Tries of findings: predicted and achieved gains of changes, in a ledger.

mod attempt;
mod findings;
mod json;
mod ledger;
mod markdown;
mod rules;
mod text;

pub use self::attempt::{AppliedRemedy, Attempt, FindingState, adjust_for_all, judged};
pub use self::findings::{LedgerFinding, RenamedFile, findings_of_runs};
pub use self::json::LedgerView;
pub use self::ledger::{
    LEDGER_FILE, LEDGER_FOLDER, LEDGER_FORMAT, Ledger, LedgerError, Measurement, NoFinding, NothingToAccept,
    RUNS_PREFIX,
};
pub use self::markdown::markdown;
pub use self::rules::{RuleTries, by_rule};
pub use self::text::{attempt_lines, baseline_words, cells, finding_lines, lines, prediction};

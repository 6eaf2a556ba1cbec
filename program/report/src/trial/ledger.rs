//! The ledger of a program: its baseline with findings, and the tries since.

use serde::{Deserialize, Serialize};
use syclscope_engine::compare::Sample;

use super::findings::partners;
use super::{Attempt, LedgerFinding, RenamedFile};

pub const LEDGER_FILE: &str = "ledger.json";
pub const LEDGER_FOLDER: &str = "syclscope-try";
const FORMAT: &str = "syclscope ledger 1";
/// Prefix of the format of any version.
pub const LEDGER_FORMAT: &str = "syclscope ledger ";
/// Prefix of the names of a ledger's folders for recordings.
pub const RUNS_PREFIX: &str = "runs-";

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    format: String,
    /// The runs before any change.
    pub baseline: Measurement,
    pub under_test: Option<String>,
    /// Tries, ordered by date.
    pub attempts: Vec<Attempt>,
    /// The runs of the last try of a change, which become the baseline if the user accepts it.
    pub last: Option<Measurement>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Measurement {
    pub program: String,
    /// The recorded command line, without secrets; only the program's name if the command line was not
    /// recorded.
    pub command: String,
    /// In seconds since 1970-01-01 UTC.
    pub unix_s: u64,
    /// Commit of the working folder, empty if unknown.
    pub commit: String,
    /// Folder of the recordings, relative to the ledger's folder.
    pub folder: String,
    pub platforms: Vec<String>,
    pub findings: Vec<LedgerFinding>,
    pub runs: Vec<Sample>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError {
    #[error("not a ledger of `syclscope try`: choose another folder with --ledger")]
    NotALedger,
    #[error("the ledger is damaged ({0}): move the file away to begin a new one")]
    Damaged(String),
    #[error("the ledger is of another version of syclscope: move the file away to begin a new one")]
    OtherVersion,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no finding {name}: the baseline has {count}; `syclscope try --show` lists them")]
pub struct NoFinding {
    name: String,
    count: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nothing to accept: try a change first")]
pub struct NothingToAccept;

impl Ledger {
    pub fn new(baseline: Measurement) -> Self {
        Self { format: FORMAT.to_owned(), baseline, ..Self::default() }
    }

    /// Parses a ledger file.
    ///
    /// # Errors
    /// Returns an error if the text is not a ledger of this version.
    pub fn read(text: &str) -> Result<Self, LedgerError> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
        }

        let head = match serde_json::from_str::<Head>(text) {
            Ok(head) => head.format,
            // A truncated file still has its format.
            Err(error) if text.contains(LEDGER_FORMAT) => {
                return Err(LedgerError::Damaged(error.to_string()));
            }
            Err(_) => return Err(LedgerError::NotALedger),
        };
        if head != FORMAT {
            let is_ledger = head.starts_with(LEDGER_FORMAT);
            return Err(if is_ledger { LedgerError::OtherVersion } else { LedgerError::NotALedger });
        }
        serde_json::from_str(text).map_err(|error| LedgerError::Damaged(error.to_string()))
    }

    /// Returns the text of the ledger's file.
    pub fn write(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self)
    }

    /// Returns a finding of the baseline by number (from 1) or id.
    ///
    /// # Errors
    /// Returns an error if the baseline has no such finding.
    pub fn finding(&self, name: &str) -> Result<&LedgerFinding, NoFinding> {
        let findings = &self.baseline.findings;
        let by_number = || name.parse().ok().and_then(|number: usize| findings.get(number.checked_sub(1)?));
        let by_id = findings.iter().find(|finding| finding.id == name);
        by_id.or_else(by_number).ok_or_else(|| NoFinding { name: name.to_owned(), count: findings.len() })
    }

    pub fn finding_under_test(&self) -> Option<&LedgerFinding> {
        let id = self.under_test.as_ref()?;
        self.baseline.findings.iter().find(|finding| finding.id == *id)
    }

    /// Returns the finding under test in the runs before a change; `None` if no finding is under test, or the
    /// runs lack it. The baseline's script may have the name that `renamed` gives it after the change.
    pub fn under_test_in<'r>(
        &self,
        runs: &'r Measurement,
        renamed: Option<&RenamedFile>,
    ) -> Option<&'r LedgerFinding> {
        let id = self.under_test.as_ref()?;
        let back = renamed.map(|names| RenamedFile { before: names.now.clone(), now: names.before.clone() });
        let findings = &self.baseline.findings;
        let number = findings.iter().position(|finding| finding.id == *id)?;
        runs.findings.get(partners(findings, &runs.findings, back.as_ref())[number]?)
    }

    /// Replaces the baseline by the runs of the last try.
    ///
    /// # Errors
    /// Returns an error if no change was tried since the baseline.
    pub fn accept(&mut self) -> Result<(), NothingToAccept> {
        self.baseline = self.last.take().ok_or(NothingToAccept)?;
        self.under_test = None;
        for attempt in &mut self.attempts {
            attempt.accepted_since += 1;
        }
        Ok(())
    }
}

impl Measurement {
    /// Returns the duration of the median run, in ns.
    pub fn run_ns(&self) -> u64 {
        let number = syclscope_engine::compare::median_run(&self.runs);
        self.runs.get(number).map_or(0, |run| run.duration_ns)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use syclscope_language::api::LocationInfo;

    use super::*;

    fn ledger() -> Ledger {
        let finding = |id: &str| LedgerFinding { id: id.to_owned(), ..LedgerFinding::default() };
        let findings = vec![finding("wait_after_kernel@heat.cpp:12"), finding("build_inside_run")];
        let mut ledger = Ledger::new(Measurement {
            program: "./heat".to_owned(),
            command: "./heat 1000".to_owned(),
            findings,
            runs: vec![Sample { duration_ns: 7, ..Sample::default() }],
            ..Measurement::default()
        });
        ledger.under_test = Some("build_inside_run".to_owned());
        ledger
    }

    #[test]
    fn ledgers_are_read_as_they_were_written() {
        let text = ledger().write().unwrap();
        assert_eq!(Ledger::read(&text), Ok(ledger()));
        assert_eq!(ledger().baseline.run_ns(), 7);
    }

    #[test]
    fn other_files_are_told_apart() {
        let text = ledger().write().unwrap();
        assert_eq!(Ledger::read(&text.replace("ledger 1", "ledger 9")), Err(LedgerError::OtherVersion));
        assert!(matches!(Ledger::read(&text[..text.len() / 2]), Err(LedgerError::Damaged(_))));
        assert!(matches!(Ledger::read(r#"{"format":"syclscope ledger 1"}"#), Err(LedgerError::Damaged(_))));
        for other in ["", "[]", "{}", r#"{"format":"syclscope samples 1","runs":[]}"#] {
            assert_eq!(Ledger::read(other), Err(LedgerError::NotALedger), "{other}");
        }
    }

    #[test]
    fn findings_have_numbers_and_ids() {
        let ledger = ledger();
        let id = |name: &str| ledger.finding(name).map(|finding| finding.id.clone());
        assert_eq!(id("1").unwrap(), "wait_after_kernel@heat.cpp:12");
        assert_eq!(id("build_inside_run").unwrap(), "build_inside_run");
        assert_eq!(ledger.finding_under_test().unwrap().id, "build_inside_run");
        for wrong in ["0", "3", "-1", "wait_after_kernel"] {
            let error = id(wrong).unwrap_err().to_string();
            assert!(error.starts_with(&format!("no finding {wrong}: the baseline has 2;")), "{error}");
        }
    }

    #[test]
    fn the_finding_under_test_is_that_of_a_script_with_its_old_name() {
        let of = |file: &str| {
            let location = LocationInfo { file: file.to_owned(), line: 12, ..LocationInfo::default() };
            let (id, kind) = (format!("wait_after_kernel@{file}:12"), "wait_after_kernel".to_owned());
            let finding = LedgerFinding { id, kind, location: Some(location), ..LedgerFinding::default() };
            Measurement { findings: vec![finding], ..Measurement::default() }
        };
        let mut ledger = Ledger::new(of("heat.py"));
        ledger.under_test = Some("wait_after_kernel@heat.py:12".to_owned());
        let names = RenamedFile { before: "old.py".to_owned(), now: "heat.py".to_owned() };
        let found = |file, names| ledger.under_test_in(&of(file), names).map(|finding| finding.id.clone());
        assert_eq!(found("old.py", Some(&names)).as_deref(), Some("wait_after_kernel@old.py:12"));
        assert_eq!(found("heat.py", Some(&names)).as_deref(), Some("wait_after_kernel@heat.py:12"));
        assert_eq!(found("old.py", None), None);
    }

    #[test]
    fn a_try_that_is_accepted_is_the_next_baseline() {
        let mut ledger = ledger();
        assert_eq!(ledger.accept(), Err(NothingToAccept));
        ledger.last = Some(Measurement { folder: "runs-2".to_owned(), ..Measurement::default() });
        ledger.attempts.push(Attempt::default());
        ledger.accept().unwrap();
        assert_eq!(ledger.attempts[0].accepted_since, 1);
        assert_eq!(
            (ledger.baseline.folder.as_str(), &ledger.under_test, &ledger.last),
            ("runs-2", &None, &None)
        );
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,80}", cut in 0..400_usize) {
            let _ = Ledger::read(&text);
            let whole = ledger().write().unwrap();
            let _ = Ledger::read(&whole.chars().take(cut).collect::<String>());
        }
    }
}

//! Remedies of the runtime, tried alternately with the unchanged program.

use super::ledger_folder::LedgerFolder;
use super::measuring::measurement;
use super::remedy::Remedy;
use super::rounds::{Recorder, Side};
use super::{Attempt, Ledger, TrialError};
use crate::CliError;
use crate::output;
use crate::scratch::Scratch;
use syclscope_report::trial::{AppliedRemedy, adjust_for_all};
use syclscope_text as text;

/// Records the program with each remedy and without one, alternately, and compares. Remedies with which the
/// program fails are left out with a warning.
pub(super) fn attempts(
    folder: &LedgerFolder,
    recorder: &Recorder,
    ledger: &Ledger,
    remedies: &[Remedy],
) -> Result<Vec<Attempt>, CliError> {
    if remedies.is_empty() {
        return Ok(Vec::new());
    }
    let mut distinct: Vec<Remedy> = Vec::new();
    for remedy in remedies {
        if !distinct.contains(remedy) {
            check(*remedy, ledger)?;
            distinct.push(*remedy);
        }
    }
    let remedies = distinct;
    let name = folder.new_runs()?;
    let (scratch, warm_ups) = (Scratch::new()?, Scratch::new()?);
    let mut sides = vec![Side::plain(folder.path().join(&name).join("without"))];
    sides.extend(remedies.iter().map(|remedy| Side {
        name: format!("with {}", remedy.name()),
        folder: folder.path().join(&name).join(remedy.name()),
        variables: remedy.variables_of_runs(scratch.path()),
        can_fail: true,
        ..Side::default()
    }));
    for side in &sides {
        std::fs::create_dir(&side.folder).map_err(|error| output::unwritable(&side.folder, error))?;
    }
    let warm_up = |(remedy, side): (&Remedy, &Side)| match remedy.has_warm_up() {
        true => recorder.warm_up(side, warm_ups.path()).err(),
        false => None,
    };
    let failures = std::iter::once(None).chain(remedies.iter().zip(&sides[1..]).map(warm_up)).collect();
    let failures = recorder.record(&sides, failures).inspect_err(|_| {
        for side in &sides {
            // Fails, as intended, if the folder contains files.
            let _ = std::fs::remove_dir(&side.folder);
        }
        folder.remove_empty(&name);
    })?;
    let before = measurement(folder, &format!("{name}/without"), recorder)?;
    let mut attempts = Vec::new();
    let mut last_failure = None;
    for ((remedy, side), failure) in remedies.iter().zip(&sides[1..]).zip(failures.into_iter().skip(1)) {
        if let Some(error) = failure {
            eprintln!(
                "syclscope: warning: {} is left out: {}",
                remedy.name(),
                text::safe(&error.to_string())
            );
            // Recordings of only some of the runs are useless; files that can't be removed stay.
            let _ = std::fs::remove_dir_all(&side.folder);
            last_failure = Some(error);
            continue;
        }
        let now = measurement(folder, &format!("{name}/{}", remedy.name()), recorder)?;
        let tested = before.findings.iter().find(|finding| remedy.kinds().contains(&finding.kind.as_str()));
        let variables = remedy.variables();
        let applied = AppliedRemedy {
            name: remedy.name().to_owned(),
            variables: variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        };
        let names: Vec<&str> =
            remedy.variables_of_runs(scratch.path()).iter().map(|(name, _)| *name).collect();
        let attempt = Attempt::new(&before, &now, tested.map(|finding| finding.id.as_str()));
        attempts.push(attempt.of_remedy(applied, &names));
    }
    adjust_for_all(&mut attempts);
    match last_failure {
        Some(error) if attempts.is_empty() => Err(error),
        _ => Ok(attempts),
    }
}

/// Rejects a remedy that would have no effect.
fn check(remedy: Remedy, ledger: &Ledger) -> Result<(), TrialError> {
    if remedy.is_set() {
        let variables: Vec<String> =
            remedy.variables().iter().map(|(name, value)| format!("{name}={value}")).collect();
        return Err(TrialError::AlreadySet { remedy: remedy.name(), variables: variables.join(" ") });
    }
    match remedy.backend() {
        Some(backend) if !remedy.works_on(&ledger.baseline) => Err(TrialError::OtherBackend {
            remedy: remedy.name(),
            backend,
            platforms: ledger.baseline.platforms.join(", "),
        }),
        _ => Ok(()),
    }
}

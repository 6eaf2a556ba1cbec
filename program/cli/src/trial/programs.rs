//! The program before a change and the one after it, recorded by turns.

use std::ffi::OsString;
use std::path::Path;

use super::ledger_folder::LedgerFolder;
use super::measuring::measurement;
use super::rounds::{Recorder, Side};
use super::{Measurement, TrialError};
use crate::{CliError, output};

/// Records both programs by turns, and returns their runs.
pub(super) fn measured(
    folder: &LedgerFolder,
    recorder: &Recorder,
    before: &[OsString],
) -> Result<(Measurement, Measurement), CliError> {
    let Some((program, arguments)) = before.split_first() else { return Err(TrialError::NoProgram.into()) };
    check(arguments, &recorder.options.arguments)?;
    let name = folder.new_runs()?;
    let path = folder.path().join(&name);
    let command = Some((program.clone(), arguments.to_vec()));
    let side = |name: &str, command| Side {
        name: name.to_owned(),
        folder: path.join(name),
        command,
        ..Side::default()
    };
    let sides = [side("before", command), side("after", None)];
    for side in &sides {
        std::fs::create_dir(&side.folder).map_err(|error| output::unwritable(&side.folder, error))?;
    }
    recorder.record(&sides, vec![None, None]).inspect_err(|_| {
        for side in &sides {
            // What is not empty stays.
            let _ = std::fs::remove_dir(&side.folder);
        }
        folder.remove_empty(&name);
    })?;
    let runs = |side: &str| measurement(folder, &format!("{name}/{side}"), recorder);
    Ok((runs("before")?, runs("after")?))
}

/// Refuses programs that get other work: only names of files, such as scripts, may differ.
fn check(before: &[OsString], after: &[OsString]) -> Result<(), TrialError> {
    let is_file = |word: &OsString| Path::new(word).is_file();
    let is_alike = |(one, other): (&OsString, &OsString)| one == other || is_file(one) && is_file(other);
    let are_alike = before.len() == after.len() && before.iter().zip(after).all(is_alike);
    are_alike.then_some(()).ok_or(TrialError::OtherArguments)
}

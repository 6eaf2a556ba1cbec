//! The program before a change and the one after it, recorded alternately.

use std::ffi::OsString;
use std::io::Read as _;
use std::path::Path;

use super::ledger_folder::LedgerFolder;
use super::measuring::{base_name, measurement};
use super::rounds::{Recorder, Side};
use super::{Measurement, TrialError};
use crate::{CliError, output};
use syclscope_report::trial::RenamedFile;

/// Extensions of scripts. Other scripts begin with `#!`.
const SCRIPTS: [&str; 3] = ["py", "sh", "jl"];

/// Records both programs alternately. Returns their runs, and the names of the script if they differ.
pub(super) fn measured(
    folder: &LedgerFolder,
    recorder: &Recorder,
    before: &[OsString],
) -> Result<(Measurement, Measurement, Option<RenamedFile>), CliError> {
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
            // Fails, as intended, if the folder contains files.
            let _ = std::fs::remove_dir(&side.folder);
        }
        folder.remove_empty(&name);
    })?;
    let runs = |side: &str| measurement(folder, &format!("{name}/{side}"), recorder);
    Ok((runs("before")?, runs("after")?, renamed(arguments, &recorder.options.arguments)))
}

fn renamed(before: &[OsString], after: &[OsString]) -> Option<RenamedFile> {
    let (before, now) = before.iter().zip(after).find(|(before, now)| before != now)?;
    Some(RenamedFile { before: base_name(before), now: base_name(now) })
}

/// Rejects programs with different arguments. Only the script of an interpreter may differ, which is the
/// first argument that is no option, since other files may be input.
fn check(before: &[OsString], after: &[OsString]) -> Result<(), TrialError> {
    let script = before.iter().position(|word| !word.as_encoded_bytes().starts_with(b"-"));
    let is_alike = |(place, (one, other)): (usize, (&OsString, &OsString))| {
        one == other || Some(place) == script && is_script(one) && is_script(other)
    };
    let are_alike = before.len() == after.len() && before.iter().zip(after).enumerate().all(is_alike);
    are_alike.then_some(()).ok_or(TrialError::OtherArguments)
}

fn is_script(word: &OsString) -> bool {
    let path = Path::new(word);
    let begins_as_script = || {
        let mut begin = [0; 2];
        std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut begin)).is_ok() && begin == *b"#!"
    };
    let is_named_so = path.extension().is_some_and(|end| SCRIPTS.iter().any(|script| end == *script));
    path.is_file() && (is_named_so || begins_as_script())
}

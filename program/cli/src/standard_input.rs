//! Standard input as a file, for commands that read a trace more than once.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use syclscope_system::private_files;

use super::CliError;
use super::scratch::Scratch;

/// Argument for standard input.
const ARGUMENT: &str = "-";

static COPY: OnceLock<PathBuf> = OnceLock::new();

/// Name in messages.
pub(super) const NAME: &str = "standard input";

pub(super) fn is_named(path: &Path) -> bool {
    path.as_os_str() == ARGUMENT
}

/// Rejects standard input for more than one of the files, since it can be read only once.
pub(super) fn check<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> Result<(), CliError> {
    let count = paths.into_iter().filter(|path| is_named(path)).count();
    if count > 1 { Err(CliError::StandardInputTwice) } else { Ok(()) }
}

/// Replaces `-` by a copy in a temporary folder, which is removed when it is dropped.
pub(super) fn replace(path: &mut PathBuf) -> Result<Option<Scratch>, CliError> {
    if !is_named(path) {
        return Ok(None);
    }
    let scratch = Scratch::new()?;
    *path = copy_to(scratch.path())?;
    Ok(Some(scratch))
}

/// Copies standard input to a private file in a folder. Files created from the copy get its mode, so they are
/// private, too.
pub(super) fn copy_to(folder: &Path) -> Result<PathBuf, CliError> {
    let path = folder.join(NAME);
    let created = private_files::create_file(&path);
    let copied = created.and_then(|mut file| io::copy(&mut io::stdin().lock(), &mut file));
    copied.map_err(|error| CliError::Scratch { error })?;
    Ok(COPY.get_or_init(|| path).clone())
}

/// Returns a message with [`NAME`] instead of the copy's path.
pub(super) fn without_copy(message: &str) -> String {
    let copy = COPY.get().map(|path| path.display().to_string());
    copy.map_or_else(|| message.to_owned(), |copy| message.replace(&copy, NAME))
}

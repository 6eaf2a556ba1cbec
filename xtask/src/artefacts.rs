//! Artefacts under test: the page, the documents' site, the program with both, examples, recordings of them.

pub(crate) mod embedded;
pub(crate) mod examples;
pub(crate) mod page;
pub(crate) mod paths;
pub(crate) mod program;
pub(crate) mod recording;
pub(crate) mod released;
pub(crate) mod site;

use crate::fingerprint;
use crate::prelude::*;

/// Calls `make`, unless `artefact` is unchanged since `make` built it from the same inputs, and prints the outcome.
/// `make` returns a note to print after the artefact's folder.
fn bring(
    workspace: &Workspace,
    (title, stamp): (&str, &str),
    inputs: &str,
    artefact: &Path,
    make: impl FnOnce() -> Result<String>,
) -> Result<()> {
    let begun = Instant::now();
    let folder = artefact.parent().unwrap_or(artefact).display().to_string();
    let stamp = workspace.stamp(stamp);
    if fingerprint::is_current(&stamp, inputs, artefact) {
        say::step("current", title, &folder, begun.elapsed());
        return Ok(());
    }
    let note = make()?;
    fingerprint::write_artefact_stamp(&stamp, inputs, artefact)?;
    say::step("built", title, &(folder + &note), begun.elapsed());
    Ok(())
}

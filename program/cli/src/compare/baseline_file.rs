//! Samples of runs in a file: the baseline of a gate.

use std::io::{Read as _, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use syclscope_engine::compare::Sample;

use crate::{CliError, output, reading};
use syclscope_system::private_files;

const FORMAT: &str = "syclscope samples 1";
/// Prefix of a file of any version.
const BEGIN: &[u8] = b"{\"format\":\"syclscope samples";

#[derive(Debug, Serialize, Deserialize)]
struct SampleFile {
    format: String,
    runs: Vec<Sample>,
}

pub(super) fn write(runs: Vec<Sample>, path: &Path) -> Result<(), CliError> {
    let file = SampleFile { format: FORMAT.to_owned(), runs };
    let unwritable = |error: std::io::Error| output::unwritable(path, error);
    let text = serde_json::to_string(&file).map_err(|error| unwritable(error.into()))?;
    output::whole(path, |part| {
        let written =
            private_files::create_afresh(part, 0o666).and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(unwritable)
    })
}

/// True if a file with this prefix is a baseline.
pub(crate) fn is_baseline(start: &[u8]) -> bool {
    start.starts_with(BEGIN)
}

pub(crate) fn is_one(path: &Path) -> bool {
    let mut begin = Vec::new();
    let file =
        std::fs::File::open(path).and_then(|file| file.take(BEGIN.len() as u64).read_to_end(&mut begin));
    file.is_ok() && is_baseline(&begin)
}

/// Reads the samples of a baseline; `None` for any other file.
pub(super) fn read(path: &Path) -> Result<Option<Vec<Sample>>, CliError> {
    let mut begin = Vec::new();
    let file = std::fs::File::open(path).map_err(|error| reading::unreadable(path, &error))?;
    file.take(BEGIN.len() as u64)
        .read_to_end(&mut begin)
        .map_err(|error| reading::unreadable(path, &error))?;
    if !is_baseline(&begin) {
        return Ok(None);
    }
    let text = std::fs::read_to_string(path).map_err(|error| reading::unreadable(path, &error))?;
    let not_samples = |error: String| CliError::NotATrace { path: path.to_owned(), error };
    let file: SampleFile = serde_json::from_str(&text).map_err(|error| not_samples(error.to_string()))?;
    if file.format != FORMAT {
        return Err(not_samples(format!(
            "{} is from another version: write the baseline again",
            file.format
        )));
    }
    Ok(Some(file.runs))
}

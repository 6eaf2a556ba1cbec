//! Converts every recording in a folder.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use syclscope_language::formats::Format;
use syclscope_text as text;

use super::Arguments;
use crate::output::{OutputError, unwritable};
use crate::{CliError, Outcome, folder};

/// Converts every recording into a file with its name in the output folder. Unreadable ones do not stop the
/// others.
pub(super) fn run(arguments: &Arguments) -> Result<Outcome, CliError> {
    let Some(format) = arguments.to else {
        return Err(OutputError::NoFolderFormat { path: arguments.input.clone() }.into());
    };
    if arguments.output.is_file() {
        return Err(OutputError::NoFolder { path: arguments.output.clone() }.into());
    }
    let mut inputs: HashMap<PathBuf, PathBuf> = HashMap::new();
    let mut jobs = Vec::new();
    for input in folder::recordings(&arguments.input)? {
        let output = output_of(&input, arguments, format);
        if let Some(first) = inputs.insert(output.clone(), input.clone()) {
            return Err(OutputError::SameName { first, second: input, path: output }.into());
        }
        jobs.push(Arguments { input, output, ..arguments.clone() });
    }
    let mut outcome = Outcome::Success;
    for job in &jobs {
        let folder = job.output.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, error))?;
        if let Err(error) = super::convert_file(job, format) {
            eprintln!("syclscope: {}", text::safe(&error.to_string()));
            outcome = Outcome::Failure;
        }
    }
    Ok(outcome)
}

/// Returns the file of a converted recording, or the folder of its tables. Subfolders of the input become
/// subfolders of the output.
fn output_of(input: &Path, arguments: &Arguments, format: Format) -> PathBuf {
    let name = input.file_name().unwrap_or_default().to_string_lossy();
    let mut name = format.file_name(&name);
    if format == Format::Parquet {
        name = name.replace(format.ending(), ".tables");
    }
    let place = input.parent().and_then(|parent| parent.strip_prefix(&arguments.input).ok());
    arguments.output.join(place.unwrap_or(Path::new(""))).join(name)
}

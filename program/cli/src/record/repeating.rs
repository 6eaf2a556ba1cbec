//! `record --repeat`: runs a program several times, each run with its own file.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use syclscope_launcher::Options;

/// Default name of a recording.
const USUAL: &str = "run.pftrace";

/// Returns the options of one run, counted from 1: `run.pftrace` becomes `run-3.pftrace`, and a folder gets a
/// subfolder.
pub(crate) fn of_run(options: &Options, run: u32, format_is_json: bool) -> Options {
    let usual = || PathBuf::from(if format_is_json { "run.json" } else { USUAL });
    let output = options.output.clone().unwrap_or_else(usual);
    Options { output: Some(numbered(&output, run)), ..options.clone() }
}

fn numbered(output: &Path, run: u32) -> PathBuf {
    let is_folder = output.is_dir() || output.as_os_str().as_encoded_bytes().ends_with(b"/");
    if is_folder {
        // The slash marks it as a folder.
        return output.join(format!("run-{run}/"));
    }
    let stem = output.file_stem().unwrap_or_else(|| OsStr::new("run")).to_string_lossy();
    let end = output.extension().map_or_else(String::new, |end| format!(".{}", end.to_string_lossy()));
    output.with_file_name(format!("{stem}-{run}{end}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_has_a_name_of_its_own() {
        let of = |path: &str| numbered(Path::new(path), 3).to_string_lossy().into_owned();
        assert_eq!(of("before.pftrace"), "before-3.pftrace");
        assert_eq!(of("a/b.json"), "a/b-3.json");
        assert_eq!(of("trace"), "trace-3");
        assert_eq!(of("runs/"), "runs/run-3/");
    }
}

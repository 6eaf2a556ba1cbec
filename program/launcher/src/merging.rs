//! Merges several recordings into one file, each as a process: at the end of `record -o FOLDER`, and in `syclscope
//! merge`.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use syclscope_engine::export::{Exporter, Streamed, chrome_json, perfetto};
use syclscope_engine::merge::{self, Input, MergeError, MergeReport, MergedInput};
use syclscope_language::event::EventSink;

use super::output::{self, Output};
use super::{Format, LaunchError};

#[derive(Clone, Debug)]
pub struct Merged {
    pub path: PathBuf,
    pub size_bytes: u64,
    pub report: MergeReport,
}

/// Error while merging recordings, which are unchanged.
#[derive(Debug, thiserror::Error)]
pub enum MergeFailure {
    #[error(transparent)]
    Merge(#[from] MergeError),
    #[error("{} exists. Choose another name with -o, or overwrite it with --force", path.display())]
    Exists { path: PathBuf },
    #[error("can't write {}: {error}", path.display())]
    Write { path: PathBuf, error: io::Error },
    #[error("can't read {}: {error}", path.display())]
    Folder { path: PathBuf, error: io::Error },
    #[error("no recording (.pftrace or .json) in {}", path.display())]
    EmptyFolder { path: PathBuf },
}

/// Merges recordings into a file.
///
/// # Errors
/// Returns an error if one of them can't be merged or the file can't be written. An existing file is then unchanged.
pub fn merge_into(
    inputs: &[PathBuf],
    path: &Path,
    format: Option<Format>,
    may_replace: bool,
) -> Result<Merged, MergeFailure> {
    let format = format.unwrap_or_else(|| output::format_of(path));
    let reserved = Output::reserve(path, may_replace).map_err(|error| match error {
        LaunchError::OutputExists { path } => MergeFailure::Exists { path },
        LaunchError::Output { path, error } => MergeFailure::Write { path, error },
        other => MergeFailure::Write { path: path.to_owned(), error: io::Error::other(other.to_string()) },
    })?;
    fill(reserved, |path| write(inputs, path, format))
}

/// Merges a run's recordings into a reserved file. A single recording is hard-linked instead.
pub(super) fn collect(inputs: &[PathBuf], reserved: Output, format: Format) -> Result<Merged, MergeFailure> {
    fill(reserved, |path| match inputs {
        [input] if fs::hard_link(input, path).is_ok() => {
            let name = input.to_string_lossy().into_owned();
            Ok(MergeReport {
                inputs: vec![MergedInput { name, ..Default::default() }],
                ..MergeReport::default()
            })
        }
        _ => write(inputs, path, format),
    })
}

fn fill(
    reserved: Output,
    write: impl FnOnce(&Path) -> Result<MergeReport, MergeFailure>,
) -> Result<Merged, MergeFailure> {
    let path = reserved.path.clone();
    // Renamed when complete, so that no program reads an incomplete file.
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".part-{}", std::process::id()));
    let part = PathBuf::from(name);
    let done = write(&part).and_then(|report| {
        let renamed = fs::rename(&part, &path).map(|()| report);
        renamed.map_err(|error| MergeFailure::Write { path: path.clone(), error })
    });
    if done.is_err() {
        // The inputs still have all the data.
        let _ = fs::remove_file(&part);
    }
    let settled = reserved.settle(done.is_err());
    let report = done?;
    settled.map_err(|error| MergeFailure::Write { path: path.clone(), error })?;
    let size_bytes = fs::metadata(&path).map_or(0, |meta| meta.len());
    Ok(Merged { path, size_bytes, report })
}

fn write(inputs: &[PathBuf], path: &Path, format: Format) -> Result<MergeReport, MergeFailure> {
    let failed = |error| MergeFailure::Write { path: path.to_owned(), error };
    let file = syclscope_system::private_files::create_file(path).map_err(failed)?;
    match format {
        Format::Perfetto => through(inputs, Streamed::new(perfetto::Writer::new(), file), path),
        Format::Json => through(inputs, Streamed::new(chrome_json::Writer::new(), file), path),
    }
}

fn through<E: Exporter>(
    inputs: &[PathBuf],
    mut sink: Streamed<E, File>,
    path: &Path,
) -> Result<MergeReport, MergeFailure>
where
    Streamed<E, File>: EventSink,
{
    let inputs: Vec<Recorded<'_>> = inputs.iter().map(|path| Recorded(path)).collect();
    let report = merge::merge(&inputs, &mut sink)?;
    sink.finish().map_err(|error| MergeFailure::Write { path: path.to_owned(), error })?;
    Ok(report)
}

struct Recorded<'a>(&'a Path);

impl Input for Recorded<'_> {
    fn name(&self) -> Cow<'_, str> {
        self.0.to_string_lossy()
    }

    fn read(&self, limit: usize) -> io::Result<Cow<'_, [u8]>> {
        let mut bytes = Vec::new();
        File::open(self.0)?.take(limit as u64).read_to_end(&mut bytes)?;
        Ok(bytes.into())
    }
}

/// Returns the recordings in a folder, the oldest first, and other traces in it. Recordings are recognised by
/// the recorder's names for processes; if there are none, all traces count as recordings.
///
/// # Errors
/// Returns an error if the folder can't be read or contains no trace.
pub fn in_folder(folder: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>), MergeFailure> {
    let failed = |error| MergeFailure::Folder { path: folder.to_owned(), error };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        let is_trace =
            path.extension().is_some_and(|extension| extension == "pftrace" || extension == "json");
        if is_trace && path.is_file() {
            let modified = entry.metadata().and_then(|meta| meta.modified()).map_err(failed)?;
            files.push((modified, path));
        }
    }
    if files.is_empty() {
        return Err(MergeFailure::EmptyFolder { path: folder.to_owned() });
    }
    // The parts of one recording follow each other in time.
    files.sort();
    let files: Vec<PathBuf> = files.into_iter().map(|(_, path)| path).collect();
    let (own, others): (Vec<_>, Vec<_>) = files.iter().cloned().partition(|path| process_of(path).is_some());
    Ok(if own.is_empty() { (files, Vec::new()) } else { (own, others) })
}

/// Endings of packed files.
const PACKED: [&str; 3] = [".gz", ".zst", ".zip"];

/// Returns a file's name without its endings: `heat.7` for `heat.7.pftrace` and `heat.7.pftrace.gz`.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let plain = PACKED.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    Path::new(plain).file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the process id in a recorder's file name: `NAME.PID[-N][.older[-N]].EXT`, also if the file was packed.
pub fn process_of(path: &Path) -> Option<u32> {
    process_in(&stem(path))
}

fn process_in(stem: &str) -> Option<u32> {
    let (start, last) = without_older(stem).unwrap_or(stem).rsplit_once('.')?;
    let (pid, number) = last.split_once('-').unwrap_or((last, "1"));
    (!start.is_empty() && is_number(number)).then(|| pid.parse().ok().filter(|_| is_number(pid)))?
}

/// Returns a program's name without trailing numbers, such as `python3` for `python3.11`. With them, the merged
/// file of its run would look like the file of a process.
pub(super) fn name_of_run(program: &str) -> &str {
    let mut name = program;
    while let Some((start, _)) = name.rsplit_once('.').filter(|_| process_in(name).is_some()) {
        name = start;
    }
    name
}

pub fn is_older(path: &Path) -> bool {
    without_older(&stem(path)).is_some()
}

fn without_older(stem: &str) -> Option<&str> {
    let (start, last) = stem.rsplit_once('.')?;
    let rest = last.strip_prefix("older")?;
    (rest.is_empty() || rest.strip_prefix('-').is_some_and(is_number)).then_some(start)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_processes_differ_from_others() {
        for name in [
            "heat.node7.1234.pftrace",
            "heat.node7.rank3.12.json",
            "run.12-2.pftrace",
            "a.b.7.older.pftrace",
            "a.7.older-2.json",
            "heat.node7.1234.pftrace.gz",
            "a.7.older.json.zst",
        ] {
            assert!(process_of(Path::new(name)).is_some(), "{name}");
        }
        for name in [
            "heat.pftrace",
            "heat-2.pftrace",
            "run.v2.pftrace",
            ".12.pftrace",
            "12.pftrace",
            "run.older.pftrace",
            "heat.pftrace.gz",
            "heat.7.gz",
        ] {
            assert_eq!(process_of(Path::new(name)), None, "{name}");
        }
    }

    #[test]
    fn a_run_is_not_named_like_a_process() {
        for (program, name) in [
            ("heat", "heat"),
            ("python3.11", "python3"),
            ("solve.2.1", "solve"),
            ("solve.1-2", "solve"),
            ("run.v2", "run.v2"),
            (".5", ".5"),
        ] {
            assert_eq!(name_of_run(program), name);
            assert_eq!(process_of(Path::new(&format!("{}.pftrace", name_of_run(program)))), None);
        }
    }

    #[test]
    fn a_folder_gives_its_recordings_without_what_was_merged() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(in_folder(folder.path()), Err(MergeFailure::EmptyFolder { .. })));
        let path = |name: &str| folder.path().join(name);
        for name in ["heat.pftrace", "notes.txt"] {
            fs::write(path(name), "").unwrap();
        }
        assert_eq!(in_folder(folder.path()).unwrap(), (vec![path("heat.pftrace")], vec![]));
        fs::write(path("heat.node.7.pftrace"), "").unwrap();
        let (own, others) = in_folder(folder.path()).unwrap();
        assert_eq!((own, others), (vec![path("heat.node.7.pftrace")], vec![path("heat.pftrace")]));
        assert!(matches!(in_folder(&path("missing")), Err(MergeFailure::Folder { .. })));
    }
}

//! Files of a run. A folder may have a merged recording, the files of its processes, or both. `record --repeat N -o
//! FOLDER/` creates a folder for each run.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::{CliError, reading};
use syclscope_engine::store::Trace;
use syclscope_launcher as launcher;
use syclscope_launcher::process_of;

/// Extensions of recordings and baselines in a folder.
const ENDS: [&str; 12] = [
    ".pftrace",
    ".perfetto-trace",
    ".json",
    ".pftrace.gz",
    ".perfetto-trace.gz",
    ".json.gz",
    ".pftrace.zst",
    ".perfetto-trace.zst",
    ".json.zst",
    ".pftrace.zip",
    ".perfetto-trace.zip",
    ".json.zip",
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunFiles {
    pub(crate) name: String,
    /// The recording of the whole run, or of its first process.
    pub(crate) whole: PathBuf,
    /// Files of single processes, which the whole recording may include, too.
    pub(crate) pieces: Vec<PathBuf>,
}

impl RunFiles {
    /// Returns all of its files in the order of a merge, and a description of the pieces.
    pub(crate) fn to_merge(&self) -> (Vec<PathBuf>, &'static str) {
        let mut files: Vec<PathBuf> = std::iter::once(&self.whole).chain(&self.pieces).cloned().collect();
        // The parts of a process are merged in the given order.
        files.sort_by_key(|path| !launcher::is_older(path));
        let has_half = files.iter().any(|path| launcher::is_older(path));
        (files, if has_half { "its run" } else { "other processes of its run" })
    }
}

/// Returns the files of the runs at a path: a file, a folder of files, or a folder with a folder for each run.
pub(crate) fn of_path(path: &Path) -> Result<Vec<PathBuf>, CliError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = in_folder(path)?;
    if found.is_empty() {
        for folder in entries(path)?.into_iter().filter(|entry| entry.is_dir()) {
            found.extend(in_folder(&folder)?);
        }
    }
    if found.is_empty() { Err(CliError::NoRuns { path: path.to_owned() }) } else { Ok(found) }
}

fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    reading::refuse_tables(folder)?;
    Ok(entries(folder)?.into_iter().filter(|path| is_run(path)).collect())
}

/// Lists a folder, with `run-2` before `run-10`.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let entries = std::fs::read_dir(folder).map_err(|error| reading::unreadable(folder, &error))?;
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    found.sort_by_cached_key(|path| in_parts(&name_of(path)));
    Ok(found)
}

/// Returns the texts of a name with the numbers behind them: their lengths without leading zeros, since a longer number
/// is a larger one, and their digits. Dates with nanoseconds fit no integer.
fn in_parts(name: &str) -> Vec<(String, usize, String)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (text, behind) = rest.split_at(digits);
        let end = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
        let number = behind[..end].trim_start_matches('0');
        let length = if end == 0 { usize::MAX } else { number.len() };
        parts.push((text.to_owned(), length, number.to_owned()));
        rest = &behind[end..];
    }
    parts
}

fn is_run(path: &Path) -> bool {
    let name = name_of(path).to_lowercase();
    path.is_file() && ENDS.iter().any(|end| name.ends_with(end)) && !name.ends_with(".profile.json")
}

/// Groups files by run, in the order of the whole recordings, or else of their first files.
pub(crate) fn runs(files: Vec<PathBuf>) -> Vec<RunFiles> {
    // Runs of single processes keep their place among the others.
    let mut places: HashMap<PathBuf, usize> = HashMap::new();
    for (place, file) in files.iter().enumerate() {
        places.entry(file.clone()).or_insert(place);
    }
    let (pieces, wholes): (Vec<PathBuf>, Vec<PathBuf>) = files.into_iter().partition(|path| is_piece(path));
    let mut runs: Vec<RunFiles> = wholes.into_iter().map(single_file).collect();
    // Runs whose ranks were not merged, by folder.
    let mut of_ranks: HashMap<PathBuf, usize> = HashMap::new();
    for piece in pieces {
        let name = name_of(&piece);
        let owns = |run: &RunFiles| {
            let stem = stem(&name_of(&run.whole));
            let is_beside = run.whole.parent() == piece.parent() && !is_piece(&run.whole);
            let rest = name.strip_prefix(&stem).filter(|_| is_beside);
            rest.is_some_and(|rest| rest.starts_with('.')).then_some(stem.len())
        };
        let owner = (0..runs.len()).filter_map(|run| Some((owns(&runs[run])?, run))).max();
        let folder = piece.parent().map(Path::to_owned).unwrap_or_default();
        let of_rank = || of_ranks.get(&folder).copied().filter(|_| is_of_rank(&name));
        match owner.map(|(_, run)| run).or_else(of_rank) {
            Some(run) => runs[run].pieces.push(piece),
            None => {
                if is_of_rank(&name) {
                    of_ranks.insert(folder, runs.len());
                }
                runs.push(single_file(piece));
            }
        }
    }
    runs.sort_by_key(|run| places.get(&run.whole));
    name_by_folder(&mut runs);
    runs
}

fn single_file(whole: PathBuf) -> RunFiles {
    RunFiles { name: name_of(&whole), whole, pieces: Vec::new() }
}

/// Names runs after their folders if all have the same name and the folders differ from the first one's.
fn name_by_folder(runs: &mut [RunFiles]) {
    let Some((first, others)) = runs.split_first() else { return };
    let is_ambiguous = !others.is_empty()
        && others.iter().all(|run| run.name == first.name && run.whole.parent() != first.whole.parent());
    if is_ambiguous {
        for run in runs {
            run.name = run.whole.parent().map(name_of).unwrap_or_default();
        }
    }
}

/// True if a file has only a part of a run: one process, or the older half that `record --max-size` kept.
fn is_piece(path: &Path) -> bool {
    process_of(path).is_some() || launcher::is_older(path)
}

/// True if a file name is that of a rank's recording: `heat.node7.rank3.1234.pftrace`.
fn is_of_rank(name: &str) -> bool {
    let is_number = |rank: &str| !rank.is_empty() && rank.bytes().all(|byte| byte.is_ascii_digit());
    // A program may be called `rank_sort`.
    name.split('.').any(|part| part.strip_prefix("rank").is_some_and(is_number))
}

fn stem(name: &str) -> String {
    let lower = name.to_lowercase();
    let end = ENDS.iter().filter(|end| lower.ends_with(*end)).map(|end| end.len()).max().unwrap_or_default();
    name[..name.len() - end].to_owned()
}

pub(crate) fn pids(trace: &Trace) -> Vec<u32> {
    trace.info().processes.iter().map(|process| process.pid).collect()
}

/// Drops parts whose processes are in a whole recording of the folder. A merged recording of one run has all
/// of its processes, and that of another run has none of them. The older half of a file (`record --max-size`) has other
/// events of its process than the file.
pub(crate) fn retain_missing(run: &mut RunFiles, processes: &[(PathBuf, Vec<u32>)]) {
    let folder = run.whole.parent();
    let beside: Vec<_> = processes.iter().filter(|(whole, _)| whole.parent() == folder).collect();
    let own = process_of(&run.whole);
    run.pieces.retain(|piece| {
        let process = process_of(piece);
        // In a folder the older half of a single process is listed first.
        let is_half = process == own && launcher::is_older(piece) != launcher::is_older(&run.whole);
        is_half || process.is_some_and(|pid| !beside.iter().any(|(_, pids)| pids.contains(&pid)))
    });
}

pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grouped(files: &[&str]) -> Vec<(String, usize)> {
        let runs = runs(files.iter().map(PathBuf::from).collect());
        runs.into_iter().map(|run| (run.name, run.pieces.len())).collect()
    }

    #[test]
    fn processes_of_one_recording_are_one_run() {
        let of = |name: &str, pieces: usize| (name.to_owned(), pieces);
        let beside = [
            "run-1.17.pftrace",
            "run-1.pftrace",
            "run-2.18-2.pftrace",
            "run-2.pftrace",
            "run-2.older.pftrace",
        ];
        assert_eq!(grouped(&beside), [of("run-1.pftrace", 1), of("run-2.pftrace", 2)]);
        let merged = ["r/heat.node.17.pftrace", "r/heat.node.18.pftrace", "r/heat.pftrace"];
        assert_eq!(grouped(&merged), [of("heat.pftrace", 2)]);
        let numbered = ["r/python3.11.node.17.pftrace", "r/python3.11.node.18.pftrace", "r/python3.pftrace"];
        assert_eq!(grouped(&numbered), [of("python3.pftrace", 2)]);
        let ranks = ["r/heat.node.rank0.17.json", "r/heat.node.rank1.18.json"];
        assert_eq!(grouped(&ranks), [of("heat.node.rank0.17.json", 1)]);
        let packed = ["r/heat.node.17.pftrace.gz", "r/heat.node.18.pftrace.gz", "r/heat.pftrace.gz"];
        assert_eq!(grouped(&packed), [of("heat.pftrace.gz", 2)]);
        let packed = ["r/heat.node.17.perfetto-trace.zst", "r/heat.perfetto-trace.zst"];
        assert_eq!(grouped(&packed), [of("heat.perfetto-trace.zst", 1)]);
        let named = ["r/rank_sort.node.17.pftrace", "r/rank_sort.node.18.pftrace"];
        assert_eq!(grouped(&named).len(), 2, "the program's name is no rank");
        // Nothing shows that these belong to one run.
        assert_eq!(grouped(&["run.17.pftrace", "other/run.pftrace"]).len(), 2);
    }

    #[test]
    fn runs_stay_in_their_order_whatever_their_files() {
        let names = |files: &[&str]| grouped(files).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        let given = ["a.17.pftrace", "b.pftrace", "c.18.pftrace", "d.pftrace"];
        assert_eq!(names(&given), given);
        let with_pieces = ["a.17.pftrace", "b.19.pftrace", "b.pftrace", "c.18.pftrace"];
        assert_eq!(names(&with_pieces), ["a.17.pftrace", "b.pftrace", "c.18.pftrace"]);
    }

    #[test]
    fn runs_of_one_name_are_called_as_their_folders() {
        let runs = grouped(&["a/run-1/heat.pftrace", "a/run-2/heat.pftrace"]);
        assert_eq!(runs, [("run-1".to_owned(), 0), ("run-2".to_owned(), 0)]);
    }

    #[test]
    fn numbers_in_names_are_ordered_as_numbers() {
        let mut names = ["run-10.json", "run-9.json", "a.json", "run-9-b.json"];
        names.sort_by_cached_key(|name| in_parts(name));
        assert_eq!(names, ["a.json", "run-9-b.json", "run-9.json", "run-10.json"]);
        // `date +%Y%m%d%H%M%S%N`
        let mut names =
            ["20261201080000000000002.json", "20261201080000000000001.json", "007.json", "8.json"];
        names.sort_by_cached_key(|name| in_parts(name));
        assert_eq!(
            names,
            ["007.json", "8.json", "20261201080000000000001.json", "20261201080000000000002.json"]
        );
    }
}

//! The runs of a side, read one by one so that only samples stay in memory.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use syclscope_engine::compare::{RunPart, Sample, median_run};
use syclscope_engine::store::Trace;
use syclscope_language::api::ComparisonNote;

use super::baseline_file;
use super::files::{self, RunFiles};
use crate::range::RangeOptions;
use crate::scratch::Scratch;
use crate::{CliError, reading, standard_input};
use syclscope_launcher as launcher;
use syclscope_launcher::Format;
use syclscope_text as text;

/// Options for reading runs.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Reading {
    /// Print nothing but the result
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    reach: crate::share::Reach,
}

#[derive(Debug)]
pub(crate) struct Runs {
    /// One for each sample.
    sources: Vec<Source>,
    pub(crate) samples: Vec<Sample>,
    /// Index of the run with the median time.
    pub(crate) median: usize,
    /// The trace of the only run, so that it is read once.
    only: Option<Trace>,
    identities: HashSet<RunIdentity>,
    range: RangeOptions,
    /// Files that were found in a folder.
    in_folders: HashSet<PathBuf>,
    /// Unreadable files, which are skipped.
    unreadable: Vec<PathBuf>,
    /// Folder of downloaded and merged runs, created when it is needed.
    scratch: Option<Scratch>,
    quiet: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum RunIdentity {
    /// Device and inode number.
    File(u64, u64),
    /// The server's URL, and the run's id on it.
    Remote(String, String),
}

#[derive(Clone, Debug)]
struct Source {
    file: PathBuf,
    /// Path in errors, if not that of the file.
    error_path: Option<PathBuf>,
}

impl Source {
    fn file(file: &Path) -> Self {
        Self { file: file.to_owned(), error_path: None }
    }

    fn name(&self) -> &Path {
        self.error_path.as_deref().unwrap_or(&self.file)
    }

    fn trace(&self, quiet: bool) -> Result<Trace, CliError> {
        reading::trace(&self.file, quiet).map_err(|error| match (error, &self.error_path) {
            (CliError::NotATrace { error, .. }, Some(path)) => {
                CliError::NotATrace { path: path.clone(), error }
            }
            (error, _) => error,
        })
    }
}

impl Runs {
    /// Reads recordings, folders of recordings, baselines, URLs on a server, and standard input.
    pub(crate) fn read(paths: &[PathBuf], how: &Reading, range: &RangeOptions) -> Result<Self, CliError> {
        let mut runs = Self { range: range.clone(), ..Self::none(how.quiet) };
        // Files of one run may be named one by one, so consecutive files are grouped.
        let mut files: Vec<PathBuf> = Vec::new();
        for path in paths {
            if is_address(path) {
                runs.add_files(std::mem::take(&mut files))?;
                runs.add_remote(path, how)?;
            } else if standard_input::is_named(path) {
                files.push(standard_input::copy_to(runs.scratch()?)?);
            } else {
                let found = files::of_path(path)?;
                if path.is_dir() {
                    runs.in_folders.extend(found.iter().cloned());
                }
                files.extend(found);
            }
        }
        runs.add_files(files)?;
        runs.complete(paths.first().cloned().unwrap_or_default())
    }

    pub(crate) fn of_folder(folder: &Path, quiet: bool) -> Result<Self, CliError> {
        let mut runs = Self::none(quiet);
        runs.add_files(files::of_path(folder)?)?;
        runs.complete(folder.to_owned()).map(Self::without_trace)
    }

    /// Frees the memory of the only run's trace.
    pub(crate) fn without_trace(self) -> Self {
        Self { only: None, ..self }
    }

    fn none(quiet: bool) -> Self {
        Self {
            sources: Vec::new(),
            samples: Vec::new(),
            median: 0,
            only: None,
            identities: HashSet::new(),
            range: RangeOptions::default(),
            in_folders: HashSet::new(),
            unreadable: Vec::new(),
            scratch: None,
            quiet,
        }
    }

    fn complete(mut self, path: PathBuf) -> Result<Self, CliError> {
        if self.samples.is_empty() {
            return Err(CliError::NoRuns { path });
        }
        self.median = median_run(&self.samples);
        Ok(self)
    }

    /// Adds a run. Returns the ids of its processes.
    fn add(&mut self, name: &str, source: Source) -> Result<Vec<u32>, CliError> {
        // Frees the previous trace before the next run is read.
        self.only = None;
        let trace = source.trace(self.quiet)?;
        let sample = self.sample(name, &trace, source.name())?;
        self.samples.push(sample);
        self.sources.push(source);
        let pids = files::pids(&trace);
        self.only = (self.samples.len() == 1).then_some(trace);
        Ok(pids)
    }

    fn sample(&self, name: &str, trace: &Trace, path: &Path) -> Result<Sample, CliError> {
        Ok(Sample::with_part(name, trace, self.part(trace, path)?.as_ref()))
    }

    fn part(&self, trace: &Trace, path: &Path) -> Result<Option<RunPart>, CliError> {
        let in_run = |error: CliError| CliError::InRun { path: path.to_owned(), error: Box::new(error) };
        self.range.part(trace).map_err(in_run)
    }

    fn add_files(&mut self, named: Vec<PathBuf>) -> Result<(), CliError> {
        // For runs with a file for each process: index of the sample, and the files.
        let mut in_pieces: Vec<(usize, RunFiles)> = Vec::new();
        let mut processes: Vec<(PathBuf, Vec<u32>)> = Vec::new();
        for run in files::runs(named) {
            if !self.is_new(&run.whole) {
                self.say(&run.whole, "is skipped: it is the same file as another run of its side");
                continue;
            }
            let baseline = match baseline_file::read(&run.whole) {
                Err(error) if self.is_left_out(&run.whole, &error) => continue,
                baseline => baseline?,
            };
            if let Some(samples) = baseline {
                self.check_parts(&run.whole, &samples)?;
                self.only = None;
                self.sources.extend(samples.iter().map(|_| Source::file(&run.whole)));
                self.samples.extend(samples);
                continue;
            }
            let pids = match self.add(&run.name, Source::file(&run.whole)) {
                Err(error) if self.is_left_out(&run.whole, &error) => continue,
                pids => pids?,
            };
            processes.push((run.whole.clone(), pids));
            if !run.pieces.is_empty() {
                in_pieces.push((self.samples.len() - 1, run));
            }
        }
        for (number, mut run) in in_pieces {
            files::retain_missing(&mut run, &processes);
            run.pieces.retain(|piece| self.is_new(piece));
            if run.pieces.is_empty() {
                continue;
            }
            if let Err(error) = self.assemble(number, &run) {
                let all = run.pieces.len();
                run.pieces.retain(|piece| !self.is_broken(piece));
                match run.pieces.len() {
                    left if left == all => return Err(error),
                    0 => {}
                    _ => self.assemble(number, &run)?,
                }
            }
        }
        Ok(())
    }

    /// True if a further file of a run can't be read and is skipped, so that the run counts without it.
    fn is_broken(&mut self, piece: &Path) -> bool {
        reading::trace(piece, true).is_err_and(|error| self.is_left_out(piece, &error))
    }

    /// True if an unreadable file is skipped because it was found in a folder. A warning names it.
    fn is_left_out(&mut self, file: &Path, error: &CliError) -> bool {
        let is_unreadable = matches!(
            error,
            CliError::NotATrace { .. } | CliError::Unreadable { .. } | CliError::OneWay { .. }
        );
        let is_left_out = is_unreadable && self.in_folders.contains(file);
        if is_left_out {
            eprintln!("syclscope: warning: {}. The file is skipped.", text::safe(&error.to_string()));
            self.unreadable.push(file.to_owned());
        }
        is_left_out
    }

    /// Rejects a baseline of another part of the runs.
    fn check_parts(&self, path: &Path, samples: &[Sample]) -> Result<(), CliError> {
        let (part_name, window) = (self.range.name(), self.range.window());
        let is_other = |sample: &&Sample| sample.part != part_name || sample.window != window;
        let Some(other) = samples.iter().find(is_other) else { return Ok(()) };
        // Displayed times are rounded, so different ranges may have the same text.
        let exact = |name: &str, window: &Option<Range<u64>>| match window {
            Some(window) if other.part == part_name => in_nanoseconds(window),
            _ => name.to_owned(),
        };
        Err(CliError::OtherPart {
            path: path.to_owned(),
            holds: exact(&other.part, &other.window),
            expected: exact(&part_name, &window),
        })
    }

    /// Merges the files of a run's processes, and uses the merged file instead of the first one.
    fn assemble(&mut self, number: usize, run: &RunFiles) -> Result<(), CliError> {
        let (inputs, of) = run.to_merge();
        let others = text::counted(run.pieces.len() as u64, "file");
        self.say(&run.whole, &format!("is merged with {others} of {of}"));
        let merged = self.scratch()?.join(format!("merged-{number}.pftrace"));
        self.only = None;
        launcher::merge_into(&inputs, &merged, Some(Format::Perfetto), true)?;
        let source = Source { file: merged, error_path: Some(run.whole.clone()) };
        let trace = source.trace(self.quiet)?;
        self.samples[number] = self.sample(&run.name, &trace, source.name())?;
        self.sources[number] = source;
        self.only = (self.samples.len() == 1).then_some(trace);
        Ok(())
    }

    /// Adds the runs at a URL on a server. They are downloaded to files, since many recordings may not fit
    /// into memory.
    fn add_remote(&mut self, address: &Path, how: &Reading) -> Result<(), CliError> {
        use syclscope_client::{Place, fetch, runs_at};

        let place: Place = address
            .to_string_lossy()
            .parse()
            .map_err(|error| CliError::Place { address: address.to_owned(), error })?;
        let client = how.reach.client(place.server.clone())?;
        let found = crate::share::block_on(runs_at(&client, &place))?;
        if found.is_empty() {
            return Err(CliError::NoRuns { path: address.to_owned() });
        }
        for run in found {
            let identity = RunIdentity::Remote(place.server.to_string(), run.id.clone());
            if !self.identities.insert(identity) {
                self.say(address, "is skipped: it is the same run as another run of its side");
                continue;
            }
            let name = format!("fetched-{}", self.samples.len());
            let file = self.scratch()?.join(name);
            crate::share::block_on(fetch(&client, &run, &file))?;
            self.add(&run.name, Source { file, error_path: Some(address.to_owned()) })?;
        }
        Ok(())
    }

    /// Creates the folder on the first call.
    fn scratch(&mut self) -> Result<&Path, CliError> {
        if self.scratch.is_none() {
            self.scratch = Some(Scratch::new()?);
        }
        Ok(self.scratch.as_ref().map_or(Path::new(""), Scratch::path))
    }

    /// True if a file was not read before: a run that counts twice would make a random difference look
    /// significant.
    fn is_new(&mut self, file: &Path) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        // Reading the file reports this error.
        std::fs::metadata(file)
            .map_or(true, |data| self.identities.insert(RunIdentity::File(data.dev(), data.ino())))
    }

    fn say(&self, file: &Path, what: &str) {
        if !self.quiet {
            eprintln!("syclscope: {} {what}", text::path(file));
        }
    }

    pub(crate) fn is_the_same_as(&self, other: &Self) -> bool {
        !self.identities.is_empty() && self.identities == other.identities
    }

    /// Prints on standard error unless quiet.
    pub(crate) fn say_that(&self, what: &str) {
        if !self.quiet {
            eprintln!("syclscope: {}", text::safe(what));
        }
    }

    pub(crate) fn name(&self) -> String {
        let name = self.samples.get(self.median).map_or_else(String::new, |sample| sample.name.clone());
        match self.samples.len() {
            0 | 1 => name,
            several => format!("{name} and {} more", several - 1),
        }
    }

    /// Reads the traces again, one by one.
    pub(crate) fn traces(&self) -> impl Iterator<Item = Result<Trace, CliError>> {
        self.sources.iter().map(|source| source.trace(self.quiet))
    }

    /// Returns the median run's trace, which is read again unless it is the only run.
    pub(crate) fn median_trace(&mut self) -> Result<(Trace, Option<RunPart>), CliError> {
        let only = self.only.take();
        let source =
            self.sources.get(self.median).ok_or_else(|| CliError::NoRuns { path: PathBuf::new() })?;
        let trace = only.map_or_else(|| source.trace(self.quiet), Ok)?;
        let part = self.part(&trace, source.name())?;
        Ok((trace, part))
    }

    pub(crate) fn write(self, path: &Path) -> Result<(), CliError> {
        baseline_file::write(self.samples, path)
    }
}

pub(crate) fn omission_note(a: &Runs, b: &Runs) -> Option<ComparisonNote> {
    let all: Vec<&PathBuf> = a.unreadable.iter().chain(&b.unreadable).collect();
    let first = all.first()?;
    let others = match all.len() - 1 {
        0 => String::new(),
        1 => " and 1 more file".to_owned(),
        count => format!(" and {count} more files"),
    };
    Some(ComparisonNote {
        kind: "left_out".to_owned(),
        message: format!(
            "can't read {}{others}, so their data is not compared. Record these runs again, or remove the files.",
            text::path(first)
        ),
        is_severe: false,
    })
}

/// Returns a note about runs that are on both sides, unless the sides are the same.
pub(crate) fn shared_note(a: &Runs, b: &Runs) -> Option<ComparisonNote> {
    let shared = a.identities.intersection(&b.identities).count();
    (shared > 0 && !a.is_the_same_as(b)).then(|| on_both_sides(shared))
}

/// Returns the note about a number of runs that are on both sides.
pub(crate) fn on_both_sides(shared: usize) -> ComparisonNote {
    let verb = if shared == 1 { "is" } else { "are" };
    ComparisonNote {
        kind: "on_both_sides".to_owned(),
        message: format!(
            "{} {verb} on both sides, so the sides look more alike than they are. Name each run on one side only.",
            text::counted(shared as u64, "file")
        ),
        is_severe: true,
    }
}

fn in_nanoseconds(window: &Range<u64>) -> String {
    match (window.start, window.end) {
        (0, to) => format!("up to {to} ns"),
        (from, u64::MAX) => format!("from {from} ns on"),
        (from, to) => format!("from {from} to {to} ns"),
    }
}

/// True if a path is the URL of a run on a server.
pub(crate) fn is_address(path: &Path) -> bool {
    let text = path.to_string_lossy();
    text.starts_with("https://") || text.starts_with("http://")
}

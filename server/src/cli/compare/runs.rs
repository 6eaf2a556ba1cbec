//! The runs of a side: read one by one, so that only what is compared of each stays in memory.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use syclscope_engine::compare::Sample;
use syclscope_engine::store::Trace;

use super::file_name;
use crate::cli::{CliError, reading};
use crate::text;

/// How runs are read.
#[derive(Clone, Debug, clap::Args)]
pub(in crate::cli) struct Reading {
    /// Print nothing but the result
    #[arg(short, long)]
    quiet: bool,
    #[cfg(feature = "team")]
    #[command(flatten)]
    reach: crate::cli::share::Reach,
}

/// Ends of the names of files in a folder that are runs.
const ENDS: [&str; 10] = [
    ".pftrace",
    ".perfetto-trace",
    ".json",
    ".pftrace.gz",
    ".perfetto-trace.gz",
    ".json.gz",
    ".pftrace.zst",
    ".json.zst",
    ".pftrace.zip",
    ".json.zip",
];
/// What a file of samples says of itself.
const SAMPLES: &str = "syclscope samples 1";
/// Such a file begins with this.
const BEGIN: &[u8] = b"{\"format\":\"syclscope samples";

/// The runs of one side.
#[derive(Debug)]
pub(in crate::cli) struct Runs {
    sources: Vec<Source>,
    pub(in crate::cli) samples: Vec<Sample>,
    /// The one with the median time.
    pub(in crate::cli) shown: usize,
    /// Device and number of the files that were read.
    seen: HashSet<(u64, u64)>,
}

/// Where a run came from.
#[derive(Debug)]
enum Source {
    File(PathBuf),
    /// From a server.
    #[cfg(feature = "team")]
    Fetched {
        address: PathBuf,
        bytes: Vec<u8>,
    },
}

impl Source {
    fn trace(&self, quiet: bool) -> Result<Trace, CliError> {
        match self {
            Self::File(path) => reading::trace(path, quiet),
            #[cfg(feature = "team")]
            Self::Fetched { address, bytes } => parsed(address, bytes),
        }
    }
}

/// Samples as a file.
#[derive(Debug, Serialize, Deserialize)]
struct SampleFile {
    format: String,
    runs: Vec<Sample>,
}

impl Runs {
    /// Reads recordings, folders of recordings, files of samples, and what addresses of a server name.
    pub(in crate::cli) fn read(paths: &[PathBuf], how: &Reading) -> Result<Self, CliError> {
        let mut runs = Self { sources: Vec::new(), samples: Vec::new(), shown: 0, seen: HashSet::new() };
        for path in paths {
            if is_address(path) {
                for (name, source) in fetched(path, how)? {
                    runs.add(&name, source, how.quiet)?;
                }
                continue;
            }
            for file in files(path)? {
                if !runs.is_new(&file) {
                    if !how.quiet {
                        eprintln!(
                            "syclscope: {} is left out: it is the same file as another run of its side",
                            text::safe(&file.display().to_string())
                        );
                    }
                    continue;
                }
                match samples(&file)? {
                    Some(samples) => {
                        runs.sources.extend(samples.iter().map(|_| Source::File(file.clone())));
                        runs.samples.extend(samples);
                    }
                    None => runs.add(&file_name(&file), Source::File(file), how.quiet)?,
                }
            }
        }
        if runs.samples.is_empty() {
            return Err(CliError::NoRuns { path: paths.first().cloned().unwrap_or_default() });
        }
        let mut order: Vec<usize> = (0..runs.samples.len()).collect();
        order.sort_by_key(|run| runs.samples[*run].wall_ns);
        runs.shown = order.get(order.len().saturating_sub(1) / 2).copied().unwrap_or_default();
        Ok(runs)
    }

    fn add(&mut self, name: &str, source: Source, quiet: bool) -> Result<(), CliError> {
        self.samples.push(Sample::new(name, &source.trace(quiet)?));
        self.sources.push(source);
        Ok(())
    }

    /// Whether a file is none of those that were read: the same run would count as several, which makes chance look certain.
    fn is_new(&mut self, file: &Path) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        // What can't be looked at is said where it is read.
        std::fs::metadata(file).map_or(true, |data| self.seen.insert((data.dev(), data.ino())))
    }

    /// What the side is called.
    pub(in crate::cli) fn name(&self) -> String {
        let name = self.samples.get(self.shown).map_or_else(String::new, |sample| sample.name.clone());
        match self.samples.len() {
            0 | 1 => name,
            several => format!("{name} and {} more", several - 1),
        }
    }

    /// The trace of the run that is shown.
    pub(in crate::cli) fn shown_trace(&self, how: &Reading) -> Result<Trace, CliError> {
        let source = self.sources.get(self.shown).ok_or_else(|| CliError::NoRuns { path: PathBuf::new() })?;
        source.trace(how.quiet)
    }

    /// Writes the samples as a file, a baseline for later.
    pub(in crate::cli) fn write(self, path: &Path) -> Result<(), CliError> {
        let file = SampleFile { format: SAMPLES.to_owned(), runs: self.samples };
        let unwritable = |error: std::io::Error| crate::cli::output::unwritable(path, error);
        let text = serde_json::to_string(&file).map_err(|error| unwritable(error.into()))?;
        std::fs::write(path, text).map_err(unwritable)
    }
}

/// Whether a path is the address of something on a server.
fn is_address(path: &Path) -> bool {
    let text = path.to_string_lossy();
    cfg!(feature = "team") && (text.starts_with("https://") || text.starts_with("http://"))
}

/// What a server has at an address.
#[cfg(feature = "team")]
fn fetched(address: &Path, how: &Reading) -> Result<Vec<(String, Source)>, CliError> {
    use crate::share::{Place, fetch};

    let place: Place = address
        .to_string_lossy()
        .parse()
        .map_err(|error| CliError::Place { address: address.to_owned(), error })?;
    let client = how.reach.client(place.server.clone())?;
    let found = crate::cli::share::block_on(fetch(&client, &place))?;
    if found.is_empty() {
        return Err(CliError::NoRuns { path: address.to_owned() });
    }
    let source = |bytes: bytes::Bytes| Source::Fetched { address: address.to_owned(), bytes: bytes.into() };
    Ok(found.into_iter().map(|(name, bytes)| (name, source(bytes))).collect())
}

/// The trace of what a server has sent.
#[cfg(feature = "team")]
fn parsed(address: &Path, bytes: &[u8]) -> Result<Trace, CliError> {
    use syclscope_engine::import::{ImportError, TraceImporter};

    let refused =
        |error: ImportError| CliError::NotATrace { path: address.to_owned(), error: error.to_string() };
    let mut importer = TraceImporter::within(crate::memory::alone());
    importer.feed(bytes).map_err(refused)?;
    importer.finish().map_err(refused)
}

/// Without what a team needs no server is asked.
#[cfg(not(feature = "team"))]
fn fetched(address: &Path, _how: &Reading) -> Result<Vec<(String, Source)>, CliError> {
    Err(CliError::NoRuns { path: address.to_owned() })
}

/// The recordings of a folder, by name, or the file itself.
fn files(path: &Path) -> Result<Vec<PathBuf>, CliError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    reading::refuse_tables(path)?;
    let entries = std::fs::read_dir(path).map_err(|error| reading::unreadable(path, &error))?;
    let mut found: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| is_run(path)).collect();
    found.sort();
    if found.is_empty() { Err(CliError::NoRuns { path: path.to_owned() }) } else { Ok(found) }
}

fn is_run(path: &Path) -> bool {
    let name = file_name(path).to_lowercase();
    // `record --max-size` keeps what was before in a file of its own.
    let is_older = name.contains(".older.");
    path.is_file()
        && !is_older
        && ENDS.iter().any(|end| name.ends_with(end))
        && !name.ends_with(".profile.json")
}

/// The samples of a file, if it is one of these.
fn samples(path: &Path) -> Result<Option<Vec<Sample>>, CliError> {
    use std::io::Read as _;

    let mut begin = Vec::new();
    let file = std::fs::File::open(path).map_err(|error| reading::unreadable(path, &error))?;
    file.take(BEGIN.len() as u64)
        .read_to_end(&mut begin)
        .map_err(|error| reading::unreadable(path, &error))?;
    if begin != BEGIN {
        return Ok(None);
    }
    let text = std::fs::read_to_string(path).map_err(|error| reading::unreadable(path, &error))?;
    let not_samples = |error: String| CliError::NotATrace { path: path.to_owned(), error };
    let file: SampleFile = serde_json::from_str(&text).map_err(|error| not_samples(error.to_string()))?;
    if file.format != SAMPLES {
        return Err(not_samples(format!("{} is of another version: write the baseline again", file.format)));
    }
    Ok(Some(file.runs))
}

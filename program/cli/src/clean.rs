//! `syclscope clean`: copies a trace without its private data, or lists that data.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use syclscope_engine::clean::{self, Choice, Cleaning, Key, Look};
use syclscope_language::api::Contents;
use syclscope_language::contents::ContentKind;
use syclscope_language::formats::Format;

use super::convert::{Problems, is_own, problems_of, report_problems};
use super::mode::Mode;
use super::output::{self, OutputError, unwritable};
use super::reading::{self, not_a_trace, unreadable};
use super::{CliError, Outcome, print, standard_input};
use syclscope_system::memory;
use syclscope_text as text;
use syclscope_text::{Align, Table, printable};

/// Width of a line of --show.
const WIDTH: usize = 120;

const EXAMPLE_WIDTH: usize = 60;

/// Enough bytes that the key can't be guessed.
const KEY_BYTES: usize = 32;

/// Write a copy of a trace without its private contents, or list them
///
/// Names are replaced by pseudonyms (`kernel-3f2a91c0`): the same name gets the same one in the whole file, and in all
/// files that are cleaned with the same --key-file. Times, sizes, dependences, memory and counters stay. The copy is
/// read again before it is written, and is refused if a removed text is still in it. docs/CLEANING.md describes each
/// kind.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope clean run.pftrace --show
  syclscope clean run.pftrace -o share.pftrace
  syclscope clean run.pftrace --keep kernels,functions -o share.pftrace
  syclscope clean run.pftrace --remove paths,users,hosts --keep-file-names -o share.pftrace
  syclscope clean run.pftrace --key-file team.key -o share.json")]
pub(super) struct Arguments {
    /// Trace file (Perfetto or Chrome JSON, also compressed), from syclscope or another tool; - for standard input
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// List the private contents by kind, and write nothing
    #[arg(long, conflicts_with_all = ["output", "to", "force", "remove", "all", "keep", "keep_file_names", "key_file"])]
    show: bool,
    /// Output file
    #[arg(short, long, value_name = "OUT", required_unless_present = "show")]
    output: Option<PathBuf>,
    /// Output format, perfetto or json [default: by OUT's extension]
    #[arg(long, value_parser = formats(), value_name = "FORMAT")]
    to: Option<Format>,
    /// Kinds to remove, separated by commas [default: all]
    #[arg(long, value_parser = kinds(), value_delimiter = ',', value_name = "KINDS")]
    remove: Vec<ContentKind>,
    /// Remove all private contents; the same as no --remove
    #[arg(long, conflicts_with = "remove")]
    all: bool,
    /// Kinds to keep
    #[arg(long, value_parser = kinds(), value_delimiter = ',', value_name = "KINDS")]
    keep: Vec<ContentKind>,
    /// Remove only the folders of paths; keep file names and line numbers
    #[arg(long)]
    keep_file_names: bool,
    /// Pseudonym key file (any bytes); its holder can brute-force names [default: random bytes]
    #[arg(long, value_name = "KEY")]
    key_file: Option<PathBuf>,
    /// Overwrite OUT
    #[arg(long)]
    force: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    quiet: bool,
}

fn formats() -> impl TypedValueParser<Value = Format> {
    let names = PossibleValuesParser::new([Format::Perfetto, Format::Json].map(Format::as_str));
    names.try_map(|name| Format::from_word(&name).ok_or("no such format"))
}

fn kinds() -> impl TypedValueParser<Value = ContentKind> {
    let names = PossibleValuesParser::new(ContentKind::ALL.iter().map(|kind| kind.as_str()));
    names.try_map(|name| ContentKind::from_word(&name).ok_or("no such kind"))
}

pub(super) fn run(mut arguments: Arguments) -> Result<Outcome, CliError> {
    let _scratch = standard_input::replace(&mut arguments.input)?;
    let Some(path) = arguments.output.as_deref().filter(|_| !arguments.show) else {
        let contents = reading::trace(&arguments.input, arguments.quiet)?.contents();
        return print(&describe(&contents));
    };
    let format = arguments.to.or_else(|| output::format_of(path));
    let Some(format) = format.filter(|format| matches!(format, Format::Perfetto | Format::Json)) else {
        let (names, formats) = (".pftrace or .json", "perfetto or json");
        return Err(OutputError::NoFormat { path: path.to_owned(), names, formats }.into());
    };
    output::check(&arguments.input, path, arguments.force)?;
    let is_own = is_own(&arguments.input)?;
    let (contents, problems) = output::whole(path, |part| write(&arguments, (path, part), format, is_own))?;
    if !arguments.quiet {
        let size = std::fs::metadata(path).map(|metadata| metadata.len()).unwrap_or_default();
        eprintln!("syclscope: {}: {}", text::path(path), text::bytes(size));
        let gone =
            contents.kinds.iter().map(|kind| format!("{} ({})", kind.kind.title(), text::count(kind.count)));
        let gone: Vec<String> = gone.collect();
        let gone = if gone.is_empty() { "nothing".to_owned() } else { gone.join(", ") };
        eprintln!("syclscope: removed or replaced: {gone}");
        report_problems(&problems);
    }
    Ok(Outcome::Success)
}

/// Writes the copy to `part`; errors name `path`. Returns the removed kinds of private data and the problems
/// of the input.
fn write(
    arguments: &Arguments,
    (path, part): (&Path, &Path),
    format: Format,
    is_own: bool,
) -> Result<(Contents, Problems), CliError> {
    let input = &arguments.input;
    let choice = choice(arguments);
    let key = key(arguments)?;
    // Private whatever the umask: the user decides later who may read the copy.
    let file = Mode::PRIVATE.create(part).map_err(|error| unwritable(path, error))?;
    let out = Box::new(file.try_clone().map_err(|error| unwritable(path, error))?);
    let not_a_trace = |error| not_a_trace(input, &error);
    let written = if is_own {
        let budget = memory::alone();
        let mut look = Look::new(budget.clone());
        reading::pieces(input, arguments.quiet, |piece| look.feed(piece))?;
        let plan = look.finish(choice, key).map_err(not_a_trace)??;
        let mut cleaning = Cleaning::new(&plan, format, out, budget);
        reading::pieces(input, arguments.quiet, |piece| cleaning.feed(piece))?;
        let report = cleaning.finish().map_err(not_a_trace)??;
        let problems = report.diagnostics.infos().map(|info| (info.kind, info.count, info.message));
        (plan.contents(), problems.collect())
    } else {
        let trace = reading::trace(input, arguments.quiet)?;
        (clean::write(&trace, choice, key, format, out, &memory::alone())?, problems_of(&trace))
    };
    file.sync_all().map_err(|error| unwritable(path, error))?;
    Ok(written)
}

fn choice(arguments: &Arguments) -> Choice {
    let Arguments { remove, keep, keep_file_names, .. } = arguments;
    let all = ContentKind::ALL.iter().copied();
    let choice =
        Choice::new(all.filter(|kind| (remove.is_empty() || remove.contains(kind)) && !keep.contains(kind)));
    if *keep_file_names { choice.keeping_file_names() } else { choice }
}

fn key(arguments: &Arguments) -> Result<Key, CliError> {
    if let Some(path) = &arguments.key_file {
        return std::fs::read(path).map(Key::new).map_err(|error| unreadable(path, &error));
    }
    let mut bytes = [0; KEY_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| CliError::NoKey { error: std::io::Error::other(error) })?;
    Ok(Key::new(bytes))
}

fn describe(contents: &Contents) -> String {
    if contents.kinds.is_empty() {
        return "Nothing that names people, machines or code".to_owned();
    }
    let mut table = Table::new([
        ("kind", Align::Left),
        ("what", Align::Left),
        ("count", Align::Right),
        ("for example", Align::Path),
    ]);
    for kind in &contents.kinds {
        let examples: Vec<String> =
            kind.examples.iter().map(|example| printable(example, EXAMPLE_WIDTH)).collect();
        table.row([
            kind.kind.as_str().to_owned(),
            kind.kind.title().to_owned(),
            text::count(kind.count),
            examples.join("  "),
        ]);
    }
    table.lines(WIDTH).join("\n")
}

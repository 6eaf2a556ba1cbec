//! `syclscope sql`: selects rows from a trace's tables.

use std::io::Read as _;
use std::path::PathBuf;

use syclscope_engine::query::QueryError;
use syclscope_language::api::{SqlCell, SqlRows};
use syclscope_language::question::SqlQuestion;

use super::ask::alone;
use super::ask::escaped;
use super::compare::width;
use super::format::{FormatOptions, OutputFormat};
use super::summary::csv_field;
use super::{CliError, Outcome, print, reading, standard_input};
use syclscope_report::overview::{code, whole_code};
use syclscope_text::{Align, Table, printable};

/// Width of a cell on a terminal; other formats have complete texts.
const CELL_COLUMNS: usize = 80;

/// Select rows from the tables of a trace with SQL
///
/// Without a statement it lists the tables with their columns. Times are nanoseconds since the start of the trace
/// (`_ns`), sizes bytes (`_bytes`). docs/SQL.md has examples, docs/TABLES.md the tables. The dialect is SQLite's.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope sql run.pftrace
  syclscope sql run.pftrace 'SELECT name, count(*) AS runs, sum(duration_ns) / 1e6 AS ms
    FROM executions GROUP BY name ORDER BY ms DESC'
  syclscope sql --format csv run.pftrace - < waits.sql

Only SELECT, WITH, VALUES and EXPLAIN are allowed.")]
pub(super) struct Arguments {
    /// Trace file (Perfetto or Chrome JSON, also compressed), from syclscope or another tool; - for standard input
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// The statement; - reads it from standard input
    #[arg(value_name = "STATEMENT")]
    statement: Option<String>,
    /// Maximum number of rows
    #[arg(long, value_name = "N", default_value_t = SqlQuestion::LIMIT, value_parser = clap::value_parser!(u32).range(..=i64::from(SqlQuestion::MAX_LIMIT)))]
    limit: u32,
    #[command(flatten)]
    format: FormatOptions<Format>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Table
    Text,
    /// Comma-separated values
    Csv,
    /// JSON: columns and rows
    Json,
    /// Markdown table
    Markdown,
}

impl OutputFormat for Format {
    const JSON: Self = Self::Json;
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let Arguments { path, statement, limit, format } = arguments;
    let is_read = statement.as_deref() == Some("-");
    if is_read && standard_input::is_named(&path) {
        return Err(CliError::StatementTaken);
    }
    let statement = match is_read {
        true => read_statement()?,
        false => statement.unwrap_or_default(),
    };
    let trace = reading::trace_or_standard_input(&path)?;
    let question = SqlQuestion { statement, limit };
    let rows = alone(|| syclscope_sql::rows(&trace, &question)).map_err(|error| CliError::Query { error })?;
    if rows.is_cut {
        eprintln!("syclscope: only the first {} rows are shown; see --limit", rows.rows.len());
    }
    let text = match format.format() {
        Format::Text => lines(&rows).join("\n"),
        Format::Csv => csv(&rows),
        Format::Json => {
            let json = serde_json::to_string(&rows)
                .map_err(|_| CliError::Query { error: QueryError::Unwritable })?;
            escaped(&json)
        }
        Format::Markdown => markdown(&rows),
    };
    print(&text)
}

fn read_statement() -> Result<String, CliError> {
    let mut statement = String::new();
    std::io::stdin()
        .lock()
        .read_to_string(&mut statement)
        .map_err(|error| CliError::Conversation { error })?;
    Ok(statement)
}

fn lines(rows: &SqlRows) -> Vec<String> {
    let heading = rows.columns.iter().map(|column| {
        let align = if column.kind.is_number() { Align::Right } else { Align::Left };
        (printable(&column.name, CELL_COLUMNS), align)
    });
    let mut table = Table::from_columns(heading.collect());
    for row in &rows.rows {
        table.add(row.iter().map(|cell| printable(&cell.to_string(), CELL_COLUMNS)).collect());
    }
    table.lines(width())
}

fn csv(rows: &SqlRows) -> String {
    let heading = rows.columns.iter().map(|column| csv_field(&column.name)).collect::<Vec<_>>().join(",");
    let line = |row: &Vec<SqlCell>| {
        row.iter().map(|cell| csv_field(&cell.to_string())).collect::<Vec<_>>().join(",")
    };
    std::iter::once(heading).chain(rows.rows.iter().map(line)).collect::<Vec<_>>().join("\n")
}

fn markdown(rows: &SqlRows) -> String {
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let heading = line(rows.columns.iter().map(|column| code(&column.name)).collect());
    let below =
        rows.columns.iter().map(|column| if column.kind.is_number() { "---:" } else { "---" }.to_owned());
    let cell = |cell: &SqlCell| match cell {
        SqlCell::Text(text) if !text.is_empty() => whole_code(text),
        other => other.to_string(),
    };
    let body = rows.rows.iter().map(|row| line(row.iter().map(cell).collect()));
    [heading, line(below.collect())].into_iter().chain(body).collect::<Vec<_>>().join("\n")
}

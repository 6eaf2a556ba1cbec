//! An in-memory database with the columns that a statement reads.

use std::collections::BTreeSet;

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, OpenFlags, Statement};
use syclscope_engine::cancel;
use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;
use syclscope_engine::tables::parquet::{Cell, Table, tables};
use syclscope_language::api::{SqlCell, SqlColumn, SqlKind, SqlRows};

use crate::guard::{Guard, VALUE_BYTES};
use crate::{error, functions};

/// Maximum size of the texts in an answer, after which it is cut.
const ANSWER_BYTES: usize = 32 << 20;
/// Rows filled in between two checks of a query's limits.
const ROWS: usize = 1 << 10;

/// The column of JSON objects.
const ARGUMENTS: &str = "args";

/// Tables whose first column is the row number.
const NUMBERED: &[&str] = &[
    "tracks",
    "slices",
    "executions",
    "calls",
    "nodes",
    "queues",
    "allocations",
    "objects",
    "command_graphs",
    "processes",
    "stack_frames",
];

/// SQLite sorts in memory, too. Tables are written once and need no journal.
const SETTINGS: &str = "PRAGMA temp_store = MEMORY; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; \
                        PRAGMA trusted_schema = OFF;";

/// Returns the rows that a statement selects, at most `limit` of them.
pub(crate) fn select(trace: &Trace, statement: &str, limit: usize) -> Result<SqlRows, QueryError> {
    let tables = tables(trace);
    let guard = Guard::default();
    let failed = |error| error::of_statement(error, &guard, statement, &tables);
    let connection = open(&guard, &tables).map_err(failed)?;
    check(&guard.prepare(&connection, statement).map_err(failed)?)?;
    let reads = guard.reads();
    let filled = guard.fill(|| {
        let mut read = tables.iter().filter_map(|table| Some((table, reads.get(table.name())?)));
        read.try_for_each(|(table, columns)| fill(&connection, table, columns))
    });
    filled.map_err(|unfilled| match unfilled {
        Unfilled::Stopped(stopped) => stopped.into(),
        Unfilled::Failed(error) => failed(error),
    })?;
    let mut prepared = guard.prepare(&connection, statement).map_err(failed)?;
    read(&mut prepared, limit).map_err(failed)
}

fn open(guard: &Guard, tables: &[Table<'_>]) -> rusqlite::Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_in_memory_with_flags(flags)?;
    connection.execute_batch(SETTINGS)?;
    for table in tables {
        connection.execute_batch(&create_table(table))?;
    }
    functions::set_on(&connection)?;
    guard.set_on(&connection)?;
    Ok(connection)
}

fn create_table(table: &Table<'_>) -> String {
    let is_numbered = NUMBERED.contains(&table.name());
    let columns = table.columns().enumerate().map(|(place, column)| {
        let type_name = column.type_name.split(',').next().unwrap_or_default();
        match (is_numbered, place) {
            (true, 0) => format!("\"{}\" INTEGER PRIMARY KEY", column.name),
            _ => format!("\"{}\" {type_name}", column.name),
        }
    });
    format!("CREATE TABLE \"{}\" ({})", table.name(), columns.collect::<Vec<_>>().join(", "))
}

/// Rejects empty statements, statements that change something, and statements with parameters.
fn check(statement: &Statement<'_>) -> Result<(), QueryError> {
    if statement.column_count() == 0 {
        return Err(QueryError::Sql("the statement is empty: write a SELECT".to_owned()));
    }
    if !statement.readonly() {
        return Err(error::only_reads("a statement that changes tables"));
    }
    if statement.parameter_count() > 0 {
        return Err(QueryError::Sql(
            "parameters are not supported: write values into the statement".to_owned(),
        ));
    }
    Ok(())
}

enum Unfilled {
    Stopped(cancel::Stopped),
    Failed(rusqlite::Error),
}

impl From<cancel::Stopped> for Unfilled {
    fn from(stopped: cancel::Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

impl From<rusqlite::Error> for Unfilled {
    fn from(error: rusqlite::Error) -> Self {
        Self::Failed(error)
    }
}

/// Fills in the first column of a table and the given ones; the others stay null.
fn fill(connection: &Connection, table: &Table<'_>, columns: &BTreeSet<String>) -> Result<(), Unfilled> {
    let all = table.columns().enumerate();
    let filled: Vec<_> = all.filter(|(place, column)| *place == 0 || columns.contains(column.name)).collect();
    let names: Vec<String> = filled.iter().map(|(_, column)| format!("\"{}\"", column.name)).collect();
    let places = vec!["?"; filled.len()].join(", ");
    // A row has the same size limit as a value.
    let limit = VALUE_BYTES / (filled.len() + 1);
    let insert = format!("INSERT INTO \"{}\" ({}) VALUES ({places})", table.name(), names.join(", "));
    connection.execute_batch("BEGIN")?;
    let mut insert = connection.prepare(&insert)?;
    for row in 0..table.rows() {
        if row.is_multiple_of(ROWS) {
            cancel::take((ROWS * filled.len()) as u64)?;
        }
        for (place, (column, about)) in filled.iter().enumerate() {
            let cell = match table.cell(*column, row) {
                // A truncated JSON object is invalid, and statements that read it would fail.
                Cell::Text(text) if about.name == ARGUMENTS && text.len() > limit => Cell::Null,
                cell => cell,
            };
            insert.raw_bind_parameter(place + 1, Bound(cell, limit))?;
        }
        insert.raw_execute()?;
    }
    drop(insert);
    connection.execute_batch("COMMIT")?;
    Ok(())
}

/// A cell to bind to a statement, and the maximum size of its text.
struct Bound<'a>(Cell<'a>, usize);

impl rusqlite::ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match &self.0 {
            Cell::Null => ToSqlOutput::Owned(Value::Null),
            Cell::Integer(number) => ToSqlOutput::Owned(Value::Integer(*number)),
            Cell::Float(number) => ToSqlOutput::Owned(Value::Real(*number)),
            // SQLite's integers are signed.
            Cell::Address(address) => match i64::try_from(*address) {
                Ok(number) => ToSqlOutput::Owned(Value::Integer(number)),
                Err(_) => ToSqlOutput::Owned(Value::Text(format!("{address:#x}"))),
            },
            Cell::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(start_of(text, self.1).as_bytes())),
        })
    }
}

/// Returns the longest prefix of a text with at most `limit` bytes.
fn start_of(text: &str, limit: usize) -> &str {
    if text.len() <= limit { text } else { &text[..text.floor_char_boundary(limit)] }
}

fn read(statement: &mut Statement<'_>, limit: usize) -> rusqlite::Result<SqlRows> {
    let names: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
    let mut kinds = vec![SqlKind::Null; names.len()];
    let mut answer = SqlRows::default();
    let mut bytes = 0;
    let mut selected = statement.raw_query();
    'rows: while let Some(row) = selected.next()? {
        if answer.rows.len() == limit {
            answer.is_cut = true;
            break;
        }
        let mut cells = Vec::with_capacity(names.len());
        for (place, kind) in kinds.iter_mut().enumerate() {
            let (cell, of_cell) = cell(row.get_ref(place)?);
            *kind = common_kind(*kind, of_cell);
            bytes += match &cell {
                SqlCell::Text(text) => text.len(),
                _ => 0,
            };
            // A row may have hundreds of long texts.
            if bytes > ANSWER_BYTES {
                answer.is_cut = true;
                break 'rows;
            }
            cells.push(cell);
        }
        answer.rows.push(cells);
    }
    answer.columns = names.into_iter().zip(kinds).map(|(name, kind)| SqlColumn { name, kind }).collect();
    Ok(answer)
}

fn cell(value: ValueRef<'_>) -> (SqlCell, SqlKind) {
    match value {
        ValueRef::Null => (SqlCell::Null, SqlKind::Null),
        ValueRef::Integer(number) => (SqlCell::Integer(number), SqlKind::Integer),
        ValueRef::Real(number) if number.is_finite() => (SqlCell::Number(number), SqlKind::Number),
        ValueRef::Real(number) => (SqlCell::Text(number.to_string()), SqlKind::Number),
        ValueRef::Text(text) => (SqlCell::Text(String::from_utf8_lossy(text).into_owned()), SqlKind::Text),
        ValueRef::Blob(bytes) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            (SqlCell::Text(format!("x'{digits}'")), SqlKind::Text)
        }
    }
}

/// Returns the kind of a column with values of two kinds.
fn common_kind(one: SqlKind, other: SqlKind) -> SqlKind {
    match (one, other) {
        (SqlKind::Null, kind) | (kind, SqlKind::Null) => kind,
        (SqlKind::Text, _) | (_, SqlKind::Text) => SqlKind::Text,
        (SqlKind::Integer, SqlKind::Integer) => SqlKind::Integer,
        (SqlKind::Number, _) | (_, SqlKind::Number) => SqlKind::Number,
    }
}

/// Returns a row for each column of each table.
pub(crate) fn tables_with_columns(trace: &Trace) -> SqlRows {
    let text = |text: &str| SqlCell::Text(text.to_owned());
    let mut rows = Vec::new();
    for table in tables(trace) {
        let count = SqlCell::Integer(table.rows() as i64);
        rows.extend(table.columns().map(|column| {
            let type_name = text(column.type_name);
            vec![text(table.name()), count.clone(), text(column.name), type_name, text(column.about)]
        }));
    }
    let column = |(name, kind): (&str, SqlKind)| SqlColumn { name: name.to_owned(), kind };
    let columns = [
        ("table", SqlKind::Text),
        ("rows", SqlKind::Integer),
        ("column", SqlKind::Text),
        ("type", SqlKind::Text),
        ("meaning", SqlKind::Text),
    ];
    SqlRows { columns: columns.map(column).into(), rows, is_cut: false }
}

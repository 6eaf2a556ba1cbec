//! Errors of statements, with their position and similar names.

use std::fmt::Write as _;

use rusqlite::{Error, ErrorCode};
use syclscope_engine::query::QueryError;
use syclscope_engine::tables::parquet::Table;
use syclscope_language::similar::similar;

use crate::guard::Guard;
use crate::heap;

pub(crate) fn of_statement(error: Error, guard: &Guard, statement: &str, tables: &[Table<'_>]) -> QueryError {
    // Refused memory also ends a statement, but without a call of SQLite's progress handler.
    let is_spent = error.sqlite_error_code() == Some(ErrorCode::OutOfMemory);
    if let Some(stopped) = guard.stopped().or(heap::refused().filter(|_| is_spent)) {
        return stopped.into();
    }
    if let Some(refused) = guard.refused() {
        return only_reads(&refused);
    }
    QueryError::Sql(match error {
        Error::MultipleStatement => {
            "only one statement is allowed: remove the text after the first `;`".to_owned()
        }
        Error::SqlInputError { msg, offset, .. } => {
            let place = usize::try_from(offset).ok().and_then(|offset| place(statement, offset));
            format!("{msg}{}{}", place.unwrap_or_default(), suggestion(&msg, statement, tables))
        }
        Error::SqliteFailure(_, Some(message)) => {
            let meant = suggestion(&message, statement, tables);
            format!("{message}{meant}")
        }
        other => other.to_string(),
    })
}

pub(crate) fn only_reads(refused: &str) -> QueryError {
    QueryError::Sql(format!("only SELECT, WITH, VALUES and EXPLAIN are allowed, not {refused}"))
}

fn place(statement: &str, offset: usize) -> Option<String> {
    let before = statement.get(..offset)?;
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Some(format!(", at line {line}, column {column}"))
}

/// Suggests names similar to one that SQLite doesn't know.
fn suggestion(message: &str, statement: &str, tables: &[Table<'_>]) -> String {
    if let Some(name) = message.strip_prefix("no such table: ") {
        let names: Vec<&str> = tables.iter().map(Table::name).collect();
        return format!("{}. The tables are {}", hint(name, &names), names.join(", "));
    }
    let Some(name) = message.strip_prefix("no such column: ") else { return String::new() };
    let name = name.rsplit('.').next().unwrap_or(name);
    let words: Vec<String> = statement
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .map(str::to_ascii_lowercase)
        .collect();
    let mentioned = || tables.iter().filter(|table| words.iter().any(|word| word == table.name()));
    let all: Vec<&str> = mentioned().flat_map(Table::columns).map(|column| column.name).collect();
    let mut text = hint(name, &all);
    for table in mentioned() {
        let columns: Vec<&str> = table.columns().map(|column| column.name).collect();
        let _ = write!(text, ". {} has {}", table.name(), columns.join(", "));
    }
    text
}

fn hint(typed: &str, names: &[&str]) -> String {
    let name = similar(typed, names.iter().copied());
    name.map_or_else(String::new, |name| format!(" (did you mean {name}?)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_line_and_column() {
        assert_eq!(place("SELECT\n äö x", 13).as_deref(), Some(", at line 2, column 5"));
        assert_eq!(place("SELECT", 99), None);
    }
}

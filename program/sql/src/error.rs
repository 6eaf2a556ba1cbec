//! Errors of statements, with their place and with similar names.

use std::fmt::Write as _;

use rusqlite::{Error, ErrorCode};
use syclscope_engine::query::QueryError;
use syclscope_engine::tables::parquet::Table;

use crate::guard::Guard;
use crate::heap;

/// Most different letters of a misspelt name: one of two.
const LETTERS: usize = 2;

pub(crate) fn of_statement(error: Error, guard: &Guard, statement: &str, tables: &[Table<'_>]) -> QueryError {
    // Without memory SQLite ends for the same reason, but its progress handler was not called.
    let is_spent = error.sqlite_error_code() == Some(ErrorCode::OutOfMemory);
    if let Some(stopped) = guard.stopped().or(heap::refused().filter(|_| is_spent)) {
        return stopped.into();
    }
    if let Some(refused) = guard.refused() {
        return only_reads(&refused);
    }
    QueryError::Sql(match error {
        Error::MultipleStatement => {
            "one statement at a time: leave out what follows the first `;`".to_owned()
        }
        Error::SqlInputError { msg, offset, .. } => {
            let place = usize::try_from(offset).ok().and_then(|offset| place(statement, offset));
            format!("{msg}{}{}", place.unwrap_or_default(), meant(&msg, statement, tables))
        }
        Error::SqliteFailure(_, Some(message)) => {
            let meant = meant(&message, statement, tables);
            format!("{message}{meant}")
        }
        other => other.to_string(),
    })
}

pub(crate) fn only_reads(refused: &str) -> QueryError {
    QueryError::Sql(format!(
        "a statement only reads: SELECT, WITH, VALUES or EXPLAIN, and {refused} is refused"
    ))
}

fn place(statement: &str, offset: usize) -> Option<String> {
    let before = statement.get(..offset)?;
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Some(format!(", at line {line}, column {column}"))
}

/// Suggests names in place of one that SQLite does not find.
fn meant(message: &str, statement: &str, tables: &[Table<'_>]) -> String {
    if let Some(name) = message.strip_prefix("no such table: ") {
        let names: Vec<&str> = tables.iter().map(Table::name).collect();
        return format!("{}. The tables are {}", similar(name, &names), names.join(", "));
    }
    let Some(name) = message.strip_prefix("no such column: ") else { return String::new() };
    let name = name.rsplit('.').next().unwrap_or(name);
    let words: Vec<String> = statement
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .map(str::to_ascii_lowercase)
        .collect();
    let mentioned = || tables.iter().filter(|table| words.iter().any(|word| word == table.name()));
    let all: Vec<&str> = mentioned().flat_map(Table::columns).map(|column| column.name).collect();
    let mut text = similar(name, &all);
    for table in mentioned() {
        let columns: Vec<&str> = table.columns().map(|column| column.name).collect();
        let _ = write!(text, ". {} has {}", table.name(), columns.join(", "));
    }
    text
}

/// Returns the name most like a typed one, if one is like it.
fn similar(typed: &str, names: &[&str]) -> String {
    let typed = typed.to_ascii_lowercase();
    let nearest = names.iter().map(|name| (distance(&typed, name), *name)).min();
    let nearest = nearest.filter(|(distance, name)| distance * LETTERS <= name.len().max(typed.len()));
    nearest.map_or_else(String::new, |(_, name)| format!(" (did you mean {name}?)"))
}

/// Returns the number of letters to add, remove or replace between two names.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.chars().enumerate() {
        let mut before = row[0];
        row[0] = at + 1;
        for (place, with) in other.iter().enumerate() {
            let replaced = before + usize::from(letter != *with);
            before = row[place + 1];
            row[place + 1] = replaced.min(before + 1).min(row[place] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_meant_if_most_of_its_letters_are_there() {
        let names = ["slices", "executions", "duration_ns"];
        assert_eq!(similar("slice", &names), " (did you mean slices?)");
        assert_eq!(similar("Executons", &names), " (did you mean executions?)");
        assert_eq!(similar("duration", &names), " (did you mean duration_ns?)");
        assert_eq!(similar("kernels", &names), "");
    }

    #[test]
    fn a_place_has_line_and_column() {
        assert_eq!(place("SELECT\n äö x", 13).as_deref(), Some(", at line 2, column 5"));
        assert_eq!(place("SELECT", 99), None);
    }
}

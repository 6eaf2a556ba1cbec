//! Replacements for functions of SQLite that take time proportional to the product of two texts' lengths
//! without checking the query's limits. These look at each character once.

use std::collections::HashSet;

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error, Result};

/// Replaces `trim`, `ltrim` and `rtrim` with a set of characters.
pub(crate) fn set_on(connection: &Connection) -> Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    for (name, at_start, at_end) in [("trim", true, true), ("ltrim", true, false), ("rtrim", false, true)] {
        connection
            .create_scalar_function(name, 2, flags, move |context| trimmed(context, at_start, at_end))?;
    }
    Ok(())
}

fn trimmed(context: &Context<'_>, at_start: bool, at_end: bool) -> Result<Option<String>> {
    let (Some(text), Some(letters)) = (text(context.get_raw(0)), text(context.get_raw(1))) else {
        return Ok(None);
    };
    let letters: HashSet<char> = letters.chars().collect();
    let is_one = |letter: char| letters.contains(&letter);
    let rest = if at_start { text.trim_start_matches(is_one) } else { &text };
    let rest = if at_end { rest.trim_end_matches(is_one) } else { rest };
    Ok::<_, Error>(Some(rest.to_owned()))
}

fn text(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
    }
}

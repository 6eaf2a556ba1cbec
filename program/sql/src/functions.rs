//! Replacements for functions of SQLite that take time proportional to the product of two texts' lengths
//! without checking the query's limits. These read each character once.

use std::collections::HashSet;

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error, Result};

/// Digits of a number as a text, as SQLite writes it.
const DIGITS: i32 = 15;

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
        ValueRef::Real(number) => Some(real(number)),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
    }
}

/// Returns a number as SQLite writes it: `10.0`, `0.3`, `1.0e+15`.
fn real(number: f64) -> String {
    if !number.is_finite() {
        return if number > 0.0 { "Inf" } else { "-Inf" }.to_owned();
    }
    let rounded = format!("{number:.*e}", DIGITS as usize - 1);
    let (digits, power) = rounded.split_once('e').unwrap_or((&rounded, "0"));
    let power: i32 = power.parse().unwrap_or_default();
    if (-4..DIGITS).contains(&power) {
        return with_decimal(&format!("{number:.*}", (DIGITS - 1 - power) as usize));
    }
    let sign = if power < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", with_decimal(digits), power.abs())
}

/// Returns the digits of a number without zeros at their end, but with one decimal.
fn with_decimal(digits: &str) -> String {
    match digits.split_once('.') {
        None => format!("{digits}.0"),
        Some((whole, decimals)) => match decimals.trim_end_matches('0') {
            "" => format!("{whole}.0"),
            decimals => format!("{whole}.{decimals}"),
        },
    }
}

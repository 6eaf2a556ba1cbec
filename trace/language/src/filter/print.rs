//! Filters as text.

use std::fmt::{self, Write as _};

use super::{Condition, Field, Filter, Op, parse};

/// Writes a filter in a form that parses back to the same filter.
pub(super) fn filter(filter: &Filter, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    match filter {
        Filter::All(parts) => joined(parts, " ", out),
        Filter::Any(parts) => joined(parts, " or ", out),
        other => part(other, out),
    }
}

fn joined(parts: &[Filter], between: &str, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (position, filter) in parts.iter().enumerate() {
        if position > 0 {
            out.write_str(between)?;
        }
        part(filter, out)?;
    }
    Ok(())
}

/// Writes a filter that is nested in another one.
fn part(part: &Filter, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    match part {
        Filter::All(_) | Filter::Any(_) => {
            out.write_char('(')?;
            filter(part, out)?;
            out.write_char(')')
        }
        Filter::Not(negated) => {
            out.write_char('-')?;
            self::part(negated, out)
        }
        Filter::Is(condition) => self::condition(condition, out),
    }
}

fn condition(condition: &Condition, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    let Condition { field, op, value } = condition;
    if (field, *op) == (&Field::Name, Op::Has) {
        return if parse::is_plain_word(value) { out.write_str(value) } else { quoted(value, out) };
    }
    match field {
        Field::Arg(key) if !parse::is_plain_key(key) => {
            out.write_str("arg.")?;
            quoted(key, out)?;
        }
        field => write!(out, "{field}")?,
    }
    out.write_str(op.as_str())?;
    if parse::is_plain_value(value) { out.write_str(value) } else { quoted(value, out) }
}

fn quoted(text: &str, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    out.write_char('"')?;
    for character in text.chars() {
        if matches!(character, '"' | '\\') {
            out.write_char('\\')?;
        }
        out.write_char(character)?;
    }
    out.write_char('"')
}

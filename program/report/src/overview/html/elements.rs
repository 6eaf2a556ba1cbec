//! Elements of the HTML report: escaped texts, tables, bars.

use std::fmt::Write as _;

use syclscope_language::api::LocationInfo;
use syclscope_language::units::unbroken;
use syclscope_text::{escaped, printable};

const SENTENCE_COLUMNS: usize = 600;
const NAME_COLUMNS: usize = 160;

pub(super) fn plain(text: &str) -> String {
    escaped(&unbroken(&printable(text, SENTENCE_COLUMNS)))
}

/// Returns a text of the trace as HTML. Names between backticks become code.
pub(super) fn words(text: &str) -> String {
    let text = unbroken(&printable(text, SENTENCE_COLUMNS));
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escaped(&text);
    }
    let part = |(at, part): (usize, &&str)| if at % 2 == 1 { code(part) } else { escaped(part) };
    parts.iter().enumerate().map(part).collect()
}

pub(super) fn sentence_case(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Returns a name as code, with line breaks allowed after the separators between its parts.
pub(super) fn code(name: &str) -> String {
    let name = printable(name, NAME_COLUMNS);
    let name = if name.trim().is_empty() { "?" } else { name.as_str() };
    let mut inside = String::new();
    for part in name.split_inclusive(['/', ':', ',', '<', '_', '.']) {
        inside += &escaped(part);
        inside += "<wbr>";
    }
    format!("<code>{}</code>", inside.strip_suffix("<wbr>").unwrap_or(&inside))
}

/// Returns file and line, or else the function, as code; empty if unknown.
pub(super) fn place(location: Option<&LocationInfo>) -> String {
    match location {
        Some(LocationInfo { file, line: 0, .. }) if !file.is_empty() => code(file),
        Some(LocationInfo { file, line, .. }) if !file.is_empty() => code(&format!("{file}:{line}")),
        Some(LocationInfo { function, .. }) if !function.is_empty() => code(function),
        _ => String::new(),
    }
}

/// Writes a section with a heading. `body` is HTML.
pub(super) fn section(out: &mut String, title: &str, note: &str, body: &str) {
    let note = if note.is_empty() { String::new() } else { format!(" <span class=\"note\">{note}</span>") };
    // Infallible, here and below: writes to a String don't fail.
    let _ = writeln!(out, "<section>\n<div class=\"head\"><h2>{title}</h2>{note}</div>\n{body}</section>");
}

#[derive(Clone, Copy)]
pub(super) enum Column {
    Words(&'static str),
    /// Right-aligned numbers.
    Number(&'static str),
    Bar,
}

impl Column {
    fn title(self) -> &'static str {
        match self {
            Self::Words(title) | Self::Number(title) => title,
            Self::Bar => "",
        }
    }

    fn class(self) -> &'static str {
        match self {
            Self::Words(_) => "",
            Self::Number(_) => " class=\"number\"",
            Self::Bar => " class=\"bars\"",
        }
    }
}

/// Writes a table whose cells are HTML. The first column names the row.
pub(super) fn table<const N: usize>(out: &mut String, columns: [Column; N], rows: &[[String; N]]) {
    *out += "<table>\n<thead><tr>";
    for column in columns {
        let _ = match column {
            Column::Bar => write!(out, "<td class=\"bars\"></td>"),
            _ => write!(out, "<th scope=\"col\"{}>{}</th>", column.class(), column.title()),
        };
    }
    *out += "</tr></thead>\n<tbody>\n";
    for row in rows {
        *out += "<tr>";
        for (at, (column, cell)) in columns.into_iter().zip(row).enumerate() {
            let label = match column.title() {
                "" => String::new(),
                title => format!(" data-label=\"{title}\""),
            };
            let _ = match at {
                0 => write!(out, "<th scope=\"row\">{cell}</th>"),
                _ => write!(out, "<td{}{label}>{cell}</td>", column.class()),
            };
        }
        *out += "</tr>\n";
    }
    *out += "</tbody>\n</table>\n";
}

/// Draws a bar with the length of a share, from 0 to 1, in the colour of a class.
pub(super) fn bar(class: &str, share: f64) -> String {
    let width = share.clamp(0.0, 1.0) * 100.0;
    format!(
        "<svg class=\"bar\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <rect class=\"ground\" width=\"100\" height=\"8\"/><rect class=\"{class}\" width=\"{width:.2}\" height=\"8\"/></svg>"
    )
}

/// Draws a square in a class's colour, for legends.
pub(super) fn swatch(class: &str) -> String {
    format!(
        "<svg class=\"swatch\" viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect class=\"{class}\" width=\"10\" height=\"10\"/></svg>"
    )
}

//! A trace as one HTML file to read, print and send: styles and pictures are inline; there are no scripts and
//! no external resources.
//!
//! Content of the trace is escaped. There are no `style` attributes, so that a content security policy can
//! allow exactly [`HTML_STYLE`].

mod activity;
mod commands;
mod elements;
mod heading;
mod idle;
mod iterations;
mod speed;

use std::fmt::Write as _;
use std::ops::Range;

use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;
use syclscope_language::api::{Gaps, Iterations, Report, Selected, StartUp, TraceInfo};
use syclscope_language::question::{
    GapsQuestion, GroupOrder, IterationsQuestion, ReportQuestion, SelectQuestion, Selection,
};

use self::elements::plain;
use syclscope_text::{escaped, printable, shell_word};

pub const HTML_STYLE: &str = include_str!("html/style.css");

const MAX_STRETCHES: u32 = 5;
const MAX_ITERATIONS: u32 = 2_000;

#[derive(Clone, Debug, Default)]
pub struct HtmlContents {
    pub report: Report,
    /// Idle time of all devices; `None` for a selection without a range.
    pub gaps: Option<Gaps>,
    /// Iterations of the main loop; `None` for a part of the run.
    pub iterations: Option<Iterations>,
    /// Time before the first command; `None` for a part of the run.
    pub start_up: Option<StartUp>,
    /// Slices by name, for traces with little data on commands.
    pub slices: Option<Selected>,
    pub part: Option<HtmlPart>,
}

/// Maximum width of a command. A cut command would be a different one, and file names are shorter.
const COMMAND_COLUMNS: usize = 4096;

#[derive(Clone, Debug, Default)]
pub struct HtmlPart {
    /// Description of the selection, such as `from 1.200 s to 1.500 s`.
    pub words: String,
    /// Selected time range; `None` for the whole run.
    pub range: Option<Range<u64>>,
    pub is_filtered: bool,
}

impl HtmlContents {
    /// Queries the data of a whole run.
    ///
    /// # Errors
    /// Returns an error if a query fails.
    pub fn of_run(trace: &Trace) -> Result<Self, QueryError> {
        let has_commands = trace.info().counts.nodes > 0;
        let question =
            SelectQuestion { selection: Selection::default(), sort: GroupOrder::Total, groups: u32::MAX };
        Ok(Self {
            report: trace.report(),
            gaps: Some(trace.gaps(&Self::gaps_question())?),
            iterations: trace.iterations(&Self::iterations_question()).ok(),
            start_up: Some(trace.start_up()),
            slices: if has_commands { None } else { Some(trace.select(&question)?) },
            part: None,
        })
    }

    /// Queries the data of a part of a run, selected by a time range, a filter or both. `words` describes the
    /// part.
    ///
    /// # Errors
    /// Returns an error if a query fails.
    pub fn of_part(trace: &Trace, selection: Selection, words: String) -> Result<Self, QueryError> {
        let (from_ns, to_ns) = (selection.from_ns, selection.to_ns);
        let range =
            (from_ns.is_some() || to_ns.is_some()).then(|| from_ns.unwrap_or(0)..to_ns.unwrap_or(u64::MAX));
        let is_filtered = !selection.filter.is_everything();
        let (report, gaps) = if is_filtered {
            (trace.report_of(&selection)?, None)
        } else {
            let gaps = trace.gaps(&GapsQuestion { from_ns, to_ns, ..Self::gaps_question() })?;
            (trace.report_within(&ReportQuestion { from_ns, to_ns }), Some(gaps))
        };
        let question = SelectQuestion { selection, sort: GroupOrder::Total, groups: u32::MAX };
        Ok(Self {
            report,
            gaps,
            slices: Some(trace.select(&question)?),
            part: Some(HtmlPart { words, range, is_filtered }),
            ..Self::default()
        })
    }

    fn gaps_question() -> GapsQuestion {
        GapsQuestion { limit: MAX_STRETCHES, ..GapsQuestion::default() }
    }

    fn iterations_question() -> IterationsQuestion {
        IterationsQuestion { limit: MAX_ITERATIONS, ..IterationsQuestion::default() }
    }
}

/// Writes the report of a recording. `view` is the URL of the interactive view; without one, the file names
/// the command that shows it.
///
/// # Errors
/// Returns an error if the query for the picture fails.
pub fn html(
    name: &str,
    trace: &Trace,
    contents: &HtmlContents,
    view: Option<&str>,
) -> Result<String, QueryError> {
    let info = trace.info();
    let HtmlContents { report, gaps, iterations, start_up, slices, part } = contents;
    let is_part = part.is_some();
    let mut body = String::new();
    heading::heading(&mut body, name, &info, part.as_ref());
    if !is_part {
        heading::in_short(&mut body, &info, report, start_up.as_ref());
    }
    idle::run_time(&mut body, report);
    let range = part.as_ref().and_then(|part| part.range.clone()).unwrap_or(0..info.duration_ns);
    // The picture shows all commands, whatever the filter.
    if !part.as_ref().is_some_and(|part| part.is_filtered) {
        activity::activity(&mut body, trace, &info, report, &range)?;
    }
    speed::findings(&mut body, report);
    if let Some(gaps) = gaps {
        idle::idle_time(&mut body, gaps);
    }
    commands::commands(&mut body, report);
    if let Some(slices) = slices {
        commands::slices(&mut body, slices, is_part);
    }
    if let Some(iterations) = iterations {
        iterations::iterations(&mut body, iterations);
    }
    commands::memory(&mut body, report);
    speed::problems(&mut body, &info);
    Ok(document(&title(name, &info), &body, &footer(name, view)))
}

/// Returns the name of the program, else of the tool that wrote the trace, else of the recording.
fn title(name: &str, info: &TraceInfo) -> String {
    match info.program.clone() {
        title if title.is_empty() => name.to_owned(),
        title => title,
    }
}

fn document(title: &str, body: &str, footer: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"syclscope {version}\">\n\
         <title>{}: report of a run</title>\n<style>{HTML_STYLE}</style>\n</head>\n<body>\n<main>\n{body}</main>\n\
         <footer>\n{footer}</footer>\n</body>\n</html>\n",
        plain(title)
    )
}

fn footer(name: &str, view: Option<&str>) -> String {
    let mut footer = String::new();
    footer += "<p><b>Measured</b> are all times, counts and sizes, as recorded. Causes of idle time and critical paths are \
               derived from them, and functions named by samples are an estimate. <b>Predicted</b> are gains: the replay of \
               the recorded run with the change that the finding suggests, an upper bound for any remedy. Gains \
               of several findings do not add up.</p>\n";
    let command = format!("syclscope open {}", quoted(name));
    let command = format!("<code>{}</code>", escaped(&printable(&command, COMMAND_COLUMNS)));
    // Infallible: writes to a String don't fail.
    let _ = match view {
        Some(address) => writeln!(
            footer,
            "<p><a href=\"{}\">Interactive view with timeline, task graph and source</a>; for the recording as a file: \
             {command}</p>",
            escaped(address)
        ),
        None => writeln!(footer, "<p>Interactive view with timeline, task graph and source: {command}</p>"),
    };
    let _ = writeln!(footer, "<p>Written by syclscope {}.</p>", env!("CARGO_PKG_VERSION"));
    footer
}

/// Quotes a file name for a shell. A name that begins with a dash would be an option.
fn quoted(name: &str) -> String {
    if name.starts_with('-') { shell_word(&format!("./{name}")) } else { shell_word(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_one_for_a_shell() {
        assert_eq!(quoted("run-1.pftrace"), "run-1.pftrace");
        assert_eq!(quoted("my run's.json"), "'my run'\\''s.json'");
        assert_eq!(quoted("-x.json"), "./-x.json");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn the_style_ends_nowhere_early_and_loads_nothing() {
        for part in ["<", "@import", "url(", "//"] {
            assert!(!HTML_STYLE.contains(part), "{part}");
        }
    }
}

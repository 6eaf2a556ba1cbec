//! The history of a project's traces as a page. Each point links to its trace, each change point to the
//! comparison of its two traces, and a table has every run, for people without a pointer.

mod chart;
mod scale;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use syclscope_language::api::{HistoryRun, HistoryStep, MachineHistory, Series, SeriesUnit, ratio_words};

use self::chart::chart;
use crate::http::static_page;
use syclscope_report::comparison::{in_unit, no_step, series_name};
use syclscope_text::{counted, date, escaped, printable};

/// Maximum width of a name, and of a commit, which people know by its first letters.
const NAME: usize = 120;
const COMMIT: usize = 12;
/// Metrics in the table of runs; others have only charts.
const COLUMNS: [&str; 6] = ["duration", "busy", "commands", "launches", "findings", "problems"];

/// Returns the page of a project, which is `None` for the user's own files. `root` leads to the application's
/// folder, and `filters` describes the filters of the traces.
pub(crate) fn html(
    project: Option<&str>,
    filters: &[(String, String)],
    histories: &[MachineHistory],
    root: &str,
) -> String {
    let name = project.map_or_else(|| "these traces".to_owned(), |project| printable(project, NAME));
    let title = format!("History of {name}");
    let mut body = format!("<h1>{}</h1>", escaped(&title));
    let conditions: Vec<String> =
        filters.iter().map(|(name, value)| printable_html(&format!("{name} {value}"))).collect();
    // Infallible, here and below: writes to a String don't fail.
    let _ = write!(
        body,
        "<p class=\"quiet\">{}{}</p>",
        if conditions.is_empty() { String::new() } else { format!("Only {}. ", conditions.join(", ")) },
        project.map_or_else(String::new, |project| format!(
            "<a href=\"{root}?project={}\">Traces of this project</a>",
            escaped(project)
        ))
    );
    if histories.is_empty() {
        body += "<p class=\"notice\">There is no history yet, because no trace here has metrics. They are computed a moment \
                 after a trace is stored or listed.</p>";
    }
    for history in histories {
        machine_section(&mut body, history, root);
    }
    static_page::page(&title, &body, root)
}

fn machine_section(body: &mut String, history: &MachineHistory, root: &str) {
    let name = if history.program.is_empty() { "Traces" } else { &history.program };
    let place = if history.machine.is_empty() { String::new() } else { format!(" on {}", history.machine) };
    let runs = counted(history.runs.len() as u64, "run");
    let has_commits = history.runs.iter().any(|run| run.commit.is_some());
    let order = if has_commits { "in the order of commits" } else { "in the order of storage" };
    let _ = write!(
        body,
        "<section><h2>{}</h2><p class=\"quiet\">{runs}, {}, {order}</p>",
        printable_html(&format!("{name}{place}")),
        days(&history.runs)
    );
    let changes = changes(history, root);
    if changes.is_empty() {
        let _ = write!(body, "<p class=\"notice\">{}</p>", no_step(history.runs.len()));
    }
    *body += &changes;
    let mut series: Vec<&Series> = history.series.iter().filter(|series| is_worth_a_chart(series)).collect();
    // Changed series come first.
    series.sort_by_key(|series| series.steps.is_empty());
    let charts: String = series.into_iter().map(|series| chart(history, series, root)).collect();
    let _ = write!(body, "<div class=\"charts\">{charts}</div>{}</section>", table(history, root));
}

/// True if a series has several values, and one other than 0.
fn is_worth_a_chart(series: &Series) -> bool {
    let values = || series.values.iter().flatten();
    values().count() > 1 && values().any(|value| *value > 0)
}

/// Returns the first and the last day.
fn days(runs: &[HistoryRun]) -> String {
    let days = || runs.iter().map(|run| run.stored_unix_ns);
    let [first, last] = [days().min(), days().max()].map(|day| date(day.unwrap_or_default()));
    if first == last { first } else { format!("{first} to {last}") }
}

/// Returns the two traces at a change point: the last one before it with the metric, and the first one of the
/// new level.
fn at<'h>(history: &'h MachineHistory, series: &Series, step: HistoryStep) -> Option<[&'h HistoryRun; 2]> {
    let now = step.run as usize;
    let before = (0..now.min(series.values.len())).rev().find(|run| series.values[*run].is_some())?;
    Some([history.runs.get(before)?, history.runs.get(now)?])
}

struct Change<'h> {
    before: &'h HistoryRun,
    now: &'h HistoryRun,
    /// HTML list items, one for each changed metric or time.
    items: String,
}

/// Lists the changes by run, the latest first.
fn changes(history: &MachineHistory, root: &str) -> String {
    // By the new level's first run and the one before it.
    let mut found: BTreeMap<(Reverse<u32>, &str), Change<'_>> = BTreeMap::new();
    for series in &history.series {
        for step in &series.steps {
            let Some([before, now]) = at(history, series, *step) else { continue };
            let change = found.entry((Reverse(step.run), &before.id));
            let change = change.or_insert_with(|| Change { before, now, items: String::new() });
            // A number and its unit stay on one line.
            let value = |value| in_unit(value, series.unit).replace(' ', "\u{a0}");
            let _ = write!(
                change.items,
                "<li><b>{}</b>: {} → {}{}</li>",
                printable_html(&series_name(series)),
                value(step.before),
                value(step.after),
                by(*step, series.unit)
            );
        }
    }
    let changes = found.into_values().map(|Change { before, now, items }| {
        format!(
            "<div class=\"change\"><h3>Since {} ({}), <a href=\"{root}compare/{}/{}\">compared with {}</a>:</h3><ul>{items}</ul></div>",
            link(now, root),
            date(now.stored_unix_ns),
            escaped(&before.id),
            escaped(&now.id),
            run_title(before)
        )
    });
    changes.collect()
}

/// Returns the relative size of a change, in brackets.
fn by(step: HistoryStep, unit: SeriesUnit) -> String {
    // For small counts the numbers themselves are more informative.
    let has_ratio = step.before > 0 && (unit != SeriesUnit::Count || step.before >= 10);
    let ratio = step.after as f64 / step.before.max(1) as f64;
    if has_ratio { format!(" ({})", ratio_words(ratio)) } else { String::new() }
}

/// Returns the table of runs with their main metrics, newest first.
fn table(history: &MachineHistory, root: &str) -> String {
    let columns: Vec<&Series> =
        COLUMNS.iter().filter_map(|name| history.series.iter().find(|series| series.name == *name)).collect();
    let heads: String = columns
        .iter()
        .map(|series| {
            format!("<th scope=\"col\" class=\"number\">{}</th>", printable_html(&series_name(series)))
        })
        .collect();
    let mut rows = String::new();
    for (number, run) in history.runs.iter().enumerate().rev() {
        let cells: String = columns
            .iter()
            .map(|series| {
                let value = series.values.get(number).copied().flatten();
                let value = value.map_or_else(|| "–".to_owned(), |value| in_unit(value, series.unit));
                format!("<td class=\"number\">{value}</td>")
            })
            .collect();
        let _ = write!(
            rows,
            "<tr><th scope=\"row\">{}</th><td>{}</td>{cells}</tr>",
            link(run, root),
            date(run.stored_unix_ns)
        );
    }
    format!(
        "<details><summary>All runs as a table</summary><div class=\"scroll\"><table><thead><tr><th scope=\"col\">run</th>\
         <th scope=\"col\">stored</th>{heads}</tr></thead><tbody>{rows}</tbody></table></div></details>"
    )
}

fn link(run: &HistoryRun, root: &str) -> String {
    format!("<a href=\"{root}t/{}\">{}</a>", escaped(&run.id), run_title(run))
}

/// Returns the title of a trace: its commit, with its file name.
fn run_title(run: &HistoryRun) -> String {
    match &run.commit {
        Some(commit) => printable_html(&format!("{} ({})", commit_start(commit), run.name)),
        None => printable_html(&run.name),
    }
}

/// Returns the usual abbreviation of a commit. A name that is no hash ends with `…` if it is cut.
fn commit_start(commit: &str) -> String {
    let is_hash = commit.chars().all(|letter| letter.is_ascii_hexdigit());
    if is_hash { commit.chars().take(COMMIT).collect() } else { printable(commit, COMMIT) }
}

fn printable_html(text: &str) -> String {
    escaped(&printable(text, NAME))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(id: &str) -> HistoryRun {
        HistoryRun { id: id.into(), name: "a<b>".into(), ..HistoryRun::default() }
    }

    #[test]
    fn a_step_leads_to_the_comparison_of_the_two_traces_at_it() {
        let series = Series {
            name: "launches".into(),
            unit: SeriesUnit::Count,
            values: vec![Some(30), None, Some(40)],
            steps: vec![HistoryStep { run: 2, before: 30, after: 40 }],
        };
        let mut runs: Vec<HistoryRun> = ["x", "y", "z"].map(run).into();
        runs[2].commit = Some("0123456789abcdef0123".into());
        let padding = (0..8).map(|number| run(&format!("p{number}")));
        let history = MachineHistory {
            runs: runs.into_iter().chain(padding).collect(),
            series: vec![series],
            ..MachineHistory::default()
        };
        let page = html(Some("a&b"), &[], &[history], "../");
        // Runs in between lack this metric.
        let heading = "Since <a href=\"../t/z\">0123456789ab (a&lt;b&gt;)</a> (1970-01-01), \
             <a href=\"../compare/x/z\">compared with a&lt;b&gt;</a>:";
        assert!(page.contains(heading) && page.contains("History of a&amp;b"), "{page}");
        assert!(page.contains("<b>launches</b>: 30 → 40 (+33.3 %)"), "{page}");
        assert_eq!(page.matches("class=\"point\"").count(), 2);
        assert!(page.contains("<a href=\"../?project=a&amp;b\">"), "{page}");
        assert!(page.contains("11 runs, 1970-01-01, in the order of commits"), "{page}");
        assert!(!page.contains(" style="), "the policy allows none");
    }

    #[test]
    fn few_runs_say_that_they_are_too_few() {
        let history = MachineHistory { runs: vec![run("x")], ..MachineHistory::default() };
        let filters = [("label".to_owned(), "branch:main".to_owned())];
        let page = html(Some("p"), &filters, &[history], "../");
        assert!(page.contains("8 runs are needed") && page.contains("there is 1."), "{page}");
        assert!(page.contains("Only label branch:main."), "{page}");
        assert!(page.contains("1 run, 1970-01-01, in the order of storage"), "no run has a commit: {page}");
        assert!(html(Some("p"), &[], &[], "../").contains("There is no history yet"));
    }
}

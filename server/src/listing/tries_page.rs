//! The ledger of `syclscope try` as a page: predicted and achieved gain of each try, with a link to the
//! comparison of its runs, and the same by rule.

use std::fmt::Write as _;
use std::path::Path;

use crate::http::static_page;
use syclscope_report::trial::{Attempt, Ledger, attempt_lines, baseline_words, by_rule, cells, prediction};
use syclscope_text::{escaped, printable};

/// Maximum width of a cell, and of the details of a try.
const CELL: usize = 200;
const DETAILS: usize = 110;
/// Maximum number of further runs of a side in a link.
const MORE_RUNS: usize = 30;

/// Explains the columns of the page's tables.
const LEGEND: &str = "Predicted is the upper bound of the gain, from the replay of the runs before. Achieved is the time of the run before minus \
    the time now, with its interval (95 %) as a fraction of the run before. The sums have the last try of each finding \
    with a verdict.";

pub(crate) struct TriedRun {
    pub(crate) id: String,
    /// Path of the recording in the ledger's folder.
    pub(crate) path: String,
}

/// Returns the page. `root` leads to the application's folder.
pub(crate) fn html(ledger: &Ledger, runs: &[TriedRun], root: &str) -> String {
    let title = format!("Tries of {}", ledger.baseline.program);
    let mut body = format!(
        "<h1>{}</h1><p class=\"quiet\">{}</p>",
        cell(&title),
        cell(&baseline_words(&ledger.baseline))
    );
    if ledger.attempts.is_empty() {
        body += "<p class=\"notice\">No tries yet. Change the program, and run the same `syclscope try` again.</p>";
    } else {
        // Infallible, here and below: writes to a String don't fail.
        let _ = write!(body, "<p class=\"quiet\">{LEGEND}</p>");
        rules(&mut body, &ledger.attempts);
        tries(&mut body, &ledger.attempts, runs, root);
    }
    findings(&mut body, ledger);
    static_page::page(&title, &body, root)
}

fn rules(body: &mut String, attempts: &[Attempt]) {
    let rules = by_rule(attempts);
    if rules.is_empty() {
        return;
    }
    let rows: String = rules.iter().map(|rule| row(&rule.cells().map(|text| cell(&text)), &[3, 4])).collect();
    section(body, "By rule", &["Rule", "Tries", "Verdicts", "Predicted", "Achieved"], &[3, 4], &rows);
}

fn tries(body: &mut String, attempts: &[Attempt], runs: &[TriedRun], root: &str) {
    const HEADS: [&str; 8] =
        ["Tried", "Place", "Predicted", "Achieved", "Verdict", "Date", "Commit", "Recordings"];
    let rows: String = attempts
        .iter()
        .rev()
        .map(|attempt| {
            let [tried, place, predicted, achieved, verdict, date, commit] =
                cells(attempt).map(|text| cell(&text));
            let link = link(attempt, runs, root);
            row(&[tried, place, predicted, achieved, verdict, date, commit, link], &[2, 3])
        })
        .collect();
    section(body, "Tries, newest first", &HEADS, &[2, 3], &rows);
    for attempt in attempts.iter().rev() {
        let [tried, place, .., date, _] = cells(attempt);
        let _ = write!(
            body,
            "<details><summary>{} {}, {}</summary><div class=\"scroll\"><pre>{}</pre></div></details>",
            cell(&tried),
            cell(&place),
            cell(&date),
            escaped(&attempt_lines(attempt, DETAILS).join("\n"))
        );
    }
}

fn findings(body: &mut String, ledger: &Ledger) {
    let rows: String = (1_usize..)
        .zip(&ledger.baseline.findings)
        .map(|(number, finding)| {
            let in_runs = format!("{} of {}", finding.runs, ledger.baseline.runs.len());
            let is_tested = ledger.under_test.as_ref() == Some(&finding.id);
            let id = format!("{}{}", cell(&finding.id), if is_tested { " (under test)" } else { "" });
            row(&[id, number.to_string(), cell(&prediction(finding)), in_runs], &[1, 2])
        })
        .collect();
    if rows.is_empty() {
        *body += "<p class=\"notice\">The runs before have no findings.</p>";
    } else {
        section(
            body,
            "Findings of the runs before",
            &["Finding", "Number", "Predicted", "In runs"],
            &[1, 2],
            &rows,
        );
    }
}

/// Writes a section; `numbers` are the numeric columns.
fn section(body: &mut String, title: &str, heads: &[&str], numbers: &[usize], rows: &str) {
    let heads: String = heads
        .iter()
        .enumerate()
        .map(|(at, head)| format!("<th scope=\"col\"{}>{head}</th>", class(at, numbers)))
        .collect();
    let _ = write!(
        body,
        "<section><h2>{title}</h2><div class=\"scroll\"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>\
         </div></section>"
    );
}

/// Returns a row of HTML, whose first cell is its heading.
fn row(cells: &[String], numbers: &[usize]) -> String {
    let mut row = "<tr>".to_owned();
    for (at, text) in cells.iter().enumerate() {
        let _ = match at {
            0 => write!(row, "<th scope=\"row\">{text}</th>"),
            _ => write!(row, "<td{}>{text}</td>", class(at, numbers)),
        };
    }
    row + "</tr>"
}

fn class(at: usize, numbers: &[usize]) -> &'static str {
    if numbers.contains(&at) { " class=\"number\"" } else { "" }
}

/// Returns a link to the comparison of a try's runs with the previous ones; a dash if recordings are missing.
fn link(attempt: &Attempt, runs: &[TriedRun], root: &str) -> String {
    let sides = [&attempt.before_folder, &attempt.folder].map(|folder| in_folder(runs, folder));
    let [[a, more_a @ ..], [b, more_b @ ..]] = sides.each_ref().map(Vec::as_slice) else {
        return "–".to_owned();
    };
    let more: String = [("xw", more_a), ("xv", more_b)]
        .into_iter()
        .filter(|(_, ids)| !ids.is_empty())
        .map(|(name, ids)| format!("&amp;{name}={}", ids[..ids.len().min(MORE_RUNS)].join(".")))
        .collect();
    let more = more.strip_prefix("&amp;").map_or_else(String::new, |more| format!("?{more}"));
    format!("<a href=\"{root}compare/{a}/{b}{more}\">Compare</a>")
}

fn in_folder<'r>(runs: &'r [TriedRun], folder: &str) -> Vec<&'r str> {
    let is_in = |run: &&TriedRun| {
        !folder.is_empty() && Path::new(&run.path).parent().is_some_and(|own| own == Path::new(folder))
    };
    runs.iter().filter(is_in).map(|run| run.id.as_str()).collect()
}

fn cell(text: &str) -> String {
    escaped(&printable(text, CELL))
}

#[cfg(test)]
mod tests {
    use syclscope_report::trial::{LedgerFinding, Measurement};

    use super::*;

    #[test]
    fn a_try_leads_to_the_comparison_of_its_runs() {
        let run = |id: &str, path: &str| TriedRun { id: id.to_owned(), path: path.to_owned() };
        let runs = [
            run("a", "runs-1/run-1.pftrace"),
            run("more", "runs-1/run-2.pftrace"),
            run("b", "runs-2/after/run-1.pftrace"),
        ];
        let finding = LedgerFinding {
            id: "wait_after_kernel@<a>.cpp:3".to_owned(),
            kind: "wait_after_kernel".to_owned(),
            gain_ns: Some(700),
            ..LedgerFinding::default()
        };
        let mut ledger = Ledger::new(Measurement {
            program: "heat".to_owned(),
            findings: vec![finding.clone()],
            ..Measurement::default()
        });
        let attempt = |folder: &str| Attempt {
            before_folder: "runs-1".to_owned(),
            folder: folder.to_owned(),
            finding: Some(finding.clone()),
            predicted_ns: Some(700),
            achieved_ns: Some(600),
            ..Attempt::default()
        };
        ledger.attempts = vec![attempt("runs-2/after"), attempt("runs-9")];
        let page = html(&ledger, &runs, "./");
        assert!(page.contains("<a href=\"./compare/a/b?xw=more\">Compare</a>"), "{page}");
        // The recordings of the other try are gone.
        assert_eq!(page.matches(">Compare</a>").count(), 1);
        assert!(
            page.contains("<td class=\"number\">≤ 700 ns</td><td class=\"number\">600 ns</td>"),
            "{page}"
        );
        assert!(page.contains("wait_after_kernel@&lt;a&gt;.cpp:3") && !page.contains("<a>"), "{page}");
        assert!(page.contains("<h2>By rule</h2>") && !page.contains(" style="), "{page}");
    }

    #[test]
    fn a_ledger_without_tries_says_what_comes_next() {
        let page = html(&Ledger::new(Measurement::default()), &[], "./");
        assert!(page.contains("No tries yet.") && page.contains("have no findings"), "{page}");
    }
}

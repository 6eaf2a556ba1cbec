//! A ledger on the terminal.

use syclscope_language::api::{Verdict, bounded_gain, gain_bound, gain_sign, rule_title};

use super::{Attempt, FindingState, Ledger, LedgerFinding, Measurement, by_rule};
use crate::comparison::words;
use syclscope_text::{Align, Table, counted, date, duration, printable, wrapped};

const MESSAGE_COLUMNS: usize = 600;
/// Maximum width of the command in the description of a baseline, so that its time is never cut off.
const COMMAND_COLUMNS: usize = 160;
const MAX_FIGURES: usize = 8;
const MAX_NOTES: usize = 12;
/// Width of a label, in columns.
const LABEL: usize = 11;

/// Describes the ledger: the baseline, and tables of the findings, the tries and the rules.
pub fn lines(ledger: &Ledger, width: usize) -> Vec<String> {
    let mut lines = wrapped(&printable(&baseline_words(&ledger.baseline), MESSAGE_COLUMNS), width.max(100));
    if let Some(finding) = ledger.finding_under_test() {
        lines.push(format!("under test: {}", printable(&finding.id, 200)));
    }
    lines.push(String::new());
    let mut findings = Table::new([
        ("#", Align::Right),
        ("finding", Align::Name),
        ("predicted", Align::Right),
        ("in runs", Align::Optional),
    ]);
    for (number, finding) in (1_usize..).zip(&ledger.baseline.findings) {
        let in_runs = format!("{} of {}", finding.runs, ledger.baseline.runs.len());
        findings.row([number.to_string(), printable(&finding.id, 200), prediction(finding), in_runs]);
    }
    if ledger.baseline.findings.is_empty() {
        lines.push("no findings".to_owned());
    } else {
        lines.extend(findings.lines(width));
    }
    lines.push(String::new());
    if ledger.attempts.is_empty() {
        lines.push("no tries yet".to_owned());
        return lines;
    }
    let mut tries = Table::new([
        ("tried", Align::Name),
        ("place", Align::Path),
        ("predicted", Align::Right),
        ("achieved", Align::Right),
        ("verdict", Align::Left),
        ("date", Align::Left),
        ("commit", Align::Left),
    ]);
    for attempt in &ledger.attempts {
        tries.row(cells(attempt).map(|cell| printable(&cell, 200)));
    }
    lines.extend(tries.lines(width));
    let rules = by_rule(&ledger.attempts);
    if !rules.is_empty() {
        lines.push(String::new());
        let mut table = Table::new([
            ("rule", Align::Name),
            ("tries", Align::Left),
            ("verdicts", Align::Left),
            ("predicted", Align::Right),
            ("achieved", Align::Right),
        ]);
        for rule in rules {
            table.row(rule.cells().map(|cell| printable(&cell, 200)));
        }
        lines.extend(table.lines(width));
    }
    lines
}

/// Describes the baseline's findings by number, with their explanations.
pub fn finding_lines(ledger: &Ledger, width: usize) -> Vec<String> {
    let baseline = &ledger.baseline;
    let mut lines = wrapped(&printable(&baseline_words(baseline), MESSAGE_COLUMNS), width.max(100));
    if baseline.findings.is_empty() {
        lines.push("no findings".to_owned());
    }
    for (number, finding) in (1_usize..).zip(&baseline.findings) {
        let mark = if ledger.under_test.as_ref() == Some(&finding.id) { ", under test" } else { "" };
        let in_runs = match finding.runs as usize {
            all if all == baseline.runs.len() => String::new(),
            some => format!(", in {some} of {} runs", baseline.runs.len()),
        };
        let id = printable(&finding.id, 200);
        let iterations =
            finding.iterations.as_ref().map(|part| format!(", {}", part.words(&finding.kind, duration)));
        let iterations = iterations.unwrap_or_default();
        lines.push(format!("{number}  {id}: {}{iterations}{in_runs}{mark}", prediction(finding)));
        lines.extend(indented(&finding.message, width));
        if finding.gain_ns.is_none() && !finding.no_gain.is_empty() {
            lines.extend(indented(&format!("No gain is known. {}", finding.no_gain), width));
        }
    }
    lines
}

/// Describes a try: predicted and achieved gain, verdict, and the state of its finding.
pub fn attempt_lines(attempt: &Attempt, width: usize) -> Vec<String> {
    let mut lines = vec![printable(&title(attempt), width.max(100))];
    let mut push = |label: &str, text: &str| {
        let room = width.saturating_sub(LABEL + 2);
        for (number, line) in (0..).zip(wrapped(&printable(text, MESSAGE_COLUMNS), room)) {
            let label = if number == 0 { label } else { "" };
            lines.push(format!("  {label:LABEL$}{line}").trim_end().to_owned());
        }
    };
    if let Some(state) = state(attempt) {
        push("finding", &state);
    }
    push("predicted", &predicted(attempt, true));
    push("achieved", &achieved(attempt, true));
    push("verdict", &verdict(attempt));
    let figures = attempt.figures.iter().take(MAX_FIGURES);
    let mut figures: Vec<String> = figures
        .map(|figure| {
            let of = |values: &[u64]| words::figures(values, figure.unit);
            format!("{} {} → {}", figure.words(), of(&figure.a), of(&figure.b))
        })
        .collect();
    figures.extend(unlisted(attempt.figures.len(), MAX_FIGURES));
    let own = attempt.finding.as_ref().map(|finding| finding.id.as_str());
    let others: Vec<&str> = attempt.gone.iter().map(String::as_str).filter(|id| Some(*id) != own).collect();
    for (label, texts) in
        [("changed", figures.join(", ")), ("also gone", others.join(", ")), ("new", attempt.new.join(", "))]
    {
        if !texts.is_empty() {
            push(label, &texts);
        }
    }
    attempt.notes.iter().take(MAX_NOTES).for_each(|note| push("note", note));
    if let Some(more) = unlisted(attempt.notes.len(), MAX_NOTES) {
        push("", &more);
    }
    lines
}

/// Returns the number of texts beyond the listed ones, in words; `None` if all are listed.
fn unlisted(count: usize, limit: usize) -> Option<String> {
    let more = count.checked_sub(limit).filter(|more| *more > 0)?;
    Some(format!("{more} more in the ledger"))
}

/// Returns the cells of a try in a table: tried, place, predicted, achieved, verdict, date, commit.
pub fn cells(attempt: &Attempt) -> [String; 7] {
    let kind = attempt.finding.as_ref().map(|finding| rule_title(&finding.kind));
    let tried = match (&attempt.remedy, kind) {
        (Some(remedy), Some(kind)) => format!("{kind}, by {}", remedy.name),
        (Some(remedy), None) => remedy.name.clone(),
        (None, Some(kind)) => kind,
        (None, None) => "change".to_owned(),
    };
    let place = attempt.finding.as_ref().map_or_else(String::new, LedgerFinding::place);
    let fate = match attempt.state {
        Some(FindingState::Gone) => ", gone",
        Some(FindingState::Unknown) => ", state unknown",
        Some(FindingState::Partly) => ", in some runs",
        Some(FindingState::Present) => ", still there",
        None => "",
    };
    [
        tried,
        place,
        predicted(attempt, false),
        achieved(attempt, false),
        format!("{}{fate}", attempt.verdict.as_str()),
        day(attempt.unix_s),
        attempt.commit.clone(),
    ]
}

pub fn baseline_words(baseline: &Measurement) -> String {
    let runs = counted(baseline.runs.len() as u64, "run");
    let commit = if baseline.commit.is_empty() { String::new() } else { format!(", {}", baseline.commit) };
    let time = duration(baseline.run_ns());
    let command = printable(&baseline.command, COMMAND_COLUMNS);
    format!("{command}: baseline of {runs} on {}{commit}, median {time}", day(baseline.unix_s))
}

pub fn prediction(finding: &LedgerFinding) -> String {
    match finding.gain_ns {
        Some(ns) => bounded_gain(gain_bound(&finding.kind), &duration(ns)),
        None if finding.touches_ns > 0 => format!("affects {}", duration(finding.touches_ns)),
        None => "unknown".to_owned(),
    }
}

fn title(attempt: &Attempt) -> String {
    let finding = attempt.finding.as_ref().map_or("the program's change", |finding| finding.id.as_str());
    match &attempt.remedy {
        None => finding.to_owned(),
        Some(remedy) => {
            let variables: Vec<String> =
                remedy.variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let variables = variables.join(" ");
            match &attempt.finding {
                Some(finding) => format!("{} for {}: {variables}", remedy.name, finding.id),
                None => format!("{}: {variables}", remedy.name),
            }
        }
    }
}

fn state(attempt: &Attempt) -> Option<String> {
    let now = attempt.finding_now.as_ref();
    let what = || now.map_or_else(String::new, |now| format!(" ({}, {})", now.id, prediction(now)));
    let state = match attempt.state? {
        FindingState::Gone => "gone".to_owned(),
        FindingState::Unknown => {
            "unknown: not found, but recordings lack data or clock rates differ".to_owned()
        }
        FindingState::Present => format!("still there{}", what()),
        FindingState::Partly => {
            let runs = now.map_or(0, |now| now.runs);
            format!("in {runs} of {} runs{}", attempt.time.b_runs, what())
        }
    };
    let before = attempt.finding.as_ref().map_or(0, |finding| finding.runs);
    let all = attempt.time.a_runs;
    Some(if before < all { format!("{state}; was in {before} of {all} runs") } else { state })
}

fn predicted(attempt: &Attempt, is_long: bool) -> String {
    let kind = attempt.finding.as_ref().map_or("", |finding| &finding.kind);
    match (attempt.predicted_ns, &attempt.finding) {
        (Some(ns), _) if is_long => bounded_gain(gain_bound(kind), &share(attempt, ns as i64)),
        (Some(ns), _) => format!("{}{}", gain_sign(kind), duration(ns)),
        (None, Some(finding)) if is_long => prediction(finding),
        (None, _) => "unknown".to_owned(),
    }
}

fn achieved(attempt: &Attempt, is_long: bool) -> String {
    let Some(ns) = attempt.achieved_ns else { return "unknown".to_owned() };
    let gain = if is_long { share(attempt, ns) } else { words::signed(ns) };
    match attempt.interval() {
        Some((low, high)) => format!("{gain} [{} to {}]", percent(low), percent(high)),
        None => gain,
    }
}

/// Describes a gain as a time and as a fraction of the run before.
fn share(attempt: &Attempt, ns: i64) -> String {
    let text = words::signed(ns);
    match attempt.time.a_ns.filter(|run_ns| *run_ns > 0) {
        Some(run_ns) => {
            format!("{text} of {} ({})", duration(run_ns), percent(ns as f64 / run_ns as f64))
        }
        None => text,
    }
}

/// Returns a fraction in percent, with one decimal.
fn percent(part: f64) -> String {
    format!("{:.1} %", part * 100.0).replace('-', "−")
}

fn verdict(attempt: &Attempt) -> String {
    let time = &attempt.time;
    let by_turns = if attempt.is_by_turns { ", by turns" } else { "" };
    let [before, now] = [time.a_runs, time.b_runs].map(runs);
    let mut text = format!("{} ({before} before, {now} now{by_turns}", attempt.verdict.as_str());
    if let Some(p) = time.p {
        text += &if p < 0.001 { ", p < 0.001".to_owned() } else { format!(", p = {p:.3}") };
        if attempt.tests > 1 {
            text += &format!(" adjusted for {} remedies (Holm)", attempt.tests);
        }
    }
    text.push(')');
    if attempt.verdict == Verdict::Undecided {
        text += &format!("; {}", words::smallest_change(time));
    }
    text
}

fn runs(count: u32) -> String {
    counted(count.into(), "run")
}

fn indented(message: &str, width: usize) -> impl Iterator<Item = String> {
    let lines = wrapped(&printable(message, MESSAGE_COLUMNS), width.saturating_sub(3));
    lines.into_iter().map(|line| format!("   {line}"))
}

fn day(unix_s: u64) -> String {
    date(unix_s.saturating_mul(1_000_000_000))
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::FigureChange;

    use super::*;

    #[test]
    fn figures_and_notes_beyond_those_listed_are_counted() {
        let described = |figures: usize, notes: usize| {
            let figure = |number: usize| FigureChange { name: number.to_string(), ..FigureChange::default() };
            let attempt = Attempt {
                figures: (0..figures).map(figure).collect(),
                notes: vec!["note".to_owned(); notes],
                ..Attempt::default()
            };
            attempt_lines(&attempt, 1_000).join("\n")
        };
        assert!(!described(MAX_FIGURES, MAX_NOTES).contains("more in the ledger"));
        assert!(described(MAX_FIGURES + 2, 0).contains("none → none, 2 more in the ledger"));
        assert!(described(0, MAX_NOTES + 3).ends_with("3 more in the ledger"));
    }
}

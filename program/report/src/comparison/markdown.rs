//! A comparison in Markdown, for CI comments.

use std::fmt::Write as _;

use syclscope_language::api::{Comparison, History};

use super::gate::Gate;
use super::{iterations, text, words};
use crate::overview::{code, sentence};
use syclscope_text::{count, counted, duration};

/// Default number of rows in each table.
pub const MAX_ROWS: usize = 12;

/// Describes the comparison, with a gate's verdict on top, if there is one.
pub fn markdown(comparison: &Comparison, gate: Option<&Gate>, rows: usize) -> String {
    let mut out = String::from("### syclscope: A → B\n\n");
    for (letter, side) in [("A", &comparison.a), ("B", &comparison.b)] {
        let runs = counted(side.runs.into(), "run");
        // Infallible, here and below: writes to a String don't fail.
        let _ = writeln!(
            out,
            "- {letter}: {}, {runs}, {}, {}",
            code(&side.name),
            duration(side.duration_ns),
            counted(side.commands, "command")
        );
    }
    if let Some(gate) = gate {
        gate_lines(&mut out, gate);
    }
    if !comparison.part.is_empty() {
        let _ = writeln!(out, "\n**Compared**: {}", code(&comparison.part));
    }
    let _ = writeln!(out, "\n**Duration**: {}", sentence(&text::whole(comparison)));
    for note in &comparison.notes {
        let mark = if note.is_severe { "**!** " } else { "" };
        let _ = writeln!(out, "\n> {mark}{}", sentence(&note.message));
    }
    if !comparison.differences.is_empty() {
        out += "\n**Environment differences**\n\n";
        for fact in comparison.differences.iter().take(rows) {
            let _ = writeln!(out, "- {}", sentence(&words::difference(fact)));
        }
        if let Some(more) = comparison.differences.len().checked_sub(rows).filter(|more| *more > 0) {
            let _ = writeln!(out, "- and {} more", count(more as u64));
        }
    }
    if comparison.waterfall.iter().any(|part| part.change_ns() != 0) {
        out += "\n| change | A | B | part of the run's time |\n|--:|--:|--:|---|\n";
        for part in comparison.waterfall.iter().filter(|part| part.change_ns() != 0).take(rows) {
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} |",
                words::change(part.change_ns()),
                words::signed(part.a_ns),
                words::signed(part.b_ns),
                code(&part.words())
            );
        }
        let rest: Vec<_> =
            comparison.waterfall.iter().filter(|part| part.change_ns() != 0).skip(rows).collect();
        if !rest.is_empty() {
            let (a_ns, b_ns) = rest.iter().fold((0, 0), |(a, b), part| (a + part.a_ns, b + part.b_ns));
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} |",
                words::change(b_ns - a_ns),
                words::signed(a_ns),
                words::signed(b_ns),
                counted(rest.len() as u64, "more part")
            );
        }
    }
    iterations_of(&mut out, comparison);
    commands(&mut out, comparison, rows);
    let changed: Vec<_> = comparison.figures.iter().filter(|figure| figure.is_changed()).collect();
    if !changed.is_empty() {
        out += "\n| figure | A | B |\n|---|--:|--:|\n";
        for figure in changed {
            let of = |values: &[u64]| words::figures(values, figure.unit);
            let _ = writeln!(out, "| {} | {} | {} |", code(&figure.words()), of(&figure.a), of(&figure.b));
        }
    }
    if !comparison.edges.is_empty() {
        out += "\n| dependence | from | to | count |\n|---|---|---|--:|\n";
        for edge in comparison.edges.iter().take(rows) {
            let _ = writeln!(
                out,
                "| {}, {} | {} | {} | {} |",
                words::presence(edge.presence),
                words::reason(edge),
                code(&edge.names.0),
                code(&edge.names.1),
                count(edge.count)
            );
        }
        if let Some(more) = comparison.edges.len().checked_sub(rows).filter(|more| *more > 0) {
            let _ = writeln!(out, "\nand {}", counted(more as u64, "more dependence"));
        }
    }
    out
}

fn iterations_of(out: &mut String, comparison: &Comparison) {
    let Some(found) = &comparison.iterations else { return };
    *out += "\n| iterations | A | B | change | verdict |\n|---|--:|--:|---|---|\n";
    for [what, a, b, change, verdict] in iterations::rows(found) {
        let _ = writeln!(out, "| {what} | {a} | {b} | {} | {} |", sentence(&change), sentence(&verdict));
    }
    for side in iterations::sides(found) {
        let _ = writeln!(out, "\n{}", sentence(&side));
    }
    let _ = writeln!(out, "\n{}", sentence(&found.message));
}

fn commands(out: &mut String, comparison: &Comparison, rows: usize) {
    if comparison.rows.is_empty() {
        return;
    }
    *out += "\n| command | runs | A | B | launch | verdict |\n|---|--:|--:|--:|---|---|\n";
    for row in comparison.rows.iter().take(rows) {
        let counts = [&row.a, &row.b].map(|side| side.as_ref().map_or(0, |side| side.count));
        let counts = words::both(counts[0], counts[1], count);
        let of = |ns: Option<u64>| ns.map_or_else(String::new, duration);
        let likeness = match row.likeness_words() {
            text if text.is_empty() => String::new(),
            text => format!(" ({})", sentence(&text)),
        };
        let _ = writeln!(
            out,
            "| {} | {counts} | {} | {} | {} | {}{likeness} |",
            code(&row.title()),
            of(row.time.a_ns),
            of(row.time.b_ns),
            sentence(&words::time(&row.time)),
            row.verdict_words()
        );
    }
    let more = comparison.rows.len().saturating_sub(rows) as u64 + comparison.more_rows;
    if more > 0 {
        let _ = writeln!(out, "\nand {}", counted(more, "more row"));
    }
}

fn gate_lines(out: &mut String, gate: &Gate) {
    let _ = writeln!(out, "\n**Gate: {}**", gate.judged().as_str());
    for item in gate.not_passed() {
        let _ = writeln!(out, "- {}: {}", item.judged.as_str(), sentence(&item.message));
    }
    for remark in &gate.remarks {
        let _ = writeln!(out, "- {}", sentence(remark));
    }
}

pub fn history_markdown(history: &History) -> String {
    let mut out = format!("### syclscope: {}\n", counted(history.runs.len() as u64, "run"));
    let steps = history.series.iter().flat_map(|series| series.steps.iter().map(move |step| (series, step)));
    let mut steps = steps.peekable();
    if steps.peek().is_none() {
        return format!("{out}\n{}\n", words::no_step(history.runs.len()));
    }
    out += "\n| metric | before | after | from run |\n|---|--:|--:|---|\n";
    for (series, step) in steps {
        let run = history.runs.get(step.run as usize).map_or("", String::as_str);
        let of = |value| words::in_unit(value, series.unit);
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} |",
            code(&series.name),
            of(step.before),
            of(step.after),
            code(run)
        );
    }
    out
}

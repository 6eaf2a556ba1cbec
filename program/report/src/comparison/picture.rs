//! Pictures of a comparison and of a history.

use syclscope_language::api::{Comparison, History, Series, WaterfallPart};

use super::gate::Gate;
use super::{text as lines, words};
use crate::drawing::{MARGIN, Picture, QUIET, Shape, TEXT, WIDTH, rect, text};
use syclscope_text::{counted, duration, printable};

/// Left edge of bars, and the width of the largest.
const BAR_X: f64 = 330.0;
const BAR_WIDTH: f64 = 400.0;
const LINE: f64 = 22.0;
const MAX_PARTS: usize = 12;
const MAX_ROWS: usize = 8;
/// Maximum number of series in a history, and the height of each.
const MAX_SERIES: usize = 8;
const SERIES_HEIGHT: f64 = 70.0;
const LABEL_COLUMNS: usize = 44;
/// Space for the values before and after a change.
const STEP_WIDTH: f64 = 150.0;

const BASE: &str = "#8c96a5";
const MORE: &str = "#c4472b";
const LESS: &str = "#2b7a4b";

/// Draws the waterfall from A's time to B's, and the verdicts of the rows that changed most, below a gate's
/// verdict, if there is one.
pub fn picture(comparison: &Comparison, gate: Option<&Gate>) -> Picture {
    let mut body = Vec::new();
    let mut y = MARGIN + LINE;
    let title = format!("{} → {}", comparison.a.name, comparison.b.name);
    text(&mut body, (MARGIN, y), (TEXT, 16), &printable(&title, 80));
    y += LINE;
    text(&mut body, (MARGIN, y), (QUIET, 12), &printable(&lines::whole(comparison), 130));
    if let Some(gate) = gate {
        judgement(&mut body, &mut y, gate);
    }
    y += LINE / 2.0;
    waterfall(&mut body, &mut y, comparison);
    for row in comparison.rows.iter().take(MAX_ROWS) {
        y += LINE;
        text(&mut body, (MARGIN, y), (TEXT, 12), &printable(&row.title(), LABEL_COLUMNS));
        let content = format!("{} · {}", row.verdict_words(), words::time(&row.time));
        text(&mut body, (BAR_X, y), (QUIET, 12), &printable(&content, 80));
    }
    Picture { title, height: y + MARGIN, activity: None, shapes: body }
}

fn judgement(body: &mut Vec<Shape>, y: &mut f64, gate: &Gate) {
    *y += LINE;
    let colour = if gate.not_passed().next().is_none() { LESS } else { MORE };
    text(body, (MARGIN, *y), (colour, 14), &format!("Gate: {}", gate.judged().as_str()));
    for item in gate.not_passed().take(MAX_ROWS) {
        *y += LINE;
        let content = format!("{}: {}", item.judged.as_str(), item.message);
        text(body, (MARGIN, *y), (TEXT, 12), &printable(&content, 130));
    }
}

fn waterfall(body: &mut Vec<Shape>, y: &mut f64, comparison: &Comparison) {
    let (a, b) = (comparison.a.duration_ns as f64, comparison.b.duration_ns as f64);
    let (shown, rest): (Vec<&WaterfallPart>, Vec<&WaterfallPart>) = {
        let changed: Vec<&WaterfallPart> =
            comparison.waterfall.iter().filter(|part| part.change_ns() != 0).collect();
        let at = MAX_PARTS.min(changed.len());
        (changed[..at].to_vec(), changed[at..].to_vec())
    };
    let mut steps: Vec<(String, i64)> = shown.iter().map(|part| (part.words(), part.change_ns())).collect();
    if !rest.is_empty() {
        steps.push(("others".to_owned(), rest.iter().map(|part| part.change_ns()).sum()));
    }
    // The scale covers every level. It begins near the lowest, so that small changes are visible.
    let mut levels = vec![a, b];
    let mut level = a;
    for (_, change) in &steps {
        level += *change as f64;
        levels.push(level);
    }
    let (least, most) = levels
        .iter()
        .fold((f64::INFINITY, 0.0_f64), |(least, most), level| (least.min(*level), most.max(*level)));
    let first = (least - (most - least) * 0.3).max(0.0);
    let x =
        |level: f64| if most > first { BAR_X + (level - first) / (most - first) * BAR_WIDTH } else { BAR_X };
    let mut bar = |name: &str, from: f64, to: f64, colour: &'static str, content: &str| {
        *y += LINE;
        text(body, (MARGIN, *y), (TEXT, 12), &printable(name, LABEL_COLUMNS));
        let (left, right) = (x(from.min(to)), x(from.max(to)));
        rect(body, (left, *y - 12.0), ((right - left).max(1.0), 15.0), colour);
        text(body, (BAR_X + BAR_WIDTH + 10.0, *y), (QUIET, 12), content);
    };
    bar("A", first, a, BASE, &duration(comparison.a.duration_ns));
    let mut level = a;
    for (name, change) in &steps {
        let next = level + *change as f64;
        bar(name, level, next, if *change > 0 { MORE } else { LESS }, &words::change(*change));
        level = next;
    }
    bar("B", first, b, BASE, &duration(comparison.b.duration_ns));
    *y += LINE / 2.0;
}

/// Draws the series of a history that have change points, or else the first ones, as lines with their change
/// points marked.
pub fn history_picture(history: &History) -> Picture {
    let mut order: Vec<&Series> =
        history.series.iter().filter(|series| series.values.iter().any(Option::is_some)).collect();
    order.sort_by_key(|series| std::cmp::Reverse(series.steps.len()));
    let mut body = Vec::new();
    let mut y = MARGIN + LINE;
    let title = counted(history.runs.len() as u64, "run");
    text(&mut body, (MARGIN, y), (TEXT, 16), &title);
    for series in order.into_iter().take(MAX_SERIES) {
        one_series(&mut body, y + LINE / 2.0, series, history.runs.len());
        y += SERIES_HEIGHT;
    }
    Picture { title, height: y + MARGIN, activity: None, shapes: body }
}

fn one_series(body: &mut Vec<Shape>, top: f64, series: &Series, runs: usize) {
    let values = || series.values.iter().enumerate().filter_map(|(run, value)| Some((run, (*value)? as f64)));
    let most = values().map(|(_, value)| value).fold(0.0, f64::max);
    let least = values().map(|(_, value)| value).fold(f64::INFINITY, f64::min);
    let x = |run: usize| BAR_X + run as f64 / runs.saturating_sub(1).max(1) as f64 * (WIDTH - BAR_X - MARGIN);
    let height = SERIES_HEIGHT - LINE;
    let y = |value: f64| {
        top + height - if most > least { (value - least) / (most - least) * height } else { 0.0 }
    };
    text(body, (MARGIN, top + LINE), (TEXT, 12), &printable(&words::series_name(series), LABEL_COLUMNS));
    let last = values().next_back().map_or(0, |(_, value)| value as u64);
    text(body, (MARGIN, top + 2.0 * LINE - 4.0), (QUIET, 11), &words::in_unit(last, series.unit));
    let points = values().map(|(run, value)| (x(run), y(value))).collect();
    body.push(Shape::Line { points, stroke: BASE, width: 1.5 });
    for step in &series.steps {
        let colour = if step.after > step.before { MORE } else { LESS };
        let at = x(step.run as usize);
        body.push(Shape::Line { points: vec![(at, top), (at, top + height)], stroke: colour, width: 1.0 });
        let content = format!(
            "{} → {}",
            words::in_unit(step.before, series.unit),
            words::in_unit(step.after, series.unit)
        );
        // Right of the line it would end outside of the picture.
        let ends_there = at + STEP_WIDTH > WIDTH;
        let edge = if ends_there { at - 3.0 } else { at + 3.0 };
        body.push(Shape::Text { at: (edge, top + 9.0), fill: colour, size: 10, ends_there, text: content });
    }
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::{HistoryStep, SeriesUnit};

    use super::*;

    #[test]
    fn a_change_in_one_of_the_last_runs_is_readable() {
        let step = |run| HistoryStep { run, before: 10_000_000, after: 12_345_678 };
        let series = |run| Series {
            name: "duration".to_owned(),
            unit: SeriesUnit::Nanoseconds,
            values: vec![Some(10_000_000); 40],
            steps: vec![step(run)],
        };
        let label = |run| {
            let runs = (1..=40).map(|number| format!("run-{number}")).collect();
            let picture = history_picture(&History { runs, series: vec![series(run)] });
            let found = picture.shapes.into_iter().find_map(|shape| match shape {
                Shape::Text { at, ends_there, text, .. } if text.contains('→') => Some((at.0, ends_there)),
                _ => None,
            });
            found.expect("the values before and after")
        };
        let ((early, is_left), (late, ends_there)) = (label(4), label(37));
        assert!(!is_left && ends_there && early < late && late < WIDTH, "{early} {late}");
        let one = History { runs: vec!["run".to_owned()], ..History::default() };
        assert_eq!(history_picture(&one).title(), "1 run");
    }
}

//! Iterations of the main loop: key numbers, a chart of their durations, and the steps of their critical
//! path.

use std::fmt::Write as _;

use syclscope_language::api::{Iterations, StepKind};

use super::super::percent;
use super::elements::{Column, code, place, section, sentence_case, table, words};
use syclscope_text::{counted, duration, short_names};

/// Maximum number of bars in the chart; more iterations share bars.
const MAX_BARS: usize = 200;
const HEIGHT: f64 = 60.0;
const MAX_STEPS: usize = 6;
const NAME_COLUMNS: usize = 70;
/// Minimum numbers of iterations for their median and for their 95th percentile.
const MIN_FOR_MEDIAN: u64 = 5;
const MIN_FOR_P95: u64 = 20;

pub(super) fn iterations(out: &mut String, found: &Iterations) {
    if found.mark.is_none() {
        return;
    }
    let steady = found.steady;
    let mut body = format!("<p>{}</p>\n<dl class=\"facts\">\n", words(&sentence_case(&found.message)));
    let facts = [
        (MIN_FOR_MEDIAN, "Median", duration(steady.p50_ns)),
        (MIN_FOR_P95, "95th percentile", duration(steady.p95_ns)),
        (0, "Shortest", duration(steady.min_ns)),
        (0, "Longest", duration(steady.max_ns)),
        (0, "Warm-up", counted(found.warm_up, "iteration")),
        (0, "Before the first", duration(found.from_ns)),
    ];
    for (_, term, fact) in facts.into_iter().filter(|(least, ..)| steady.count >= *least) {
        // Infallible, here and below: writes to a String don't fail.
        let _ = writeln!(body, "<div><dt>{term}</dt><dd>{fact}</dd></div>");
    }
    body += "</dl>\n";
    if found.more == 0 {
        chart(&mut body, found);
    }
    let total_ns: u64 = found.steps.iter().map(|step| step.total_ns).sum::<u64>() + found.more_steps_ns;
    let each = |ns: u64| duration((ns as f64 / steady.count.max(1) as f64).round() as u64);
    let listed = || found.steps.iter().take(MAX_STEPS);
    let names = short_names(listed().map(|step| step.name.as_str()));
    let rows: Vec<[String; 5]> = listed()
        .map(|step| {
            [
                code(&names.fit(&step.name, NAME_COLUMNS)),
                kind(step.kind).to_owned(),
                each(step.total_ns),
                percent(step.total_ns, total_ns),
                place(step.location.as_ref()),
            ]
        })
        .collect();
    if !rows.is_empty() {
        body += "<h3>Critical path of a steady iteration</h3>\n";
        let columns = [
            Column::Words("Step"),
            Column::Words("Kind"),
            Column::Number("In each"),
            Column::Number("Share"),
            Column::Words("Place"),
        ];
        table(&mut body, columns, &rows);
    }
    section(out, "Iterations", &format!("measured, {}", counted(found.count, "iteration")), &body);
}

/// Draws a bar for each iteration, or for the longest of several.
fn chart(out: &mut String, found: &Iterations) {
    let all: Vec<u64> =
        found.iterations.iter().map(|iteration| iteration.to_ns.saturating_sub(iteration.from_ns)).collect();
    let most_ns = all.iter().copied().max().unwrap_or_default();
    if all.len() < 3 || most_ns == 0 {
        return;
    }
    let each = all.len().div_ceil(MAX_BARS);
    let bars: Vec<u64> =
        all.chunks(each).map(|chunk| chunk.iter().copied().max().unwrap_or_default()).collect();
    let width = 1000.0 / bars.len() as f64;
    let mut paths = [("warm-up", String::new()), ("kernel", String::new())];
    for (at, ns) in bars.iter().enumerate() {
        let height = (*ns as f64 / most_ns as f64 * HEIGHT).max(1.0);
        let is_steady = at * each >= found.warm_up as usize;
        let (x, bar) = (at as f64 * width, (width * 0.85).max(width - 2.0));
        let _ =
            write!(paths[usize::from(is_steady)].1, "M{x:.2} {HEIGHT}v-{height:.1}h{bar:.2}v{height:.1}z");
    }
    let paths: String = paths
        .iter()
        .filter(|(_, path)| !path.is_empty())
        .map(|(class, path)| format!("<path class=\"{class}\" d=\"{path}\"/>"))
        .collect();
    let what = if each == 1 {
        "each iteration".to_owned()
    } else {
        format!("the longest of every {each} iterations")
    };
    let warm_up = if found.warm_up > 0 { " Paler ones are warm-up." } else { "" };
    let _ = writeln!(
        out,
        "<figure>\n<svg class=\"chart\" viewBox=\"0 0 1000 {HEIGHT}\" preserveAspectRatio=\"none\" aria-hidden=\"true\">{paths}</svg>\n\
         <figcaption>Duration of {what}, in order; the highest bar is {}.{warm_up}</figcaption>\n</figure>",
        duration(most_ns)
    );
}

fn kind(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Command => "on the device",
        StepKind::Launch => "waiting to start",
        StepKind::Submission => "submission",
        StepKind::Call => "call",
        StepKind::Wait => "wait",
        StepKind::Host => "not recorded",
    }
}

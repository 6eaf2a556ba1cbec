//! The history of a project's traces as a page: plain HTML without scripts. A point leads to its trace, a step to the comparison of the
//! two traces at it.

use std::fmt::Write as _;

use syclscope_language::api::{HistoryRun, HistoryStep, MachineHistory, Series};

use crate::comparison::in_unit;
use crate::text::{counted, escaped, printable};

/// Size of a chart, and what is left free at its edges for the points.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 90.0;
const EDGE: f64 = 6.0;
/// Columns of the longest name.
const NAME: usize = 200;

/// The page of some histories; `root` leads from it to the application's folder.
pub(crate) fn html(project: &str, histories: &[MachineHistory], root: &str) -> String {
    let project = shown(project);
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>History of {project} – syclscope</title>\
         <main><h1>History of {project}</h1><p><a href=\"{root}\">To the list of traces</a></p>"
    );
    if histories.is_empty() {
        page += "<p>No trace here has figures yet.</p>";
    }
    for history in histories {
        one(&mut page, history, root);
    }
    page + "</main></html>"
}

fn one(page: &mut String, history: &MachineHistory, root: &str) {
    let name = if history.program.is_empty() { "Traces" } else { &history.program };
    let place = if history.machine.is_empty() { String::new() } else { format!(" on {}", history.machine) };
    let traces = counted(history.runs.len() as u64, "trace");
    // Infallible, here and below: a String takes all.
    let _ = write!(page, "<section><h2>{}</h2><p>{traces}, by commit</p>", shown(&format!("{name}{place}")));
    let mut series: Vec<&Series> = history.series.iter().filter(|series| has_two(series)).collect();
    // What changed comes first.
    series.sort_by_key(|series| series.steps.is_empty());
    for series in series {
        let last = series.values.iter().rev().flatten().next().copied().unwrap_or_default();
        let title = shown(&series.name);
        let _ =
            write!(page, "<h3>{title}: {}</h3>{}", in_unit(last, series.unit), chart(history, series, root));
        if !series.steps.is_empty() {
            let steps: String = series.steps.iter().map(|step| told(history, series, *step, root)).collect();
            let _ = write!(page, "<ul>{steps}</ul>");
        }
    }
    *page += "</section>";
}

fn has_two(series: &Series) -> bool {
    series.values.iter().flatten().count() > 1
}

/// The two traces at a step: the last one before it that has the figure, and the first one of the new level.
fn at<'h>(history: &'h MachineHistory, series: &Series, step: HistoryStep) -> Option<[&'h HistoryRun; 2]> {
    let now = step.run as usize;
    let before = (0..now.min(series.values.len())).rev().find(|run| series.values[*run].is_some())?;
    Some([history.runs.get(before)?, history.runs.get(now)?])
}

fn told(history: &MachineHistory, series: &Series, step: HistoryStep, root: &str) -> String {
    let Some([before, now]) = at(history, series, step) else { return String::new() };
    let levels = format!("{} → {}", in_unit(step.before, series.unit), in_unit(step.after, series.unit));
    format!(
        "<li>{levels} from {}: <a href=\"{root}compare/{}/{}\">compare with the one before</a></li>",
        name(now),
        escaped(&before.id),
        escaped(&now.id)
    )
}

/// What a trace is called: its commit, with its file's name.
fn name(run: &HistoryRun) -> String {
    match &run.commit {
        Some(commit) => shown(&format!("{commit} ({})", run.name)),
        None => shown(&run.name),
    }
}

fn chart(history: &MachineHistory, series: &Series, root: &str) -> String {
    let known = || series.values.iter().enumerate().filter_map(|(run, value)| Some((run, (*value)?)));
    let least = known().map(|(_, value)| value).min().unwrap_or_default() as f64;
    let most = known().map(|(_, value)| value).max().unwrap_or_default() as f64;
    let step = (WIDTH - 2.0 * EDGE) / (series.values.len().max(2) - 1) as f64;
    let x = |run: usize| EDGE + run as f64 * step;
    let y = |value: u64| match most > least {
        true => HEIGHT - EDGE - (value as f64 - least) / (most - least) * (HEIGHT - 2.0 * EDGE),
        false => HEIGHT / 2.0,
    };
    let (mut line, mut points, mut marks) = (String::new(), String::new(), String::new());
    for (run, value) in known() {
        let Some(trace) = history.runs.get(run) else { continue };
        let _ = write!(line, "{:.1},{:.1} ", x(run), y(value));
        let said = format!("{}: {}", name(trace), in_unit(value, series.unit));
        // The points are no stops of the Tab key: the list leads to the same traces, and steps stand below.
        let _ = write!(
            points,
            "<a href=\"{root}t/{}\" tabindex=\"-1\"><circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3.5\" fill=\"currentColor\">\
             <title>{said}</title></circle></a>",
            escaped(&trace.id),
            x(run),
            y(value)
        );
    }
    for step in &series.steps {
        let Some([before, now]) = at(history, series, *step) else { continue };
        let at = x(step.run as usize);
        let _ = write!(
            marks,
            "<a href=\"{root}compare/{}/{}\" tabindex=\"-1\"><line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"0\" y2=\"{HEIGHT}\" \
             stroke=\"#c4472b\" stroke-width=\"2\"/></a>",
            escaped(&before.id),
            escaped(&now.id)
        );
    }
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" aria-hidden=\"true\">\
         <polyline points=\"{line}\" fill=\"none\" stroke=\"currentColor\"/>{marks}{points}</svg>"
    )
}

fn shown(text: &str) -> String {
    escaped(&printable(text, NAME))
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::SeriesUnit;

    use super::*;

    #[test]
    fn a_step_leads_to_the_comparison_of_the_two_traces_at_it() {
        let run = |id: &str| HistoryRun { id: id.into(), name: "a<b>".into(), ..HistoryRun::default() };
        let series = Series {
            name: "launches".into(),
            unit: SeriesUnit::Count,
            values: vec![Some(3), None, Some(4)],
            steps: vec![HistoryStep { run: 2, before: 3, after: 4 }],
        };
        let runs = vec![run("x"), run("y"), run("z")];
        let history = MachineHistory { runs, series: vec![series], ..MachineHistory::default() };
        let page = html("a&b", &[history], "../");
        // What lies between has no such figure.
        let link = "3 → 4 from a&lt;b&gt;: <a href=\"../compare/x/z\">";
        assert!(page.contains(link) && page.contains("History of a&amp;b"), "{page}");
        assert_eq!(page.matches("<circle").count(), 2);
        assert!(html("p", &[], "../").contains("No trace"));
    }
}

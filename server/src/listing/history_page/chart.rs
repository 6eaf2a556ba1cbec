//! A chart of a metric over the runs of a history.

use std::fmt::Write as _;

use syclscope_language::api::{HistoryRun, MachineHistory, Series};

use super::scale::Scale;
use super::{at, commit_start, printable_html, run_title};
use syclscope_report::comparison::{in_unit, series_name};
use syclscope_text::{date, escaped};

/// Size of a chart in its own units. It is stretched to the available space.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 100.0;
/// Margin on both sides, for the points.
const EDGE: f64 = 10.0;

pub(super) fn chart(history: &MachineHistory, series: &Series, root: &str) -> String {
    let values = || series.values.iter().enumerate().filter_map(|(run, value)| Some((run, (*value)?)));
    let least = values().map(|(_, value)| value).min().unwrap_or_default();
    let most = values().map(|(_, value)| value).max().unwrap_or_default();
    let scale = Scale::new(least, most, series.unit);
    let step = (WIDTH - 2.0 * EDGE) / (series.values.len().max(2) - 1) as f64;
    let x = |run: usize| EDGE + run as f64 * step;
    let y = |value: u64| (1.0 - scale.part(value)) * HEIGHT;
    let mut drawn = String::new();
    for value in scale.labels() {
        // Infallible, here and below: writes to a String don't fail.
        let _ = write!(drawn, "<path class=\"grid-line\" d=\"M0 {:.1}H{WIDTH}\"/>", y(value));
    }
    let (mut line, mut points) = (String::new(), String::new());
    for (run, value) in values() {
        let Some(trace) = history.runs.get(run) else { continue };
        let _ = write!(line, "{}{:.1} {:.1}", if line.is_empty() { 'M' } else { 'L' }, x(run), y(value));
        let said =
            format!("{}, {}: {}", run_title(trace), date(trace.stored_unix_ns), in_unit(value, series.unit));
        // The points are not in the tab order, because the table links to the same traces.
        let _ = write!(
            points,
            "<a href=\"{root}t/{}\" tabindex=\"-1\"><path class=\"point\" d=\"M{:.1} {:.1}h0\"><title>{said}</title></path></a>",
            escaped(&trace.id),
            x(run),
            y(value)
        );
    }
    let _ = write!(
        drawn,
        "<path class=\"trend\" d=\"{line}\"/>{}{points}",
        steps(history, series, root, (&x, &y))
    );
    let labels: String =
        scale.labels().map(|value| format!("<span>{}</span>", scale.text(value, series.unit))).collect();
    let last = values().next_back().map_or_else(String::new, |(_, value)| in_unit(value, series.unit));
    let span = match least == most {
        true => "the same in all runs".to_owned(),
        false => format!("{} to {}", in_unit(least, series.unit), in_unit(most, series.unit)),
    };
    format!(
        "<figure class=\"chart\"><figcaption><h3>{}: {last}</h3><p class=\"quiet\">{span}</p></figcaption>\
         <div class=\"plot\"><div class=\"axis-y\" aria-hidden=\"true\">{labels}</div>\
         <svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" preserveAspectRatio=\"none\" aria-hidden=\"true\">{drawn}</svg>\
         <div class=\"axis-x\" aria-hidden=\"true\">{}</div></div></figure>",
        printable_html(&series_name(series)),
        moments(&history.runs)
    )
}

/// Draws the levels between change points, and a link from each change point to the comparison of its two
/// traces.
fn steps(
    history: &MachineHistory,
    series: &Series,
    root: &str,
    (x, y): (&impl Fn(usize) -> f64, &impl Fn(u64) -> f64),
) -> String {
    let mut drawn = String::new();
    let last = series.values.len().saturating_sub(1);
    let mut from = 0;
    for (number, step) in series.steps.iter().enumerate() {
        let run = step.run as usize;
        let _ = write!(
            drawn,
            "<path class=\"level\" d=\"M{:.1} {:.1}H{:.1}\"/>",
            x(from),
            y(step.before),
            x(run.saturating_sub(1))
        );
        if number + 1 == series.steps.len() {
            let _ = write!(
                drawn,
                "<path class=\"level\" d=\"M{:.1} {:.1}H{:.1}\"/>",
                x(run),
                y(step.after),
                x(last)
            );
        }
        from = run;
        let Some([before, now]) = at(history, series, *step) else { continue };
        // Between the last run of one level and the first of the next.
        let place = (x(run) + x(run.saturating_sub(1))) / 2.0;
        let _ = write!(
            drawn,
            "<a href=\"{root}compare/{}/{}\" tabindex=\"-1\"><path class=\"step\" d=\"M{place:.1} 0V{HEIGHT}\">\
             <title>{} → {} from {} on: compare</title></path></a>",
            escaped(&before.id),
            escaped(&now.id),
            in_unit(step.before, series.unit),
            in_unit(step.after, series.unit),
            run_title(now)
        );
    }
    drawn
}

/// Draws the labels below: the first run, one in the middle, and the last one, by commit and day.
fn moments(runs: &[HistoryRun]) -> String {
    let mut places = vec![0, runs.len() / 2, runs.len().saturating_sub(1)];
    places.dedup();
    if runs.len() < 5 {
        places.retain(|place| *place == 0 || place + 1 == runs.len());
    }
    let moment = |run: &HistoryRun| {
        let day = date(run.stored_unix_ns);
        match &run.commit {
            Some(commit) => format!("<span>{}<br>{day}</span>", printable_html(&commit_start(commit))),
            None => format!("<span>{day}</span>"),
        }
    };
    places.into_iter().filter_map(|place| runs.get(place)).map(moment).collect()
}

//! Charts of the traces' main metrics over time.

use std::fmt::Write as _;

use syclscope_language::api::{Figures, ListedTrace};

use crate::canvas::svg::escaped;
use crate::format;
use crate::state::route::trace_path;
use syclscope_language::sorting::Sorting as _;

/// Size of a chart, and its margins for the points.
const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 56.0;
const EDGE: f64 = 5.0;

/// Two traces have a difference; a trend needs more.
const MIN_TRACES: usize = 3;

/// A metric: its title and its value in ns.
type Figure = (&'static str, fn(&Figures) -> f64);

const FIGURES: [Figure; 3] = [
    ("Duration", |figures| figures.duration_ns as f64),
    ("Device busy", |figures| figures.busy_ns as f64),
    ("Busiest kernel", |figures| figures.busiest.as_ref().map_or(0.0, |kernel| kernel.total_ns as f64)),
];

/// Renders the charts of the newest trace's program as HTML, oldest trace to the left; empty if the program has too few
/// traces. Times on other devices say nothing of a trend, nor do recordings that end before the first command.
pub fn charts(traces: &[ListedTrace]) -> String {
    let mut traces: Vec<(&ListedTrace, &Figures)> =
        traces.iter().filter_map(|trace| Some((trace, trace.figures.as_ref()?))).collect();
    traces.arrange_by_key(|(trace, _)| trace.stored_unix_ns);
    let newest = traces.iter().rfind(|(_, figures)| figures.commands > 0).or(traces.last()).copied();
    let Some((_, Figures { program, devices, .. })) = newest else { return String::new() };
    traces.retain(|(_, figures)| figures.program == *program && figures.devices == *devices);
    if traces.len() < MIN_TRACES {
        return String::new();
    }
    let head = if program.is_empty() { String::new() } else { escaped(program) + ": " };
    FIGURES.iter().map(|figure| chart(*figure, &head, &traces)).collect()
}

fn chart((title, value): Figure, head: &str, traces: &[(&ListedTrace, &Figures)]) -> String {
    let max = traces.iter().map(|(_, figures)| value(figures)).fold(0.0, f64::max);
    let step = (WIDTH - 2.0 * EDGE) / (traces.len() - 1) as f64;
    let (mut line, mut points) = (String::new(), String::new());
    for (place, (trace, figures)) in traces.iter().enumerate() {
        let x = EDGE + place as f64 * step;
        let y = HEIGHT - EDGE - value(figures) / max.max(1.0) * (HEIGHT - 2.0 * EDGE);
        let said = format!("{}: {}", trace.name, format::duration(value(figures)));
        let (said, path) = (escaped(&said), trace_path(&trace.id));
        // Writing to a string can't fail. The points are not tab stops: the rows below link to the same traces.
        let _ = write!(line, "{x:.1},{y:.1} ");
        let _ = write!(
            points,
            "<a href=\"{path}\" tabindex=\"-1\"><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\"><title>{said}</title></circle></a>"
        );
    }
    let last = traces.last().map_or(0.0, |(_, figures)| value(figures));
    format!(
        "<figure><figcaption>{head}{title} <b>{}</b></figcaption><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         aria-hidden=\"true\"><polyline points=\"{line}\"/>{points}</svg></figure>",
        format::duration(last)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(name: &str, stored_unix_ns: u64, duration_ns: u64) -> ListedTrace {
        let figures = Some(Figures { duration_ns, ..Figures::default() });
        ListedTrace { id: name.into(), name: name.into(), stored_unix_ns, figures, ..ListedTrace::default() }
    }

    #[test]
    fn a_chart_goes_from_the_oldest_to_the_newest() {
        let unknown = ListedTrace { figures: None, ..trace("u", 9, 0) };
        assert_eq!(charts(&[trace("a", 1, 5), trace("b", 2, 5), unknown.clone()]), "");
        let html =
            charts(&[trace("new<b>", 3, 2_000), trace("old", 1, 1_000), unknown, trace("mid", 2, 1_500)]);
        assert_eq!(html.matches("<figure>").count(), 3);
        assert!(html.contains("points=\"5.0,28.0 150.0,16.5 295.0,5.0 \""), "{html}");
        assert!(html.find("t/old\"") < html.find("t/new"));
        assert!(html.contains("Duration <b>2 µs</b>") && html.contains("new&lt;b&gt;: 2 µs"), "{html}");
        assert!(html.contains("cy=\"51.0\""), "a figure of 0 lies at the bottom: {html}");
    }

    #[test]
    fn charts_are_of_one_program() {
        let of = |program: &str, at: u64| {
            let mut trace = trace(program, at, 5);
            trace.figures = trace.figures.map(|figures| Figures { program: program.into(), ..figures });
            trace
        };
        assert_eq!(charts(&[of("heat", 4), of("heat", 3), of("dpnp", 2), of("dpnp", 1)]), "");
        let html = charts(&[of("<heat>", 3), of("dpnp", 1), of("<heat>", 2), of("dpnp", 0), of("<heat>", 1)]);
        assert!(html.contains("<figcaption>&lt;heat&gt;: Duration <b>"), "{html}");
        assert!(!html.contains("dpnp"), "{html}");
    }

    #[test]
    fn charts_are_of_the_same_devices() {
        let on = |device: &str, at: u64| {
            let mut trace = trace(&format!("{device}-{at}"), at, 5);
            let devices = vec![device.to_owned()];
            trace.figures = trace.figures.map(|figures| Figures { commands: 1, devices, ..figures });
            trace
        };
        let cut = trace("cut", 9, 5);
        let html = charts(&[cut, on("cpu", 8), on("gpu", 7), on("cpu", 6), on("cpu", 5)]);
        assert_eq!(html.matches("<circle").count(), 9, "{html}");
        assert!(!html.contains("cut") && !html.contains("gpu"), "{html}");
    }
}

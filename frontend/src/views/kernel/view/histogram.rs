//! Histogram of durations. A drag or the arrow keys select a range.

use std::sync::Arc;

use leptos::html;
use syclscope_language::api::{DurationBins, KernelProfile};

use super::{Durations, OpenKernel};
use crate::browser::{hint, is_chord};
use crate::format;
use crate::reactive::*;
use crate::views::kernel::chart::{HEIGHT, bars, bins_of, is_logarithmic, range_of, step};

const TICKS: usize = 5;

#[component]
pub(super) fn Histogram(
    kernel: OpenKernel,
    profile: Arc<KernelProfile>,
    durations: Memo<Durations>,
) -> impl IntoView {
    let bins = StoredValue::new(profile.bins.clone());
    let count = profile.bins.counts.len();
    let plot = NodeRef::<html::Div>::new();
    // Start and end of a drag, or of a selection by keys, in bins.
    let ends = StoredValue::new(None::<(usize, usize)>);
    let is_dragging = StoredValue::new(false);
    let covered = Memo::new(move |_| {
        bins.with_value(|bins| durations.get().map(|range| bins_of(&bins.edges_ns, range)))
    });
    let put = move |from: usize, to: usize| {
        ends.set_value(Some((from, to)));
        kernel.choose(bins.with_value(|bins| range_of(&bins.edges_ns, from, to)));
    };
    // The timeline follows at the end of a drag, not at each bin.
    let put_and_mark = move |from: usize, to: usize| {
        put(from, to);
        kernel.mark();
    };
    let end_drag = move |_| {
        if is_dragging.get_value() {
            is_dragging.set_value(false);
            kernel.mark();
        }
    };
    let bin_at = move |client_x: i32| {
        let rect = plot.get_untracked().map(|plot| plot.get_bounding_client_rect())?;
        let share = (f64::from(client_x) - rect.x()) / rect.width().max(1.0);
        Some(((share * count as f64).max(0.0) as usize).min(count - 1))
    };
    let by_key = move |event: web_sys::KeyboardEvent| {
        if is_chord(&event) {
            return;
        }
        let selected = covered.get_untracked().map(|(first, last)| match ends.get_value() {
            Some((from, to)) if (from.min(to), from.max(to)) == (first, last) => (from, to),
            _ => (first, last),
        });
        let extends = event.shift_key() && selected.is_some();
        let (from, to) = selected.unwrap_or((0, 0));
        let next = |by| bins.with_value(|bins| step(&bins.counts, to, by, !extends));
        let to = match event.key().as_str() {
            // The first press selects the first bin.
            "ArrowRight" | "ArrowUp" if selected.is_none() => 0,
            "ArrowRight" | "ArrowUp" => next(1),
            "ArrowLeft" | "ArrowDown" => next(-1),
            "Home" => 0,
            "End" => count - 1,
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        put_and_mark(if extends { from } else { to }, to);
    };
    let max = profile.bins.counts.iter().copied().max().unwrap_or(1);
    let words = move || bins.with_value(|bins| describe(bins, durations.get()));
    let share = move |bin: usize| format!("{:.3}%", bin as f64 / count as f64 * 100.0);
    let press = move |event: web_sys::PointerEvent| {
        if let (0, Some(bin)) = (event.button(), bin_at(event.client_x())) {
            // Without capture the drag ends when the pointer leaves the chart.
            let _ = plot.get_untracked().map(|plot| plot.set_pointer_capture(event.pointer_id()));
            is_dragging.set_value(true);
            put(bin, bin);
        }
    };
    view! {
        <section class="card" data-testid="kernel-histogram" aria-label="Executions by duration">
            <h3>
                "Executions by duration"
                <span class="plot-key">
                    <span class="chip plot-first"></span>" first on a queue "
                    <span class="chip plot-later"></span>" later"
                </span>
            </h3>
            <p class="quiet">
                {hint(
                    "Drag, or use ← and → with Shift, to select a range; Esc selects all.",
                    "Drag to select a range.",
                )}
                {is_logarithmic(&profile.bins.edges_ns).then_some(" The axis is logarithmic.")}
            </p>
            <div
                class="plot"
                node_ref=plot
                tabindex="0"
                role="slider"
                aria-label="Durations"
                aria-valuemin="0"
                aria-valuemax=(count - 1).to_string()
                aria-valuenow=move || covered.get().map_or(0, |(_, last)| last).to_string()
                aria-valuetext=words
                on:pointerdown=press
                on:pointermove=move |event| {
                    if is_dragging.get_value()
                        && let (Some(bin), Some((from, _))) = (bin_at(event.client_x()), ends.get_value())
                    {
                        put(from, bin);
                    }
                }
                on:pointerup=end_drag
                on:pointercancel=end_drag
                on:keydown=by_key
            >
                <svg viewBox=format!("0 0 {count} {HEIGHT}") preserveAspectRatio="none" aria-hidden="true">
                    <path class="plot-later" d=bars(&profile.bins.counts, max)/>
                    <path class="plot-first" d=bars(&profile.bins.first, max)/>
                </svg>
                {move || covered.get().map(|(first, last)| view! {
                    <div class="plot-range" style:left=share(first) style:width=share(last + 1 - first)></div>
                })}
                <span class="plot-most quiet">{format::count(max)}</span>
            </div>
            {ticks(&profile.bins)}
            <p role="status" data-testid="kernel-selected">{words}</p>
            <details>
                <summary>"As a table"</summary>
                <table class="mini">
                    <thead class="visually-hidden">
                        <tr><th scope="col">"Duration"</th><th scope="col">"Executions"</th></tr>
                    </thead>
                    <tbody>{rows(&profile.bins, put_and_mark)}</tbody>
                </table>
            </details>
        </section>
    }
}

fn ticks(bins: &DurationBins) -> impl IntoView {
    let last = bins.edges_ns.len().saturating_sub(1);
    let places = (0..TICKS).filter(|number| last >= TICKS || [0, TICKS - 1].contains(number));
    let edges: Vec<usize> = places.map(|number| number * last / (TICKS - 1)).collect();
    let at = |edge: &usize| bins.edges_ns.get(*edge).copied().unwrap_or_default() as f64;
    let mut texts: Vec<(f64, String)> = edges.iter().map(at).map(|at| (at, format::duration(at))).collect();
    format::tell_apart(&mut texts);
    let ticks = edges.into_iter().zip(texts).map(|(edge, (_, text))| {
        let share = edge as f64 / last.max(1) as f64 * 100.0;
        view! { <span style:left=format!("{share:.2}%")>{text}</span> }
    });
    view! { <div class="plot-ticks quiet" aria-hidden="true">{ticks.collect_view()}</div> }
}

/// Returns a row for each non-empty bin.
fn rows(bins: &DurationBins, put: impl Fn(usize, usize) + Copy + Send + 'static) -> impl IntoView {
    let filled = bins.counts.iter().enumerate().filter(|(_, count)| **count > 0);
    let rows = filled.map(|(bin, executions)| {
        let text = range_of(&bins.edges_ns, bin, bin).map(range_words);
        view! {
            <tr>
                <th scope="row">
                    <button type="button" class="jump" on:click=move |_| put(bin, bin)>{text}</button>
                </th>
                <td class="number">{format::count(*executions)}</td>
            </tr>
        }
    });
    rows.collect_view()
}

fn range_words((from_ns, to_ns): (u64, u64)) -> String {
    let [from, to] = format::durations([from_ns, to_ns].map(|ns| ns as f64));
    format!("{from} to {to}")
}

fn describe(bins: &DurationBins, durations: Durations) -> String {
    let all: u64 = bins.counts.iter().sum();
    let Some(range) = durations else {
        return format!("All {}", format::counted(all, "execution", "executions"));
    };
    let (first, last) = bins_of(&bins.edges_ns, range);
    let inside: u64 = bins.counts.iter().skip(first).take(last + 1 - first).sum();
    format!("{} of {} executions took {}", format::count(inside), format::count(all), range_words(range))
}

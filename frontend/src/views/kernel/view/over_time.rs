//! Executions over time, with their durations.

use std::sync::Arc;

use leptos::html;
use syclscope_language::api::KernelProfile;

use super::Durations;
use crate::browser::hint;
use crate::format;
use crate::reactive::*;
use crate::state::selection::Selection;
use crate::state::session::use_session;
use crate::views::kernel::chart::{
    HEIGHT, WIDTH, bins_of, dots, is_logarithmic, levels, nearest, place, spot, time_share,
};

#[component]
pub(super) fn OverTime(profile: Arc<KernelProfile>, durations: Memo<Durations>) -> impl IntoView {
    let session = use_session();
    let points = &profile.points;
    let first = points.start_ns.first().copied().unwrap_or_default();
    let last = points.start_ns.last().copied().unwrap_or_default();
    // Keeps dots at the edges from being clipped.
    let margin = (last - first) / 50 + 1;
    let times = (first.saturating_sub(margin), last + margin);
    let path = dots(points, &profile.bins.edges_ns, times);
    let is_merged = points.count.iter().any(|count| *count > 1);
    let is_log = is_logarithmic(&profile.bins.edges_ns);
    let plot = NodeRef::<html::Div>::new();
    let percent = |share: f64| format!("{:.2}%", share * 100.0);
    let marks = levels(&profile.bins.edges_ns).into_iter().map(|level| {
        let bottom = percent(place(&profile.bins.edges_ns, level));
        view! { <div class="plot-level quiet" style:bottom=bottom><span>{format::exact_duration(level)}</span></div> }
    });
    let marks = marks.collect_view();
    let profile = StoredValue::new(profile);
    let spot_of = move |point: usize| {
        profile.with_value(|profile| {
            let points = &profile.points;
            let (start, duration) = (points.start_ns.get(point)?, points.duration_ns.get(point)?);
            Some(spot(&profile.bins.edges_ns, times, *start, *duration))
        })
    };
    let pressed = move |event: web_sys::MouseEvent| {
        let Some(rect) = plot.get_untracked().map(|plot| plot.get_bounding_client_rect()) else { return };
        let at = (f64::from(event.client_x()) - rect.x(), f64::from(event.client_y()) - rect.y());
        let slice = profile.with_value(|profile| {
            let spots = (0..profile.points.slice.len()).filter_map(spot_of);
            let point = nearest(spots, at, (rect.width(), rect.height()))?;
            profile.points.slice.get(point).copied()
        });
        if let Some(slice) = slice {
            session.mark(Some(Selection::Slice(slice)));
        }
    };
    // Times of the first and the last dot.
    let mut ticks = vec![first, last];
    ticks.dedup();
    let band = move || {
        let range = durations.get()?;
        let (from, to, count) = profile.with_value(|profile| {
            let (first, last) = bins_of(&profile.bins.edges_ns, range);
            (first as f64, last as f64 + 1.0, profile.bins.counts.len() as f64)
        });
        let (bottom, height) = (percent(from / count), percent((to - from) / count));
        Some(view! { <div class="plot-range is-across" style:bottom=bottom style:height=height></div> })
    };
    let marked = move || {
        let slice = session.selection.with(|selection| selection.as_ref().and_then(Selection::slice))?;
        let point =
            profile.with_value(|profile| profile.points.slice.iter().position(|one| *one == slice))?;
        let (x, y) = spot_of(point)?;
        Some(view! { <div class="plot-mark" style:left=percent(x) style:top=percent(y)></div> })
    };
    let ticks = ticks.into_iter().map(|at| {
        let left = percent(time_share(times, at));
        view! { <span style:left=left>{format::moment(at as f64)}</span> }
    });
    let ticks = ticks.collect_view();
    let text = if is_merged {
        "A dot is an execution, or the longest of several. "
    } else {
        "A dot is an execution. "
    };
    view! {
        <section class="card" data-testid="kernel-over-time" aria-label="Duration over time">
            <h3>"Duration over time"</h3>
            <p class="quiet">{text}{hint("Click", "Tap")}" one to select it."{is_log.then_some(" The axis of durations is logarithmic.")}</p>
            <div
                class="plot"
                node_ref=plot
                role="img"
                aria-label="Durations over time; the table of executions has them in words"
                on:click=pressed
            >
                {marks}
                <svg viewBox=format!("0 0 {WIDTH} {HEIGHT}") preserveAspectRatio="none" aria-hidden="true">
                    <path class="plot-dots" d=path vector-effect="non-scaling-stroke"/>
                </svg>
                {band}
                {marked}
            </div>
            <div class="plot-ticks quiet" aria-hidden="true">
                {ticks}
            </div>
        </section>
    }
}

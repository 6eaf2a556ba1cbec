//! Tables of statistics: first launches compared with the rest, by queue, by launch size.

use std::sync::Arc;

use syclscope_language::api::{ExecutionStats, KernelProfile};

use crate::components::facts::Jump;
use crate::format;
use crate::reactive::*;
use crate::state::selection::Selection;
use crate::state::session::use_session;
use crate::state::words::queue_title;

/// A row: heading, statistics, and more cells.
type Row = (AnyView, ExecutionStats, Vec<AnyView>);

fn card([title, testid]: [&'static str; 2], more: &[&'static str], rows: Vec<Row>, note: AnyView) -> AnyView {
    let heads = ["Executions", "Summed", "Median", "p95", "Longest"];
    let heads = heads.iter().chain(more).map(|head| view! { <th scope="col" class="number">{*head}</th> });
    let heads = heads.collect_view();
    let rows = rows.into_iter().map(|(name, stats, more)| {
        // The sum is not comparable with the other durations.
        let summed = format::duration(stats.total_ns as f64);
        let times = format::durations([stats.p50_ns, stats.p95_ns, stats.max_ns].map(|ns| ns as f64));
        let cells = [format::count(stats.count), summed].into_iter().chain(times);
        let cells = cells.map(|text| view! { <td class="number">{text}</td> }).collect_view();
        let more = more.into_iter().map(|cell| view! { <td class="number">{cell}</td> }).collect_view();
        view! { <tr><th scope="row">{name}</th>{cells}{more}</tr> }
    });
    view! {
        <section class="card is-wide" data-testid=testid aria-label=title>
            <h3>{title}</h3>
            <table class="mini has-heads">
                <thead><tr><td></td>{heads}</tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
            {note}
        </section>
    }
    .into_any()
}

fn duration_or_dash(duration_ns: Option<u64>) -> AnyView {
    duration_ns.map_or("–".to_owned(), |ns| format::duration(ns as f64)).into_any()
}

fn left_out(count: u64) -> AnyView {
    let text = format!("and {} more", format::count(count));
    (count > 0).then(|| view! { <p class="quiet">{text}</p> }).into_any()
}

#[component]
pub(super) fn FirstLaunches(profile: Arc<KernelProfile>) -> impl IntoView {
    let rows = [("First on each queue", profile.first), ("All others", profile.later), ("All", profile.all)];
    let rows = rows.into_iter().filter(|(_, stats)| stats.count > 0);
    let rows =
        rows.map(|(name, stats)| (name.into_any(), stats, vec![duration_or_dash(stats.submission_p50_ns)]));
    let longest = profile.builds.iter().max_by_key(|build| build.duration_ns).copied();
    let note = match longest {
        Some(at) => view! {
            <p data-testid="kernel-builds">
                "Run-time compilation of its program took "
                <Jump at text=format::duration(profile.build_ns as f64)/>
                " before the first launch; the executions do not contain it."
            </p>
        }
        .into_any(),
        None => {
            view! { <p class="quiet">"No run-time compilation of this kernel was recorded."</p> }.into_any()
        }
    };
    card(["First launches", "kernel-first"], &["Median submission"], rows.collect(), note)
}

#[component]
pub(super) fn Queues(profile: Arc<KernelProfile>) -> impl IntoView {
    let session = use_session();
    let info = session.info();
    let rows = profile.queues.iter().map(|on| {
        let queue = info.queues.iter().find(|queue| queue.track == on.first.track);
        let name = match queue {
            Some(queue) => {
                let number = queue.id;
                let text = format!("{} · {}", queue_title(&info, number), queue.device);
                view! {
                    <button
                        type="button"
                        class="jump"
                        data-thing=Selection::Queue(number).to_string()
                        on:click=move |_| session.select(Some(Selection::Queue(number)))
                    >{text}</button>
                }
                .into_any()
            }
            None => {
                let track = info.tracks.get(on.first.track as usize);
                track.map_or_else(String::new, |track| track.name.clone()).into_any()
            }
        };
        let text = format::duration(on.first.duration_ns as f64);
        let first = view! { <Jump at=on.first text/> };
        let submission = duration_or_dash(on.submission_ns);
        let on_device = if on.is_first_on_device { "yes" } else { "" };
        (name, on.stats, vec![first.into_any(), submission, on_device.into_any()])
    });
    let heads = ["First execution", "Its submission", "First on device"];
    card(["By queue", "kernel-queues"], &heads, rows.collect(), left_out(profile.more_queues))
}

#[component]
pub(super) fn Sizes(profile: Arc<KernelProfile>) -> impl IntoView {
    let rows = profile.sizes.iter().map(|of| {
        let name = match (of.bytes, of.global.is_empty(), of.local.is_empty()) {
            (Some(bytes), true, _) => format::bytes(bytes as f64),
            (None, true, _) => "Size not recorded".to_owned(),
            (_, false, true) => format::prose(&of.global),
            (_, false, false) => format::prose(&format!("{} in groups of {}", of.global, of.local)),
        };
        let longest = view! { <Jump at=of.longest text="Go to the longest"/> };
        (name.into_any(), of.stats, vec![longest.into_any()])
    });
    card(["By size of launch", "kernel-sizes"], &["Execution"], rows.collect(), left_out(profile.more_sizes))
}

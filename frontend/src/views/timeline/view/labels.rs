//! The names of the tracks, as a tree for eyes, keyboard and screen reader.

use leptos::prelude::*;
use syclscope_trace::event::TrackKind;

use crate::format;
use crate::views::timeline::layout::{Layout, Row, RowKind};
use crate::views::timeline::model::TreeTrack;
use crate::views::timeline::view::Timeline;

/// One label per visible row.
#[component]
pub(super) fn Labels(timeline: Timeline) -> impl IntoView {
    let rows = move || timeline.signals.layout.with(|layout: &Layout| layout.rows.clone());
    // A row's key holds what its label shows, so that it is made anew when that changes.
    let key = |row: &Row| (row.track, row.kind == RowKind::Condensed, row.height_css_px as i64);
    view! {
        <div role="tree" aria-label="Tracks" data-testid="tracks">
            <For each=rows key=key children=move |row| label(timeline, &row)/>
        </div>
    }
}

fn label(timeline: Timeline, row: &Row) -> impl IntoView + use<> {
    let track = timeline.with(|controller| controller.track(row.place)).flatten();
    let (id, is_collapsed) = (row.track, row.kind == RowKind::Condensed);
    let height = format!("{}px", row.height_css_px);
    track.map(move |track| {
        let is_collapsible = track.is_collapsible();
        let toggle = move || {
            if is_collapsible {
                timeline.with(|controller| controller.toggle(id));
            }
        };
        view! {
            <div
                class=format!("track-label track-{} depth-{}", track.kind.as_str(), track.depth.min(4))
                class:is-group=track.is_group()
                class:is-collapsible=is_collapsible
                role="treeitem"
                attr:aria-level=(track.depth + 1).to_string()
                aria-expanded=is_collapsible.then(|| (!is_collapsed).to_string())
                tabindex=if is_collapsible { "0" } else { "-1" }
                style:height=height
                title=hint(&track)
                data-testid="track"
                data-track=id.to_string()
                on:click=move |_| toggle()
                on:keydown=move |event| {
                    let wants = match event.key().as_str() {
                        "Enter" | " " => true,
                        "ArrowRight" => is_collapsed,
                        "ArrowLeft" => !is_collapsed,
                        _ => false,
                    };
                    if wants && is_collapsible {
                        event.prevent_default();
                        event.stop_propagation();
                        toggle();
                    }
                }
            >
                <span class="chevron" class:is-open=!is_collapsed aria-hidden="true">
                    {is_collapsible.then(|| view! {
                        <svg viewBox="0 0 10 10" width="10" height="10"><path d="M3 1.5 7 5 3 8.5"/></svg>
                    })}
                </span>
                <span class="track-name">
                    {track.name.clone()}
                    {counter_range(&track).map(|range| view! { <span class="track-range">{range}</span> })}
                </span>
                <span class="track-note">{note(&track)}</span>
            </div>
        }
    })
}

/// What a track holds, in a few letters.
fn note(track: &TreeTrack) -> String {
    match track.kind {
        _ if track.slices > 0 => format::count(track.slices),
        TrackKind::Device => "device".to_owned(),
        TrackKind::Process => "process".to_owned(),
        TrackKind::Stream => "stream".to_owned(),
        _ => String::new(),
    }
}

/// The values that a counter's height stands for.
fn counter_range(track: &TreeTrack) -> Option<String> {
    let (min, max, unit) = track.counter.as_ref()?;
    Some(match min.min(0.0) {
        lowest if lowest < 0.0 => {
            format!("{} to {}", format::quantity(lowest, unit), format::quantity(*max, unit))
        }
        _ => format!("up to {}", format::quantity(*max, unit)),
    })
}

fn hint(track: &TreeTrack) -> String {
    let mut hint = track.name.clone();
    if track.slices > 0 {
        hint += &format!("\n{}", format::counted(track.slices, "slice", "slices"));
    }
    if track.lanes > 1 {
        let why = if track.kind == TrackKind::Queue { "overlapping executions" } else { "nested slices" };
        hint += &format!(", {} for {why}", format::counted(track.lanes.into(), "lane", "lanes"));
    }
    if let Some((min, max, unit)) = &track.counter {
        hint += &format!("\n{} to {}", format::quantity(*min, unit), format::quantity(*max, unit));
    }
    hint
}

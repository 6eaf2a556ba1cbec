//! Names of the tracks, as an accessible tree.

use syclscope_language::event::TrackKind;
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlElement, KeyboardEvent};

use crate::components::keyed::keyed;
use crate::format;
use crate::reactive::*;
use crate::state::tracks::OBJECT_IDS;
use crate::views::timeline::layout::{Layout, Row};
use crate::views::timeline::model::{Source, TreeTrack};
use crate::views::timeline::view::Timeline;

/// One label per visible row, either the pinned or the scrolling ones.
#[component]
pub(super) fn Labels(timeline: Timeline, is_pinned: bool) -> impl IntoView {
    let (layout, scale) = (timeline.signals.layout, timeline.signals.scale);
    let rows = move || {
        layout.with(|layout: &Layout| {
            let (pinned, below) = layout.rows.split_at(layout.pinned_rows());
            let mut rows = if is_pinned { pinned.to_vec() } else { below.to_vec() };
            rows.iter_mut().for_each(|row| row.height_css_px *= scale.get());
            rows
        })
    };
    let above = move || format!("{}px", layout.with(|layout: &Layout| layout.pinned_css_px) * scale.get());
    // The key contains all that the label shows, so that a change rebuilds the row.
    let key = |row: &Row| {
        let Row { track, place, is_collapsed, descendants, height_css_px, .. } = row;
        format!("{track} {place} {is_collapsed} {descendants} {}", *height_css_px as i64)
    };
    let (name, testid) = if is_pinned { ("Pinned tracks", "pinned-tracks") } else { ("Tracks", "tracks") };
    let is_empty = move || is_pinned && layout.with(|layout: &Layout| layout.pinned_rows() == 0);
    view! {
        {(!is_pinned).then(|| view! { <div style:height=above></div> })}
        <div role=move || if is_empty() { "none" } else { "tree" } aria-label=move || (!is_empty()).then_some(name) data-testid=testid on:keydown=walk>
            {keyed(rows, key, move |row| label(timeline, &row, is_pinned))}
        </div>
    }
}

fn walk(event: KeyboardEvent) {
    let by = match event.key().as_str() {
        "ArrowDown" if !event.alt_key() => 1,
        "ArrowUp" if !event.alt_key() => -1,
        _ => return,
    };
    let label = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
    let Some(label) = label.and_then(|label| label.closest("[role=treeitem]").ok().flatten()) else { return };
    let next = if by > 0 { label.next_element_sibling() } else { label.previous_element_sibling() };
    event.prevent_default();
    if let Some(next) = next.and_then(|next| next.dyn_into::<HtmlElement>().ok()) {
        // Labels can always take the focus.
        let _ = next.focus();
    }
}

fn label(timeline: Timeline, row: &Row, is_pinned: bool) -> impl IntoView + use<> {
    let track = timeline.with(|controller| controller.track(row.place)).flatten();
    let (id, is_collapsed) = (row.track, row.is_collapsed);
    let height = format!("{}px", row.height_css_px);
    track.map(move |track| {
        let is_collapsible = track.is_collapsible();
        let is_object = id >= OBJECT_IDS - 1;
        let toggle = move || {
            if is_collapsible {
                timeline.with(|controller| controller.toggle(id));
            }
        };
        view! {
            <div
                class=format!("track-label track-{} depth-{}", track.kind.as_str(), track.depth.min(4))
                class:is-group=track.is_group()
                class:is-line=matches!(track.source, Source::Folded(_))
                class:is-collapsible=is_collapsible
                role="treeitem"
                {..aria_level(track.depth)}
                aria-expanded=is_collapsible.then(|| (!is_collapsed).to_string())
                tabindex="0"
                style:height=height
                title=hint(&track)
                data-testid="track"
                data-track=id.to_string()
                on:click=move |_| toggle()
                on:focus=move |_| {
                    if !is_pinned {
                        timeline.with(|controller| controller.show_label(id));
                    }
                }
                on:keydown=move |event| {
                    if manage(timeline, id, &event) {
                        event.prevent_default();
                        return;
                    }
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
                <span class="track-tools">
                    {track_tool("⤒", if is_pinned { "Unpin (P)" } else { "Pin to the top (P)" }, "pin", move || {
                        timeline.with(|controller| controller.change_tracks(|choice| choice.toggle_pin(id)));
                    })}
                    {track_tool("↑", "Move up (Alt+↑)", "up", move || {
                        timeline.with(|controller| controller.shift_track(id, -1));
                    })}
                    {track_tool("↓", "Move down (Alt+↓)", "down", move || {
                        timeline.with(|controller| controller.shift_track(id, 1));
                    })}
                    {track_tool("×", if is_object { "Remove (H)" } else { "Hide (H)" }, "hide", move || {
                        timeline.with(|controller| controller.change_tracks(|choice| choice.hide(id)));
                    })}
                </span>
            </div>
        }
    })
}

fn track_tool(
    sign: &'static str,
    title: &'static str,
    name: &'static str,
    act: impl Fn() + 'static,
) -> impl IntoView {
    view! {
        <button
            type="button"
            tabindex="-1"
            title=title
            aria-label=title
            data-testid=format!("track-{name}")
            on:click=move |event| {
                event.stop_propagation();
                act();
            }
        >{sign}</button>
    }
}

/// Handles keys that pin, hide and move a track. True if the key was one of these.
fn manage(timeline: Timeline, track: u32, event: &KeyboardEvent) -> bool {
    // With Shift these letters are keys of the timeline.
    if event.ctrl_key() || event.meta_key() || event.shift_key() {
        return false;
    }
    let key = event.key();
    let acted = timeline.with(|controller| {
        match (key.as_str(), event.alt_key()) {
            ("p" | "P", false) => controller.change_tracks(|choice| choice.toggle_pin(track)),
            ("h" | "H", false) => controller.change_tracks(|choice| choice.hide(track)),
            ("ArrowUp", true) => controller.shift_track(track, -1),
            ("ArrowDown", true) => controller.shift_track(track, 1),
            _ => return false,
        }
        true
    });
    acted.unwrap_or(false)
}

/// Describes the content of a track.
fn note(track: &TreeTrack) -> String {
    match track.kind {
        _ if track.slices > 0 => format::count(track.slices),
        _ if matches!(track.source, Source::Folded(_)) => String::new(),
        TrackKind::Device => "device".to_owned(),
        TrackKind::Process => "process".to_owned(),
        TrackKind::Stream => "stream".to_owned(),
        _ => String::new(),
    }
}

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
        let why = match track.source {
            Source::Object(_) => "its memory and its uses",
            _ if track.kind == TrackKind::Queue => "overlapping executions",
            _ => "nested slices",
        };
        hint += &format!(", {} for {why}", format::counted(track.lanes.into(), "lane", "lanes"));
    }
    if let Some((min, max, unit)) = &track.counter {
        hint += &format!("\n{} to {}", format::quantity(*min, unit), format::quantity(*max, unit));
    }
    hint
}

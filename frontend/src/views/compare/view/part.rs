//! Choice of the part of every run that is compared.

use syclscope_language::question::PartOfRun;

use super::beside::Beside;
use crate::reactive::*;
use crate::views::compare::words::{parse_part, part_text};

/// Iterations or a region by text, or the time of the area that is selected in the page's own trace.
#[component]
pub(super) fn PartChoice(beside: Beside) -> impl IntoView {
    let part = Memo::new(move |_| beside.part());
    let is_time = move || part.with(|part| part.from_ns.is_some() || part.to_ns.is_some());
    let area = move || {
        let time = beside.session.time;
        time.with_untracked(|time| time.area.as_ref().map(|area| (area.from_ns, area.to_ns)))
    };
    let has_no_area = move || beside.session.time.with(|time| time.area.is_none()) && !is_time();
    let toggle = move |_| {
        let (from_ns, to_ns) = area().filter(|_| !untrack(is_time)).unzip();
        beside.choose_part(&PartOfRun { from_ns, to_ns, ..PartOfRun::WHOLE });
    };
    view! {
        <input
            type="text"
            class="field"
            placeholder="Iterations (5-120) or region"
            title="Compare these iterations of each run, or its regions of this name (NAME#3 is the third one)"
            aria-label="Iterations or region to compare"
            data-testid="compare-part"
            prop:value=move || part.with(part_text)
            on:change=move |event| beside.choose_part(&parse_part(&event_target_value(&event)))
        />
        <button
            type="button"
            class="tool"
            title="Compare the time of the selected area only, counted from the start of each run"
            aria-pressed=move || is_time().to_string()
            disabled=has_no_area
            data-testid="compare-area"
            on:click=toggle
        >"Selected area"</button>
    }
}

//! Choice of the part of every run that is compared.

use syclscope_language::question::{PartOfRun, iteration_numbers, iteration_words};

use super::beside::Beside;
use crate::reactive::*;

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
            prop:value=move || part.with(words)
            on:change=move |event| beside.choose_part(&read(&event_target_value(&event)))
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

/// Parses the user's text: iterations, or the name of a region.
fn read(text: &str) -> PartOfRun {
    let text = text.trim();
    let iterations = iteration_numbers(text);
    let region = Some(text.to_owned()).filter(|text| iterations.is_none() && !text.is_empty());
    PartOfRun { iterations, region, ..PartOfRun::WHOLE }
}

/// Inverse of [`read`].
fn words(part: &PartOfRun) -> String {
    match (part.region.clone(), part.iterations.map(iteration_words)) {
        (Some(region), Some(numbers)) => format!("{region}#{numbers}"),
        (region, numbers) => region.or(numbers).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_iterations_or_regions() {
        for text in ["", "7", "5-120", "solve", "solve#3-7", "step 7-5"] {
            assert_eq!(words(&read(text)), text);
        }
        assert_eq!(read(" 5-120 ").iterations, Some((5, 120)));
        assert_eq!(read("solve#3").region.as_deref(), Some("solve#3"));
        let both: PartOfRun = "iterations=3-7&region=solve".parse().unwrap();
        assert_eq!(words(&both), "solve#3-7");
    }
}

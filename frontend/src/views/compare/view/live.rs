//! Memory at the matched moments of both sides, and allocations that are live on one side only.

use syclscope_language::api::LiveMemory;
use syclscope_language::question::{CompareQuestion, CompareSide};

use super::beside::Beside;
use super::cards::{Card, live_places};
use crate::components::states::show_answer;
use crate::format;
use crate::hooks::answer::Answer;
use crate::reactive::*;
use crate::state::history::Change;
use crate::views::compare::live::{lines, max_bytes, moment_ns, nearest, sentence};

const MAX_PLACES: u32 = 40;
/// Size of the drawing in its own units.
const SIZE: [f64; 2] = [1_000.0, 80.0];

#[component]
pub(super) fn Live(beside: Beside) -> impl IntoView {
    let query = beside.ask::<LiveMemory>(|| Some(CompareQuestion::Live { at: None, limit: MAX_PLACES }));
    move || {
        // Without allocations it needs no placeholder.
        let Answer::Ready(found) = query.answer.get() else { return ().into_any() };
        if found.moments.iter().all(|moment| moment.a_bytes == 0 && moment.b_bytes == 0) {
            return ().into_any();
        }
        chart(beside, found)
    }
}

fn chart(beside: Beside, found: LiveMemory) -> AnyView {
    let LiveMemory { moments, at, .. } = found;
    let own = untrack(|| usize::from(beside.is_swapped()));
    let [a, b] = lines(&moments, SIZE);
    let max = format::bytes(max_bytes(&moments) as f64);
    let [width, height] = SIZE;
    let last = moments.len().saturating_sub(1);
    let at_ns =
        Memo::new(move |_| beside.state().with(|state| state.at_ns).unwrap_or_else(|| moment_ns(&at, own)));
    let moments = StoredValue::new(moments);
    let place = Memo::new(move |_| moments.with_value(|moments| nearest(moments, own, at_ns.get())));
    let mark = move || format!("M{:.1} 0V{height}", place.get() as f64 / last.max(1) as f64 * width);
    let choose = move |event| {
        let place: usize = event_target_value(&event).parse().unwrap_or_default();
        let chosen = moments.with_value(|moments| moments.get(place).map(|moment| moment_ns(moment, own)));
        beside.state().update(|state| state.at_ns = chosen);
        beside.session.record_change(Change::Detail);
    };
    let side = if own == 0 { CompareSide::A } else { CompareSide::B };
    let query = beside.ask::<LiveMemory>(move || {
        let at = beside.state().with(|state| state.at_ns).map(|at_ns| (side, at_ns));
        Some(CompareQuestion::Live { at, limit: MAX_PLACES })
    });
    let text = move || match query.answer.get() {
        Answer::Ready(LiveMemory { at, .. }) => sentence(&at),
        _ => String::new(),
    };
    let places =
        show_answer(query, "memory", |found: LiveMemory| live_places(found.places, found.more_places));
    view! {
        <Card title="Live memory at the same moments" testid="compare-live" wide=true>
            <p class="quiet">
                "A is dashed, B is solid; up to "{max}". Each step to the right is the next moment that is the same on both sides."
            </p>
            <svg class="warp live-lines" viewBox=format!("0 0 {width} {height}") preserveAspectRatio="none" aria-hidden="true">
                <path class="live-line is-a" d=a></path>
                <path class="live-line is-b" d=b></path>
                <path class="live-mark" d=mark></path>
            </svg>
            <input
                class="live-moment"
                type="range"
                min="0"
                max=last
                aria-label="Displayed moment"
                data-testid="compare-moment"
                prop:value=move || place.get().to_string()
                on:input=choose
            />
            <p role="status" data-testid="compare-moment-text">{text}</p>
            {places}
        </Card>
    }
    .into_any()
}

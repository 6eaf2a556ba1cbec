//! The inspected times: memory in use, its positions, and the difference between two of them.

mod blocks;
mod lists;

use syclscope_language::api::{MemoryAt, MemoryUse};
use syclscope_language::decimal::float;
use syclscope_language::question::{MemoryAtQuestion, MemoryFilter, MemoryUseQuestion, Question};

use self::blocks::Spaces;
use self::lists::Lists;
use super::PressedKey;
use super::related::use_selected_memory;
use crate::components::splitter::{Axis, Splitter, use_size};
use crate::components::states::show_answer;
use crate::format;
use crate::hooks::answer::{Answer, use_answer};
use crate::reactive::*;
use crate::state::history::Change;
use crate::state::session::{Session, use_session, with_key};
use crate::views::memory::keys::Key;
use crate::views::memory::state::{MemoryState, Moments};

/// Maximum number of blocks that are drawn individually; more are merged.
const MAX_BLOCKS: u32 = 2_000;
const MAX_PLACES: u32 = 300;
const STEPS: f64 = 10_000.0;

/// Sets the inspected moment, or the one to compare with.
pub(super) fn put(session: Session, is_second: bool, at_ns: f64) {
    let at_ns = (at_ns.max(0.0) as u64).min(session.info().duration_ns);
    let old = session.slot::<MemoryState>().with_untracked(|memory| memory.moments);
    let new = match (old, is_second) {
        (Some(moments), true) => Moments { to_ns: Some(at_ns), ..moments },
        (Some(moments), false) => Moments { at_ns, ..moments },
        (None, _) => Moments { at_ns, to_ns: None },
    };
    if old != Some(new) {
        session.slot::<MemoryState>().update(|memory| memory.moments = Some(new));
        session.record_change(Change::Detail);
    }
}

/// Like [`put`], by a press. Until a moment is chosen the peak is shown, so a second one is compared with the peak.
pub(super) fn press(session: Session, is_second: bool, at_ns: f64, peak_ns: Memo<Option<u64>>) {
    let has_none = session.slot::<MemoryState>().with_untracked(|memory| memory.moments.is_none());
    if let Some(peak_ns) = peak_ns.get_untracked().filter(|_| is_second && has_none) {
        put(session, false, peak_ns as f64);
    }
    put(session, is_second, at_ns);
}

/// Returns the moment of the run's peak, once it is loaded.
pub(super) fn use_peak() -> Memo<Option<u64>> {
    let peak = use_answer::<MemoryUse>(move || {
        Some(Question::MemoryUse(MemoryUseQuestion {
            of: MemoryFilter::default(),
            from_ns: None,
            to_ns: None,
            points: 1,
            places: 0,
        }))
    });
    Memo::new(move |_| match peak.answer.get() {
        Answer::Ready(usage) => Some(usage.peak.at_ns),
        _ => None,
    })
}

pub(super) fn follow(wish: PressedKey, act: impl Fn(Key) + 'static) {
    Effect::new(move |before: Option<u32>| {
        let wished = wish.get();
        let number = wished.map_or(0, |(number, _)| number);
        if let (Some((_, key)), Some(before)) = (wished, before)
            && number != before
        {
            untrack(|| act(key));
        }
        number
    });
}

/// Live memory at the selected time, else at the peak of the run.
#[component]
pub(super) fn Moment(peak_ns: Memo<Option<u64>>) -> impl IntoView {
    let session = use_session();
    let moments = Memo::new(move |_| {
        let moments = session.slot::<MemoryState>().with(|memory| memory.moments);
        moments.or_else(|| Some(Moments { at_ns: peak_ns.get()?, to_ns: None }))
    });
    // The moments with very many blocks, and the size in bytes up to which blocks are merged there.
    let merged = RwSignal::new(None::<(Moments, u64)>);
    let query = use_answer::<MemoryAt>(move || {
        let now = moments.get()?;
        let Moments { at_ns, to_ns } = now;
        let (merge_bytes, limit, places) = (bytes_at(now, merged.get()), MAX_BLOCKS, MAX_PLACES);
        let question =
            MemoryAtQuestion { at_ns, to_ns, merge_bytes, limit, places, ..MemoryAtQuestion::at(at_ns) };
        Some(Question::MemoryAt(question))
    });
    // The old answer stays until the next one arrives.
    let current = RwSignal::new(None::<MemoryAt>);
    Effect::new(move |_| {
        let memory = match query.answer.get() {
            Answer::Ready(memory) => memory,
            // Numbers of an earlier moment must not be shown for this one.
            Answer::Failed(_) => return current.set(None),
            _ => return,
        };
        let now = moments.get_untracked().filter(|_| memory.total > u64::from(MAX_BLOCKS));
        if let Some(now) = now {
            let span: u64 = memory.spaces.iter().map(|space| space.live.bytes).fold(0, u64::saturating_add);
            let before = bytes_at(now, merged.get_untracked());
            let wider = (span / 1_000).max(before * 4).max(1).next_power_of_two();
            merged.set(Some((now, wider)));
        }
        current.set(Some(memory));
    });
    let is_peak = Memo::new(move |_| {
        peak_ns.get().is_some_and(|peak| moments.get().is_some_and(|now| now.at_ns == peak))
    });
    let look_at_peak = move || {
        if let Some(peak) = peak_ns.get_untracked() {
            put(session, false, peak as f64);
        }
    };
    let compare = move || {
        let now = moments.get_untracked();
        let Some(Moments { at_ns, to_ns }) = now else { return };
        let last = session.info().duration_ns;
        let to_ns = if to_ns.is_some() { None } else { Some(last) };
        session.slot::<MemoryState>().update(|memory| memory.moments = Some(Moments { at_ns, to_ns }));
        session.record_change(Change::Detail);
    };
    let related = use_selected_memory().related;
    let marked = move || {
        let at_ns = moments.get()?.at_ns;
        let count = related.with(|related| related.live_at(at_ns));
        (count > 0).then(|| {
            view! { <span class="quiet" data-testid="moment-marked">{format!("{} of them related to the selection", format::count(count))}</span> }
        })
    };
    let height = use_size("syclscope.moment-height", 210.0, (60.0, 800.0));
    let wishes = expect_context::<PressedKey>();
    follow(wishes, move |key| match key {
        Key::Peak => look_at_peak(),
        Key::Compare => compare(),
        // The part above handles these keys.
        Key::MoveAddresses(_)
        | Key::ZoomAddresses(_)
        | Key::Fit
        | Key::FitAll
        | Key::Walk(_)
        | Key::SaveSvg
        | Key::SavePng => {}
        // The view handles these keys.
        Key::Show(_) | Key::MoveTime(_) | Key::ZoomTime(_) | Key::Colour | Key::FitUsed | Key::Filter => {}
    });
    view! {
        <Splitter axis=Axis::Vertical size=height label="Height of live memory"/>
        <section class="moment" style:height=move || format!("{}px", height.get()) aria-label="Live memory" data-testid="moment" tabindex="0">
            <div class="moment-head">
                <h3 data-testid="moment-title">{move || title(moments.get(), is_peak.get(), current.get().as_ref())}</h3>
                <button type="button" class="button" data-testid="moment-peak" title=with_key("memory.peak", "Go to the peak (P)") on:click=move |_| look_at_peak()>"Peak"</button>
                {marked}
                <button
                    type="button"
                    class="button"
                    data-testid="moment-compare"
                    title=with_key("memory.compare", "Compare with another time, set by Shift-click in the chart (C)")
                    aria-pressed=move || moments.get().is_some_and(|moments| moments.to_ns.is_some()).to_string()
                    on:click=move |_| compare()
                >"Compare"</button>
                <Slider label="Time" testid="moment-slider" at=Signal::derive(move || moments.get().map(|moments| moments.at_ns)) is_second=false/>
                {move || moments.get().is_some_and(|moments| moments.to_ns.is_some()).then(|| view! {
                    <Slider label="Second time" testid="moment-second" at=Signal::derive(move || moments.get()?.to_ns) is_second=true/>
                })}
            </div>
            {move || match current.get() {
                Some(memory) => view! { <Spaces memory=memory.clone()/><Lists memory/> }.into_any(),
                None => view! { {show_answer(query, "live memory", |_: MemoryAt| ())} }.into_any(),
            }}
        </section>
    }
}

fn title(moments: Option<Moments>, is_peak: bool, memory: Option<&MemoryAt>) -> String {
    let Some(Moments { at_ns, to_ns }) = moments else { return "Live memory".to_owned() };
    let peak = if is_peak { " (the peak)" } else { "" };
    let at = format::exact_duration(at_ns);
    // The last answer may be about another moment.
    match (to_ns, memory.filter(|memory| memory.at_ns == at_ns)) {
        (Some(to), _) => format!("From {at}{peak} to {}", format::exact_duration(to)),
        (None, Some(memory)) => {
            let live = format::counted(memory.live.count, "allocation", "allocations");
            format!("At {at}{peak}: {} in {live}", format::bytes(memory.live.bytes as f64))
        }
        (None, None) => format!("At {at}{peak}"),
    }
}

#[component]
fn Slider(
    label: &'static str,
    testid: &'static str,
    at: Signal<Option<u64>>,
    is_second: bool,
) -> impl IntoView {
    let session = use_session();
    let last_ns = session.info().duration_ns.max(1) as f64;
    view! {
        <input
            type="range"
            class="moment-slider"
            min="0"
            max=STEPS.to_string()
            aria-label=label
            aria-valuetext=move || at.get().map(|at| format::duration(at as f64)).unwrap_or_default()
            data-testid=testid
            prop:value=move || at.get().map_or(0.0, |at| at as f64 / last_ns * STEPS).round().to_string()
            on:input=move |event| {
                if let Some(step) = float(&event_target_value(&event)) {
                    put(session, is_second, step / STEPS * last_ns);
                }
            }
        />
    }
}

/// Returns the size up to which blocks are merged at moments, if these are the merged ones.
fn bytes_at(now: Moments, merged: Option<(Moments, u64)>) -> u64 {
    merged.filter(|(moments, _)| *moments == now).map_or(0, |(_, bytes)| bytes)
}

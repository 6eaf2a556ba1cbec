//! Both timelines, one above the other. Moving one moves the other to the same part of the run, and selections apply to
//! both.

use std::sync::Arc;

use syclscope_language::api::{Anchor, MatchedCommands, TraceInfo};
use syclscope_language::question::{CompareQuestion, CompareSide, PartOfSide, Question};

use super::beside::Beside;
use super::cards::Card;
use super::linked::Linked;
use crate::browser::hint;
use crate::components::states::Waiting;
use crate::format;
use crate::hooks::answer::{Answer, PendingQuery};
use crate::hooks::rested::use_rested;
use crate::reactive::*;
use crate::state::session::Guest;
use crate::views::compare::warp::{Part, Warp, anchor_range, band, share};

/// Maximum number of anchors in one query. For longer runs, anchors of the visible range are queried as well.
const MAX_ANCHORS: u32 = 5_000;
const MAX_LINES: usize = 120;
/// Size of the area between the timelines, in its own units.
const WIDTH: f64 = 1_000.0;
const HEIGHT: f64 = 40.0;

#[component]
pub(super) fn Timelines(beside: Beside, pairs: PendingQuery<MatchedCommands>) -> impl IntoView {
    let anchors =
        beside.ask::<Vec<Anchor>>(|| Some(CompareQuestion::Anchors { within: None, limit: MAX_ANCHORS }));
    let info = beside.ask_other::<TraceInfo>(|| Some(Question::Info));
    let content = move || match (anchors.answer.get(), info.answer.get()) {
        (Answer::Ready(anchors), Answer::Ready(info)) => linked(beside, &anchors, info, pairs).into_any(),
        (Answer::Failed(error), _) | (_, Answer::Failed(error)) => {
            view! { <p class="is-error" role="alert">{error.message}</p> }.into_any()
        }
        _ => view! { <Waiting text="Loading both timelines…".to_owned()/> }.into_any(),
    };
    view! {
        <Card title="Both timelines: lines join the same moments" testid="compare-timelines" wide=true>
            {content}
        </Card>
    }
}

fn linked(
    beside: Beside,
    anchors: &[Anchor],
    info: TraceInfo,
    pairs: PendingQuery<MatchedCommands>,
) -> Option<AnyView> {
    let warp = StoredValue::new(Warp::new(anchors));
    let longest_ns = beside.session.info().duration_ns.max(info.duration_ns);
    let linked = Linked::new(beside, warp, Arc::new(info))?;
    let [a, b] = linked.sides();
    if anchors.len() > MAX_ANCHORS as usize {
        refine_what_is_seen(beside, linked, longest_ns);
    }
    let spans = Memo::new(move |_| [a, b].map(span));
    let pointed = Memo::new(move |_| linked.pointer_times());
    let lines = move || joining(&linked.lines(spans.get(), MAX_LINES));
    let bands = move || {
        let Answer::Ready(found) = pairs.answer.get() else { return None };
        let spans = spans.get();
        let bands = found.commands.iter().filter_map(|pair| band(spans, pair));
        Some(bands.fold(String::new(), |path, [a_start, a_end, b_start, b_end]| {
            let [a, b, c, d] = [a_start, a_end, b_end, b_start].map(place);
            path + &format!("M{a:.1} 0H{:.1}L{:.1} {HEIGHT}H{d:.1}Z", b.max(a + 1.0), c.max(d + 1.0))
        }))
    };
    let moment = move || {
        let (spans, at) = (spans.get(), pointed.get()?);
        Some(joining(&[[0, 1].map(|side: usize| share(spans[side], at[side]))]))
    };
    // The pointer's time is a line in both timelines.
    let beam = move |side: usize| {
        move || {
            let place = share(spans.get()[side], pointed.get()?[side]);
            (0.0..=1.0).contains(&place).then(|| {
                let left = format!("{:.3}%", place * 100.0);
                view! { <div class="compare-beam"><i style:left=left></i></div> }
            })
        }
    };
    let timeline = |side: usize, guest: Guest| {
        let letter = ["A", "B"][side];
        let focus = move |_| beside.session.focused_guest.set(Some(guest.session));
        let blur = move |_| beside.session.focused_guest.set(None);
        view! {
            <div
                class="compare-side"
                role="group"
                aria-label=format!("Timeline of {letter}")
                data-testid=format!("compare-timeline-{}", letter.to_lowercase())
                on:focusin=focus
                on:focusout=blur
            >
                {guest.mount()}
                {beam(side)}
            </div>
        }
    };
    on_cleanup(move || {
        let _gone = beside.session.focused_guest.try_set(None);
    });
    let words = move |side: usize| {
        let (from_ns, to_ns) = spans.get()[side];
        format!("{}: {} to {}", ["A", "B"][side], format::moment(from_ns), format::moment(to_ns))
    };
    let both = move || format!("{}; {}", words(0), words(1));
    Some(
        view! {
            <p class="quiet">
                "Moving in one moves the other to the same part of the run; so does a selection. "
                {hint(
                    "Click one, and the keys of the timeline are its own: W, A, S and D, the arrows, F and 0. ",
                    "A finger that moves up or down scrolls the page. ",
                )}
                <span role="status" data-testid="compare-alone">{move || linked.remark()}</span>
            </p>
            {timeline(0, a)}
            <svg
                class="warp compare-warp"
                viewBox=format!("0 0 {WIDTH} {HEIGHT}")
                preserveAspectRatio="none"
                role="img"
                aria-label=both
                data-testid="compare-warp"
            >
                <path class="warp-bands" d=bands></path>
                <path class="warp-lines" d=lines></path>
                <path class="warp-moment" d=moment></path>
            </svg>
            {timeline(1, b)}
        }
        .into_any(),
    )
}

/// Queries the anchors of the visible range, debounced, and refines the mapping.
fn refine_what_is_seen(beside: Beside, linked: Linked, longest_ns: u64) {
    let seen = Memo::new(move |_| anchor_range(span(linked.leader()?.1), longest_ns));
    let rested = use_rested(seen);
    let part = beside.ask::<Vec<Anchor>>(move || {
        let (from_ns, to_ns) = rested.get()?;
        let (side, _) = untrack(|| linked.leader())?;
        let side = if side == 0 { CompareSide::A } else { CompareSide::B };
        let within = Some(PartOfSide { side, from_ns, to_ns });
        Some(CompareQuestion::Anchors { within, limit: MAX_ANCHORS })
    });
    Effect::new(move |_| {
        if let Answer::Ready(anchors) = part.answer.get() {
            untrack(|| linked.refine(&anchors));
        }
    });
}

fn span(guest: Guest) -> Part {
    let viewport = guest.session.viewport();
    (viewport.start_ns(), viewport.end_ns())
}

fn place(share: f64) -> f64 {
    share * WIDTH
}

fn joining(lines: &[[f64; 2]]) -> String {
    lines.iter().fold(String::new(), |path, both| {
        let [a, b] = both.map(place);
        path + &format!("M{a:.1} 0L{b:.1} {HEIGHT}")
    })
}

//! Both timelines under each other: lines join moments that are the same, and the commands of the marked row stand out.

use syclscope_language::api::{Anchor, MatchedCommands, SliceRef};
use syclscope_language::question::CompareQuestion;

use super::beside::Beside;
use super::cards::Card;
use crate::components::states::answered;
use crate::format;
use crate::hooks::answer::{Answer, Asked};
use crate::reactive::*;
use crate::views::compare::warp::Warp;

/// Anchors that are asked for, so that a part of the run has some, too.
const MOST_ANCHORS: u32 = 5_000;
/// Lines that are drawn.
const MOST_LINES: usize = 120;
/// Width of the picture in its own units, and where the strips lie.
const WIDTH: f64 = 1_000.0;
const STRIP: f64 = 16.0;
const BELOW: f64 = 64.0;

#[component]
pub(super) fn Timelines(beside: Beside, pairs: Asked<MatchedCommands>) -> impl IntoView {
    let asked = beside.ask::<Vec<Anchor>>(|| Some(CompareQuestion::Anchors { limit: MOST_ANCHORS }));
    let list = answered(asked, "both timelines", move |anchors| picture(beside, anchors, pairs));
    view! {
        <Card title="Both timelines: lines join the same moments" testid="compare-timelines" wide=true>{list}</Card>
    }
}

fn picture(beside: Beside, anchors: Vec<Anchor>, pairs: Asked<MatchedCommands>) -> AnyView {
    // The session's time tells of the pointer, too: only another part of the run moves the strips.
    let part = Memo::new(move |_| beside.session.visible_part());
    let warp = Memo::new(move |_| Warp::new(&anchors, usize::from(beside.is_swapped()), part.get()));
    let of_warp = move |text: fn(&Warp) -> String| move || warp.with(|warp| warp.as_ref().map(text));
    let marks = move || {
        let Answer::Ready(found) = pairs.answer.get() else { return None };
        warp.with(|warp| Some(marks(warp.as_ref()?, &found)))
    };
    let height = BELOW + STRIP;
    view! {
        <p class="quiet">{of_warp(|warp| span(warp, 0))}</p>
        <svg
            class="warp"
            viewBox=format!("0 0 {WIDTH} {height}")
            preserveAspectRatio="none"
            role="img"
            aria-label=of_warp(|warp| format!("{}; {}", span(warp, 0), span(warp, 1)))
        >
            <path class="warp-strip" d=of_warp(strips)></path>
            <path class="warp-lines" d=of_warp(lines)></path>
            <path class="warp-marks" d=marks></path>
        </svg>
        <p class="quiet">{of_warp(|warp| span(warp, 1))}</p>
    }
    .into_any()
}

/// The part of a side that is seen, in words.
fn span(warp: &Warp, side: usize) -> String {
    let letter = ["A", "B"][side];
    format!("{letter}: {} to {}", format::moment(warp.from_ns[side]), format::moment(warp.to_ns[side]))
}

/// Both sides, as long as they are.
fn strips(warp: &Warp) -> String {
    let strip =
        |side: usize, top: f64| format!("M0 {top}H{:.1}V{}H0Z", warp.width(side) * WIDTH, top + STRIP);
    strip(0, 0.0) + &strip(1, BELOW)
}

/// What joins moments that are the same.
fn lines(warp: &Warp) -> String {
    warp.lines(MOST_LINES).into_iter().fold(String::new(), |path, [a, b]| {
        path + &format!("M{:.1} {STRIP}L{:.1} {BELOW}", a * WIDTH, b * WIDTH)
    })
}

/// The commands of a row where they ran.
fn marks(warp: &Warp, found: &MatchedCommands) -> String {
    let mut path = String::new();
    for pair in &found.commands {
        for (side, top, at) in [(0, 0.0, pair.a), (1, BELOW, pair.b)] {
            let Some(SliceRef { start_ns, duration_ns, .. }) = at else { continue };
            if let Some((left, width)) = warp.span(side, start_ns, duration_ns) {
                let (left, width) = (left * WIDTH, (width * WIDTH).max(1.0));
                path += &format!("M{left:.1} {top}h{width:.1}v{STRIP}h-{width:.1}Z");
            }
        }
    }
    path
}

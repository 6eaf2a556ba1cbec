//! Calls of both sides as one flame graph, coloured by growth.

use syclscope_language::api::{CallNode, CallTree};
use syclscope_language::question::{CallTreeQuestion, Question, Selection as Slices};

use super::beside::Beside;
use super::cards::Card;
use crate::components::flame_frame::{FlameFrame, ROW_CSS_PX};
use crate::format;
use crate::hooks::answer::{Answer, use_answer};
use crate::reactive::*;
use crate::state::flame::{FlameBox, boxes};
use crate::views::compare::calls::{BothCalls, tendency};
use crate::views::compare::words::change;

const MAX_NODES: u32 = 1_000;
/// Share of colour, in percent, of a box that exists on one side only.
const MAX_COLOUR: f64 = 40.0;

#[component]
pub(super) fn Calls(beside: Beside) -> impl IntoView {
    let question = || {
        let selection = Slices::default();
        Some(Question::CallTree(CallTreeQuestion {
            selection,
            limit: MAX_NODES,
            ..CallTreeQuestion::default()
        }))
    };
    let own = use_answer::<CallTree>(question);
    let other = beside.ask_other::<CallTree>(question);
    move || {
        // It is below everything else, so it needs no placeholder while loading or without calls.
        let (Answer::Ready(own), Answer::Ready(other)) = (own.answer.get(), other.answer.get()) else {
            return ().into_any();
        };
        let (a, b) = if beside.is_swapped() { (&other, &own) } else { (&own, &other) };
        let both = BothCalls::new(a, b);
        if both.nodes.is_empty() {
            return ().into_any();
        }
        let rects = boxes(&both.nodes, None);
        let rows = rects.iter().map(|place| place.depth + 1).max().unwrap_or(0);
        let frames = rects.into_iter().map(|place| frame(&both, place)).collect_view();
        view! {
            <Card title="Calls of both: red takes longer in B, green shorter" testid="compare-calls" wide=true>
                <p class="quiet">"A box is as wide as what it takes on both sides together."</p>
                <div class="flame" role="tree" aria-label="Calls of both by caller" style:height=format!("{}px", rows * ROW_CSS_PX)>
                    {frames}
                </div>
            </Card>
        }
        .into_any()
    }
}

fn frame(both: &BothCalls, place: FlameBox) -> AnyView {
    let number = place.node;
    let CallNode { name, .. } = both.nodes[number as usize];
    let name = both.names[name as usize].clone();
    let sides_ns = both.sides_ns[number as usize];
    let [a_ns, b_ns] = sides_ns;
    let [a, b] = format::durations([a_ns as f64, b_ns as f64]);
    let title = match both.at_most[number as usize] {
        [true, _] => format!("{name}\nat most {a} in A, {b} in B"),
        [_, true] => format!("{name}\n{a} in A, at most {b} in B"),
        _ => format!("{name}\n{a} in A, {b} in B: {}", change(b_ns as i64 - a_ns as i64)),
    };
    let share = tendency(sides_ns);
    let hue = if share > 0.0 { "var(--danger)" } else { "var(--mark-host)" };
    let colour = format!("color-mix(in oklab, {hue} {:.0}%, var(--bar-ground))", share.abs() * MAX_COLOUR);
    view! { <FlameFrame place name title colour=Signal::stored(colour) {..} class:is-compared=true /> }
        .into_any()
}

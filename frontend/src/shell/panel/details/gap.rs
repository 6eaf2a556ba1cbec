//! Details of idle time: its causes, longest first, and the previous and next slice.

use std::cmp::Reverse;

use syclscope_language::api::{Gap, GapPart, Gaps};
use syclscope_language::question::{GapsQuestion, Question};
use syclscope_language::share::share;
use syclscope_language::sorting::Sorting as _;

use crate::components::facts::{Fact, Jump, PlaceLink};
use crate::components::prose::prose;
use crate::components::states::show_answer;
use crate::format;
use crate::hooks::answer::{Answer, use_answer};
use crate::reactive::*;
use crate::state::call::Goal;
use crate::state::session::use_session;

#[component]
pub(in crate::shell::panel) fn GapDetails(track: u32, at_ns: u64) -> impl IntoView {
    let question = GapsQuestion { track: Some(track), at_ns: Some(at_ns), ..GapsQuestion::default() };
    let query = use_answer::<Gaps>(move || Some(Question::Gaps(question.clone())));
    show_answer(query, "idle time", move |answer: Gaps| match answer.gaps.into_iter().next() {
        Some(gap) => view! { <Causes gap/> }.into_any(),
        None => {
            let text = format!("No idle time is known on this track at {}.", format::moment(at_ns as f64));
            view! { <p class="panel-empty" data-testid="no-gap">{text}</p> }.into_any()
        }
    })
}

#[component]
fn Causes(gap: Gap) -> impl IntoView {
    let session = use_session();
    let Gap { track, name, from_ns, to_ns, mut parts, before, after, message, .. } = gap;
    let length_ns = to_ns - from_ns;
    let count = move |to_ns| GapsQuestion { track: Some(track), to_ns, limit: 0, ..GapsQuestion::default() };
    let all = use_answer::<Gaps>(move || Some(Question::Gaps(count(None))));
    // A slice ends at the gap's start, so this limit cuts no other gap.
    let earlier = use_answer::<Gaps>(move || Some(Question::Gaps(count(Some(from_ns)))));
    let place = move || match (earlier.answer.get(), all.answer.get()) {
        (Answer::Ready(earlier), Answer::Ready(all)) => {
            format!("{} of {} of this track", format::count(earlier.count + 1), format::count(all.count))
        }
        _ => String::new(),
    };
    parts.arrange_by_key(|part| Reverse(part.step.duration_ns));
    let rows = parts.into_iter().map(|part| cause(part, length_ns)).collect_view();
    let end = |name, at| view! { <Fact name=name><Jump at text="Show"/></Fact> };
    view! {
        <div class="details" data-testid="details">
            <section class="details-main">
                <h2 class="details-name">
                    <span data-testid="details-name">{format!("Idle for {}", format::duration(length_ns as f64))}</span>
                </h2>
                <p data-testid="gap-message">{prose(&message)}</p>
                <dl class="facts">
                    <Fact name="Track">{name}</Fact>
                    <Fact name="Stretch"><span data-testid="gap-place">{place}</span></Fact>
                    <Fact name="Start">{format::exact_duration(from_ns)}</Fact>
                    <Fact name="Duration"><b>{format::exact_duration(length_ns)}</b></Fact>
                    {before.map(|at| end("Before", at))}
                    {after.map(|at| end("After", at))}
                </dl>
                <button
                    type="button"
                    class="jump"
                    on:click=move |_| session.go(Goal::Range(from_ns as f64, to_ns as f64))
                >"Show in timeline"</button>
            </section>
            <section class="details-life">
                <h3>"Causes"</h3>
                <table class="table" aria-label="Causes of the idle time">
                    <thead><tr>
                        <th scope="col" class="number">"Time"</th>
                        <th scope="col" class="number">"Share"</th>
                        <th scope="col">"Cause"</th>
                        <th scope="col">"Step"</th>
                        <th scope="col">"Source"</th>
                    </tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </section>
        </div>
    }
}

fn cause(part: GapPart, length_ns: u64) -> impl IntoView {
    let GapPart { class, step } = part;
    let share = share(step.duration_ns, length_ns, 1);
    let between = match (step.after.as_str(), step.until.as_str()) {
        ("", "") => String::new(),
        ("", until) => format!(" until {until}"),
        (after, "") => format!(" after {after}"),
        (after, until) => format!(" between {after} and {until}"),
    };
    let times = if step.count > 1 { format!(" ×{}", step.count) } else { String::new() };
    let text = format!("{}{between}{times}", step.name);
    let name = match step.at {
        Some(at) => view! { <Jump at text/> }.into_any(),
        None => text.into_any(),
    };
    view! {
        <tr data-testid="gap-part">
            <td class="number">{format::duration(step.duration_ns as f64)}</td>
            <td class="number">{share}</td>
            <td>{class.as_words()}</td>
            <td>{name}</td>
            <td>{step.location.map(|location| view! { <PlaceLink location/> })}</td>
        </tr>
    }
}

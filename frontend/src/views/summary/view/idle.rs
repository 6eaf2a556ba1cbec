//! The card about idle time of devices: by cause, and the longest stretches.

use syclscope_language::api::{Gap, Gaps};
use syclscope_language::question::{GapsQuestion, Question};

use super::{Card, Lines};
use crate::components::states::answered;
use crate::format;
use crate::hooks::answer::use_answer;
use crate::reactive::*;
use crate::state::call::Goal;
use crate::state::selection::Selection;
use crate::state::session::use_session;

/// Stretches in the card.
const LISTED: u32 = 5;

#[component]
pub(super) fn IdleTime() -> impl IntoView {
    let question = GapsQuestion { limit: LISTED, ..GapsQuestion::default() };
    let asked = use_answer::<Gaps>(move || Some(Question::Gaps(question.clone())));
    answered(asked, "idle time", |answer: Gaps| {
        let Gaps { idle_ns, classes, gaps, .. } = answer;
        let lines = classes.into_iter().map(|time| {
            let share = format!("{:.1} %", time.total_ns as f64 / idle_ns.max(1) as f64 * 100.0);
            view! {
                <tr>
                    <th scope="row">{time.class.as_words()}</th>
                    <td class="number">{format::duration(time.total_ns as f64)}</td>
                    <td class="number">{share}</td>
                </tr>
            }
        });
        let lines = lines.collect_view();
        let longest = gaps.into_iter().map(|gap| view! { <Stretch gap/> }).collect_view();
        (idle_ns > 0).then(|| view! {
            <Card title="Idle time of devices" testid="idle-time" wide=true big=format::duration(idle_ns as f64)>
                <Lines caption="Idle time by cause">{lines}</Lines>
                <ul class="findings">{longest}</ul>
            </Card>
        })
    })
}

#[component]
fn Stretch(gap: Gap) -> impl IntoView {
    let session = use_session();
    let Gap { track, from_ns, to_ns, message, .. } = gap;
    let show = move |_| {
        session.select(Some(Selection::Gap { track, at_ns: from_ns }));
        session.go(Goal::Range(from_ns as f64, to_ns as f64));
    };
    view! {
        <li class="finding">
            <p>{message}</p>
            <p class="finding-links">
                <button type="button" class="jump" on:click=show>"Show in timeline"</button>
            </p>
        </li>
    }
}

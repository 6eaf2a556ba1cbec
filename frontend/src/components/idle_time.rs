//! Idle time by class of cause, and idle gaps that link to the timeline.

use syclscope_language::api::{Gap, GapClassTime};
use syclscope_language::share::share;

use crate::components::prose::prose;
use crate::format;
use crate::reactive::*;
use crate::state::call::Goal;
use crate::state::selection::Selection;
use crate::state::session::use_session;

#[component]
pub(crate) fn IdleClasses(idle_ns: u64, classes: Vec<GapClassTime>) -> impl IntoView {
    let lines = classes.into_iter().map(|time| {
        let share = share(time.total_ns, idle_ns, 1);
        view! {
            <tr>
                <th scope="row">{time.class.as_words()}</th>
                <td class="number">{format::duration(time.total_ns as f64)}</td>
                <td class="number">{share}</td>
            </tr>
        }
    });
    view! {
        <table class="mini">
            <caption class="visually-hidden">"Idle time by cause"</caption>
            <tbody>{lines.collect_view()}</tbody>
        </table>
    }
}

#[component]
pub(crate) fn IdleStretches(gaps: Vec<Gap>) -> impl IntoView {
    let session = use_session();
    let lines = gaps.into_iter().map(|gap| {
        let Gap { track, from_ns, to_ns, message, .. } = gap;
        let show = move |_| {
            session.select(Some(Selection::Gap { track, at_ns: from_ns }));
            session.go(Goal::Range(from_ns as f64, to_ns as f64));
        };
        view! {
            <li class="finding">
                <p>{prose(&message)}</p>
                <p class="finding-links">
                    <button type="button" class="jump" on:click=show>"Show in timeline"</button>
                </p>
            </li>
        }
    });
    view! { <ul class="findings">{lines.collect_view()}</ul> }
}

//! What a trace of another program holds: its slices by name.

use syclscope_language::api::{Selected, SliceGroup};
use syclscope_language::names::short_name;
use syclscope_language::question::{GroupOrder, Question, SelectQuestion};

use super::{Card, Lines};
use crate::components::states::answered;
use crate::components::theme::slice_colour;
use crate::format;
use crate::hooks::answer::use_answer;
use crate::reactive::*;
use crate::state::call::Goal;
use crate::state::selection::Selection;
use crate::state::session::use_session;

/// Names that are listed.
const MOST_NAMES: u32 = 20;

#[component]
pub(super) fn Slices() -> impl IntoView {
    let asked = use_answer::<Selected>(|| {
        let selection = syclscope_language::question::Selection::default();
        Some(Question::Select(SelectQuestion { selection, sort: GroupOrder::Own, groups: MOST_NAMES }))
    });
    view! {
        <Card title="Trace from another tool" testid="other-trace" wide=true big=String::new()>
            <p>
                "It has no SYCL data. Timeline, search and areas work on its slices. Slices by self time:"
            </p>
            {answered(asked, "slices", |selected| view! { <Names selected/> })}
        </Card>
    }
}

#[component]
fn Names(selected: Selected) -> impl IntoView {
    let session = use_session();
    let whole_ns = selected.total.self_ns.max(1);
    let lines = selected.groups.into_iter().map(|group| {
        let SliceGroup { name, category, stats, .. } = group;
        let share = stats.self_ns as f64 / whole_ns as f64 * 100.0;
        let colour = slice_colour(category, &name);
        let selected = Selection::Name(name.clone());
        view! {
            <tr title=format!("{name}\ntotal {}", format::duration(stats.total_ns as f64))>
                <th scope="row">
                    <button
                        type="button"
                        class="name-button"
                        on:click=move |_| {
                            session.select(Some(selected.clone()));
                            session.go(Goal::Time);
                        }
                    >
                        <span class="chip" style:background-color=colour.clone()></span>
                        <span>{short_name(&name).into_owned()}</span>
                    </button>
                </th>
                <td class="number quiet">{format!("{} ×", format::count(stats.count))}</td>
                <td class="number">{format::duration(stats.self_ns as f64)}</td>
                <td class="bar-cell">
                    <span class="share-bar" style:width=format!("{share:.2}%") style:background-color=colour></span>
                </td>
                <td class="number quiet">{format!("{share:.0} %")}</td>
            </tr>
        }
    });
    let lines = lines.collect_view();
    let more = (selected.more_groups > 0).then(
        || view! { <p class="quiet">{format!("and {} more", format::count(selected.more_groups))}</p> },
    );
    view! {
        <Lines caption="Slices by name">{lines}</Lines>
        {more}
    }
}

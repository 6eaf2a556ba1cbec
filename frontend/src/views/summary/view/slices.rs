//! Content of another tool's trace: its slices by name.

use syclscope_language::api::{Selected, SliceGroup, TraceInfo};
use syclscope_language::event::TrackKind;
use syclscope_language::question::{GroupOrder, Question, SelectQuestion, Selection};

use super::name_line::{MAX_LETTERS, NameLine};
use super::{Card, Lines};
use crate::components::states::show_answer;
use crate::format;
use crate::hooks::answer::use_answer;
use crate::reactive::*;
use crate::state::session::use_session;

const MAX_NAMES: u32 = 20;

#[component]
pub(super) fn Slices() -> impl IntoView {
    let session = use_session();
    let query = use_answer::<Selected>(move || {
        let selection = Selection { tracks: threads(&session.info()), ..Selection::default() };
        Some(Question::Select(SelectQuestion { selection, sort: GroupOrder::Own, groups: MAX_NAMES }))
    });
    view! {
        <Card title="Trace from another tool" testid="other-trace" wide=true of_run=true big=String::new()>
            <p>
                "It has no SYCL data. Timeline, search and areas work on its slices. What its threads did, by self time:"
            </p>
            {show_answer(query, "slices", |selected| view! { <Names selected/> })}
        </Card>
    }
}

/// Returns the tracks of threads; `None` if there are none. On other tracks, tools have slices as long as the whole
/// run.
fn threads(info: &TraceInfo) -> Option<Vec<u32>> {
    let threads = info.tracks.iter().filter(|track| track.kind == TrackKind::Thread).map(|track| track.id);
    Some(threads.collect::<Vec<_>>()).filter(|threads| !threads.is_empty())
}

#[component]
fn Names(selected: Selected) -> impl IntoView {
    let whole_ns = selected.total.self_ns.max(1);
    let names = selected.groups.iter().map(|group| group.name.as_str()).collect();
    let short = use_session().fit_names(names, MAX_LETTERS);
    let lines = selected.groups.into_iter().zip(short).map(|(group, short)| {
        let SliceGroup { name, category, stats, .. } = group;
        let title = format!("{name}\ntotal {}", format::duration(stats.total_ns as f64));
        view! { <NameLine name short category title count=stats.count own_ns=stats.self_ns whole_ns/> }
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

//! Slices of a selection: metrics, the longest and the first ones.

use syclscope_language::api::{CategoryStats, Selected, SliceItem, SliceList, SliceStats};
use syclscope_language::question::{GroupOrder, Question, SelectQuestion, SliceOrder};

use crate::components::category::category_name;
use crate::components::facts::{Fact, Jump};
use crate::components::kernel_link::KernelLink;
use crate::components::name_cell::MAX_LETTERS;
use crate::components::states::show_answer;
use crate::components::theme::slice_colour;
use crate::format;
use crate::hooks::answer::use_answer;
use crate::reactive::*;
use crate::state::filters::{list, slices_of};
use crate::state::selection::Selection;
use crate::state::session::use_session;

/// Maximum number of groups and slices in the lists.
const MAX_LINES: u32 = 12;

#[component]
pub(super) fn Numbers(selection: Selection) -> impl IntoView {
    let query = use_answer::<Selected>(move || {
        let selection = slices_of(&selection)?;
        Some(Question::Select(SelectQuestion { selection, sort: GroupOrder::Total, groups: MAX_LINES }))
    });
    show_answer(query, "slices", |selected| {
        let stats = selected.total;
        if stats.count == 0 {
            return view! { <p class="quiet" data-testid="no-slices">"No slices"</p> }.into_any();
        }
        // Different categories have no common mean, and they overlap: each has its own line.
        let is_one = selected.categories.len() < 2;
        let facts = if is_one {
            view! { <Stats stats/> }.into_any()
        } else {
            let parts = selected.categories.into_iter().map(|CategoryStats { category, stats }| {
                view! { <h3>{category_name(category)}</h3><Stats stats/> }
            });
            view! {
                <dl class="facts"><Fact name="Slices">{format::count(stats.count)}</Fact></dl>
                {parts.collect_view()}
            }
            .into_any()
        };
        let groups = selected.groups;
        let lines = (groups.len() > 1).then(|| {
            let lines = groups.into_iter().map(|group| {
                let colour = slice_colour(group.category, &group.name);
                view! {
                    <li>
                        <span class="chip" style:background-color=colour></span>
                        <span>{group.name.clone()}</span>
                        <KernelLink name=group.name/>
                        <span class="quiet">{category_name(group.category)}</span>
                        <span class="quiet">
                            {format!("{} × · {}", format::count(group.stats.count), format::duration(group.stats.total_ns as f64))}
                        </span>
                    </li>
                }
            });
            view! { <h3>"By name and category"</h3><ul class="edges">{lines.collect_view()}</ul> }
        });
        view! { <div data-testid="numbers">{facts}</div>{lines} }.into_any()
    })
}

#[component]
fn Stats(stats: SliceStats) -> impl IntoView {
    let many = stats.count > 1;
    let percentiles =
        format::durations([stats.p50_ns, stats.p95_ns, stats.p99_ns].map(|value| value as f64)).join(", ");
    let ends = format::durations([stats.min_ns, stats.max_ns].map(|value| value as f64)).join(", ");
    view! {
        <dl class="facts">
            <Fact name="Slices">{format::count(stats.count)}</Fact>
            <Fact name=if many { "Summed" } else { "Duration" }><b>{format::duration(stats.total_ns as f64)}</b></Fact>
            <Fact name="Self time">{format::duration(stats.self_ns as f64)}</Fact>
            {many.then(|| view! {
                <Fact name="Mean">{format::duration(stats.mean_ns as f64)}</Fact>
                <Fact name="p50, p95, p99">{percentiles}</Fact>
                <Fact name="Shortest, longest">
                    {ends}
                </Fact>
            })}
        </dl>
    }
}

#[component]
pub(super) fn SliceLists(selection: Selection) -> impl IntoView {
    let first = selection.clone();
    view! {
        <Slices title="Longest" selection order=SliceOrder::DurationDown/>
        <Slices title="First" selection=first order=SliceOrder::Start/>
    }
}

#[component]
fn Slices(title: &'static str, selection: Selection, order: SliceOrder) -> impl IntoView {
    let session = use_session();
    let is_named = matches!(selection, Selection::Name(_));
    let query = use_answer::<SliceList>(move || Some(list(slices_of(&selection)?, order, 0, MAX_LINES)));
    let content = show_answer(query, "slices", move |list| {
        let more = list.total.saturating_sub(list.slices.len() as u64);
        let duration = |slice: &SliceItem| {
            let duration_ns = slice.at.duration_ns as f64;
            (duration_ns, format::duration(duration_ns))
        };
        let mut durations: Vec<_> = list.slices.iter().map(duration).collect();
        format::tell_apart(&mut durations);
        let is_mixed = list.slices.windows(2).any(|pair| pair[0].category != pair[1].category);
        let names = list.slices.iter().map(|slice| slice.name.as_str()).collect();
        // The heading shows the common name.
        let mut names = (!is_named).then(|| session.fit_names(names, MAX_LETTERS).into_iter());
        let lines = list.slices.into_iter().zip(durations).map(|(slice, (_, duration))| {
            let SliceItem { at, name, category, .. } = slice;
            let colour = slice_colour(category, &name);
            let moment = format::moment(at.start_ns as f64);
            let (text, times) = match names.as_mut().and_then(Iterator::next) {
                Some(short) => (short, format!("{duration} at {moment}")),
                None if is_mixed => (duration, format!("{} at {moment}", category_name(category))),
                None => (duration, format!("at {moment}")),
            };
            view! {
                <li title=name>
                    <span class="chip" style:background-color=colour></span>
                    <Jump at text/>
                    <span class="quiet">{times}</span>
                </li>
            }
        });
        view! {
            <ul class="edges">{lines.collect_view()}</ul>
            {(more > 0).then(|| view! { <p class="quiet">{format!("and {} more", format::count(more))}</p> })}
        }
    });
    view! {
        <section class="details-column" data-testid=format!("slices-{}", title.to_lowercase())>
            <div><h3>{title}</h3>{content}</div>
        </section>
    }
}

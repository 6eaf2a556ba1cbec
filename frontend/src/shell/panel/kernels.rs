//! Kernels and other device commands by device time: in the visible part of the run, else in the whole run.

use syclscope_language::api::{KernelSummary, Selected, SliceGroup};
use syclscope_language::event::NodeKind;
use syclscope_language::question::{GroupOrder, Question, SelectQuestion, Selection as Slices};

use crate::components::category::kind_name;
use crate::components::name_cell::NameCell;
use crate::components::theme::slice_colour;
use crate::format;
use crate::hooks::answer::{Answer, use_answer};
use crate::hooks::rested::use_rested;
use crate::reactive::*;
use crate::state::area::EXECUTIONS;
use crate::state::call::Goal;
use crate::state::history::Change;
use crate::state::selection::Selection;
use crate::state::session::use_session;
use crate::state::view_descriptor::ViewDescriptor;
use crate::views::TABLE;
use syclscope_language::sorting::Sorting as _;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Count,
    Total,
    Mean,
    Min,
    Max,
}

impl Column {
    const ALL: [(Self, &'static str, &'static str); 5] = [
        (Self::Count, "count", "Executions"),
        (Self::Total, "total", "Device time"),
        (Self::Mean, "mean", "Mean"),
        (Self::Min, "min", "Shortest"),
        (Self::Max, "max", "Longest"),
    ];

    fn from_name(name: &str) -> Self {
        Self::ALL.into_iter().find(|(_, id, _)| *id == name).map_or(Self::Total, |(column, ..)| column)
    }
}

/// A table row, with values in the order of the columns.
#[derive(Clone, PartialEq)]
struct Line {
    name: String,
    kind: NodeKind,
    values: [u64; Column::ALL.len()],
}

impl Line {
    fn value(&self, column: Column) -> u64 {
        self.values[column as usize]
    }
}

fn of_run(kernel: KernelSummary) -> Line {
    let KernelSummary { name, kind, count, total_ns, min_ns, max_ns } = kernel;
    Line { name, kind, values: [count, total_ns, total_ns / count.max(1), min_ns, max_ns] }
}

/// Creates a row of a part: device time is limited to the visible part; the other values are for whole executions.
fn of_part(group: SliceGroup) -> Line {
    let SliceGroup { name, kind, stats, .. } = group;
    let values = [stats.count, stats.clipped_ns, stats.mean_ns, stats.min_ns, stats.max_ns];
    Line { name, kind: kind.unwrap_or_default(), values }
}

#[derive(Clone, Default)]
struct KernelList {
    /// `None` for the whole run.
    part: Option<(u64, u64)>,
    lines: Vec<Line>,
    left_out: u64,
    failure: Option<String>,
}

impl KernelList {
    fn of_run(kernels: &[KernelSummary], failure: Option<String>) -> Self {
        Self { lines: kernels.iter().cloned().map(of_run).collect(), failure, ..Self::default() }
    }

    /// Returns the sentence above the table, unless the table shows the whole run.
    fn caption(&self) -> Option<String> {
        if let Some(failure) = &self.failure {
            return Some(format!("Kernels of the whole run. The visible part failed: {failure}"));
        }
        let (from_ns, to_ns) = self.part?;
        let length = format::duration((to_ns - from_ns) as f64);
        let mut text = format!("In the visible {length} from {}", format::moment(from_ns as f64));
        if self.left_out > 0 {
            let names = format::counted(self.left_out, "name", "names");
            text += &format!("; {names} with less device time not listed");
        }
        Some(text)
    }
}

const MAX_GROUPS: u32 = 500;

fn question((from_ns, to_ns): (u64, u64)) -> Option<Question> {
    let filter = EXECUTIONS.parse().ok()?;
    let selection = Slices { from_ns: Some(from_ns), to_ns: Some(to_ns), filter, ..Slices::default() };
    Some(Question::Select(SelectQuestion { selection, sort: GroupOrder::Clipped, groups: MAX_GROUPS }))
}

#[component]
pub(crate) fn Kernels() -> impl IntoView {
    let session = use_session();
    let sorting = Memo::new(move |_| session.panels.with(|panels| Column::from_name(&panels.kernel_order)));
    let kernels = session.info().kernels.clone();
    if kernels.is_empty() {
        let info = session.info();
        let mut words = "No command in this trace has device times.".to_owned();
        for why in info.diagnostics.iter().filter(|found| found.kind == "no_device_time") {
            words = format!("{words} {}", why.message);
        }
        if info.counts.graph_runs > 0 {
            words += " Of a command graph the runtime reports only when it ends.";
        }
        return view! { <p class="panel-empty">{words}</p> }.into_any();
    }
    // Only a view with a time axis has a visible part.
    let part = Memo::new(move |_| {
        let shows_time = |descriptor: &&ViewDescriptor| (descriptor.can_show)(&Goal::Time);
        let is_seen = session.panes.with(|panes| {
            TABLE.iter().any(|descriptor| shows_time(descriptor) && panes.shows(descriptor.view))
        });
        session.visible_part().filter(|_| is_seen)
    });
    let rested = use_rested(part);
    let query = use_answer::<Selected>(move || question(rested.get()?));
    let lines = RwSignal::new(KernelList::default());
    Effect::new(move |_| match query.answer.get() {
        // The old table stays until the next answer; on failure the whole run is shown.
        Answer::Loading => {}
        Answer::Ready(Selected { groups, more_groups, .. }) => lines.set(KernelList {
            part: rested.get_untracked(),
            lines: groups.into_iter().map(of_part).collect(),
            left_out: more_groups,
            failure: None,
        }),
        Answer::None => lines.set(KernelList::of_run(&kernels, None)),
        Answer::Failed(error) => lines.set(KernelList::of_run(&kernels, Some(error.message))),
    });
    let rows = move || {
        let mut lines = lines.with(|lines| lines.lines.clone());
        let sum_ns: u64 = lines.iter().map(|line| line.value(Column::Total)).sum();
        let column = sorting.get();
        lines.arrange_by_key(|line| std::cmp::Reverse(line.value(column)));
        lines.into_iter().map(|line| row(line, sum_ns)).collect_view()
    };
    let caption = move || {
        let text = lines.with(KernelList::caption)?;
        Some(view! { <p class="log-count quiet" role="status" data-testid="kernels-part">{text}</p> })
    };
    let heads = Column::ALL.map(|(column, id, name)| {
        let sort = move |_| {
            session.panels.update(|panels| panels.kernel_order = id.to_owned());
            session.record_change(Change::Detail);
        };
        view! {
            <th scope="col" class="number" aria-sort=move || (sorting.get() == column).then_some("descending")>
                <button type="button" on:click=sort>{name}</button>
            </th>
        }
    });
    view! {
        {caption}
        <table class="table kernels" data-testid="kernels">
            <thead>
                <tr>
                    <th scope="col">"Name"</th>
                    <th scope="col">"Kind"</th>
                    {heads.collect_view()}
                    <th scope="col" class="share-head">"Share of device time"</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
    .into_any()
}

fn row(line: Line, sum_ns: u64) -> impl IntoView {
    let session = use_session();
    let Line { name, kind, values } = line;
    let colour = slice_colour(kind.category(), &name);
    let is_highlighted = {
        let name = name.clone();
        Memo::new(move |_| {
            session.selection.with(|selection| *selection == Some(Selection::Name(name.clone())))
        })
    };
    let [count, times @ ..] = values;
    let share = times[0] as f64 / sum_ns.max(1) as f64 * 100.0;
    let numbers = std::iter::once(format::count(count));
    // The sum is not comparable with the other durations.
    let [total, rest @ ..] = times.map(|value| value as f64);
    let numbers = numbers.chain([format::duration(total)]).chain(format::durations(rest));
    let numbers = numbers.map(|text| view! { <td class="number">{text}</td> });
    let highlighted_name = name.clone();
    let on_press = Callback::new(move |()| {
        let kernel = Selection::Name(highlighted_name.clone());
        session.mark((!is_highlighted.get_untracked()).then_some(kernel));
    });
    view! {
        <tr class:is-selected=move || is_highlighted.get()>
            <NameCell
                name
                category=kind.category()
                title="Highlight its slices in the timeline"
                is_pressed=is_highlighted
                on_press
            />
            <td>{kind_name(kind)}</td>
            {numbers.collect_view()}
            <td class="share">
                <span class="share-bar" style:width=format!("{:.2}%", share * 0.7) style:background-color=colour></span>
                <span>{format!("{share:.1} %")}</span>
            </td>
        </tr>
    }
}

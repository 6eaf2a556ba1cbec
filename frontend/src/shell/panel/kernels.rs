//! Kernels and other device commands by device time.

use syclscope_language::api::KernelSummary;

use crate::components::category::kind_name;
use crate::components::name_cell::NameCell;
use crate::components::theme::slice_colour;
use crate::format;
use crate::reactive::*;
use crate::sorting::sort_by_key;
use crate::state::history::Change;
use crate::state::selection::Selection;
use crate::state::session::use_session;

/// What the table is sorted by, most first.
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

    /// The column of a name in an address.
    fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|(_, id, _)| *id == name).map_or(Self::Total, |(column, ..)| column)
    }

    fn value(self, kernel: &KernelSummary) -> u64 {
        match self {
            Self::Count => kernel.count,
            Self::Total => kernel.total_ns,
            Self::Mean => kernel.total_ns / kernel.count.max(1),
            Self::Min => kernel.min_ns,
            Self::Max => kernel.max_ns,
        }
    }
}

#[component]
pub(crate) fn Kernels() -> impl IntoView {
    let session = use_session();
    let sorting = Memo::new(move |_| session.panels.with(|panels| Column::named(&panels.kernel_order)));
    let kernels = session.info().kernels.clone();
    if session.info().is_foreign() && kernels.is_empty() {
        return view! {
            <p class="panel-empty">
                "This trace comes from another tool and names no device. Hold Ctrl and drag over the tracks to sum \
                 up slices."
            </p>
        }
        .into_any();
    }
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
    let sum_ns: u64 = kernels.iter().map(|kernel| kernel.total_ns).sum();
    let rows = move || {
        let mut kernels = kernels.clone();
        let column = sorting.get();
        sort_by_key(&mut kernels, |kernel| std::cmp::Reverse(column.value(kernel)));
        kernels.into_iter().map(|kernel| row(kernel, sum_ns)).collect_view()
    };
    let heads = Column::ALL.map(|(column, id, name)| {
        let sort = move |_| {
            session.panels.update(|panels| panels.kernel_order = id.to_owned());
            session.changed(Change::Detail);
        };
        view! {
            <th scope="col" class="number" aria-sort=move || (sorting.get() == column).then_some("descending")>
                <button type="button" on:click=sort>{name}</button>
            </th>
        }
    });
    view! {
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

fn row(kernel: KernelSummary, sum_ns: u64) -> impl IntoView {
    let session = use_session();
    let KernelSummary { name, kind, .. } = kernel.clone();
    let colour = slice_colour(kind.category(), &name);
    let is_highlighted = {
        let name = name.clone();
        Memo::new(move |_| {
            session.selection.with(|selection| *selection == Some(Selection::Name(name.clone())))
        })
    };
    let share = kernel.total_ns as f64 / sum_ns.max(1) as f64 * 100.0;
    let numbers = Column::ALL.map(|(column, ..)| {
        let value = column.value(&kernel);
        let text =
            if column == Column::Count { format::count(value) } else { format::duration(value as f64) };
        view! { <td class="number">{text}</td> }
    });
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

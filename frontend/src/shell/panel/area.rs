//! The selected area: its slices, summed by name or one by one, and idle time and findings of its range.

mod range;

use std::sync::Arc;

use syclscope_language::api::{Selected, SliceGroup};
use syclscope_language::filter::Filter;
use syclscope_language::question::{GroupOrder, Question, SelectQuestion};

use self::range::InRange;
use crate::browser::{hint, save, text_address};
use crate::components::category::category_name;
use crate::components::slice_list::SlicesOneByOne;
use crate::components::states::Nothing;
use crate::components::table::{SortableTable, TableModel};
use crate::format;
use crate::hooks::answer::{Answer, use_answer};
use crate::reactive::*;
use crate::state::area::{COLUMNS, SLICE_COLUMNS, slices_in};
use crate::state::history::Change;
use crate::state::selection::Selection;
use crate::state::session::use_session;
use crate::state::table::{Order, csv};

/// Maximum number of names in the list, which shows the number of the others.
const MAX_GROUPS: u32 = 500;

#[component]
pub(crate) fn AreaTable() -> impl IntoView {
    let session = use_session();
    let area = Memo::new(move |_| session.time.with(|time| time.area.clone()));
    let has_area = Memo::new(move |_| area.with(Option::is_some));
    move || {
        if has_area.get() {
            view! { <Table/> }.into_any()
        } else {
            view! {
                <Nothing title="No area selected">
                    {hint(
                        "Hold Ctrl and drag over the tracks, or press B and drag. Shift+B selects the visible part.",
                        "Tap Area above the timeline, then drag over the tracks.",
                    )}
                    " Count, total, self time, mean, percentiles and a histogram then show here."
                </Nothing>
            }
            .into_any()
        }
    }
}

#[component]
fn Table() -> impl IntoView {
    let session = use_session();
    let area = Memo::new(move |_| session.time.with(|time| time.area.clone()));
    let text = Memo::new(move |_| session.panels.with(|panels| panels.area_filter.clone()));
    let filter = Memo::new(move |_| text.with(|text| text.parse::<Filter>()));
    let query = use_answer::<Selected>(move || {
        let area = area.get()?;
        filter.get().ok()?;
        let selection = slices_in(&area, &session.info(), &text.get())?;
        Some(Question::Select(SelectQuestion { selection, sort: GroupOrder::Total, groups: MAX_GROUPS }))
    });
    let rows = RwSignal::new(Vec::<SliceGroup>::new());
    let total = RwSignal::new(String::new());
    Effect::new(move |_| match query.answer.get() {
        // The old table stays until the next answer.
        Answer::Loading | Answer::None => {}
        Answer::Ready(Selected { total: sum, categories, groups, more_groups, .. }) => {
            // Times of different categories overlap, so each has a separate sum.
            let mut words = format::counted(sum.count, "slice", "slices");
            for (place, of) in categories.iter().enumerate() {
                let between = if place == 0 { ", summed:" } else { "," };
                let name = category_name(of.category);
                words += &format!("{between} {name} {}", format::duration(of.stats.total_ns as f64));
            }
            if more_groups > 0 {
                words += &format!(", {} not listed", format::counted(more_groups, "name", "names"));
            }
            total.set(words);
            rows.set(groups);
        }
        Answer::Failed(error) => {
            rows.set(Vec::new());
            total.set(error.message);
        }
    });
    // A filter for many kernels can exceed the maximum length of a query's filter.
    let has_too_many_kernels = Memo::new(move |_| {
        let is_over = |area| slices_in(&area, &session.info(), &text.get()).is_none();
        filter.with(Result::is_ok) && area.get().is_some_and(is_over)
    });
    Effect::new(move |_| {
        if has_too_many_kernels.get() {
            rows.set(Vec::new());
            total.set(
                "Too many kernels for one table: select fewer, or arrange the tracks by queue.".to_owned(),
            );
        }
    });
    let order = Memo::new(move |_| {
        session.panels.with(|panels| match panels.area_order.as_str() {
            "" => Order::from_text("total"),
            order => Order::from_text(order),
        })
    });
    let on_order = Callback::new(move |order: Order| {
        session.panels.update(|panels| panels.area_order = order.to_text());
        session.record_change(Change::Detail);
    });
    let is_one_by_one = Memo::new(move |_| session.panels.with(|panels| panels.is_one_by_one));
    let slice_order = Memo::new(move |_| {
        session.panels.with(|panels| match panels.area_order.as_str() {
            "" => Order::from_text("start"),
            order => Order::from_text(order),
        })
    });
    let length = move || {
        area.with(|area| {
            area.as_ref().map(|area| {
                let tracks = match area.tracks.len() as u64 {
                    0 => "all tracks".to_owned(),
                    count => format::counted(count, "track", "tracks"),
                };
                format!("{} of {tracks}", format::duration((area.to_ns - area.from_ns) as f64))
            })
        })
    };
    let model = TableModel {
        columns: &COLUMNS,
        label: "Area table",
        testid: "area-table",
        on_row: Some(Arc::new(move |group: &SliceGroup| {
            session.mark(Some(Selection::Name(group.name.clone())))
        })),
        is_selected: Arc::new(move |group: &SliceGroup| {
            session.selection.with(|selection| *selection == Some(Selection::Name(group.name.clone())))
        }),
    };
    let slices = Memo::new(move |_| slices_in(&area.get()?, &session.info(), &text.get()));
    view! {
        <div class="area" data-testid="area">
            <div class="area-head">
                <b data-testid="area-length">{length}</b>
                <span class="quiet" role="status" data-testid="area-total">{move || total.get()}</span>
                <input
                    type="search"
                    class="tool-input"
                    data-testid="area-filter"
                    placeholder="Filter: kernel duration>1ms"
                    aria-label="Filter the area's slices"
                    prop:value=move || text.get()
                    on:input=move |event| {
                        let text = event_target_value(&event);
                        session.panels.update(|panels| panels.area_filter = text);
                        session.record_change(Change::Detail);
                    }
                />
                {move || filter.get().err().map(|error| view! { <span class="is-error" role="alert">{error.to_string()}</span> })}
                <button
                    type="button"
                    class="tool"
                    data-testid="area-one-by-one"
                    aria-pressed=move || is_one_by_one.get().to_string()
                    on:click=move |_| {
                        session.panels.update(|panels| panels.is_one_by_one ^= true);
                        session.record_change(Change::Detail);
                    }
                >"List slices"</button>
                <button
                    type="button"
                    class="tool"
                    data-testid="area-csv"
                    hidden=move || is_one_by_one.get()
                    on:click=move |_| {
                        let mut sorted = rows.get_untracked();
                        order.with_untracked(|order| order.sort(&COLUMNS, &mut sorted));
                        save("area.csv", &text_address("text/csv", &csv(&COLUMNS, &sorted)));
                    }
                >"Save as CSV"</button>
            </div>
            <InRange/>
            <div hidden=move || is_one_by_one.get()><SortableTable model rows order on_order/></div>
            {move || is_one_by_one.get().then(|| view! {
                <SlicesOneByOne
                    columns=&SLICE_COLUMNS
                    slices=Signal::derive(move || slices.get())
                    order=slice_order
                    on_order
                    label="Slices in the area"
                    testid="slices-in-the-area"
                />
            })}
        </div>
    }
}

//! A table that can be sorted, walked by keys, and saved.

use std::sync::Arc;

use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlElement, KeyboardEvent};

use crate::state::table::{Column, Order};

/// What a press on a row does.
pub(crate) type OnRow<T> = Arc<dyn Fn(&T) + Send + Sync>;

/// What a table shows and what its rows do.
pub(crate) struct TableModel<T: 'static> {
    /// Its columns; the first one names the row.
    pub(crate) columns: &'static [Column<T>],
    /// What screen readers and tests call it.
    pub(crate) label: &'static str,
    /// What a press on a row does.
    pub(crate) on_row: Option<OnRow<T>>,
    /// Whether a row is the selected thing.
    pub(crate) is_selected: Arc<dyn Fn(&T) -> bool + Send + Sync>,
}

/// The rows in an order, with heads that change it.
#[component]
pub(crate) fn SortableTable<T>(
    model: TableModel<T>,
    #[prop(into)] rows: Signal<Vec<T>>,
    #[prop(into)] order: Signal<Order>,
    on_order: Callback<Order>,
) -> impl IntoView
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    let TableModel { columns, label, on_row, is_selected } = model;
    let sorted = Memo::new(move |_| {
        let mut rows = rows.get();
        order.with(|order| order.sort(columns, &mut rows));
        rows
    });
    let heads = columns.iter().map(|column| {
        view! {
            <th
                scope="col"
                class:number=column.is_amount()
                aria-sort=move || order.with(|order| order.direction(column))
            >
                <button type="button" on:click=move |_| on_order.run(order.get_untracked().pressed(column.id))>
                    {column.title}
                </button>
            </th>
        }
    });
    let body = move || {
        let rows = sorted.get().into_iter().map(|row| {
            let (on_row, is_selected) = (on_row.clone(), is_selected.clone());
            let row = Arc::new(row);
            let selected = {
                let row = row.clone();
                Memo::new(move |_| is_selected(&row))
            };
            let cells = columns.iter().enumerate().map(|(index, column)| {
                let text = column.show(&row);
                match (index, on_row.clone()) {
                    (0, Some(act)) => {
                        let row = row.clone();
                        let title = text.clone();
                        view! {
                            <th scope="row">
                                <button
                                    type="button"
                                    class="name-button"
                                    title=title
                                    aria-pressed=move || selected.get().to_string()
                                    on:click=move |_| act(&row)
                                >{text}</button>
                            </th>
                        }
                        .into_any()
                    }
                    (0, None) => view! { <th scope="row" title=text.clone()>{text.clone()}</th> }.into_any(),
                    _ => view! { <td class:number=column.is_amount()>{text}</td> }.into_any(),
                }
            });
            view! { <tr class:is-selected=move || selected.get()>{cells.collect_view()}</tr> }
        });
        rows.collect_view()
    };
    view! {
        <table class="table" aria-label=label data-testid=label.replace(' ', "-").to_lowercase() on:keydown=walk_rows>
            <thead><tr>{heads.collect_view()}</tr></thead>
            <tbody>{body}</tbody>
        </table>
    }
}

/// Arrow keys go from row to row.
fn walk_rows(event: KeyboardEvent) {
    let by = match event.key().as_str() {
        "ArrowDown" => 1,
        "ArrowUp" => -1,
        _ => return,
    };
    let Some(button) = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok()) else {
        return;
    };
    let Ok(Some(row)) = button.closest("tbody tr") else { return };
    let next = if by > 0 { row.next_element_sibling() } else { row.previous_element_sibling() };
    let goal = next.and_then(|row| row.query_selector("button").ok().flatten());
    event.prevent_default();
    event.stop_propagation();
    if let Some(goal) = goal.and_then(|goal| goal.dyn_into::<HtmlElement>().ok()) {
        // A button takes the focus.
        let _ = goal.focus();
    }
}

//! A table with sorting, keyboard navigation and export.

use std::sync::Arc;

use wasm_bindgen::JsCast as _;
use web_sys::{HtmlElement, KeyboardEvent};

use crate::components::name_cell::MAX_LETTERS;
use crate::format;
use crate::reactive::*;
use crate::state::session::use_session;
use crate::state::table::{Column, Order};

pub(crate) type OnRow<T> = Arc<dyn Fn(&T) + Send + Sync>;

pub(crate) struct TableModel<T: 'static> {
    pub(crate) columns: &'static [Column<T>],
    pub(crate) label: &'static str,
    pub(crate) testid: &'static str,
    pub(crate) on_row: Option<OnRow<T>>,
    pub(crate) is_selected: Arc<dyn Fn(&T) -> bool + Send + Sync>,
}

#[derive(Clone, Copy)]
struct Head {
    id: &'static str,
    title: &'static str,
    is_amount: bool,
}

struct Line {
    cells: Vec<String>,
    /// Durations in nanoseconds, for the cells that show one.
    durations_ns: Vec<Option<f64>>,
    act: Option<Arc<dyn Fn() + Send + Sync>>,
    is_selected: Box<dyn Fn() -> bool + Send + Sync>,
}

impl Line {
    fn new<T: Send + Sync>(
        columns: &'static [Column<T>],
        row: T,
        on_row: Option<OnRow<T>>,
        is_selected: Arc<dyn Fn(&T) -> bool + Send + Sync>,
    ) -> Self {
        let row = Arc::new(row);
        let pressed = row.clone();
        Self {
            cells: columns.iter().map(|column| column.show(&row)).collect(),
            durations_ns: columns.iter().map(|column| column.duration_ns(&row)).collect(),
            act: on_row.map(|act| Arc::new(move || act(&pressed)) as Arc<dyn Fn() + Send + Sync>),
            is_selected: Box::new(move || is_selected(&row)),
        }
    }
}

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
    let TableModel { columns, label, testid, on_row, is_selected } = model;
    let sorted = Memo::new(move |_| {
        let mut rows = rows.get();
        order.with(|order| order.sort(columns, &mut rows));
        rows
    });
    let lines = move || {
        let line = |row| Line::new(columns, row, on_row.clone(), is_selected.clone());
        sorted.get().into_iter().map(line).collect()
    };
    let heads = columns.iter().map(|column| Head {
        id: column.id,
        title: column.title,
        is_amount: column.is_amount(),
    });
    table([label, testid], heads.collect(), order, on_order, Box::new(lines))
}

/// Adds digits to durations that differ but would read the same, in a row and in a column.
fn tell_apart(lines: &mut [Line]) {
    let cells = |line: &Line, column: usize| Some((line.durations_ns[column]?, line.cells[column].clone()));
    for line in lines.iter_mut() {
        let places = (0..line.cells.len()).filter(|place| line.durations_ns[*place].is_some());
        let places: Vec<usize> = places.collect();
        let mut texts: Vec<_> = places.iter().filter_map(|place| cells(line, *place)).collect();
        format::tell_apart(&mut texts);
        for (place, (_, text)) in places.into_iter().zip(texts) {
            line.cells[place] = text;
        }
    }
    let columns = lines.first().map_or(0, |line| line.cells.len());
    for column in 0..columns {
        let mut texts: Vec<_> = lines.iter().filter_map(|line| cells(line, column)).collect();
        format::tell_apart(&mut texts);
        for (line, (_, text)) in lines.iter_mut().zip(texts) {
            line.cells[column] = text;
        }
    }
}

/// Renders a table. The code is independent of the row type, so that it is compiled once.
fn table(
    [label, testid]: [&'static str; 2],
    heads: Vec<Head>,
    order: Signal<Order>,
    on_order: Callback<Order>,
    lines: Box<dyn Fn() -> Vec<Line> + Send + Sync>,
) -> AnyView {
    let head = |Head { id, title, is_amount }: Head| {
        view! {
            <th
                scope="col"
                class:number=is_amount
                aria-sort=move || order.with(|order| order.direction(id, is_amount))
            >
                <button type="button" on:click=move |_| on_order.run(order.get_untracked().next(id))>
                    {title}
                </button>
            </th>
        }
    };
    let session = use_session();
    let top = heads.iter().copied().map(head).collect_view();
    let body = move || {
        let mut lines = lines();
        tell_apart(&mut lines);
        let names = lines.iter().filter_map(|line| line.cells.first()).map(String::as_str).collect();
        let short = session.fit_names(names, MAX_LETTERS);
        let rows = lines.into_iter().zip(short).map(|(Line { cells, act, is_selected, .. }, short)| {
            let selected = Memo::new(move |_| is_selected());
            let cells = cells.into_iter().zip(&heads).enumerate().map(|(index, (text, head))| {
                match (index, act.clone()) {
                    (0, Some(act)) => view! {
                        <th scope="row" class:number=head.is_amount>
                            <button
                                type="button"
                                class="name-button"
                                title=text
                                aria-pressed=move || selected.get().to_string()
                                on:click=move |_| act()
                            >{short.clone()}</button>
                        </th>
                    }
                    .into_any(),
                    (0, None) => view! { <th scope="row" title=text>{short.clone()}</th> }.into_any(),
                    _ => view! { <td class:number=head.is_amount>{text}</td> }.into_any(),
                }
            });
            view! { <tr class:is-selected=move || selected.get()>{cells.collect_view()}</tr> }
        });
        rows.collect_view()
    };
    view! {
        <table class="table" aria-label=label data-testid=testid on:keydown=walk_rows>
            <thead><tr>{top}</tr></thead>
            <tbody>{body}</tbody>
        </table>
    }
    .into_any()
}

pub(crate) fn walk_rows(event: KeyboardEvent) {
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
    let goal = next.and_then(|row| row.query_selector(".name-button, .trace-link").ok().flatten());
    event.prevent_default();
    event.stop_propagation();
    if let Some(goal) = goal.and_then(|goal| goal.dyn_into::<HtmlElement>().ok()) {
        // Buttons can always take the focus.
        let _ = goal.focus();
    }
}

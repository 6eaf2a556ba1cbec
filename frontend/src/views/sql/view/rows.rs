//! The rows of a statement: table, chart, and link to the timeline.

use syclscope_language::api::{SliceRef, SqlCell, SqlRows};

use crate::components::name_cell::MAX_LETTERS;
use crate::components::table::walk_rows;
use crate::format;
use crate::reactive::*;
use crate::state::call::Goal;
use crate::state::filters::exactly;
use crate::state::session::{Session, use_session, with_key};
use crate::views::sql::chart::{Chart, chart, polyline};
use crate::views::sql::rows::{MAX_MARKS, Order, Places, marks, next_order, rounded, sort, text};

/// Maximum number of rows in the table; more would make the page slow.
const MAX_ROWS: usize = 1000;
/// Maximum number of letters of a kernel's name next to its bar.
const NAME_LETTERS: usize = 30;
/// Size of a line chart in its own units.
const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 120.0;

#[component]
pub(super) fn Rows(answer: SqlRows) -> impl IntoView {
    let session = use_session();
    let drawn = chart(&answer).map(|chart| draw(session, chart));
    let marked = marks(&answer);
    let (numbers, count) = (counted(&answer), answer.rows.len());
    view! {
        <p class="sql-numbers">
            <span role="status" data-testid="sql-count">{numbers}</span>
            <Mark marked rows=count/>
        </p>
        {drawn}
        <Table answer/>
    }
}

fn counted(answer: &SqlRows) -> String {
    let rows = answer.rows.len();
    let count = format::counted(rows as u64, "row", "rows");
    match (answer.is_cut, rows > MAX_ROWS) {
        (true, _) => format!("the first {count} of more, {} here", format::count(rows.min(MAX_ROWS) as u64)),
        (false, true) => format!("{count}, the first {} here", format::count(MAX_ROWS as u64)),
        (false, false) => count,
    }
}

/// Highlights the slices of the rows in the timeline, where the search steps from one to the next.
#[component]
fn Mark(marked: Vec<SliceRef>, rows: usize) -> impl IntoView {
    let session = use_session();
    let count = marked.len();
    (count > 0).then(|| {
        let text = match count {
            MAX_MARKS if rows > MAX_MARKS => format!("Mark the first {count} in timeline"),
            _ => "Mark in timeline".to_owned(),
        };
        view! {
            <button type="button" class="jump" data-testid="sql-mark"
                title=with_key("timeline.next_found", "Highlight slices with these times; go to the next one (J)")
                on:click=move |_| session.go(Goal::Matches(exactly(&marked)))
            >{text}</button>
        }
    })
}

#[component]
fn Table(answer: SqlRows) -> impl IntoView {
    let session = use_session();
    let SqlRows { columns, rows, .. } = answer;
    let order = RwSignal::new(Order::None);
    let places = Places::from_columns(&columns);
    let names: Vec<(String, bool)> =
        columns.iter().map(|column| (column.name.clone(), column.kind.is_number())).collect();
    let heads = columns.into_iter().enumerate().map(|(place, column)| {
        let is_number = column.kind.is_number();
        let direction = move || match order.get() {
            Some((sorted, falls)) if sorted == place => Some(if falls { "descending" } else { "ascending" }),
            _ => None,
        };
        view! {
            <th scope="col" class:number=is_number aria-sort=direction>
                <button type="button" on:click=move |_| order.update(|order| *order = next_order(*order, place, is_number))>
                    {column.name}
                </button>
            </th>
        }
    });
    let heads = heads.collect_view();
    let body = move || {
        let mut sorted = rows.clone();
        sort(&mut sorted, order.get());
        let line = |row: Vec<_>| {
            let at = places.and_then(|places| places.slice(&row));
            let cells = row.iter().zip(&names).enumerate().map(|(place, (cell, (name, is_number)))| {
                // A kernel's name may have hundreds of letters, and differ from others only at its end.
                let text = match cell {
                    SqlCell::Text(name) => session.fit_kernel(name, MAX_LETTERS),
                    _ => text(cell, name),
                };
                match at.filter(|_| place == 0) {
                    Some(at) => view! {
                        <td class:number=*is_number>
                            <button type="button" class="name-button" title=cell.to_string() on:click=move |_| session.go_to(at)>{text}</button>
                        </td>
                    }
                    .into_any(),
                    None => view! { <td class:number=*is_number title=cell.to_string()>{text}</td> }.into_any(),
                }
            });
            view! { <tr>{cells.collect_view()}</tr> }
        };
        sorted.into_iter().take(MAX_ROWS).map(line).collect_view()
    };
    view! {
        <table class="table" aria-label="Rows of the result" data-testid="sql-result" on:keydown=walk_rows>
            <thead><tr>{heads}</tr></thead>
            <tbody>{body}</tbody>
        </table>
    }
}

fn draw(session: Session, chart: Chart) -> AnyView {
    match chart {
        Chart::Bars { title, bars } => {
            let max = bars.iter().map(|bar| bar.1).fold(f64::MIN_POSITIVE, f64::max);
            let bars = bars.into_iter().map(|(name, amount)| {
                let width = (amount.max(0.0) / max * 100.0).to_string();
                let short = session.fit_kernel(&name, NAME_LETTERS);
                view! {
                    <li>
                        <span class="sql-name" title=name>{short}</span>
                        <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                            <rect width=width height="1"></rect>
                        </svg>
                        <span class="number">{rounded(amount)}</span>
                    </li>
                }
            });
            let bars = bars.collect_view();
            view! { <figure class="sql-chart" data-testid="sql-chart"><figcaption>{title}</figcaption><ul>{bars}</ul></figure> }
                .into_any()
        }
        Chart::Line { title, points } => {
            let label = title.clone();
            view! {
                <figure class="sql-chart" data-testid="sql-chart">
                    <figcaption>{title}</figcaption>
                    <svg viewBox=format!("0 0 {WIDTH} {HEIGHT}") role="img" aria-label=label>
                        <polyline points=polyline(&points, WIDTH, HEIGHT)></polyline>
                    </svg>
                </figure>
            }
            .into_any()
        }
    }
}

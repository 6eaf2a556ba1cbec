//! The tables with their columns, which a press inserts into the statement.

use js_sys::{Function, Reflect};
use syclscope_language::api::SqlRows;
use syclscope_language::question::{Question, SqlQuestion};
use wasm_bindgen::{JsCast as _, JsValue};

use crate::browser::document;
use crate::components::states::show_answer;
use crate::format;
use crate::hooks::answer::use_answer;
use crate::reactive::*;

#[component]
pub(super) fn Tables(draft: RwSignal<String>) -> impl IntoView {
    let question = SqlQuestion { statement: String::new(), limit: SqlQuestion::LIMIT };
    let query = use_answer::<SqlRows>(move || Some(Question::Sql(question.clone())));
    let list = show_answer(query, "tables", move |answer| {
        // Rows of one table are consecutive. Their cells are table, number of rows, column, type, and meaning.
        let cells: Vec<Vec<String>> =
            answer.rows.iter().map(|row| row.iter().map(ToString::to_string).collect()).collect();
        let tables = cells.chunk_by(|one, other| one[0] == other[0]).map(|columns| {
            let name = columns[0][0].clone();
            let rows = columns[0][1].parse().map_or_else(|_| columns[0][1].clone(), format::count);
            let start = format!("SELECT * FROM {name} LIMIT 100");
            let inserted = name.clone();
            let press = move |_| match draft.with_untracked(String::is_empty) {
                true => draft.set(start.clone()),
                false => insert(draft, &inserted),
            };
            let columns = columns.iter().map(|row| {
                let (column, type_name, meaning) = (row[2].clone(), row[3].clone(), row[4].clone());
                let inserted = column.clone();
                view! {
                    <li>
                        <button type="button" class="jump" title=meaning on:click=move |_| insert(draft, &quoted(&inserted))>
                            {column}
                        </button>
                        <span class="quiet">" "{type_name}</span>
                    </li>
                }
            });
            let columns = columns.collect_view();
            view! {
                <details data-testid="sql-table">
                    <summary>{name.clone()} <span class="quiet">" "{rows}</span></summary>
                    <button type="button" class="jump" on:click=press>{format!("Insert {name}")}</button>
                    <ul>{columns}</ul>
                </details>
            }
        });
        tables.collect_view()
    });
    view! { <aside class="sql-tables" aria-label="Tables" data-testid="sql-tables">{list}</aside> }
}

/// Returns a column's name as written in a statement: some are SQL keywords.
fn quoted(name: &str) -> String {
    if matches!(name, "order" | "column" | "type") { format!("\"{name}\"") } else { name.to_owned() }
}

fn insert(draft: RwSignal<String>, name: &str) {
    let Ok(Some(field)) = document().query_selector(".sql-statement") else { return };
    let property = |name: &str| Reflect::get(&field, &name.into()).unwrap_or_default();
    let arguments = js_sys::Array::of4(
        &JsValue::from(name),
        &property("selectionStart"),
        &property("selectionEnd"),
        &"end".into(),
    );
    if let Ok(set) = property("setRangeText").dyn_into::<Function>() {
        // Setting the text of a field on screen can't fail.
        let _ = Reflect::apply(&set, &field, &arguments);
        draft.set(property("value").as_string().unwrap_or_default());
    }
    if let Ok(field) = field.dyn_into::<web_sys::HtmlElement>() {
        let _ = field.focus();
    }
}

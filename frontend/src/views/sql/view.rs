//! The SQL view in the browser: a field for the statement, the tables next to it, and the rows below.

mod rows;
mod tables;

use std::cell::RefCell;
use std::rc::Rc;

use syclscope_language::api::SqlRows;
use syclscope_language::question::{Question, SqlQuestion};
use web_sys::{AbortController, KeyboardEvent};

use self::rows::Rows;
use self::tables::Tables;
use crate::browser::hint;
use crate::components::states::{Nothing, show_answer};
use crate::components::view_body::ViewBody;
use crate::data::client;
use crate::data::trace_source::{Text, TraceSource};
use crate::hooks::answer::{Answer, PendingQuery, use_text};
use crate::reactive::*;
use crate::state::history::Change;
use crate::state::session::{Session, use_session};
use crate::state::view_descriptor::Running;
use crate::views::sql::ID;
use crate::views::sql::examples::EXAMPLES;
use crate::views::sql::state::SqlState;
use crate::views::sql::tokens::{place, tokens};

pub(crate) fn start(session: Session) -> Running {
    // The draft outlives the view on screen, so that unfinished text survives a switch to another view.
    let draft = RwSignal::new(String::new());
    // Only another statement replaces the text in the field.
    let statement = Memo::new(move |_| session.slot::<SqlState>().with(|state| state.statement.clone()));
    Effect::new(move |_| draft.set(statement.get()));
    let mount = move || view! { <SqlView draft statement/> }.into_any();
    Running { mount: Box::new(mount), handle: Rc::new(|_| false) }
}

/// Handle that cancels the running query.
#[derive(Clone, Default)]
struct Cancel(Rc<RefCell<Option<AbortController>>>);

impl Cancel {
    /// Cancels the last query, and returns the handle that cancels the next one.
    fn renew(&self) -> Option<AbortController> {
        self.call_off();
        let next = AbortController::new().ok();
        self.0.borrow_mut().clone_from(&next);
        next
    }

    fn call_off(&self) {
        if let Some(running) = self.0.borrow_mut().take() {
            running.abort();
        }
    }
}

fn use_rows(session: Session, statement: Memo<String>, cancel: Cancel) -> PendingQuery<SqlRows> {
    use_text(move || {
        let statement = statement.get();
        let next = cancel.renew();
        if statement.trim().is_empty() {
            return None;
        }
        let (next, Some(TraceSource::Server(id))) = (next?, session.home()) else { return None };
        let question = Question::Sql(SqlQuestion { statement, limit: SqlQuestion::LIMIT });
        let pending: Text<'static> =
            Box::pin(async move { client::ask_until(&id, &question, &next.signal()).await });
        Some(pending)
    })
}

#[component]
fn SqlView(draft: RwSignal<String>, statement: Memo<String>) -> impl IntoView {
    let session = use_session();
    let cancel = Cancel::default();
    let query = use_rows(session, statement, cancel.clone());
    let running = StoredValue::new(cancel.clone());
    on_cleanup(move || {
        let _gone = running.try_with_value(Cancel::call_off);
    });
    let run = move || {
        let statement = draft.get_untracked();
        let state = session.slot::<SqlState>();
        if state.with_untracked(|state| state.statement == statement) {
            query.retry();
        } else {
            state.update(|state| state.statement = statement);
            session.record_change(Change::Jump);
        }
    };
    let wrong_at = move |text: &str| {
        let is_answered = statement.with(|statement| statement == text);
        query.answer.with(|answer| match answer {
            Answer::Failed(error) if is_answered => place(&error.message, text),
            _ => None,
        })
    };
    // A field has one text colour, so its own text is invisible, and this coloured copy lies beneath it.
    let colours = move || {
        draft.with(|text| {
            let (wrong_at, mut at) = (wrong_at(text), 0);
            let pieces = tokens(text).into_iter().map(|(class, piece)| {
                let is_wrong = wrong_at.is_some_and(|wrong| (at..at + piece.len()).contains(&wrong));
                at += piece.len();
                view! { <span class=class class:is-wrong=is_wrong>{piece.to_owned()}</span> }
            });
            pieces.collect_view()
        })
    };
    let next_order = move |event: KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            run();
        }
    };
    let choose = move |event: leptos::ev::Event| {
        let place: Option<usize> = event_target_value(&event).parse().ok();
        if let Some((_, statement)) = place.and_then(|place| EXAMPLES.get(place)) {
            draft.set((*statement).to_owned());
            // Clears the value, so that choosing the same example again sends an event.
            event_target::<web_sys::HtmlSelectElement>(&event).set_value("");
            run();
        }
    };
    let examples = EXAMPLES.iter().enumerate().map(|(place, (title, _))| {
        view! { <option value=place.to_string()>{*title}</option> }
    });
    let is_local = matches!(session.home(), Some(TraceSource::Worker(_)));
    let is_running = move || query.answer.with(|answer| matches!(answer, Answer::Loading));
    let body = show_answer(query, "rows", |answer| view! { <Rows answer/> });
    let is_empty = move || query.answer.with(|answer| matches!(answer, Answer::None));
    view! {
        <div class="view-bar">
            <button type="button" class="button" title="Run the statement (Ctrl+Enter)" data-testid="sql-run"
                on:click=move |_| run()
            >"Run"</button>
            <button type="button" class="button" data-testid="sql-cancel" disabled=move || !is_running()
                on:click=move |_| cancel.call_off()
            >"Cancel"</button>
            <select class="field" aria-label="Examples" data-testid="sql-examples" prop:value="" on:change=choose>
                <option value="">"Examples"</option>
                {examples.collect_view()}
            </select>
        </div>
        <div class="sql">
            <div class="sql-main">
                <div class="sql-field">
                    <pre aria-hidden="true">{colours}" "</pre>
                    <textarea
                        class="sql-statement"
                        spellcheck="false"
                        aria-label="SQL statement"
                        placeholder="SELECT name, duration_ns FROM executions"
                        data-testid="sql-statement"
                        prop:value=move || draft.get()
                        on:input=move |event| draft.set(event_target_value(&event))
                        on:keydown=next_order
                    ></textarea>
                </div>
                <ViewBody view=ID label="Rows" testid="sql-rows">
                    {body}
                    {is_local.then(|| view! {
                        <Nothing title="SQL needs the program">
                            "Open the file with " <code>"syclscope open FILE"</code> "."
                        </Nothing>
                    })}
                    {move || (!is_local && is_empty()).then(|| view! {
                        <Nothing title="No statement yet">
                            "Write a SELECT over the tables listed here, or take an example. "
                            {hint("Ctrl+Enter runs it.", "The button Run runs it.")}
                        </Nothing>
                    })}
                </ViewBody>
            </div>
            {(!is_local).then(|| view! { <Tables draft/> })}
        </div>
    }
}

//! The command palette: finds everything by a few letters of its name.

use leptos::task::spawn_local;
use syclscope_language::api::{Matches, ObjectHistory};
use syclscope_language::question::{FindQuestion, ObjectQuestion, Question};

use crate::browser::scroll_into_sight;
use crate::components::dialog::Dialog;
use crate::hooks::answer::{Answer, use_answer};
use crate::reactive::*;
use crate::shell::commands;
use crate::shell::keys::{Tools, call};
use crate::shell::offers::{self, Entry, MAX_ENTRIES, Offer, entries, matching};
use crate::state::call::{Goal, Overlay};
use crate::state::objects::selections;
use crate::state::selection::Selection;
use crate::state::session::{Session, use_session};

/// Maximum number of letters of a kernel's name.
const MAX_LETTERS: usize = 64;

/// Distance from a requested time to the edges of the displayed range, as a share of the run.
const AROUND_SHARE: f64 = 0.02;

#[component]
pub(crate) fn Palette() -> impl IntoView {
    view! {
        <Dialog overlay=Overlay::Palette first=".palette input" class="palette" label="Command palette">
            <Body/>
        </Dialog>
    }
}

#[component]
fn Body() -> impl IntoView {
    let session = use_session();
    let tools = Tools::from_context();
    let info = session.info();
    let offered = commands::offered(&info).filter(|command| command.id != "page.palette");
    let all = StoredValue::new(entries(&info, offered));
    let text = RwSignal::new(String::new());
    let query = use_answer::<Matches>(move || {
        let text = text.get();
        (!text.trim().is_empty()).then_some(Question::Find(FindQuestion { text, limit: MAX_ENTRIES as u32 }))
    });
    // Old results stay until new ones arrive, so that lines don't jump during typing.
    let matches = RwSignal::new(Vec::<Entry>::new());
    let offered =
        Memo::new(move |_| all.with_value(|all| matches.with(|matches| matching(all, matches, &text.get()))));
    let selected = RwSignal::new(0_usize);
    Effect::new(move |_| {
        let found = query.answer.with(|answer| match answer {
            Answer::Ready(found) => Some(offers::match_entries(&found.matches, &session.info())),
            Answer::Loading => None,
            _ => Some(Vec::new()),
        });
        let Some(found) = found else { return };
        // The chosen line stays chosen, even if others appear above it. If it is gone, the first line is chosen.
        let chosen = selected.get_untracked();
        let entry = offered.with_untracked(|offered| offered.get(chosen).cloned()).filter(|_| chosen > 0);
        matches.set(found);
        let place =
            offered.with_untracked(|offered| offered.iter().position(|one| Some(one) == entry.as_ref()));
        selected.set_if_changed(place.unwrap_or_default());
    });
    let run = move |place: usize| {
        let Some(entry) = offered.with_untracked(|offered| offered.get(place).cloned()) else { return };
        session.overlay.set(None);
        carry_out(session, tools, entry.offer);
    };
    let step = move |by: isize| {
        let count = offered.with_untracked(Vec::len).max(1) as isize;
        selected.update(|place| *place = (*place as isize + by).rem_euclid(count) as usize);
        scroll_into_sight(&format!("#offer-{}", selected.get_untracked()));
    };
    let lines = move || {
        let lines = offered.get().into_iter().enumerate().map(|(place, entry)| {
            let Entry { offer, title, kind } = entry;
            view! {
                <li
                    id=format!("offer-{place}")
                    role="option"
                    class:is-selected=move || selected.get() == place
                    aria-selected=move || (selected.get() == place).to_string()
                    on:pointermove=move |_| if selected.get_untracked() != place { selected.set(place) }
                    on:click=move |_| run(place)
                >
                    <span class="offer-title">{session.fit_kernel(&title, MAX_LETTERS)}</span>
                    <Keys offer/>
                    <span class="offer-kind quiet">{kind}</span>
                </li>
            }
        });
        lines.collect_view()
    };
    view! {
        <input
            type="text"
            role="combobox"
            class="palette-input"
            placeholder="A command, kernel, call, thread, buffer, file:line, or a time like 1.5 ms"
            aria-label="Search commands and everything in the trace"
            aria-expanded="true"
            aria-controls="offers"
            aria-autocomplete="list"
            aria-activedescendant=move || format!("offer-{}", selected.get())
            autocomplete="off"
            spellcheck="false"
            on:input=move |event| {
                text.set(event_target_value(&event));
                selected.set(0);
            }
            on:keydown=move |event| {
                match event.key().as_str() {
                    "ArrowDown" => step(1),
                    "ArrowUp" => step(-1),
                    "PageDown" => step(8),
                    "PageUp" => step(-8),
                    "Enter" => run(selected.get_untracked()),
                    "Escape" => session.overlay.set(None),
                    // Only the field is focusable here.
                    "Tab" => {}
                    _ => return,
                }
                event.prevent_default();
                event.stop_propagation();
            }
        />
        <ul id="offers" role="listbox" aria-label="Matches" data-testid="offers">{lines}</ul>
        {move || offered.with(Vec::is_empty).then(|| {
            let text = query.answer.with(|answer| match answer {
                Answer::Loading => "Searching…".to_owned(),
                Answer::Failed(error) => error.message.clone(),
                _ => "No matches".to_owned(),
            });
            view! { <p class="palette-none quiet">{text}</p> }
        })}
    }
}

#[component]
fn Keys(offer: Offer) -> impl IntoView {
    let session = use_session();
    let Offer::Command(command) = offer else { return ().into_any() };
    let chord = session.keymap.with_untracked(|keymap| keymap.keys(command)).into_iter().next();
    let labels = chord.map(|chord| chord.labels()).unwrap_or_default();
    let labels = labels.into_iter().map(|label| view! { <kbd>{label}</kbd> });
    view! { <span class="chord">{labels.collect_view()}</span> }.into_any()
}

fn carry_out(session: Session, tools: Tools, offer: Offer) {
    match offer {
        Offer::Command(command) => call(session, tools, command),
        Offer::Kernel(name) => {
            session.select(Some(Selection::Name(name.clone())));
            session.go(Goal::Kernel(name));
        }
        Offer::Name(name, at) => {
            session.select(Some(Selection::Name(name)));
            session.go(at.map_or(Goal::Time, Goal::Slice));
        }
        Offer::Line(file, line) => session.go_to_line(file, line),
        Offer::Track(track) => session.go(Goal::Track(track)),
        Offer::Object(id) => show_object(session, id),
        Offer::Queue(queue) => session.select(Some(Selection::Queue(queue))),
        Offer::File(path) => session.go(Goal::File(path)),
        Offer::Time(at_ns) => {
            let half_ns = session.info().duration_ns as f64 * AROUND_SHARE;
            session.go(Goal::Range(at_ns - half_ns, at_ns + half_ns));
        }
    }
}

fn show_object(session: Session, id: u32) {
    let Some(home) = session.home() else { return };
    spawn_local(async move {
        let question = Question::Object(ObjectQuestion { id, offset: 0, limit: 0 });
        match home.ask::<ObjectHistory>(&question).await {
            Ok(history) => {
                session.select(selections(&history.item).into_iter().next());
                session.go(Goal::Object(id));
            }
            Err(error) => session.fail(error.message),
        }
    });
}

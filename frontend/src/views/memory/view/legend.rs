//! Kinds of memory with their colours, each with a switch for its visibility.

use syclscope_language::event::AllocationKind;

use crate::canvas::palette::memory_colour;
use crate::components::theme::use_scheme;
use crate::reactive::*;
use crate::state::history::Change;
use crate::state::session::use_session;
use crate::views::memory::state::MemoryState;

/// An entry: its name in addresses, its title, and its colour.
pub(super) type Entry = (String, String, AllocationKind);

#[component]
pub(super) fn Legend(#[prop(into)] entries: Signal<Vec<Entry>>) -> impl IntoView {
    let (session, scheme) = (use_session(), use_scheme());
    let buttons = move || {
        let buttons = entries.get().into_iter().map(|(key, title, kind)| {
            let (pressed, testid) = (key.clone(), format!("memory-kind-{key}"));
            let is_shown = move || session.slot::<MemoryState>().with(|memory| !memory.hides(&pressed));
            view! {
                <button
                    type="button"
                    class="legend-button"
                    aria-pressed=move || is_shown().to_string()
                    title="Show or hide"
                    data-testid=testid
                    on:click=move |_| {
                        session.slot::<MemoryState>().update(|memory| memory.toggle(&key));
                        session.record_change(Change::Detail);
                    }
                >
                    <span class="chip" style:background-color=move || memory_colour(scheme.get(), kind).css()></span>
                    {title}
                </button>
            }
        });
        buttons.collect_view()
    };
    view! { <div class="memory-legend" role="group" aria-label="Kinds of memory">{buttons}</div> }
}

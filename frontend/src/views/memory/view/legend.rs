//! Kinds of memory with their colours, each with a switch for its visibility.

use syclscope_language::event::AllocationKind;

use crate::canvas::draw_list::Colour;
use crate::canvas::palette::{Scheme, memory_colour};
use crate::components::theme::use_scheme;
use crate::reactive::*;
use crate::state::history::Change;
use crate::state::session::use_session;
use crate::views::memory::state::MemoryState;

/// An entry: its name in addresses, its title, and its kind and number among the devices with that kind, for its colour.
pub(super) type Entry = (String, String, (AllocationKind, usize));

/// Returns the colour of a kind of memory; devices that have the same kind differ in opacity.
pub(super) fn colour(scheme: Scheme, (kind, nth_device): (AllocationKind, usize)) -> Colour {
    let colour = memory_colour(scheme, kind);
    match nth_device {
        0 => colour,
        number => colour.with_alpha(1.0 - 0.18 * (number % 4) as f64),
    }
}

#[component]
pub(super) fn Legend(#[prop(into)] entries: Signal<Vec<Entry>>) -> impl IntoView {
    let (session, scheme) = (use_session(), use_scheme());
    let buttons = move || {
        let buttons = entries.get().into_iter().map(|(key, title, shade)| {
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
                    <span class="chip" style:background-color=move || colour(scheme.get(), shade).css()></span>
                    {title}
                </button>
            }
        });
        buttons.collect_view()
    };
    view! { <div class="memory-legend" role="group" aria-label="Kinds of memory">{buttons}</div> }
}

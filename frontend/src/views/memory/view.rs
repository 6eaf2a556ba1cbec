//! The memory view in the browser: its parts, and what they share.

mod legend;
mod map;
mod moments;
mod saving;
mod stage;
mod usage;

use leptos::prelude::*;

use self::map::Map;
use self::usage::Usage;
use crate::components::states::Nothing;
use crate::state::history::Change;
use crate::state::keys::CommandInfo;
use crate::state::session::{Phase, Session, use_session};
use crate::state::url::memory::{MapColour, MemoryPart};
use crate::state::view::View;
use crate::views::memory::keys::{self, Key};

/// What keys ask of the part that is shown, with the number of the wish.
type Wish = RwSignal<Option<(u32, Key)>>;

#[component]
pub(crate) fn MemoryView() -> impl IntoView {
    let session = use_session();
    let part = Memo::new(move |_| session.memory.with(|memory| memory.part));
    let wish: Wish = RwSignal::new(None);
    provide_context(wish);
    session.on_commands(View::Memory, move |command, phase| run(session, wish, command, phase));
    let parts = MemoryPart::ALL.map(|one| {
        view! {
            <button
                type="button"
                aria-pressed=move || (part.get() == one).to_string()
                data-testid=format!("memory-{}", one.as_str())
                on:click=move |_| show(session, one)
            >{one.title()}</button>
        }
    });
    let has_none = session.info().counts.allocations == 0 && session.info().counts.objects == 0;
    if has_none {
        return view! {
            <Nothing title="No memory was recorded">
                "Record with the streams " <code>"memory"</code> " and " <code>"buffers"</code>
                ", which are on unless " <code>"--streams"</code> " says otherwise."
            </Nothing>
        }
        .into_any();
    }
    view! {
        <div class="memory-view" data-testid="memory">
            <div class="view-bar">
                <div class="segments" role="group" aria-label="Part of the memory view">{parts.collect_view()}</div>
            </div>
            {move || match part.get() {
                MemoryPart::Use => view! { <Usage wish/> }.into_any(),
                MemoryPart::Map => view! { <Map wish/> }.into_any(),
            }}
        </div>
    }
    .into_any()
}

fn show(session: Session, part: MemoryPart) {
    if session.memory.with_untracked(|memory| memory.part != part) {
        session.memory.update(|memory| {
            memory.part = part;
            // The next table has other columns.
            memory.order.clear();
        });
        session.changed(Change::Jump);
    }
}

/// Carries out a command; what only the shown part can do is passed on to it.
fn run(session: Session, wish: Wish, command: &'static CommandInfo, phase: Phase) -> bool {
    let (Some(key), Phase::Press) = (keys::meaning(command.id), phase) else { return false };
    match key {
        Key::Show(part) => show(session, part),
        Key::MoveTime(share) => {
            let viewport = session.viewport();
            session.put_viewport(viewport.panned(share * viewport.span_ns()), Change::Continuous);
        }
        Key::ZoomTime(factor) => {
            let viewport = session.viewport();
            let middle_ns = viewport.start_ns() + viewport.span_ns() / 2.0;
            session.put_viewport(viewport.zoomed(factor, middle_ns), Change::Continuous);
        }
        Key::Colour => {
            session.memory.update(|memory| {
                let place = MapColour::ALL.iter().position(|colour| *colour == memory.colour).unwrap_or(0);
                memory.colour = MapColour::ALL[(place + 1) % MapColour::ALL.len()];
            });
            session.changed(Change::Detail);
        }
        key => wish.update(|last| *last = Some((last.map_or(0, |(number, _)| number) + 1, key))),
    }
    true
}

//! The memory view in the browser: its parts, and their shared state.

mod board;
mod detail;
mod filter;
mod leaks;
mod legend;
mod map;
mod moments;
mod objects;
mod related;
mod transfers;
mod usage;

use std::rc::Rc;

use syclscope_language::api::{AllocationList, ObjectHistory};
use syclscope_language::question::{AllocationOrder, AllocationsQuestion, Question};

use self::detail::MemoryDetails;
use self::leaks::LeaksAndMisuse;
use self::map::Map;
pub(crate) use self::map::Shared as SharedMap;
use self::objects::Objects;
use self::related::SelectedMemory;
use self::transfers::Transfers;
use self::usage::Usage;
use crate::browser::focus;
use crate::components::states::Nothing;
use crate::hooks::answer::{Answer, PendingQuery, use_answer};
use crate::reactive::*;
use crate::state::call::{Call, Goal, Phase};
use crate::state::history::Change;
use crate::state::keys::CommandInfo;
use crate::state::panes::Panes;
use crate::state::selection::Selection;
use crate::state::session::{Session, use_session, with_key};
use crate::state::view_descriptor::Running;
use crate::state::viewport::Viewport;
use crate::views::memory::ID;
use crate::views::memory::keys::{self, Key};
use crate::views::memory::state::{MapColour, MemoryPart, MemoryState};

/// Command for the visible part, with a serial number.
type PressedKey = RwSignal<Option<(u32, Key)>>;

pub(crate) fn start(session: Session) -> Running {
    let wish: PressedKey = RwSignal::new(None);
    let used = FirstUse::ask(session);
    let handle = move |call| {
        match call {
            Call::Command(command, phase) => return run(session, used, wish, command, phase),
            Call::BreakOff => return false,
            Call::Go(Goal::MemoryAt(at_ns)) => {
                show(session, MemoryPart::Use);
                moments::put(session, false, at_ns as f64);
            }
            Call::Go(_) => show(session, MemoryPart::Leaks),
        }
        true
    };
    let mount = move || view! { <MemoryView wish used/> }.into_any();
    Running { mount: Box::new(mount), handle: Rc::new(handle) }
}

pub(crate) fn object_details(history: ObjectHistory, selection: Selection) -> AnyView {
    view! { <MemoryDetails history selection/> }.into_any()
}

#[component]
fn MemoryView(wish: PressedKey, used: FirstUse) -> impl IntoView {
    let session = use_session();
    let part = Memo::new(move |_| session.slot::<MemoryState>().with(|memory| memory.part));
    provide_context(wish);
    SelectedMemory::provide();
    let parts = MemoryPart::ALL.iter().copied().map(|one| {
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
                " (on by default, unless " <code>"--streams"</code> " excludes them)."
            </Nothing>
        }
        .into_any();
    }
    view! {
        <div class="memory-view" data-testid="memory-view">
            <div class="view-bar">
                <div class="segments" role="group" aria-label="Memory view">{parts.collect_view()}</div>
                <div class="readout-buttons memory-fit" role="group" aria-label="Visible time">
                    <button type="button" title=with_key("memory.fit_all", "Fit the whole run (0)") data-testid="memory-fit-all" on:click=move |_| {
                        session.put_viewport(Viewport::whole(session.info().duration_ns), Change::Jump);
                    }>"All"</button>
                    <button
                        type="button"
                        title=with_key("memory.fit_used", "Fit from the first allocation (E)")
                        data-testid="memory-fit-used"
                        on:click=move |_| used.fit(session, Change::Jump)
                    >"From first allocation"</button>
                </div>
            </div>
            {move || match part.get() {
                MemoryPart::Use => view! { <Usage wish/> }.into_any(),
                MemoryPart::Map => view! { <Map wish/> }.into_any(),
                MemoryPart::Objects => view! { <Objects/> }.into_any(),
                MemoryPart::Transfers => view! { <Transfers/> }.into_any(),
                MemoryPart::Leaks => view! { <LeaksAndMisuse/> }.into_any(),
            }}
        </div>
    }
    .into_any()
}

/// Time of the first memory use.
#[derive(Clone, Copy)]
struct FirstUse {
    first: PendingQuery<AllocationList>,
}

impl FirstUse {
    /// Sends the query once the view is shown.
    fn ask(session: Session) -> Self {
        let is_shown = Memo::new(move |_| session.panes.with(|panes| panes.shows(ID)));
        let first = use_answer::<AllocationList>(move || {
            let (sort, limit) = (AllocationOrder::At, 1);
            is_shown.get().then_some(Question::Allocations(AllocationsQuestion {
                sort,
                limit,
                ..AllocationsQuestion::default()
            }))
        });
        let used = Self { first };
        // A run opens with its devices' activity, which may start after the peak.
        Effect::new(move |_| {
            let Answer::Ready(list) = used.first.answer.get() else { return };
            let (Some(first), Some(start_ns)) = (list.allocations.first(), session.opening_start()) else {
                return;
            };
            let is_alone = session.panes.with_untracked(|panes| *panes == Panes::only(ID));
            if is_alone && (first.at_ns as f64) < start_ns {
                used.fit(session, Change::Detail);
            }
        });
        used
    }

    fn fit(self, session: Session, change: Change) {
        let Answer::Ready(list) = self.first.answer.get_untracked() else { return };
        let Some(first) = list.allocations.first() else { return };
        let end_ns = session.info().duration_ns as f64;
        let from = first.at_ns as f64;
        let margin = (end_ns - from) * 0.03;
        let whole = Viewport::whole(session.info().duration_ns);
        session.put_viewport(whole.with_range(from - margin, end_ns + margin / 3.0), change);
    }
}

pub(crate) fn open(session: Session, part: MemoryPart) {
    show(session, part);
    session.show(ID);
}

fn show(session: Session, part: MemoryPart) {
    if session.slot::<MemoryState>().with_untracked(|memory| memory.part != part) {
        session.slot::<MemoryState>().update(|memory| {
            memory.part = part;
            // The next table has other columns.
            memory.order.clear();
            memory.choice.clear();
        });
        session.record_change(Change::Jump);
    }
}

/// Runs a command; commands of the visible part are forwarded to it.
fn run(
    session: Session,
    used: FirstUse,
    wish: PressedKey,
    command: &'static CommandInfo,
    phase: Phase,
) -> bool {
    let key = match (keys::meaning(command.id), phase) {
        (Some(key), Phase::Press) => key,
        (Some(key), Phase::Repeat) => key.repeated(),
        _ => return false,
    };
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
            session.slot::<MemoryState>().update(|memory| {
                let place = MapColour::ALL.iter().position(|colour| *colour == memory.colour).unwrap_or(0);
                memory.colour = MapColour::ALL[(place + 1) % MapColour::ALL.len()];
            });
            session.record_change(Change::Detail);
        }
        Key::FitUsed => used.fit(session, Change::Jump),
        Key::Filter => focus("[data-testid=memory-filter]"),
        Key::MoveAddresses(_)
        | Key::ZoomAddresses(_)
        | Key::Fit
        | Key::FitAll
        | Key::Peak
        | Key::Compare
        | Key::Walk(_)
        | Key::SaveSvg
        | Key::SavePng => wish.update(|last| *last = Some((last.map_or(0, |(number, _)| number) + 1, key))),
    }
    true
}

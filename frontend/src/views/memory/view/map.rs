mod control;
mod state;

use std::cell::RefCell;
use std::rc::Rc;

use leptos::task::spawn_local;
use syclscope_language::api::{AllocationList, MemoryTile};
use syclscope_language::question::{AllocationOrder, AllocationsQuestion, MemoryFilter, MemoryKey, Question};

use self::control::Control;
use self::state::{HoveredBlock, MapState};
use super::PressedKey;
use super::board::{Board, BoardView, Model};
use super::legend::{Entry, Legend};
use super::moments::{self, Moment};
use super::related::use_selected_memory;
use crate::canvas::palette::memory_colour;
use crate::components::gestures::Gestures;
use crate::components::states::{Nothing, Waiting};
use crate::components::theme::use_scheme;
use crate::data::tile::Tile;
use crate::format;
use crate::hooks::answer::{Answer, PendingQuery, use_answer};
use crate::hooks::rested::use_rested;
use crate::reactive::*;
use crate::stage::pointer::Point;
use crate::stage::tooltip::Bubble;
use crate::state::history::Change;
use crate::state::rows::describe_marks;
use crate::state::session::{Session, use_session};
use crate::views::memory::ID;
use crate::views::memory::draw::{map as drawn, moment_at};
use crate::views::memory::keys::MAP_GESTURES;
use crate::views::memory::names;
use crate::views::memory::state::{MapColour, MemoryState};

/// Concurrent requests; browsers open six connections to one server.
const REQUESTS_AT_ONCE: usize = 6;

/// Maximum number of allocations whose sites and objects are queried: the largest visible ones.
const MAX_DETAILS: u32 = 3_000;
const MAX_UNPLACED: u32 = 10_000;

#[derive(Clone, Debug, Default, PartialEq)]
struct Status {
    is_surveyed: bool,
    is_empty: bool,
    failure: Option<(usize, String)>,
    /// Number of buffers and images that were not packed.
    left_out: u64,
    /// Number of the selection's objects with memory, and number of invisible ones among them.
    marked: (u64, u64),
}

pub(crate) type Shared = RefCell<MapState>;

#[derive(Clone, Copy)]
struct MapHandle {
    session: Session,
    state: StoredValue<Rc<Shared>>,
    /// Incremented when new data changes the picture.
    version: RwSignal<u32>,
    status: RwSignal<Status>,
    /// The query for memory without addresses, if there is any.
    unplaced: StoredValue<Option<PendingQuery<AllocationList>>>,
}

impl MapHandle {
    fn with<T>(self, act: impl FnOnce(&mut MapState) -> T) -> Option<T> {
        self.state.try_with_value(|state| act(&mut state.borrow_mut()))
    }

    fn redraw(self) {
        let _gone = self.version.try_update(|version| *version += 1);
    }

    /// Requests the tiles that the survey still needs.
    fn survey(self) {
        let keys = self.with(|state| state.survey.start(REQUESTS_AT_ONCE)).unwrap_or_default();
        for key in keys {
            self.ask(key, true);
        }
        let found = self.with(|state| (state.is_ready(), state.axis.is_empty())).unwrap_or_default();
        // A repeated survey may end differently from the failed one.
        let is_other = |status: &Status| (status.is_surveyed, status.is_empty) != found;
        if self.status.try_with_untracked(is_other) == Some(true) {
            let _gone = self.status.try_update(|status| (status.is_surveyed, status.is_empty) = found);
        }
    }

    /// Repeats failed requests.
    fn retry(self) {
        let query = self.unplaced.try_get_value().flatten();
        let query = query.filter(|query| {
            query.answer.try_with_untracked(|answer| matches!(answer, Answer::Failed(_))) == Some(true)
        });
        self.with(|state| state.retry(query.is_some()));
        if let Some(query) = query {
            query.retry();
        }
        self.survey();
        self.redraw();
    }

    fn load(self) {
        let keys = self.with(|state| {
            let MapState { tiles, frame, .. } = state;
            tiles.start_loading(&frame.needed, REQUESTS_AT_ONCE)
        });
        for key in keys.unwrap_or_default() {
            self.ask(key, false);
        }
        let failure = self.with(|state| state.failure()).flatten();
        if self.status.with_untracked(|status| status.failure != failure) {
            self.status.update(|status| status.failure = failure);
        }
    }

    /// Queries the memory without addresses, up to a limit.
    fn load_unplaced(self) {
        let kinds = self.with(|state| state.unplaced_kinds()).unwrap_or_default();
        if kinds.is_empty() {
            self.with(|state| state.take_unplaced(Vec::new()));
            return self.survey();
        }
        let query = use_answer::<AllocationList>(move || {
            let of = MemoryFilter { kinds: Some(kinds.clone()), ..MemoryFilter::default() };
            Some(Question::Allocations(AllocationsQuestion {
                of,
                limit: MAX_UNPLACED,
                ..AllocationsQuestion::default()
            }))
        });
        self.unplaced.set_value(Some(query));
        Effect::new(move |_| {
            let list = match query.answer.get() {
                Answer::Ready(list) => list,
                Answer::Failed(error) => {
                    self.with(|state| state.survey_failed(error.message));
                    AllocationList::default()
                }
                _ => return,
            };
            let left_out = list.total.count.saturating_sub(list.allocations.len() as u64);
            self.with(|state| state.take_unplaced(list.allocations));
            self.status.update(|status| status.left_out = left_out);
            self.survey();
            self.redraw();
        });
    }

    fn load_related(self) {
        let related = use_selected_memory().related;
        Effect::new(move |_| {
            let related = related.get();
            self.with(|state| state.related = related);
            self.redraw();
        });
    }

    /// Publishes counts of the selection's memory that is visible in the last frame.
    fn publish_marks(self) {
        let marked = self.with(|state| state.out_of_sight()).map(|(listed, hidden, _)| (listed, hidden));
        let marked = marked.unwrap_or_default();
        if self.status.with_untracked(|status| status.marked != marked) {
            self.status.update(|status| status.marked = marked);
        }
    }

    fn know_attributes(self) {
        let session = self.session;
        let is_small = session.info().counts.allocations <= u64::from(MAX_DETAILS);
        let range = use_rested(Memo::new(move |_| {
            let range = (!is_small).then(|| session.viewport())?;
            Some((range.start_ns() as u64, range.end_ns() as u64))
        }));
        let query = use_answer::<AllocationList>(move || {
            let (from_ns, to_ns) = range.get().unzip();
            Some(Question::Allocations(AllocationsQuestion {
                from_ns,
                to_ns,
                sort: AllocationOrder::SizeDown,
                limit: MAX_DETAILS,
                ..AllocationsQuestion::default()
            }))
        });
        Effect::new(move |_| {
            if let Answer::Ready(list) = query.answer.get() {
                self.with(|state| {
                    for item in list.allocations {
                        state.attributes.insert(item.allocation, item.location.as_ref(), item.object);
                    }
                });
                self.redraw();
            }
        });
    }

    fn ask(self, key: MemoryKey, is_survey: bool) {
        let Some(home) = self.session.home() else { return };
        spawn_local(async move {
            let answer = home.ask::<MemoryTile>(&Question::Memory(key)).await;
            // The view may be unmounted.
            let is_here = self.with(|state| match (answer, is_survey) {
                (Ok(tile), true) => state.surveyed(key, &tile),
                (Ok(tile), false) => state.tiles.insert(key, Tile::Memory(tile)),
                (Err(error), true) => state.survey_failed(error.message),
                (Err(error), false) => state.tiles.fail(key, error.message),
            });
            if is_here.is_some() {
                if is_survey {
                    self.survey();
                }
                self.redraw();
            }
        });
    }
}

#[component]
pub(super) fn Map(wish: PressedKey) -> impl IntoView {
    let session = use_session();
    let state = MapState::new(&session.info());
    let entries = legend(session, &state);
    let handle = MapHandle {
        session,
        state: StoredValue::new(Rc::new(RefCell::new(state))),
        version: RwSignal::new(0),
        status: RwSignal::default(),
        unplaced: StoredValue::new(None),
    };
    handle.survey();
    let pointer = RwSignal::new(None::<Point>);
    let peak_ns = moments::use_peak();
    let control = Control { handle, pointer, peak_ns };
    let board = Board::new(model(control), pointer);
    moments::follow(wish, move |key| control.key(key, board));
    handle.know_attributes();
    handle.load_unplaced();
    handle.load_related();
    handle.state.with_value(|state| crate::stage::log::draws(state));
    let found = Memo::new(move |_| {
        handle.version.track();
        let at = pointer.get()?;
        Some((at, handle.with(|state| state.hovered_block(at)).flatten()?))
    });
    Effect::new(move |_| {
        let hovered = found.with(|found| found.as_ref().map(|(_, found)| found.allocation));
        if handle.with(|state| std::mem::replace(&mut state.hovered, hovered) != hovered) == Some(true) {
            handle.redraw();
        }
    });
    view! {
        <div class="view-bar memory-bar">
            <Legend entries=Signal::derive(move || entries.clone())/>
            <Colours/>
            {move || Some(handle.status.get().left_out).filter(|count| *count > 0).map(|count| view! {
                <span class="quiet">{format!("{} not shown: too many to draw", format::counted(count, "buffer or image", "buffers and images"))}</span>
            })}
        </div>
        <MapMarked control/>
        <div class="memory-stage">
            {move || match handle.status.get() {
                Status { is_surveyed: false, failure: None, .. } => {
                    view! { <Waiting text="Looking for allocations…".to_owned()/> }.into_any()
                }
                Status { is_surveyed: true, is_empty: true, failure: None, .. } => view! {
                    <Nothing title="No allocations">"No allocation with an address was recorded."</Nothing>
                }
                .into_any(),
                Status { failure: Some((count, message)), .. } => view! {
                    <div class="timeline-failure" role="alert" data-testid="map-failure">
                        <span>{format!("{} of the map could not be loaded. {message}", format::counted(count as u64, "part", "parts"))}</span>
                        <button type="button" on:click=move |_| control.retry()>"Try again"</button>
                    </div>
                }
                .into_any(),
                Status { .. } => ().into_any(),
            }}
            <BoardView board>
                {move || found.get().map(|(at, found)| view! {
                    <Bubble at testid="memory-tooltip"><FoundFacts found/></Bubble>
                })}
            </BoardView>
        </div>
        <Gestures view=ID lines=&MAP_GESTURES/>
        <Moment peak_ns/>
    }
}

/// Shows how much of the selection's memory is visible, and scrolls to the rest.
#[component]
fn MapMarked(control: Control) -> impl IntoView {
    let selected = use_selected_memory();
    let marked = Memo::new(move |_| control.handle.status.with(|status| status.marked));
    move || {
        selected.thing.with(Option::is_some).then(|| {
            let (listed, hidden) = marked.get();
            let total = selected.related.with(|related| related.total);
            view! {
                <p class="long-marked" data-testid="map-marked">
                    <span role="status">{describe_marks(("object", "objects"), total, listed, hidden)}</span>
                    {(hidden > 0).then(|| view! {
                        <button type="button" class="jump" data-testid="marked-show" on:click=move |_| control.show_marked()>"Show"</button>
                    })}
                </p>
            }
        })
    }
}

fn model(control: Control) -> Model {
    let Control { handle, .. } = control;
    let session = handle.session;
    Model {
        label: "Memory map: time to the right, addresses down. Full stop and comma walk from allocation to \
                allocation; the table of objects has the same content.",
        testid: "memory-map-canvas",
        scrolls: true,
        depends: Box::new(move || {
            handle.version.track();
            session.viewport();
            session.slot::<MemoryState>().track();
            session.selection.track();
            session.talk.track();
        }),
        draw: Box::new(move |size, theme| {
            handle.with(|state| state.draw(session, size, theme)).unwrap_or_default()
        }),
        after: Box::new(move |_| {
            handle.load();
            handle.publish_marks();
        }),
        is_waiting: Box::new(move || handle.with(|state| state.is_waiting()) == Some(true)),
        line_at: Box::new(move |at| {
            let moments = session.slot::<MemoryState>().with_untracked(|memory| memory.moments);
            handle.with(|state| state.with_room(|room| moment_at(room, moments, at.x))).flatten()
        }),
        gesture: Box::new(move |gesture| control.gesture(gesture)),
    }
}

fn legend(session: Session, state: &MapState) -> Vec<Entry> {
    let info = session.info();
    let entry = |of: &names::KindTrack| {
        (names::key(of.kind, of.process), names::title(&info, of.kind, of.process), (of.kind, 0))
    };
    state.tracks.iter().map(entry).collect()
}

#[component]
fn FoundFacts(found: HoveredBlock) -> impl IntoView {
    let HoveredBlock { kind, block, place, has_address, .. } = found;
    let scheme = use_scheme();
    let drawn::Block { count, at_ns, until_ns, pointer, span_bytes, total_bytes, .. } = block;
    let title = match count {
        1 => format::bytes(total_bytes as f64),
        count => format!(
            "{}, total {}",
            format::counted(count.into(), "allocation", "allocations"),
            format::bytes(total_bytes as f64)
        ),
    };
    let lived = format::duration(until_ns.saturating_sub(at_ns) as f64);
    view! {
        <div class="tooltip-title">
            <span class="chip" style:background-color=move || memory_colour(scheme.get(), kind).css()></span>
            <span>{title}</span>
        </div>
        <div class="tooltip-facts">
            <span>{names::kind(kind)}</span>
            <span>{if has_address { format!("{pointer:#x} + {}", format::bytes(span_bytes as f64)) } else { "unknown address".to_owned() }}</span>
        </div>
        <div class="tooltip-facts">
            <span>{format!("at {}", format::moment(at_ns as f64))}</span>
            <span>{format!("for {lived}")}</span>
        </div>
        {place.map(|place| view! { <div class="tooltip-merged">{place}</div> })}
    }
}

#[component]
fn Colours() -> impl IntoView {
    let session = use_session();
    let state = session.slot::<MemoryState>();
    let buttons = MapColour::ALL.iter().copied().map(|one| {
        view! {
            <button
                type="button"
                aria-pressed=move || state.with(|memory| memory.colour == one).to_string()
                data-testid=format!("map-colour-{}", one.as_str())
                on:click=move |_| {
                    state.update(|memory| memory.colour = one);
                    session.record_change(Change::Detail);
                }
            >{match one {
                MapColour::Kind => "Kind",
                MapColour::Place => "Source",
                MapColour::Age => "Age",
                MapColour::Buffer => "Object",
            }}</button>
        }
    });
    view! { <div class="segments" role="group" aria-label="Colour by">{buttons.collect_view()}</div> }
}

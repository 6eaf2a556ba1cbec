//! Details of a selected allocation, buffer or image, with the lane of its life.

use std::cell::RefCell;
use std::rc::Rc;

use syclscope_language::api::{NativeMemory, ObjectEvent, ObjectHistory, ObjectItem};

use super::board::{Board, BoardView, Model};
use crate::canvas::palette::{Theme, memory_colour};
use crate::canvas::scale::Size;
use crate::components::facts::{Fact, Jump, PlaceLink, argument_lines};
use crate::components::long_table::follow;
use crate::components::theme::use_scheme;
use crate::format;
use crate::reactive::*;
use crate::stage::pointer::Point;
use crate::stage::tooltip::Bubble;
use crate::state::history::Change;
use crate::state::objects;
use crate::state::rows::Link;
use crate::state::selection::Selection;
use crate::state::session::{Session, use_session};
use crate::state::viewport::Viewport;
use crate::state::words;
use crate::views::memory::draw::lane::{Lane, draw, event_at, height_css_px};
use crate::views::memory::draw::{Room, VALUES_CSS_PX};
use crate::views::memory::gesture::Gesture;
use crate::views::memory::objects::{accessors, elements, flags, placement};
use crate::views::memory::state::{MemoryPart, MemoryState};

#[component]
pub(crate) fn MemoryDetails(history: ObjectHistory, selection: Selection) -> impl IntoView {
    let (session, scheme) = (use_session(), use_scheme());
    let item = history.item.clone();
    let (id, kind) = (item.id, objects::kind_of(item.what));
    let allocation = match selection {
        Selection::Allocation(row) => Some(row),
        _ => None,
    };
    let (args, total) = (history.args.clone(), history.total);
    let events = history.events.clone();
    let count = events.len() as u64;
    let lines = events.into_iter().map(|event| view! { <Event event/> }).collect_view();
    view! {
        <div class="details memory-details" data-testid="details">
            <section class="details-main">
                <h2 class="details-name">
                    <span class="chip" style:background-color=move || memory_colour(scheme.get(), kind).css()></span>
                    <span data-testid="details-name">{item.title()}</span>
                </h2>
                <ObjectFacts item=item.clone()/>
                <div class="details-links">
                    <button type="button" class="jump" data-testid="show-lane" title="Show on its own track in the timeline" on:click=move |_| follow(session, &Link::Lane(id))>"Show in timeline"</button>
                    <button type="button" class="jump" data-testid="show-in-map" on:click=move |_| super::open(session, MemoryPart::Map)>"Show in map"</button>
                    <button type="button" class="jump" data-testid="show-objects" on:click=move |_| super::open(session, MemoryPart::Objects)>"Show objects"</button>
                </div>
            </section>
            <section class="details-lane">
                <h3>"Lifetime"</h3>
                <LifeLane history/>
                <ul class="edges" data-testid="object-events">{lines}</ul>
                {(total > count).then(|| view! { <p class="quiet">{format!("{} more", format::counted(total - count, "event", "events"))}</p> })}
            </section>
            <div class="details-column">
                <section>
                    <h3>"Backing memory"</h3>
                    <ul class="edges" data-testid="native-memory">
                        {item.memory.iter().map(|memory| memory_line(session, memory, allocation)).collect_view()}
                        {item.memory.is_empty().then(|| view! { <li class="quiet">"None recorded"</li> })}
                    </ul>
                </section>
                {(!args.is_empty()).then(|| view! { <section><h3>"Arguments"</h3><dl class="facts">{argument_lines(args)}</dl></section> })}
            </div>
        </div>
    }
}

#[component]
fn ObjectFacts(item: ObjectItem) -> impl IntoView {
    let session = use_session();
    let accesses = accessors(&item.accessors);
    let sides = placement(&item.placement);
    let (flags, elements) = (flags(&item), elements(&item));
    let ended = if item.object.is_some() { "destroyed" } else { "released" };
    let amount = |amount: syclscope_language::api::Amount| {
        format!(
            "{} in {}",
            format::bytes(amount.bytes as f64),
            format::counted(amount.count, "copy", "copies")
        )
    };
    let unused = match item.unused {
        Some(true) => Some("Never used"),
        None if !item.uses_known => {
            Some("Unknown: kernels may use USM unrecorded; record with --detail high")
        }
        _ => None,
    };
    view! {
        <dl class="facts">
            <Fact name="Size"><b data-testid="details-size">{format::bytes(item.size_bytes as f64)}</b>{format!(" ({})", format::counted(item.size_bytes, "byte", "bytes"))}</Fact>
            {(!elements.is_empty()).then(|| view! { <Fact name="Elements">{elements}</Fact> })}
            {(!flags.is_empty()).then(|| view! { <Fact name="Flags"><b class="flag" data-testid="details-flags">{flags}</b></Fact> })}
            <Fact name="Lifetime">{words::lifetime(item.made_ns, item.gone_ns, ended)}</Fact>
            {item.location.clone().map(|location| view! { <Fact name="Created in"><span data-testid="details-source"><PlaceLink location/></span></Fact> })}
            <Fact name="Address"><code>{format!("{:#x}", item.pointer)}</code></Fact>
            {(!item.device.is_empty()).then(|| view! { <Fact name="Device">{item.device.clone()}</Fact> })}
            {(item.host_pointer != 0).then(|| view! { <Fact name="Host pointer"><code>{format!("{:#x}", item.host_pointer)}</code></Fact> })}
            <Fact name="Uses">{format::counted(item.commands, "command", "commands")}</Fact>
            {(!accesses.is_empty()).then(|| view! { <Fact name="Accessors">{accesses}</Fact> })}
            {(item.copied_in.count > 0).then(|| view! { <Fact name="Copied in">{amount(item.copied_in)}</Fact> })}
            {(item.copied_out.count > 0).then(|| view! { <Fact name="Copied out">{amount(item.copied_out)}</Fact> })}
            {(!sides.is_empty()).then(|| view! { <Fact name="Content">{sides}</Fact> })}
            {item.untouched_bytes.filter(|bytes| *bytes > 0).map(|bytes| view! { <Fact name="Untouched">{format::bytes(bytes as f64)}</Fact> })}
            {item.idle_at_end_ns.map(|idle| view! { <Fact name="Idle at end">{format::duration(idle as f64)}</Fact> })}
            {unused.map(|unused| view! { <Fact name="Use">{unused}</Fact> })}
            {item.object.map(|object| view! {
                <Fact name="Related">
                    <button type="button" class="jump" on:click=move |_| session.select(Some(Selection::Object(object)))>{format!("Object {object}")}</button>
                </Fact>
            })}
        </dl>
    }
}

fn memory_line(session: Session, memory: &NativeMemory, selected: Option<u32>) -> impl IntoView {
    let mut parts = Vec::new();
    if let Some(size) = memory.size_bytes {
        parts.push(format::bytes(size as f64));
    }
    if memory.handle != 0 {
        parts.push(format!("handle {:#x}", memory.handle));
    }
    if memory.native != 0 {
        parts.push(format!("native {:#x}", memory.native));
    }
    if let Some(from) = memory.from_ns {
        parts.push(words::lifetime(from, memory.to_ns, "released"));
    }
    let text = parts.join(" · ");
    let row = memory.allocation;
    view! {
        <li class:is-selected=row.is_some() && row == selected>
            {match row {
                Some(row) => view! {
                    <button type="button" class="jump" on:click=move |_| session.select(Some(Selection::Allocation(row)))>{format!("Allocation {row}")}</button>
                }
                .into_any(),
                None => view! { <span>"Not recorded"</span> }.into_any(),
            }}
            <span class="quiet">{text}</span>
        </li>
    }
}

#[component]
fn Event(event: ObjectEvent) -> impl IntoView {
    let ObjectEvent { kind, start_ns, end_ns, name, mode, bytes, at, location, .. } = event;
    let mut parts = vec![format!("at {}", format::moment(start_ns as f64))];
    if end_ns > start_ns {
        parts.push(format::duration((end_ns - start_ns) as f64));
    }
    if let Some(bytes) = bytes {
        parts.push(format::bytes(bytes as f64));
    }
    if !mode.is_empty() {
        parts.push(mode.replace('_', " "));
    }
    let what = objects::event(kind);
    let text = if name.is_empty() { what.to_owned() } else { format!("{what}: {name}") };
    view! {
        <li>
            {match at {
                Some(at) => view! { <Jump at text/> }.into_any(),
                None => view! { <span>{text}</span> }.into_any(),
            }}
            <span class="quiet">{parts.join(" · ")}</span>
            {location.map(|location| view! { <PlaceLink location/> })}
        </li>
    }
}

#[component]
fn LifeLane(history: ObjectHistory) -> impl IntoView {
    let session = use_session();
    let pointer = RwSignal::new(None::<Point>);
    let size = RwSignal::new(Size::default());
    let duration_ns = session.info().duration_ns;
    let item = history.item.clone();
    let history = StoredValue::new(Rc::new(history));
    let drawn = StoredValue::new(Rc::new(RefCell::new((Size::default(), Theme::default()))));
    // Calls `act` with the lane as displayed.
    let with_lane = move |size: Size, theme: &Theme, act: &mut dyn FnMut(&Lane<'_>)| {
        let viewport = untrack(|| session.viewport());
        let selected =
            session.selection.with_untracked(|selection| selection.as_ref().and_then(Selection::slice));
        let moments = session.slot::<MemoryState>().with_untracked(|memory| memory.moments);
        let Some(history) = history.try_get_value() else { return };
        let room = Room {
            gutter_css_px: VALUES_CSS_PX,
            width_css_px: size.width_css_px,
            height_css_px: size.height_css_px,
            device_pixel_ratio: size.device_pixel_ratio.max(0.1),
            theme,
            viewport: &viewport,
            duration_ns,
        };
        act(&Lane { room, history: &history, moments, selected });
    };
    let event_under = move |at: Point| {
        let (size, theme) = *drawn.get_value().borrow();
        let mut found = None;
        with_lane(size, &theme, &mut |lane| found = event_at(lane, at.x, at.y).cloned());
        found
    };
    let model = Model {
        label: "Events of the object over time. The list below has the same content.",
        testid: "object-lane",
        scrolls: false,
        depends: Box::new(move || {
            session.viewport();
            session.selection.track();
            session.slot::<MemoryState>().track();
        }),
        draw: Box::new(move |size, theme| {
            let mut list = Default::default();
            with_lane(size, theme, &mut |lane| list = draw(lane));
            if let Some(drawn) = drawn.try_get_value() {
                *drawn.borrow_mut() = (size, *theme);
            }
            list
        }),
        after: Box::new(move |new| {
            if size.get_untracked() != new {
                size.set(new);
            }
        }),
        is_waiting: Box::new(|| false),
        line_at: Box::new(|_| None),
        gesture: Box::new(move |gesture| {
            let viewport = session.viewport();
            let width = (size.get_untracked().width_css_px - VALUES_CSS_PX).max(1.0);
            let time_at = |x: f64| viewport.start_ns() + (x - VALUES_CSS_PX) / width * viewport.span_ns();
            match gesture {
                Gesture::Pan { dx_css_px, .. } => {
                    let by_ns = -dx_css_px / width * viewport.span_ns();
                    session.put_viewport(viewport.panned(by_ns), Change::Continuous);
                }
                Gesture::Zoom { time, at, .. } => {
                    session.put_viewport(viewport.zoomed(time, time_at(at.x)), Change::Continuous);
                }
                Gesture::ZoomTo(band) if band.w >= 3.0 => {
                    let range = viewport.with_range(time_at(band.x), time_at(band.x + band.w));
                    session.put_viewport(range, Change::Jump);
                }
                Gesture::Click(at, _) => {
                    if let Some(at) = event_under(at).and_then(|event| event.at) {
                        session.go_to(at);
                    }
                }
                _ => {}
            }
        }),
    };
    let board = Board::new(model, pointer);
    let fit = move |_| {
        let end_ns = item.gone_ns.unwrap_or(duration_ns);
        let (from, to) = (item.made_ns as f64, end_ns as f64);
        let margin = (to - from) * 0.05;
        session
            .put_viewport(Viewport::whole(duration_ns).with_range(from - margin, to + margin), Change::Jump);
    };
    view! {
        <div class="object-lane" style:height=format!("{}rem", height_css_px() / 16.0)>
            <BoardView board>
                {move || {
                    let at = pointer.get()?;
                    let event = event_under(at)?;
                    let length = format::duration(event.end_ns.saturating_sub(event.start_ns) as f64);
                    Some(view! {
                        <Bubble at testid="memory-tooltip">
                            <div class="tooltip-title"><span>{if event.name.is_empty() { objects::event(event.kind).to_owned() } else { event.name.clone() }}</span></div>
                            <div class="tooltip-facts">
                                <b>{length}</b>
                                <span>{objects::event(event.kind)}</span>
                                <span>{format!("at {}", format::moment(event.start_ns as f64))}</span>
                                <span>{event.bytes.map(|bytes| format::bytes(bytes as f64))}</span>
                            </div>
                        </Bubble>
                    })
                }}
            </BoardView>
        </div>
        <button type="button" class="jump" data-testid="fit-life" on:click=fit>"Fit lifetime"</button>
    }
}

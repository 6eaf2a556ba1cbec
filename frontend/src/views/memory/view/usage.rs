use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use syclscope_language::api::{MemoryUse, TraceInfo};
use syclscope_language::event::AllocationKind;
use syclscope_language::question::{MemoryFilter, MemoryUseQuestion, Question};

use super::PressedKey;
use super::board::{Board, BoardView, Model};
use super::legend::{Entry, Legend, colour};
use super::moments::{self, Moment};
use crate::canvas::draw_list::{Colour, DrawList, Rect};
use crate::canvas::palette::Theme;
use crate::canvas::scale::Size;
use crate::components::gestures::Gestures;
use crate::components::states::Nothing;
use crate::components::theme::use_scheme;
use crate::format;
use crate::hooks::answer::{Answer, PendingQuery, use_answer};
use crate::reactive::*;
use crate::stage::picture::{Entry as LegendEntry, framed, span_title, trace_name};
use crate::stage::pointer::Point;
use crate::stage::saving::{PictureFormat, save_picture};
use crate::stage::tooltip::Bubble;
use crate::state::history::Change;
use crate::state::session::{Session, use_session};
use crate::state::viewport::Viewport;
use crate::views::memory::ID;
use crate::views::memory::draw::chart::{Chart, Values, draw, values_at};
use crate::views::memory::draw::{Room, VALUES_CSS_PX, moment_at};
use crate::views::memory::gesture::Gesture;
use crate::views::memory::keys::{CHART_GESTURES, Key};
use crate::views::memory::names;
use crate::views::memory::state::{MemoryState, Moments};

/// Allocation sites in the query: none, because the inspected moment has its own query.
const PLACES: u32 = 0;
pub(super) const PNG_SCALE: f64 = 2.0;

#[derive(Clone, Copy)]
struct ChartHandle {
    session: Session,
    parts: StoredValue<Rc<RefCell<Parts>>>,
    version: RwSignal<u32>,
    pointer: RwSignal<Option<Point>>,
    peak_ns: Memo<Option<u64>>,
}

struct Parts {
    info: Arc<TraceInfo>,
    usage: Option<MemoryUse>,
    band: Option<Rect>,
    size: Size,
    theme: Theme,
    viewport: Viewport,
}

impl Parts {
    fn room(&self) -> Room<'_> {
        let room = Room::new(&self.size, &self.theme, &self.viewport, self.info.duration_ns);
        Room { gutter_css_px: VALUES_CSS_PX, ..room }
    }

    fn with_chart<T>(
        &self,
        session: Session,
        pointer: Option<Point>,
        act: impl FnOnce(&Chart<'_>) -> T,
    ) -> Option<T> {
        let usage = self.usage.as_ref()?;
        let memory = session.slot::<MemoryState>().get_untracked();
        let colours: Vec<Option<Colour>> = (0..usage.series.len())
            .map(|place| {
                let key = series_key(usage, place);
                (!memory.hides(&key)).then(|| colour(self.theme.scheme, series_shade(usage, place)))
            })
            .collect();
        let pointer_css_px = pointer.map(|at| at.x);
        let (room, moments, band) = (self.room(), memory.moments, self.band);
        Some(act(&Chart { room, usage, colours: &colours, moments, pointer_css_px, band }))
    }
}

/// Returns the name of a series in addresses: its kind and process, and a number if several devices have memory of that
/// kind.
fn series_key(usage: &MemoryUse, place: usize) -> String {
    let series = &usage.series[place];
    let key = names::key(series.kind, series.process);
    match nth_device(usage, place) {
        0 => key,
        number => format!("{key}-{number}"),
    }
}

/// Returns the number of earlier series of the same process and kind.
fn nth_device(usage: &MemoryUse, place: usize) -> usize {
    let series = &usage.series[place];
    let before = usage.series[..place].iter();
    before.filter(|other| (other.process, other.kind) == (series.process, series.kind)).count()
}

fn series_title(info: &TraceInfo, usage: &MemoryUse, place: usize) -> String {
    let series = &usage.series[place];
    let title = names::title(info, series.kind, series.process);
    if series.device.is_empty() { title } else { format!("{title} · {}", series.device) }
}

/// Returns the kind and the number of the device, which decide the colour of a series.
fn series_shade(usage: &MemoryUse, place: usize) -> (AllocationKind, usize) {
    (usage.series[place].kind, nth_device(usage, place))
}

impl ChartHandle {
    fn with<T>(self, act: impl FnOnce(&mut Parts) -> T) -> Option<T> {
        self.parts.try_with_value(|parts| act(&mut parts.borrow_mut()))
    }

    fn redraw(self) {
        let _gone = self.version.try_update(|version| *version += 1);
    }

    fn time_at(self, x_css_px: f64) -> f64 {
        self.with(|parts| parts.room().scale().time_from_px(x_css_px)).unwrap_or(0.0)
    }

    fn draw(self, size: Size, theme: &Theme) -> DrawList {
        let (session, pointer) = (self.session, self.pointer.get_untracked());
        let list = self.with(|parts| {
            parts.size = size;
            parts.theme = *theme;
            parts.viewport = session.viewport();
            parts.with_chart(session, pointer, |chart| draw(chart).list)
        });
        list.flatten().unwrap_or_default()
    }

    fn gesture(self, gesture: Gesture) {
        let session = self.session;
        match gesture {
            Gesture::Pan { dx_css_px, .. } => {
                let ns_per_css_px = self.with(|parts| parts.room().scale().ns_per_css_px).unwrap_or(0.0);
                session
                    .put_viewport(session.viewport().panned(-dx_css_px * ns_per_css_px), Change::Continuous);
            }
            Gesture::Zoom { time, at, .. } => {
                session.put_viewport(session.viewport().zoomed(time, self.time_at(at.x)), Change::Continuous);
            }
            Gesture::Band(band) => {
                if self.with(|parts| std::mem::replace(&mut parts.band, band) != band) == Some(true) {
                    self.redraw();
                }
            }
            Gesture::ZoomTo(band) if band.w >= 3.0 => {
                let (start, end) = (self.time_at(band.x), self.time_at(band.x + band.w));
                session.put_viewport(session.viewport().with_range(start, end), Change::Jump);
            }
            Gesture::MoveLine { is_second, x_css_px } => {
                moments::put(session, is_second, self.time_at(x_css_px));
            }
            Gesture::Click(at, modifiers) => {
                // A click on the peak's mark selects its exact moment.
                let frame = self.with(|parts| parts.with_chart(session, None, draw)).flatten();
                let is_at = |(x, y, _): (f64, f64, u64)| {
                    (x - at.x).abs() < 8.0 && (y - at.y).abs() < 16.0 || (x - at.x).abs() < 2.0
                };
                let peak_ns =
                    frame.filter(|frame| frame.peak.is_some_and(is_at)).and_then(|frame| frame.peak_ns);
                let at_ns = peak_ns.map_or_else(|| self.time_at(at.x), |at_ns| at_ns as f64);
                moments::press(session, modifiers.shift, at_ns, self.peak_ns);
            }
            Gesture::ZoomTo(_) | Gesture::Open(_) => {}
        }
    }

    fn key(self, key: Key) {
        let session = self.session;
        match key {
            Key::Fit | Key::FitAll => {
                session.put_viewport(Viewport::whole(session.info().duration_ns), Change::Jump);
            }
            Key::SaveSvg | Key::SavePng => {
                let made = self.with(|parts| {
                    let info = parts.info.clone();
                    let title = span_title(trace_name(&info), "memory in use", &parts.viewport);
                    parts.with_chart(session, None, |chart| {
                        let entry = |place: usize| {
                            Some((Some(chart.colours[place]?), series_title(&info, chart.usage, place)))
                        };
                        let legend: Vec<LegendEntry> =
                            (0..chart.usage.series.len()).filter_map(entry).collect();
                        let room = &chart.room;
                        let place = (0.0, room.width_css_px, room.height_css_px);
                        framed(&draw(chart).list, place, room.theme, title, &legend)
                    })
                });
                if let Some(made) = made.flatten() {
                    let saved =
                        if key == Key::SavePng { PictureFormat::Png(PNG_SCALE) } else { PictureFormat::Svg };
                    session.announcement.set(save_picture(&made, "memory", saved));
                }
            }
            // A chart has no addresses, and the moment below handles its own keys.
            Key::MoveAddresses(_) | Key::ZoomAddresses(_) | Key::Walk(_) | Key::Peak | Key::Compare => {}
            // The view handles these keys.
            Key::Show(_) | Key::MoveTime(_) | Key::ZoomTime(_) | Key::Colour | Key::FitUsed | Key::Filter => {
            }
        }
    }
}

#[component]
pub(super) fn Usage(wish: PressedKey) -> impl IntoView {
    let session = use_session();
    let points = RwSignal::new(0_u32);
    let query = use_answer::<MemoryUse>(move || {
        let viewport = session.viewport();
        let points = points.get();
        (points > 0).then(|| {
            let (from_ns, to_ns) = (Some(viewport.start_ns() as u64), Some(viewport.end_ns().ceil() as u64));
            Question::MemoryUse(MemoryUseQuestion {
                of: MemoryFilter::default(),
                from_ns,
                to_ns,
                points,
                places: PLACES,
            })
        })
    });
    let info = session.info();
    let parts = Parts {
        viewport: Viewport::whole(info.duration_ns),
        info,
        usage: None,
        band: None,
        size: Size::default(),
        theme: Theme::default(),
    };
    let pointer = RwSignal::new(None::<Point>);
    let peak_ns = moments::use_peak();
    let handle = ChartHandle {
        session,
        parts: StoredValue::new(Rc::new(RefCell::new(parts))),
        version: RwSignal::new(0),
        pointer,
        peak_ns,
    };
    let entries = RwSignal::new(Vec::<Entry>::new());
    Effect::new(move |_| {
        // The old chart stays until the next answer.
        if let Answer::Ready(usage) = query.answer.get() {
            let info = session.info();
            let entry = |place: usize| {
                (series_key(&usage, place), series_title(&info, &usage, place), series_shade(&usage, place))
            };
            let new: Vec<Entry> = (0..usage.series.len()).map(entry).collect();
            if entries.with_untracked(|old| *old != new) {
                entries.set(new);
            }
            handle.with(|parts| parts.usage = Some(usage));
            handle.redraw();
        }
    });
    let board = Board::new(model(handle, query, points), pointer);
    moments::follow(wish, move |key| {
        board.break_off();
        handle.key(key);
    });
    let values = Memo::new(move |_| {
        handle.version.track();
        session.slot::<MemoryState>().track();
        let at = pointer.get()?;
        let at_ns = handle.time_at(at.x);
        let values = handle.with(|parts| parts.with_chart(session, None, |chart| values_at(chart, at_ns)));
        Some((at, values.flatten().flatten()?))
    });
    view! {
        <div class="view-bar memory-bar"><Legend entries/></div>
        <div class="memory-stage">
            <Overlay query handle/>
            <BoardView board>
                {move || values.get().map(|(at, values)| view! {
                    <Bubble at testid="memory-tooltip"><ValueFacts handle values/></Bubble>
                })}
            </BoardView>
        </div>
        <Gestures view=ID lines=&CHART_GESTURES/>
        <Moment peak_ns/>
    }
}

fn model(handle: ChartHandle, query: PendingQuery<MemoryUse>, points: RwSignal<u32>) -> Model {
    let ChartHandle { session, version, pointer, .. } = handle;
    Model {
        label: "Memory in use over time. P goes to the peak; the table below lists live memory.",
        testid: "memory-chart",
        scrolls: false,
        depends: Box::new(move || {
            version.track();
            pointer.track();
            session.viewport();
            session.slot::<MemoryState>().track();
            query.answer.track();
        }),
        draw: Box::new(move |size, theme| handle.draw(size, theme)),
        after: Box::new(move |size: Size| {
            // A bucket per pixel, rounded so that a dragged border rarely sends queries.
            let values =
                (size.width_css_px * size.device_pixel_ratio / 200.0).ceil().clamp(1.0, 40.0) as u32 * 200;
            if points.get_untracked() != values {
                points.set(values);
            }
        }),
        // The width is known only after the first frame, so nothing is queried before.
        is_waiting: Box::new(move || {
            let is_open = |answer: &Answer<MemoryUse>| matches!(answer, Answer::None | Answer::Loading);
            query.answer.try_with_untracked(is_open) == Some(true)
        }),
        line_at: Box::new(move |at| {
            let moments: Option<Moments> =
                session.slot::<MemoryState>().with_untracked(|memory| memory.moments);
            handle.with(|parts| moment_at(&parts.room(), moments, at.x)).flatten()
        }),
        gesture: Box::new(move |gesture| handle.gesture(gesture)),
    }
}

#[component]
fn Overlay(query: PendingQuery<MemoryUse>, handle: ChartHandle) -> impl IntoView {
    move || match query.answer.get() {
        Answer::Failed(error) => view! {
            <div class="timeline-failure" role="alert" data-testid="view-failure">
                <span>{error.message}</span>
                <button type="button" on:click=move |_| query.retry()>"Try again"</button>
            </div>
        }
        .into_any(),
        Answer::Ready(usage) if usage.series.is_empty() => view! {
            <Nothing title="No memory in use">"No allocations in the visible range."</Nothing>
        }
        .into_any(),
        Answer::Loading if handle.with(|parts| parts.usage.is_none()) == Some(true) => {
            view! { <p class="memory-waiting quiet" role="status">"Loading memory in use…"</p> }.into_any()
        }
        _ => ().into_any(),
    }
}

#[component]
fn ValueFacts(handle: ChartHandle, values: Values) -> impl IntoView {
    let scheme = use_scheme();
    let (info, usage) =
        (handle.session.info(), handle.with(|parts| parts.usage.clone()).flatten().unwrap_or_default());
    let Values { from_ns, to_ns, series, total_bytes, free } = values;
    let is_sum = series.iter().filter(|(_, bytes)| *bytes > 0).count() > 1;
    // If some kinds are hidden, the sum of the others is an upper bound.
    let of_all = if series.len() < usage.series.len() { " at most in all " } else { " in all " };
    let lines = series.into_iter().rev().filter(|(_, bytes)| *bytes > 0).map(|(place, bytes)| {
        let shade = series_shade(&usage, place);
        view! {
            <div class="tooltip-title">
                <span class="chip" style:background-color=move || colour(scheme.get(), shade).css()></span>
                <span>{series_title(&info, &usage, place)}</span>
                <b>{format::bytes(bytes as f64)}</b>
            </div>
        }
    });
    let lines = lines.collect_view();
    let free = free.into_iter().map(|(place, bytes)| {
        view! { <div class="tooltip-merged">{format!("{} free on {}", format::bytes(bytes as f64), usage.free[place].device)}</div> }
    });
    let free = free.collect_view();
    let step_ns = to_ns.saturating_sub(from_ns).max(1) as f64;
    view! {
        <div class="tooltip-facts">
            <b>{format::bytes(total_bytes as f64)}</b>
            {is_sum.then_some(of_all)}
            <span>{format!("at {}", format::time_on_grid(from_ns as f64, step_ns))}</span>
        </div>
        {lines}
        {free}
    }
}

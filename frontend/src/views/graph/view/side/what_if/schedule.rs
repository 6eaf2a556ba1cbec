//! The recorded schedule and the predicted one below it, zoomed and moved together.

use std::cell::Cell;
use std::rc::Rc;

use syclscope_language::api::{WhatIf, WhatIfSchedule};
use syclscope_language::question::{Question, WhatIfQuestion};
use web_sys::KeyboardEvent;

use crate::browser::{hint, is_chord};
use crate::canvas::draw_list::DrawList;
use crate::canvas::palette::{Hues, Theme};
use crate::canvas::scale::Size;
use crate::canvas::text::TextFit;
use crate::format;
use crate::hooks::answer::{Answer, PendingQuery, use_lasting_answer};
use crate::reactive::*;
use crate::stage::board::{Board, Sketch};
use crate::stage::canvas::Canvas;
use crate::stage::pointer::{Hand, Point, Touch};
use crate::stage::tooltip::Bubble;
use crate::stage::wheel::{Turn, turn};
use crate::state::history::Change;
use crate::state::selection::Selection;
use crate::state::session::{Session, use_session};
use crate::state::time::{SharedTime, opening_of};
use crate::state::viewport::Viewport;
use crate::views::graph::schedule::{self, Picture, Place, Step};
use crate::views::graph::state::GraphState;
use crate::views::graph::view::{Graph, use_graph};

const ZOOM: f64 = 0.75;
/// Share of the visible time.
const PAN: f64 = 0.12;

struct Schedules {
    graph: Graph,
    session: Session,
    query: PendingQuery<WhatIf>,
    viewport: Memo<Viewport>,
    ends_ns: [u64; 2],
    opening_ns: Option<(f64, f64)>,
    hues: Hues,
    width_css_px: Cell<f64>,
    /// Last point of a press, and true once it is a drag.
    drag: Cell<Option<(Point, bool)>>,
    pointer: RwSignal<Option<(Point, Place)>>,
    cursor: RwSignal<Option<Place>>,
}

impl Schedules {
    fn with<T>(&self, act: impl FnOnce(&Picture<'_>) -> T) -> T {
        let none = WhatIfSchedule::default();
        self.query.answer.with_untracked(|answer| {
            act(&Picture {
                schedule: schedule_in(answer).unwrap_or(&none),
                viewport: self.viewport.get_untracked(),
                ends_ns: self.ends_ns,
                width_css_px: self.width_css_px.get(),
            })
        })
    }

    fn put(&self, viewport: Viewport, change: Change) {
        if viewport != self.viewport.get_untracked() {
            let range_ns = SharedTime { range_ns: SharedTime::range_of(&viewport), area: None };
            let range_ns = range_ns.linked(self.opening_ns).range_ns;
            self.graph.with(|graph| graph.change(change, |state| state.schedule_ns = range_ns));
        }
    }

    fn pan(&self, by_ns: f64) {
        self.put(self.viewport.get_untracked().panned(by_ns), Change::Continuous);
    }

    fn zoom(&self, factor: f64, at_ns: f64) {
        self.put(self.viewport.get_untracked().zoomed(factor, at_ns), Change::Continuous);
    }

    fn fit(&self) {
        self.put(placed(self.ends_ns, self.opening_ns), Change::Jump);
    }

    fn step(&self, by: Step) {
        let viewport = self.viewport.get_untracked();
        let cursor = self.cursor.get_untracked();
        let ends = |place: Place, picture: &Picture<'_>| {
            schedule::piece(picture.schedule, place).map(|piece| (piece.from_ns as f64, piece.to_ns as f64))
        };
        let next = self.with(|picture| {
            let place = schedule::step(picture, cursor, by)?;
            Some((place, ends(place, picture)?))
        });
        match (next, by) {
            (Some((place, (from_ns, to_ns))), _) => {
                self.cursor.set(Some(place));
                self.put(viewport.revealing(from_ns, to_ns, 0.0), Change::Continuous);
            }
            // Slices out of sight need another answer.
            (None, Step::Slice(by)) => self.pan(viewport.span_ns() * 0.5 * by as f64),
            (None, Step::Row(_)) => {}
        }
    }

    fn select(&self, place: Option<Place>) {
        self.cursor.set_if_changed(place);
        let node = self.with(|picture| {
            let piece = schedule::piece(picture.schedule, place?)?;
            (piece.count == 1).then_some(piece.node)
        });
        if let Some(node) = node {
            self.session.select(Some(Selection::Node(node)));
        }
    }

    fn key(&self, event: &KeyboardEvent) -> bool {
        let viewport = self.viewport.get_untracked();
        let (middle_ns, step_ns) =
            ((viewport.start_ns() + viewport.end_ns()) / 2.0, viewport.span_ns() * PAN);
        match event.key().as_str() {
            "w" | "+" | "=" => self.zoom(ZOOM, middle_ns),
            "s" | "-" | "_" => self.zoom(1.0 / ZOOM, middle_ns),
            "a" | "ArrowLeft" => self.pan(-step_ns),
            "d" | "ArrowRight" => self.pan(step_ns),
            "f" | "0" => self.fit(),
            "ArrowUp" => self.step(Step::Row(-1)),
            "ArrowDown" => self.step(Step::Row(1)),
            "," => self.step(Step::Slice(-1)),
            "." => self.step(Step::Slice(1)),
            "Enter" => self.select(self.cursor.get_untracked()),
            "Escape" if self.cursor.get_untracked().is_some() => self.cursor.set(None),
            _ => return false,
        }
        true
    }

    fn move_to(&self, at: Point) {
        let ns_per_css_px = self.with(|picture| picture.scale().ns_per_css_px);
        if let Some((last, is_drag)) = self.drag.get()
            && (is_drag || last.is_left_for(at))
        {
            self.drag.set(Some((at, true)));
            self.pointer.set_if_changed(None);
            return self.pan((last.x - at.x) * ns_per_css_px);
        }
        let place = self.with(|picture| picture.hit(at));
        self.pointer.set_if_changed(place.map(|place| (at, place)));
    }
}

impl Sketch for Schedules {
    fn track(&self) {
        self.query.answer.track();
        self.viewport.with(|_| ());
        self.pointer.track();
        self.cursor.track();
    }

    fn draw(&self, size: Size, theme: &Theme, fit: &mut TextFit<'_>) -> DrawList {
        self.width_css_px.set(size.width_css_px);
        let hovered = self.pointer.get_untracked().map(|(_, place)| place);
        let marked = [hovered, self.cursor.get_untracked()];
        self.with(|picture| schedule::draw(picture, theme, &self.hues, marked, fit))
    }

    fn touch(&self, touch: &Touch) {
        let at = touch.at;
        match touch.hand {
            Hand::Press => self.drag.set(Some((at, false))),
            Hand::Move => self.move_to(at),
            Hand::Release => {
                if let Some((from, false)) = self.drag.take() {
                    self.select(self.with(|picture| picture.hit(from)));
                }
            }
            Hand::Cancel => self.drag.set(None),
            Hand::Leave => {
                self.pointer.set_if_changed(None);
            }
            Hand::DoubleClick => self.fit(),
            Hand::Wheel(dx, dy) => {
                let scale = self.with(|picture| picture.scale());
                match turn(dx, dy, touch.modifiers, false) {
                    Some(Turn::Zoom(factor)) => self.zoom(factor, scale.time_from_px(at.x)),
                    Some(Turn::Pan(dx, _)) => self.pan(-dx * scale.ns_per_css_px),
                    None => {}
                }
            }
        }
    }

    fn cursor(&self, _last: &Touch) -> &'static str {
        match self.drag.get() {
            Some((_, true)) => "grabbing",
            _ if self.pointer.get_untracked().is_some() => "pointer",
            _ => "default",
        }
    }

    fn scrolls(&self) -> bool {
        false
    }

    fn is_waiting(&self) -> bool {
        let is_open = |answer: &Answer<WhatIf>| matches!(answer, Answer::None | Answer::Loading);
        self.query.is_old.get_untracked() || self.query.answer.with_untracked(is_open)
    }
}

fn placed(ends_ns: [u64; 2], range_ns: Option<(f64, f64)>) -> Viewport {
    let whole = Viewport::whole(ends_ns[0].max(ends_ns[1]));
    range_ns.map_or(whole, |(start_ns, end_ns)| whole.with_range(start_ns, end_ns))
}

/// Returns the range from the first command on. Predicted commands start earlier than recorded ones by at most the
/// reduction of the run's duration.
fn opening(first_ns: u64, ends_ns: [u64; 2]) -> Option<(f64, f64)> {
    let earlier_ns = ends_ns[0].saturating_sub(ends_ns[1]);
    let end_ns = ends_ns[0].max(ends_ns[1]);
    opening_of((first_ns.saturating_sub(earlier_ns).min(end_ns), end_ns), end_ns)
}

fn schedule_in(answer: &Answer<WhatIf>) -> Option<&WhatIfSchedule> {
    match answer {
        Answer::Ready(answer) => answer.schedule.as_ref(),
        _ => None,
    }
}

#[component]
pub(super) fn Schedule(question: WhatIfQuestion, ends_ns: [u64; 2]) -> impl IntoView {
    let (session, graph) = (use_session(), use_graph());
    let opening_ns = opening(session.info().active_ns.map_or(0, |(first_ns, _)| first_ns), ends_ns);
    let range_ns = Memo::new(move |_| session.slot::<GraphState>().with(|state| state.schedule_ns));
    let viewport = Memo::new(move |_| {
        let time = SharedTime { range_ns: range_ns.get(), area: None }.opened(opening_ns);
        placed(ends_ns, time.range_ns)
    });
    let part = Memo::new(move |_| viewport.with(schedule::part));
    let query = use_lasting_answer::<WhatIf>(move || {
        Some(Question::WhatIf(WhatIfQuestion { schedule: Some(part.get()), ..question.clone() }))
    });
    let (pointer, cursor) = (RwSignal::new(None), RwSignal::new(None::<Place>));
    let schedules = Rc::new(Schedules {
        graph,
        session,
        query,
        viewport,
        ends_ns,
        opening_ns,
        hues: Hues::new(&session.info().kernels),
        width_css_px: Cell::new(0.0),
        drag: Cell::new(None),
        pointer,
        cursor,
    });
    let stage = Board::new(schedules.clone()).stage();
    let schedules = StoredValue::new(schedules);
    let queues = Memo::new(move |_| {
        query.answer.with(|answer| schedule_in(answer).map_or(0, |found| found.queues.len()))
    });
    let facts = move |place: Place| {
        schedules.with_value(|schedules| schedules.with(|it| schedule::facts(it.schedule, place)))
    };
    let bubble = move |at: Point, place: Place| {
        let [name, times, row] = facts(place)?;
        Some(view! {
            <Bubble at testid="what-if-tooltip">
                <div class="tooltip-title"><span>{name}</span></div>
                <div class="tooltip-facts"><b>{times}</b></div>
                <div class="quiet">{row}</div>
            </Bubble>
        })
    };
    let at_pointer = move || pointer.get().and_then(|(at, place)| bubble(at, place));
    let at_cursor = move || {
        query.answer.track();
        viewport.with(|_| ());
        let place = cursor.get().filter(|_| pointer.with(Option::is_none))?;
        let area = schedules.with_value(|schedules| schedules.with(|picture| picture.area(place)))?;
        bubble(Point { x: area.x.max(0.0), y: area.y + area.h }, place)
    };
    let spoken = move || {
        query.answer.track();
        cursor.get().and_then(facts).map(|facts| facts.join(", "))
    };
    let rows = move || {
        let viewport = viewport.get();
        let rows =
            query.answer.with(|answer| schedule_in(answer).map(|it| schedule::summaries(it, &viewport)));
        rows.unwrap_or_default().into_iter().map(|row| view! { <li>{row}</li> }).collect_view()
    };
    let notes = move || {
        query.answer.with(|answer| match answer {
            Answer::Failed(error) => error.message.clone(),
            answer => match schedule_in(answer).map_or(0, |schedule| schedule.more_queues) {
                0 => String::new(),
                more => format!(" {} not drawn.", format::counted(more, "queue", "queues")),
            },
        })
    };
    let [recorded, changed] = format::durations(ends_ns.map(|ns| ns as f64));
    let pressed = move |event: KeyboardEvent| {
        if !is_chord(&event) && schedules.with_value(|schedules| schedules.key(&event)) {
            event.prevent_default();
        }
    };
    view! {
        <figure class="what-if-schedule" data-testid="what-if-schedule">
            <div
                class="what-if-board"
                style:height=move || format!("{}px", schedule::height_css_px(queues.get()))
                on:keydown=pressed
            >
                <Canvas
                    stage
                    class="graph-canvas"
                    label="Schedule of each queue, recorded and below predicted. W, S zoom, A, D move, F fits; comma and full stop go from command to command, arrows up and down between rows."
                    testid="what-if-canvas"
                    described_by="what-if-spoken"
                />
                {at_pointer}
                <div class="what-if-cursor">{at_cursor}</div>
                <div id="what-if-spoken" class="visually-hidden" role="status">{spoken}</div>
                <ul class="visually-hidden" data-testid="what-if-rows" aria-label="Visible commands of each queue">{rows}</ul>
            </div>
            <figcaption class="quiet">
                "Each queue as recorded, and below it, paler, as predicted. Commands that begin close together are one bar, as high as its busy share. "
                {hint("Ctrl+wheel zooms, drag moves, double click shows all. ", "Two fingers zoom, drag moves. ")}
                {format!("Ends: recorded {recorded}, predicted {changed}.")}
                {notes}
            </figcaption>
        </figure>
    }
}

//! What the timeline tells the rest of the page.

use syclscope_language::api::ObjectEventKind;
use syclscope_language::event::Category;

use crate::reactive::*;
use crate::stage::pointer::Point;
use crate::state::call::Goal;
use crate::views::timeline::draw::CounterValue;
use crate::views::timeline::input::Tool;
use crate::views::timeline::layout::Layout;

/// What is under the pointer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hover {
    pub(crate) at: Point,
    pub(crate) at_ns: f64,
    pub(crate) what: Option<Hovered>,
}

/// A thing under the pointer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Hovered {
    Slice {
        name: String,
        category: Category,
        start_ns: u64,
        duration_ns: u64,
        count: u32,
        total_ns: u64,
        /// What it does with the object whose track it is on.
        touch: Option<ObjectEventKind>,
    },
    Counter {
        name: String,
        unit: String,
        value: CounterValue,
    },
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Status {
    pub(crate) is_loading: bool,
    pub(crate) failure: Option<(usize, String)>,
}

/// The signals of a timeline. Its controller sets them outside of drawing; the page only reads them.
#[derive(Clone, Copy)]
pub(crate) struct Signals {
    pub(crate) layout: RwSignal<Layout>,
    /// How many times as large everything on the canvas is, as text is on the page.
    pub(crate) scale: RwSignal<f64>,
    pub(crate) range_ns: RwSignal<(f64, f64)>,
    pub(crate) hover: RwSignal<Option<Hover>>,
    pub(crate) status: RwSignal<Status>,
    /// The note that is being written: its place among the notes.
    pub(crate) written_note: RwSignal<Option<usize>>,
    /// Where the timeline shall go, with the number of the wish.
    pub(crate) goal: RwSignal<Option<(u32, Goal)>>,
    /// What a drag over the tracks does.
    pub(crate) tool: RwSignal<Tool>,
    /// What of the tracks is not shown: hidden, not fitting the filter.
    pub(crate) left_out: RwSignal<(usize, usize)>,
}

impl Signals {
    pub(crate) fn new() -> Self {
        Self {
            layout: RwSignal::new(Layout::default()),
            scale: RwSignal::new(1.0),
            range_ns: RwSignal::new((0.0, 0.0)),
            hover: RwSignal::new(None),
            status: RwSignal::new(Status::default()),
            written_note: RwSignal::new(None),
            goal: RwSignal::new(None),
            tool: RwSignal::new(Tool::default()),
            left_out: RwSignal::new((0, 0)),
        }
    }

    /// Lets the timeline go somewhere, once the selection is known.
    pub(crate) fn wish(&self, goal: Goal) {
        self.goal.update(|last| {
            let number = last.as_ref().map_or(0, |(number, _)| *number) + 1;
            *last = Some((number, goal));
        });
    }
}

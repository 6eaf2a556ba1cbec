use syclscope_language::api::ObjectEventKind;
use syclscope_language::event::Category;

use crate::reactive::*;
use crate::stage::pointer::Point;
use crate::state::call::Goal;
use crate::views::timeline::draw::CounterValue;
use crate::views::timeline::input::Tool;
use crate::views::timeline::layout::Layout;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hover {
    pub(crate) at: Point,
    pub(crate) at_ns: f64,
    pub(crate) what: Option<Hovered>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Hovered {
    Slice {
        name: String,
        category: Category,
        start_ns: u64,
        duration_ns: u64,
        count: u32,
        total_ns: u64,
        filled: f64,
        /// Kind of access, on an object's track.
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
    /// Scale of everything on the canvas, equal to the page's text size.
    pub(crate) scale: RwSignal<f64>,
    pub(crate) range_ns: RwSignal<(f64, f64)>,
    pub(crate) hover: RwSignal<Option<Hover>>,
    pub(crate) status: RwSignal<Status>,
    /// Index of the note that is being edited.
    pub(crate) edited_note: RwSignal<Option<usize>>,
    /// Current text of that note.
    pub(crate) note_text: RwSignal<String>,
    /// Requested goal, with a serial number.
    pub(crate) goal: RwSignal<Option<(u32, Goal)>>,
    pub(crate) tool: RwSignal<Tool>,
    /// Number of hidden tracks, and number of tracks that the filter removes.
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
            edited_note: RwSignal::new(None),
            note_text: RwSignal::new(String::new()),
            goal: RwSignal::new(None),
            tool: RwSignal::new(Tool::default()),
            left_out: RwSignal::new((0, 0)),
        }
    }

    /// Requests a goal. An effect shows it, after the selection has been applied.
    pub(crate) fn request(&self, goal: Goal) {
        self.goal.update(|last| {
            let number = last.as_ref().map_or(0, |(number, _)| *number) + 1;
            *last = Some((number, goal));
        });
    }
}

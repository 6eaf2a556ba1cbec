//! Marks of the selection's objects in the parts of the memory view.

use syclscope_language::api::ObjectList;
use syclscope_language::question::{ObjectsQuestion, Question, TouchedBy};

use crate::components::long_table::Marks;
use crate::hooks::answer::{Answer, use_answer};
use crate::reactive::*;
use crate::state::filters::memory_of;
use crate::state::history::Change;
use crate::state::session::{Session, use_session};
use crate::views::memory::related::{MAX_MARKS, RelatedObjects};
use crate::views::memory::state::MemoryState;

#[derive(Clone, Copy)]
pub(super) struct SelectedMemory {
    pub(super) thing: Memo<Option<TouchedBy>>,
    pub(super) related: RwSignal<RelatedObjects>,
}

impl SelectedMemory {
    /// Queries the objects of every selection, and provides them as a context.
    pub(super) fn provide() {
        let session = use_session();
        let thing =
            Memo::new(move |_| session.selection.with(|selection| selection.as_ref().and_then(memory_of)));
        let related = RwSignal::new(RelatedObjects::default());
        let query = use_answer::<ObjectList>(move || {
            let touched_by = Some(thing.get()?);
            let question = ObjectsQuestion { touched_by, limit: MAX_MARKS, ..ObjectsQuestion::default() };
            Some(Question::Objects(question))
        });
        Effect::new(move |_| {
            let objects = match query.answer.get() {
                Answer::Ready(list) => RelatedObjects::new(&list),
                // The old marks stay until the next answer.
                Answer::Loading => return,
                Answer::None | Answer::Failed(_) => RelatedObjects::default(),
            };
            if related.with_untracked(|old| *old != objects) {
                related.set(objects);
            }
        });
        provide_context(Self { thing, related });
    }

    /// Returns the marks of a table. `positions` are the marked rows in the table's order, `total` is their number
    /// without the filter.
    pub(super) fn marks(self, positions: Signal<Vec<u64>>, total: Signal<u64>) -> Marks {
        let session = use_session();
        let is_on = Signal::derive(move || self.thing.with(Option::is_some));
        let is_marked =
            Callback::new(move |objects: Vec<u32>| self.related.with(|related| related.has_any(&objects)));
        let is_filtered = Signal::derive(move || {
            session
                .slot::<MemoryState>()
                .with(|memory| !memory.filter.is_empty() || !memory.choice.is_empty())
        });
        let on_all = Callback::new(move |()| list_all(session));
        Marks { is_on, is_marked, positions, total, is_filtered, on_all }
    }
}

pub(super) fn use_selected_memory() -> SelectedMemory {
    expect_context::<SelectedMemory>()
}

fn list_all(session: Session) {
    session.slot::<MemoryState>().update(|memory| {
        memory.filter.clear();
        memory.choice.clear();
    });
    session.record_change(Change::Detail);
}

//! What each view has in the address: a slot for each, whose type only the view knows.

use super::Session;
use crate::browser::query;
use crate::reactive::*;
use crate::state::slot::Slot;
use crate::state::url::part::ViewState;
use crate::state::url::query::QueryWriter;

impl Session {
    /// Makes a view's slot, with what the present address holds.
    pub(crate) fn open_slot<S: ViewState>(self) {
        let slot = Slot::new::<S>();
        // The address is that of the page's own trace.
        if !self.is_guest() {
            (slot.read)(slot.signal, &query());
        }
        self.with(|parts| parts.slots.borrow_mut().push(slot));
    }

    /// What a view has in the address.
    pub(crate) fn slot<S: ViewState>(self) -> RwSignal<S> {
        let find = |parts: &std::rc::Rc<super::Parts>| {
            parts.slots.borrow().iter().find(|slot| slot.view == S::VIEW).map(|slot| slot.signal)
        };
        // Where the page has gone on to another trace nobody looks at what is read or written.
        self.with(find).flatten().map_or_else(RwSignal::default, AnySignal::of)
    }

    /// Writes what the views have in the address.
    pub(super) fn write_slots(self, query: &mut QueryWriter) {
        for slot in self.slots() {
            (slot.write)(slot.signal, query);
        }
    }

    /// Takes over what an address holds of the views.
    pub(crate) fn read_slots(self, query: &str) {
        for slot in self.slots() {
            (slot.read)(slot.signal, query);
        }
    }

    fn slots(self) -> Vec<Slot> {
        self.with(|parts| parts.slots.borrow().clone()).unwrap_or_default()
    }
}

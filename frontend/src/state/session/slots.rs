//! Slots for the views' parts of the address. Only the view knows its slot's type.

use super::Session;
use crate::browser::query;
use crate::reactive::*;
use crate::state::slot::Slot;
use crate::state::url::part::ViewState;
use crate::state::url::query::QueryWriter;

impl Session {
    /// Creates a view's slot, with its state from the current address.
    pub(crate) fn open_slot<S: ViewState>(self) {
        let slot = Slot::new::<S>();
        // The address belongs to the page's own trace.
        if !self.is_guest() {
            (slot.read)(slot.signal, &query());
        }
        self.with(|parts| parts.slots.borrow_mut().push(slot));
    }

    pub(crate) fn slot<S: ViewState>(self) -> RwSignal<S> {
        let find = |parts: &std::rc::Rc<super::Parts>| {
            parts.slots.borrow().iter().find(|slot| slot.view == S::VIEW).map(|slot| slot.signal)
        };
        // If the page shows another trace by now, reads and writes have no effect.
        self.with(find).flatten().map_or_else(RwSignal::default, AnySignal::typed)
    }

    pub(super) fn write_slots(self, query: &mut QueryWriter) {
        for slot in self.slots() {
            (slot.write)(slot.signal, query);
        }
    }

    pub(crate) fn read_slots(self, query: &str) {
        for slot in self.slots() {
            (slot.read)(slot.signal, query);
        }
    }

    fn slots(self) -> Vec<Slot> {
        self.with(|parts| parts.slots.borrow().clone()).unwrap_or_default()
    }
}

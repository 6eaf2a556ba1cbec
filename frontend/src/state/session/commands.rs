//! Commands find their way to who carries them out.

use super::Session;
use crate::browser::store;
use crate::state::call::{Call, Responder};
use crate::state::keys::{Keymap, STORED};
use crate::state::view::View;

impl Session {
    /// Says who does what a view is asked for.
    pub(crate) fn on_calls(self, responder: Responder) {
        self.with(|parts| parts.responders.borrow_mut().push(responder));
    }

    /// Asks a view for something; says whether it did anything.
    pub(crate) fn call(self, view: View, call: Call) -> bool {
        let handle = self.with(|parts| {
            let responders = parts.responders.borrow();
            responders.iter().find(|known| known.view == view).map(|known| known.handle.clone())
        });
        handle.flatten().is_some_and(|handle| handle(call))
    }

    /// Changes which keys mean what, and keeps that in the browser.
    pub(crate) fn change_keys(self, change: impl FnOnce(&mut Keymap)) {
        self.keymap.update(change);
        self.keymap.with_untracked(|keymap| store(STORED, keymap.to_stored().as_deref()));
    }
}

use super::Session;
use crate::browser::{load, store};
use crate::state::call::{Call, Responder};
use crate::state::keys::{Keymap, STORAGE_KEY};
use crate::state::view::View;

impl Session {
    pub(crate) fn on_calls(self, responder: Responder) {
        self.with(|parts| parts.responders.borrow_mut().push(responder));
    }

    /// Calls a view. True if it had an effect.
    pub(crate) fn call(self, view: View, call: Call) -> bool {
        let handle = self.with(|parts| {
            let responders = parts.responders.borrow();
            responders
                .iter()
                .find(|responder| responder.view == view)
                .map(|responder| responder.handle.clone())
        });
        handle.flatten().is_some_and(|handle| handle(call))
    }

    pub(crate) fn change_keys(self, change: impl FnOnce(&mut Keymap)) {
        self.keymap.update(|keymap| {
            // Another tab may have changed keys since.
            if let Some(stored) = load(STORAGE_KEY) {
                *keymap = Keymap::from_stored(Some(&stored));
            }
            change(keymap);
        });
        self.keymap.with_untracked(|keymap| store(STORAGE_KEY, keymap.to_stored().as_deref()));
    }
}

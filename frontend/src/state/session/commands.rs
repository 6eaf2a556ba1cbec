//! Commands find their way to who carries them out.

use std::rc::Rc;

use super::Session;
use crate::browser::{store, stored};
use crate::state::keys::{CommandInfo, Keymap};
use crate::state::view::View;

const STORED: &str = "syclscope.keys";

/// What lies over the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overlay {
    /// Keys and mouse.
    Help,
    /// The command palette.
    Palette,
}

/// What happened to the key of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It went down, or the command was called in another way.
    Press,
    /// It is still down, and the command repeats.
    Repeat,
    /// It went up.
    Release,
}

/// Carries out a view's commands; says whether there was anything to do. `page.clear` comes to the active view first.
pub(super) type Handler = Rc<dyn Fn(&'static CommandInfo, Phase) -> bool>;

impl Session {
    /// Says who carries out the commands of a view.
    pub(crate) fn on_commands(
        self,
        view: View,
        handler: impl Fn(&'static CommandInfo, Phase) -> bool + 'static,
    ) {
        self.with(|parts| {
            let mut handlers = parts.handlers.borrow_mut();
            handlers.retain(|(known, _)| *known != view);
            handlers.push((view, Rc::new(handler)));
        });
    }

    /// Has a view carry out a command; says whether it did anything.
    pub(crate) fn run(self, view: View, command: &'static CommandInfo, phase: Phase) -> bool {
        let handler = self.with(|parts| {
            let handlers = parts.handlers.borrow();
            handlers.iter().find(|(known, _)| *known == view).map(|(_, handler)| handler.clone())
        });
        handler.flatten().is_some_and(|handler| handler(command, phase))
    }

    /// Changes which keys mean what, and keeps that in the browser.
    pub(crate) fn change_keys(self, change: impl FnOnce(&mut Keymap)) {
        self.keymap.update(change);
        self.keymap.with_untracked(|keymap| store(STORED, keymap.to_stored().as_deref()));
    }
}

pub(super) fn stored_keymap() -> Keymap {
    Keymap::from_stored(stored(STORED).as_deref())
}

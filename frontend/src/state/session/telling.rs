//! Tells the program that opened the page what is on screen, so that a notebook or an editor knows what is selected. The
//! program asks the server for it, so that this works through whatever proxy the page came.

use std::cell::{Cell, RefCell};

use leptos::task::spawn_local;

use super::Session;
use crate::data::client::shown;
use crate::data::trace_source::Home;

/// What was told, and under which name.
pub(super) struct Telling {
    pub(super) name: String,
    told: RefCell<Option<String>>,
    /// One after the other, so that what is known in the end is what was told last.
    is_busy: Cell<bool>,
}

impl Telling {
    pub(super) fn under(name: String) -> Self {
        Self { name, told: RefCell::default(), is_busy: Cell::default() }
    }
}

impl Session {
    /// Tells what is on screen, where somebody wants to know and does not yet.
    pub(super) fn tell_program(self) {
        let free =
            self.with(|parts| parts.telling.as_ref().is_some_and(|telling| !telling.is_busy.replace(true)));
        if free == Some(true) {
            spawn_local(self.tell_all());
        }
    }

    /// Goes on until nothing has changed meanwhile. A server that does not take it gets the next one.
    async fn tell_all(self) {
        while let Some((id, name, query)) = self.untold() {
            if shown::tell(&id, &name, &query).await.is_err() {
                break;
            }
            self.with(|parts| {
                if let Some(telling) = &parts.telling {
                    *telling.told.borrow_mut() = Some(query);
                }
            });
        }
        self.with(|parts| {
            if let Some(telling) = &parts.telling {
                telling.is_busy.set(false);
            }
        });
    }

    /// The trace, the name, and what is to be told.
    fn untold(self) -> Option<(String, String, String)> {
        let Home::Server(id) = self.home()? else { return None };
        let query = self.shown_query();
        self.with(|parts| {
            let telling = parts.telling.as_ref()?;
            (telling.told.borrow().as_ref() != Some(&query)).then(|| (id, telling.name.clone(), query))
        })?
    }
}

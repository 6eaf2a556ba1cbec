//! Reports of the screen's state to the program that opened the page, such as a notebook or an editor. The program
//! reads them from the server, so this works through any proxy.

use std::cell::{Cell, RefCell};

use leptos::task::spawn_local;

use super::Session;
use crate::data::client::screen;
use crate::data::trace_source::TraceSource;

pub(super) struct Telling {
    pub(super) name: String,
    last: RefCell<Option<String>>,
    /// Reports are sent one after the other, so that the last one wins.
    is_busy: Cell<bool>,
}

impl Telling {
    pub(super) fn under(name: String) -> Self {
        Self { name, last: RefCell::default(), is_busy: Cell::default() }
    }
}

impl Session {
    /// Reports the screen's state, if a program listens and it has changed.
    pub(super) fn tell_program(self) {
        let free =
            self.with(|parts| parts.telling.as_ref().is_some_and(|telling| !telling.is_busy.replace(true)));
        if free == Some(true) {
            spawn_local(self.tell_all());
        }
    }

    /// Reports until the last report is current. After a failure, only the next change of the screen sends another one.
    async fn tell_all(self) {
        while let Some((id, name, query)) = self.next_report() {
            if screen::tell(&id, &name, &query).await.is_err() {
                break;
            }
            self.with(|parts| {
                if let Some(telling) = &parts.telling {
                    *telling.last.borrow_mut() = Some(query);
                }
            });
        }
        self.with(|parts| {
            if let Some(telling) = &parts.telling {
                telling.is_busy.set(false);
            }
        });
    }

    fn next_report(self) -> Option<(String, String, String)> {
        let TraceSource::Server(id) = self.home()? else { return None };
        let query = self.screen_query();
        self.with(|parts| {
            let telling = parts.telling.as_ref()?;
            (telling.last.borrow().as_ref() != Some(&query)).then(|| (id, telling.name.clone(), query))
        })?
    }
}

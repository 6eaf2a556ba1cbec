//! A guest: a second trace, or the page's own again, in the default view within another view.
//!
//! A guest has a separate store, so that its view works as on a separate page. It has no address: its host is notified
//! of changes and stores the state for links.

use std::rc::Rc;
use std::sync::Arc;

use leptos::context::Provider;
use syclscope_language::api::TraceInfo;

use super::Session;
use crate::canvas::palette::Hues;
use crate::data::trace_source::TraceSource;
use crate::reactive::*;
use crate::state::call::{Call, Handler};
use crate::state::history::Change;
use crate::state::url::PageState;
use crate::state::url::query::QueryWriter;

/// Starts the default view for a guest trace, with the state from a link.
pub(crate) type StartGuest = fn(Session, &str) -> Option<GuestView>;

pub(crate) struct GuestView {
    pub(crate) mount: Box<dyn Fn() -> AnyView>,
    pub(crate) handle: Handler,
}

pub(super) struct Host {
    /// Called when state changes that a link contains.
    pub(super) changed: Rc<dyn Fn(Change)>,
    /// Colours of the page's trace. A kernel of both traces has the same one in both.
    pub(super) hues: Rc<Hues>,
}

#[derive(Clone, Copy)]
pub(crate) struct Guest {
    pub(crate) session: Session,
    view: StoredValue<Option<Rc<GuestView>>>,
}

impl Session {
    /// Shows a guest trace in the default view; `query` is its state in the address. `changed` is called with every
    /// change. `None` if the view's code is not loaded.
    pub(crate) fn guest(
        self,
        info: Arc<TraceInfo>,
        home: TraceSource,
        query: &str,
        changed: impl Fn(Change) + 'static,
    ) -> Option<Guest> {
        let page = self.with(|parts| (parts.views, parts.start_guest))?;
        let host = Host { changed: Rc::new(changed), hues: self.hues() };
        let session = Self::new(info, home, page, PageState::default(), Some(host));
        session.load_details();
        let view = (page.1)(session, query)?;
        Some(Guest { session, view: StoredValue::new(Some(Rc::new(view))) })
    }

    pub(crate) fn is_guest(self) -> bool {
        self.with(|parts| parts.host.is_some()).unwrap_or(false)
    }

    /// Notifies the host of a change. True if there is a host.
    pub(super) fn tell_host(self, change: Change) -> bool {
        let changed = self.with(|parts| parts.host.as_ref().map(|host| host.changed.clone())).flatten();
        if let Some(changed) = &changed {
            changed(change);
        }
        changed.is_some()
    }
}

impl Guest {
    pub(crate) fn mount(self) -> AnyView {
        let mount = move || self.view.get_value().map(|view| (view.mount)());
        view! { <Provider value=self.session>{mount()}</Provider> }.into_any()
    }

    pub(crate) fn call(self, call: Call) {
        if let Some(view) = self.view.get_value() {
            (view.handle)(call);
        }
    }

    /// Returns the state of the guest's view, for a link.
    pub(crate) fn state_query(self) -> String {
        let mut query = QueryWriter::default();
        self.session.write_slots(&mut query);
        query.finish()
    }

    pub(crate) fn restore(self, query: &str) {
        if self.state_query() != query {
            self.session.read_slots(query);
            self.session.arrivals.update(|arrivals| *arrivals += 1);
        }
    }
}

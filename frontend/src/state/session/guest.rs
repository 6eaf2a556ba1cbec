//! A second trace on the page, or the page's own once more: within a view, in the view that pages open with.
//!
//! A guest has a store of its own, so that its view works as on a page. It has no address: its host hears of changes and
//! keeps what a link should hold.

use std::rc::Rc;
use std::sync::Arc;

use leptos::context::Provider;
use syclscope_language::api::TraceInfo;

use super::Session;
use crate::data::trace_source::Home;
use crate::reactive::*;
use crate::state::call::{Call, Handler};
use crate::state::history::Change;
use crate::state::url::PageState;
use crate::state::url::query::QueryWriter;

/// Starts the view that pages open with for a trace within a view, in the state that a link held.
pub(crate) type StartGuest = fn(Session, &str) -> Option<GuestView>;

/// A view that was started for a guest.
pub(crate) struct GuestView {
    /// Makes what it shows.
    pub(crate) mount: Box<dyn Fn() -> AnyView>,
    /// Does what it is asked for.
    pub(crate) handle: Handler,
}

/// Who shows a guest.
pub(super) struct Host {
    /// Hears that something changed that a link should hold.
    pub(super) changed: Rc<dyn Fn(Change)>,
}

/// A trace within a view.
#[derive(Clone, Copy)]
pub(crate) struct Guest {
    pub(crate) session: Session,
    view: StoredValue<Option<Rc<GuestView>>>,
}

impl Session {
    /// Shows a trace within a view, in the view that pages open with; `kept` is what the address holds of it. `changed` hears
    /// of every change. `None` where the code of that view is not there.
    pub(crate) fn guest(
        self,
        info: Arc<TraceInfo>,
        home: Home,
        kept: &str,
        changed: impl Fn(Change) + 'static,
    ) -> Option<Guest> {
        let page = self.with(|parts| (parts.views, parts.start_guest))?;
        let host = Host { changed: Rc::new(changed) };
        let session = Self::new(info, home, page, PageState::default(), Some(host));
        session.load_details();
        let view = (page.1)(session, kept)?;
        Some(Guest { session, view: StoredValue::new(Some(Rc::new(view))) })
    }

    /// Whether it is the store of a trace within a view.
    pub(crate) fn is_guest(self) -> bool {
        self.with(|parts| parts.host.is_some()).unwrap_or(false)
    }

    /// Lets the host know of a change. Says whether there is one.
    pub(super) fn tell_host(self, change: Change) -> bool {
        let changed = self.with(|parts| parts.host.as_ref().map(|host| host.changed.clone())).flatten();
        if let Some(changed) = &changed {
            changed(change);
        }
        changed.is_some()
    }
}

impl Guest {
    /// Its view. Whoever stands in it sees the guest's store.
    pub(crate) fn mount(self) -> AnyView {
        let mount = move || self.view.get_value().map(|view| (view.mount)());
        view! { <Provider value=self.session>{mount()}</Provider> }.into_any()
    }

    /// Asks its view for something.
    pub(crate) fn call(self, call: Call) {
        if let Some(view) = self.view.get_value() {
            (view.handle)(call);
        }
    }

    /// What a link should hold of its view.
    pub(crate) fn kept(self) -> String {
        let mut query = QueryWriter::default();
        self.session.write_slots(&mut query);
        query.finish()
    }

    /// Shows what a link held.
    pub(crate) fn restore(self, kept: &str) {
        if self.kept() != kept {
            self.session.read_slots(kept);
            self.session.arrivals.update(|arrivals| *arrivals += 1);
        }
    }
}

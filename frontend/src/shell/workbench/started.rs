//! The views of a trace's page: those whose code is there are started at once, the others when they are needed first.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use leptos::task::spawn_local;

use crate::browser::pause;
use crate::components::states::awaited;
use crate::hooks::answer::Answer;
use crate::hooks::code::load;
use crate::idle::Busy;
use crate::reactive::*;
use crate::state::call::{Call, Responder};
use crate::state::plug::{Code, Plug, Running, ViewCode};
use crate::state::session::{GuestView, Session};
use crate::state::view::View;
use crate::views::{TABLE, VIEWS, entry};

/// The views of a trace's page, each at its place in the table.
#[derive(Clone, Copy)]
pub(crate) struct Started {
    views: StoredValue<Vec<Rc<StartedView>>>,
}

struct StartedView {
    plug: &'static Plug,
    session: Session,
    /// What a view makes when it starts lives as long as the trace's page, whenever that is.
    owner: Option<WeakOwner>,
    code: RwSignal<Answer<Code>>,
    running: OnceCell<Running>,
    /// What it was asked for before its code was there.
    waiting: RefCell<Vec<Call>>,
}

impl Started {
    /// Makes every view ready: first what it has in the address, then the view.
    pub(crate) fn all(session: Session) -> Self {
        for address in TABLE.iter().filter_map(|plug| plug.address) {
            (address.open)(session);
        }
        let start = |plug: &&'static Plug| {
            let view = Rc::new(StartedView {
                plug,
                session,
                owner: Owner::current().map(|owner| owner.downgrade()),
                code: RwSignal::new(Answer::None),
                running: OnceCell::new(),
                waiting: RefCell::default(),
            });
            let asked = view.clone();
            let handle = Rc::new(move |call| asked.call(call));
            session.on_calls(Responder { view: plug.view, can_show: plug.can_show, handle });
            if let ViewCode::Here(code) = plug.code {
                view.start(code);
            }
            view
        };
        Self { views: StoredValue::new(TABLE.iter().map(start).collect()) }
    }

    /// What the pane of a view shows.
    pub(super) fn mount(self, view: View) -> Option<AnyView> {
        let (place, _) = entry(view)?;
        let view = self.views.try_with_value(|views| views.get(place).cloned()).flatten()?;
        Some(match view.running.get() {
            Some(running) => (running.mount)(),
            None => view.mount_later(),
        })
    }
}

/// Starts the view that pages open with for a trace within a view: as on a page of its own, in the state that a link held.
pub(crate) fn start_guest(session: Session, kept: &str) -> Option<GuestView> {
    let (_, plug) = entry(VIEWS.first)?;
    let ViewCode::Here(code) = plug.code else { return None };
    if let Some(address) = plug.address {
        (address.open)(session);
    }
    session.read_slots(kept);
    let Running { mount, handle } = (code.start)(session);
    session.on_calls(Responder { view: plug.view, can_show: plug.can_show, handle: handle.clone() });
    Some(GuestView { mount, handle })
}

impl StartedView {
    fn start(self: &Rc<Self>, code: Code) {
        let Some(owner) = self.owner.as_ref().and_then(WeakOwner::upgrade) else { return };
        let running = owner.with(|| (code.start)(self.session));
        // Nobody starts it twice.
        let _running = self.running.set(running);
        if !self.waiting.borrow().is_empty() {
            self.catch_up();
        }
    }

    /// Does what waits, once the pane is there: a command may look for something in it.
    fn catch_up(self: &Rc<Self>) {
        let (view, busy) = (self.clone(), Busy::start());
        spawn_local(async move {
            pause().await;
            for call in view.waiting.take() {
                view.call(call);
            }
            drop(busy);
        });
    }

    fn call(self: &Rc<Self>, call: Call) -> bool {
        if let Some(running) = self.running.get().filter(|_| self.waiting.borrow().is_empty()) {
            return (running.handle)(call);
        }
        // A view that is not there is at nothing that could be broken off.
        let is_work = call != Call::BreakOff;
        if is_work {
            self.waiting.borrow_mut().push(call);
            self.load();
        }
        is_work
    }

    fn load(self: &Rc<Self>) {
        let view = self.clone();
        load(self.plug, self.code, Box::new(move |code| view.start(code)));
    }

    /// The view once its code is there; before, that it is on its way.
    fn mount_later(self: Rc<Self>) -> AnyView {
        self.load();
        let (code, title) = (self.code, self.plug.title);
        let view = StoredValue::new(self);
        let retry = Callback::new(move |()| {
            view.with_value(Self::load);
        });
        let mount = move |_| view.with_value(|view| view.running.get().map(|running| (running.mount)()));
        awaited(code, title, retry, mount)
    }
}

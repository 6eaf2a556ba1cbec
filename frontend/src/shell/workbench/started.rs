//! Start of a trace page's views: immediately if their code is loaded, otherwise on first use.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use leptos::task::spawn_local;

use crate::browser::pause;
use crate::components::states::show_pending;
use crate::hooks::answer::Answer;
use crate::hooks::code::load;
use crate::idle::Busy;
use crate::reactive::*;
use crate::state::call::{Call, Responder};
use crate::state::session::{GuestView, Session};
use crate::state::view::View;
use crate::state::view_descriptor::{Code, Running, ViewCode, ViewDescriptor};
use crate::views::{TABLE, VIEWS, entry};

/// The views of a trace's page, in the order of the table.
#[derive(Clone, Copy)]
pub(crate) struct Started {
    views: StoredValue<Vec<Rc<StartedView>>>,
}

struct StartedView {
    descriptor: &'static ViewDescriptor,
    session: Session,
    /// Owner of the views' signals: they live as long as the trace's page.
    owner: Option<WeakOwner>,
    code: RwSignal<Answer<Code>>,
    running: OnceCell<Running>,
    /// Calls made before the code was loaded.
    waiting: RefCell<Vec<Call>>,
}

impl Started {
    /// Starts every view, with its state from the address.
    pub(crate) fn all(session: Session) -> Self {
        for address in TABLE.iter().filter_map(|descriptor| descriptor.address) {
            (address.open)(session);
        }
        let start = |descriptor: &&'static ViewDescriptor| {
            let view = Rc::new(StartedView {
                descriptor,
                session,
                owner: Owner::current().map(|owner| owner.downgrade()),
                code: RwSignal::new(Answer::None),
                running: OnceCell::new(),
                waiting: RefCell::default(),
            });
            let query = view.clone();
            let handle = Rc::new(move |call| query.call(call));
            session.on_calls(Responder { view: descriptor.view, can_show: descriptor.can_show, handle });
            if let ViewCode::Here(code) = descriptor.code {
                view.start(code);
            }
            view
        };
        Self { views: StoredValue::new(TABLE.iter().map(start).collect()) }
    }

    pub(super) fn mount(self, view: View) -> Option<AnyView> {
        let (place, _) = entry(view)?;
        let view = self.views.try_with_value(|views| views.get(place).cloned()).flatten()?;
        Some(match view.running.get() {
            Some(running) => (running.mount)(),
            None => view.mount_later(),
        })
    }
}

pub(crate) fn start_guest(session: Session, state: &str) -> Option<GuestView> {
    let (_, descriptor) = entry(VIEWS.first)?;
    let ViewCode::Here(code) = descriptor.code else { return None };
    if let Some(address) = descriptor.address {
        (address.open)(session);
    }
    session.read_slots(state);
    let Running { mount, handle } = (code.start)(session);
    session.on_calls(Responder {
        view: descriptor.view,
        can_show: descriptor.can_show,
        handle: handle.clone(),
    });
    Some(GuestView { mount, handle })
}

impl StartedView {
    fn start(self: &Rc<Self>, code: Code) {
        let Some(owner) = self.owner.as_ref().and_then(WeakOwner::upgrade) else { return };
        let running = owner.with(|| (code.start)(self.session));
        // A view is started only once.
        let _running = self.running.set(running);
        if !self.waiting.borrow().is_empty() {
            self.catch_up();
        }
    }

    /// Runs the waiting calls once the pane exists, because a command may access it.
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
        // A view that has not started has nothing to cancel.
        let is_work = call != Call::BreakOff;
        if is_work {
            self.waiting.borrow_mut().push(call);
            self.load();
        }
        is_work
    }

    fn load(self: &Rc<Self>) {
        let view = self.clone();
        load(self.descriptor, self.code, Box::new(move |code| view.start(code)));
    }

    /// Returns the view once its code is loaded; until then a progress text.
    fn mount_later(self: Rc<Self>) -> AnyView {
        self.load();
        let (code, title) = (self.code, self.descriptor.title);
        let view = StoredValue::new(self);
        let retry = Callback::new(move |()| {
            view.with_value(Self::load);
        });
        let mount = move |_| view.with_value(|view| view.running.get().map(|running| (running.mount)()));
        show_pending(code, title, retry, mount)
    }
}

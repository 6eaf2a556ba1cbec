//! The choice of the time that the cards cover.

use crate::browser::hint;
use crate::format;
use crate::hooks::rested::use_rested;
use crate::reactive::*;
use crate::state::history::Change;
use crate::state::session::{Session, use_session};
use crate::views::summary::state::{Scope, SummaryState};

/// The part of the run that the cards cover; `None` for the whole run.
#[derive(Clone, Copy)]
pub(super) struct Part(pub(super) RwSignal<Option<(u64, u64)>>);

impl Part {
    pub(super) fn provide(session: Session) {
        let part = Memo::new(move |_| match scope(session) {
            Scope::Run => None,
            Scope::Area => {
                session.time.with(|time| time.area.as_ref().map(|area| (area.from_ns, area.to_ns)))
            }
            Scope::Visible => Some(session.visible_range()),
        });
        provide_context(Self(use_rested(part)));
    }

    /// Returns start and end, each `None` for the whole run.
    pub(super) fn ends(self) -> (Option<u64>, Option<u64>) {
        self.0.get().unzip()
    }
}

fn scope(session: Session) -> Scope {
    session.slot::<SummaryState>().with(|state| state.scope)
}

#[component]
pub(super) fn ScopeChoice() -> impl IntoView {
    let session = use_session();
    let part = expect_context::<Part>();
    let buttons = Scope::ALL.iter().copied().map(|own| {
        let choose = move |_| {
            session.slot::<SummaryState>().update(|state| state.scope = own);
            session.record_change(Change::Jump);
        };
        view! {
            <button
                type="button"
                class="tool"
                data-testid=format!("scope-{}", own.as_str())
                aria-pressed=move || (scope(session) == own).to_string()
                on:click=choose
            >{own.title()}</button>
        }
    });
    let words = move || match (scope(session), part.0.get()) {
        (Scope::Run, _) => String::new(),
        (Scope::Area, None) => {
            "No area is selected, so this is the whole run. ".to_owned()
                + hint(
                    "Hold Ctrl and drag over the timeline's tracks.",
                    "In the timeline, tap Area and drag over the tracks.",
                )
        }
        (_, None) => String::new(),
        (_, Some((from_ns, to_ns))) => {
            let length = format::duration((to_ns - from_ns) as f64);
            format!("{length} from {}, all tracks", format::moment(from_ns as f64))
        }
    };
    view! {
        <div class="summary-scope">
            <div role="group" aria-label="Time that the summary is about">{buttons.collect_view()}</div>
            <span class="quiet" role="status" data-testid="scope-words">{words}</span>
        </div>
    }
}

//! The choice of the time that the cards are about, and the answers about a part of it.

use syclscope_language::api::{
    CommandReport, CriticalPath as Path, Findings as Answer, Selected, SliceGroup,
};
use syclscope_language::question::{
    FindingsQuestion, GroupOrder, PathQuestion, Question, SelectQuestion, Selection,
};

use super::Card;
use super::cards::Commands;
use super::chain::{CriticalPath, Findings};
use crate::components::states::answered_again;
use crate::format;
use crate::hooks::answer::use_lasting_answer;
use crate::hooks::rested::use_rested;
use crate::reactive::*;
use crate::state::area::EXECUTIONS;
use crate::state::history::Change;
use crate::state::session::{Session, use_session};
use crate::views::summary::state::{Scope, SummaryState};

/// Maximum commands, as in the report of a run.
const MOST_COMMANDS: u32 = 1_000;

/// The part of the run that the cards are about; `None` for the whole run.
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

    /// Begin and end, each `None` for the whole run.
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
            session.changed(Change::Jump);
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
            "No area is selected, so this is the whole run. Hold Ctrl and drag over the timeline's tracks."
                .to_owned()
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

/// The card of a part, else that of the run.
pub(super) fn by_part(
    of_part: fn() -> AnyView,
    of_run: impl Fn() -> AnyView + Send + 'static,
) -> impl IntoView {
    let part = expect_context::<Part>();
    let is_part = Memo::new(move |_| part.0.with(Option::is_some));
    move || if is_part.get() { of_part() } else { of_run() }
}

pub(super) fn findings() -> AnyView {
    let part = expect_context::<Part>();
    let asked = use_lasting_answer::<Answer>(move || {
        let (from_ns, to_ns) = part.ends();
        from_ns.map(|_| Question::Findings(FindingsQuestion { from_ns, to_ns, limit: None }))
    });
    answered_again(asked, "findings", move |Answer { findings, together_ns, .. }| {
        if findings.is_empty() {
            return view! {
                <Card title="Findings" testid="findings" wide=true follows=true big=String::new()>
                    <p class="quiet">"None in this part of the run."</p>
                </Card>
            }
            .into_any();
        }
        let run_ns = part.0.get_untracked().map_or(0, |(from_ns, to_ns)| to_ns - from_ns);
        view! { <Findings findings together_ns run_ns/> }.into_any()
    })
}

pub(super) fn path() -> AnyView {
    let part = expect_context::<Part>();
    let asked = use_lasting_answer::<Path>(move || {
        let (from_ns, to_ns) = part.ends();
        from_ns.map(|_| Question::CriticalPath(PathQuestion { from_ns, to_ns, limit: None }))
    });
    answered_again(asked, "the critical path", |path: Path| view! { <CriticalPath path/> })
}

pub(super) fn commands() -> AnyView {
    let part = expect_context::<Part>();
    let asked = use_lasting_answer::<Selected>(move || {
        let (from_ns, to_ns) = part.ends();
        from_ns?;
        let selection =
            Selection { from_ns, to_ns, filter: EXECUTIONS.parse().ok()?, ..Selection::default() };
        Some(Question::Select(SelectQuestion { selection, sort: GroupOrder::Clipped, groups: MOST_COMMANDS }))
    });
    answered_again(asked, "commands", |selected: Selected| {
        let commands = selected.groups.into_iter().map(command).collect();
        view! { <Commands commands host_tasks=Vec::new() covered_ns=None/> }
    })
}

/// Executions of a name, with the time in the part only.
fn command(group: SliceGroup) -> CommandReport {
    let SliceGroup { name, kind, stats, .. } = group;
    CommandReport {
        name,
        kind: kind.unwrap_or_default(),
        count: stats.count,
        total_ns: stats.clipped_ns,
        min_ns: stats.min_ns,
        mean_ns: stats.mean_ns,
        p50_ns: stats.p50_ns,
        p95_ns: stats.p95_ns,
        max_ns: stats.max_ns,
        mean_queueing_delay_ns: None,
    }
}

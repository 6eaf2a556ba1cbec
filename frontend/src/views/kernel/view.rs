//! The kernel view in the browser.

mod histogram;
mod numbers;
mod over_time;
mod selected;

use std::rc::Rc;
use std::sync::Arc;

use syclscope_language::api::{KernelProfile, KernelSummary};
use syclscope_language::event::NodeKind;
use syclscope_language::question::{KernelQuestion, Question};

use self::histogram::Histogram;
use self::numbers::{FirstLaunches, Queues, Sizes};
use self::over_time::OverTime;
use self::selected::Executions;
use crate::browser::focus;
use crate::components::states::{Nothing, answered};
use crate::components::view_body::ViewBody;
use crate::format;
use crate::hooks::answer::{Answer, use_answer};
use crate::reactive::*;
use crate::state::call::{Call, Goal, Phase};
use crate::state::detail::Detail;
use crate::state::history::Change;
use crate::state::keys::meaning;
use crate::state::plug::Running;
use crate::state::session::{Session, use_session};
use crate::views::kernel::ID;
use crate::views::kernel::keys::{COMMANDS, Command};
use crate::views::kernel::names::{executions, first, selected, step};
use crate::views::kernel::state::KernelState;

/// Kernels that the list offers; the palette finds all.
const MOST_OFFERED: usize = 500;

/// Durations, in ns, from the first to below the second.
type Durations = Option<(u64, u64)>;

/// Makes the view ready for a trace's page.
pub(crate) fn start(session: Session) -> Running {
    let handle = move |call| match call {
        Call::Command(command, Phase::Press | Phase::Repeat) => {
            let Some(command) = meaning(&COMMANDS, command.id) else { return false };
            match command {
                Command::Next => go_by(session, 1),
                Command::Previous => go_by(session, -1),
                Command::Pick => focus("[data-testid=kernel-pick]"),
                Command::Timeline => session.go(found(session, durations(session))),
            }
            true
        }
        Call::BreakOff => select(session, None),
        Call::Go(Goal::Kernel(name)) => {
            open(session, name);
            true
        }
        _ => false,
    };
    Running { mount: Box::new(|| view! { <KernelView/> }.into_any()), handle: Rc::new(handle) }
}

/// The name of the kernel that is shown.
fn shown(session: Session) -> Option<String> {
    let info = session.info();
    let own = session.slot::<KernelState>().with(|state| state.name.clone());
    let of_selection = || {
        session.selection.with(|selection| {
            session.detail.with(|detail| {
                let slice = match detail {
                    Detail::Slice(slice) => Some(&**slice),
                    _ => None,
                };
                selected(&info, selection.as_ref(), slice)
            })
        })
    };
    if own.is_empty() { of_selection().or_else(|| first(&info)) } else { Some(own) }
}

fn durations(session: Session) -> Durations {
    session.slot::<KernelState>().with(|state| state.durations_ns)
}

/// Shows another kernel.
fn open(session: Session, name: String) {
    session.slot::<KernelState>().update(|state| {
        state.durations_ns = None;
        state.name = name;
    });
    session.changed(Change::Jump);
}

fn go_by(session: Session, by: isize) {
    let next = untrack(|| step(&session.info(), &shown(session)?, by));
    if let Some(name) = next {
        open(session, name);
    }
}

/// Selects the executions of some durations, also in the timeline where that is on screen, or none. Says whether that is
/// new.
fn select(session: Session, durations_ns: Durations) -> bool {
    let state = session.slot::<KernelState>();
    if state.with_untracked(|state| state.durations_ns == durations_ns) {
        return false;
    }
    let name = untrack(|| shown(session)).unwrap_or_default();
    state.update(|state| {
        state.name = name;
        state.durations_ns = durations_ns;
    });
    session.changed(Change::Detail);
    let goal = match durations_ns {
        None => Goal::Matches(String::new()),
        some => found(session, some),
    };
    session.mark_in_sight(goal);
    true
}

/// The executions of the shown kernel, found in the timeline.
fn found(session: Session, durations_ns: Durations) -> Goal {
    let name = untrack(|| shown(session)).unwrap_or_default();
    let kernels = &session.info().kernels;
    let kind = kernels.iter().find(|kernel| kernel.name == name).map(|kernel| kernel.kind);
    Goal::Matches(executions(&name, kind, durations_ns))
}

#[component]
fn KernelView() -> impl IntoView {
    let session = use_session();
    let name = Memo::new(move |_| shown(session));
    let asked = use_answer::<KernelProfile>(move || Some(Question::Kernel(KernelQuestion::of(&name.get()?))));
    let numbers = move || match asked.answer.get() {
        Answer::Ready(KernelProfile { all, .. }) => format!(
            "{}, {} on the device",
            format::counted(all.count, "execution", "executions"),
            format::duration(all.total_ns as f64)
        ),
        _ => String::new(),
    };
    let body = move || {
        match name.get() {
        None => view! {
            <Nothing title="No kernel ran">
                "This recording has no executions with device times. Record a program that submits kernels to a queue."
            </Nothing>
        }
        .into_any(),
        Some(_) => {
            let profile = answered(asked, "executions", move |profile| profiled(session, profile));
            view! { <ViewBody view=ID label="Kernel" testid="kernel-body">{profile}</ViewBody> }.into_any()
        }
    }
    };
    view! {
        <div class="view-bar">
            <Pick name/>
            <span class="quiet" data-testid="kernel-numbers">{numbers}</span>
            <button
                type="button"
                class="tool"
                title="Find these executions in the timeline (E)"
                data-testid="kernel-timeline"
                on:click=move |_| session.go(found(session, untrack(|| durations(session))))
            >"Show in timeline"</button>
        </div>
        {body}
    }
}

/// The kernels by device time, to pick one.
#[component]
fn Pick(name: Memo<Option<String>>) -> impl IntoView {
    let session = use_session();
    let info = session.info();
    let mut names: Vec<String> =
        info.kernels.iter().take(MOST_OFFERED).map(|KernelSummary { name, .. }| name.clone()).collect();
    names.dedup();
    let options = move || {
        let mut names = names.clone();
        let shown = name.get();
        names.extend(shown.clone().filter(|shown| !names.contains(shown)));
        let option = |name: String| {
            let is_shown = shown.as_ref() == Some(&name);
            view! { <option value=name.clone() selected=is_shown>{session.short_name(&name)}</option> }
        };
        names.into_iter().map(option).collect_view()
    };
    view! {
        <select
            class="field"
            aria-label="Kernel"
            data-testid="kernel-pick"
            on:change=move |event| open(session, event_target_value(&event))
        >{options}</select>
    }
}

fn profiled(session: Session, profile: KernelProfile) -> AnyView {
    if profile.all.count == 0 {
        return view! { <Nothing title="No executions">"Nothing of this name ran on a device."</Nothing> }
            .into_any();
    }
    let profile = Arc::new(profile);
    let durations = Memo::new(move |_| durations(session));
    let kind: Option<NodeKind> = profile.kind;
    view! {
        <h2 class="kernel-name"><code>{move || shown(session)}</code></h2>
        <div class="cards is-even">
            <Histogram profile=profile.clone() durations/>
            <OverTime profile=profile.clone() durations/>
            <FirstLaunches profile=profile.clone()/>
            <Queues profile=profile.clone()/>
            <Sizes profile=profile.clone()/>
            <Executions kind durations/>
        </div>
    }
    .into_any()
}

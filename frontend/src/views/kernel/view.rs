mod histogram;
mod numbers;
mod over_time;
mod selected;

use std::rc::Rc;
use std::sync::Arc;

use syclscope_language::api::KernelProfile;
use syclscope_language::event::NodeKind;
use syclscope_language::question::{KernelQuestion, Question};

use self::histogram::Histogram;
use self::numbers::{FirstLaunches, Queues, Sizes};
use self::over_time::OverTime;
use self::selected::Executions;
use crate::browser::focus;
use crate::components::states::{Nothing, show_answer};
use crate::components::view_body::ViewBody;
use crate::format;
use crate::hooks::answer::{Answer, use_answer};
use crate::reactive::*;
use crate::state::call::{Call, Goal, Phase};
use crate::state::detail::Detail;
use crate::state::history::Change;
use crate::state::keys::meaning;
use crate::state::selection::Selection;
use crate::state::session::{Session, with_key};
use crate::state::view_descriptor::Running;
use crate::views::kernel::ID;
use crate::views::kernel::keys::{COMMANDS, Command};
use crate::views::kernel::names::{all, executions, first, selected, step};
use crate::views::kernel::state::KernelState;

/// Maximum number of kernels in the list; the palette finds all.
const MAX_KERNELS: usize = 500;

type Durations = Option<(u64, u64)>;

pub(crate) fn start(session: Session) -> Running {
    let kernel = OpenKernel::new(session);
    let handle = move |call| match call {
        Call::Command(command, Phase::Press | Phase::Repeat) => {
            let Some(command) = meaning(&COMMANDS, command.id) else { return false };
            match command {
                Command::Next => kernel.go_by(1),
                Command::Previous => kernel.go_by(-1),
                Command::Pick => focus("[data-testid=kernel-pick]"),
                Command::Timeline => session.go(kernel.goal(kernel.durations())),
            }
            true
        }
        Call::BreakOff => kernel.select(None),
        Call::Go(Goal::Kernel(name)) => {
            kernel.open(name);
            true
        }
        _ => false,
    };
    Running { mount: Box::new(move || view! { <KernelView kernel/> }.into_any()), handle: Rc::new(handle) }
}

#[derive(Clone, Copy)]
struct OpenKernel {
    session: Session,
    /// The view's own kernel, or else the selected one.
    name: Memo<Option<String>>,
    /// True if the view stays with this kernel only as long as durations are selected.
    is_pinned: StoredValue<bool>,
}

impl OpenKernel {
    fn new(session: Session) -> Self {
        let last = StoredValue::new(None);
        let name = Memo::new(move |()| {
            let name = kernel_name(session, last.get_value());
            last.set_value(name.clone());
            name
        });
        Self { session, name, is_pinned: StoredValue::new(false) }
    }

    fn state(self) -> RwSignal<KernelState> {
        self.session.slot()
    }

    fn durations(self) -> Durations {
        self.state().with(|state| state.durations_ns)
    }

    fn open(self, name: String) {
        self.is_pinned.set_value(false);
        self.state().update(|state| {
            state.durations_ns = None;
            state.name = name;
        });
        self.session.record_change(Change::Jump);
    }

    fn go_by(self, by: isize) {
        let next = self.name.get_untracked().and_then(|name| step(&self.session.info(), &name, by));
        if let Some(name) = next {
            self.open(name);
        }
    }

    /// Sets the range of selected durations. True if it changed.
    fn choose(self, durations_ns: Durations) -> bool {
        let before = self.state().get_untracked();
        if before.durations_ns == durations_ns {
            return false;
        }
        if before.durations_ns.is_none() {
            self.is_pinned.set_value(before.name.is_empty());
        }
        let name = match durations_ns {
            None if self.is_pinned.get_value() => String::new(),
            _ => self.name.get_untracked().unwrap_or_default(),
        };
        self.state().set(KernelState { name, durations_ns, ..before });
        self.session.record_change(Change::Detail);
        true
    }

    /// Marks the selection in the timeline, if that is visible.
    fn mark(self) {
        let goal = match untrack(|| self.durations()) {
            None => Goal::Matches(String::new()),
            some => self.goal(some),
        };
        self.session.mark_in_sight(goal);
    }

    fn select(self, durations_ns: Durations) -> bool {
        let is_new = self.choose(durations_ns);
        if is_new {
            self.mark();
        }
        is_new
    }

    fn goal(self, durations_ns: Durations) -> Goal {
        let name = self.name.get_untracked().unwrap_or_default();
        let kernels = &self.session.info().kernels;
        let kind = kernels.iter().find(|kernel| kernel.name == name).map(|kernel| kernel.kind);
        Goal::Matches(executions(&name, kind, durations_ns))
    }
}

/// Returns the name of the kernel to show; `last` is the previous one.
fn kernel_name(session: Session, last: Option<String>) -> Option<String> {
    let info = session.info();
    let own = session.slot::<KernelState>().with(|state| state.name.clone());
    if !own.is_empty() {
        return Some(own);
    }
    session.selection.with(|selection| {
        session.detail.with(|detail| {
            let slice = match detail {
                Detail::Slice(slice) => Some(&**slice),
                // A slice's kernel is known once its details are loaded.
                Detail::None | Detail::Loading
                    if last.is_some() && matches!(selection, Some(Selection::Slice(_))) =>
                {
                    return last;
                }
                _ => None,
            };
            selected(&info, selection.as_ref(), slice).or_else(|| first(&info))
        })
    })
}

#[component]
fn KernelView(kernel: OpenKernel) -> impl IntoView {
    let OpenKernel { session, name, .. } = kernel;
    let query =
        use_answer::<KernelProfile>(move || Some(Question::Kernel(KernelQuestion::new(&name.get()?))));
    let numbers = move || match query.answer.get() {
        Answer::Ready(KernelProfile { all, .. }) => format!(
            "{}, {} summed",
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
            let profile = show_answer(query, "executions", move |profile| profiled(kernel, profile));
            view! { <ViewBody view=ID label="Kernel" testid="kernel-body">{profile}</ViewBody> }.into_any()
        }
    }
    };
    view! {
        <div class="view-bar">
            <Pick kernel/>
            <span class="quiet" data-testid="kernel-numbers">{numbers}</span>
            <button
                type="button"
                class="tool"
                title=with_key("kernel.timeline", "Find these executions in the timeline (E)")
                data-testid="kernel-timeline"
                on:click=move |_| session.go(kernel.goal(untrack(|| kernel.durations())))
            >"Show in timeline"</button>
        </div>
        {body}
    }
}

#[component]
fn Pick(kernel: OpenKernel) -> impl IntoView {
    let OpenKernel { session, name, .. } = kernel;
    let info = session.info();
    let names: Vec<String> = all(&info).into_iter().take(MAX_KERNELS).map(str::to_owned).collect();
    let options = move || {
        let mut names = names.clone();
        let current = name.get();
        names.extend(current.clone().filter(|current| !names.contains(current)));
        let option = |name: String| {
            let is_shown = current.as_ref() == Some(&name);
            view! { <option value=name.clone() selected=is_shown>{session.short_name(&name)}</option> }
        };
        names.into_iter().map(option).collect_view()
    };
    view! {
        <select
            class="field"
            aria-label="Kernel"
            data-testid="kernel-pick"
            on:change=move |event| kernel.open(event_target_value(&event))
        >{options}</select>
    }
}

fn profiled(kernel: OpenKernel, profile: KernelProfile) -> AnyView {
    if profile.all.count == 0 {
        return view! { <Nothing title="No executions">"Nothing of this name ran on a device."</Nothing> }
            .into_any();
    }
    let profile = Arc::new(profile);
    let durations = Memo::new(move |_| kernel.durations());
    let kind: Option<NodeKind> = profile.kind;
    view! {
        <h2 class="kernel-name"><code>{move || kernel.name.get()}</code></h2>
        <div class="cards is-even">
            <Histogram kernel profile=profile.clone() durations/>
            <OverTime profile=profile.clone() durations/>
            <FirstLaunches profile=profile.clone()/>
            <Queues profile=profile.clone()/>
            <Sizes profile=profile.clone()/>
            <Executions kernel kind durations/>
        </div>
    }
    .into_any()
}

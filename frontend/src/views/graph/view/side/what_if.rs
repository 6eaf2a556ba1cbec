//! Panel of what-if scenarios: estimated time of the run under other assumptions.

mod schedule;

use syclscope_language::api::WhatIf;
use syclscope_language::event::NodeKind;
use syclscope_language::question::{Factor, Question, WhatIfQuestion};

use self::schedule::Schedule;
use crate::components::states::show_answer;
use crate::format;
use crate::hooks::answer::use_answer;
use crate::hooks::rested::use_rested;
use crate::reactive::*;
use crate::state::history::Change;
use crate::state::session::use_session;
use crate::views::graph::state::{FasterKernel, GraphState, WhatIfWish};
use crate::views::graph::view::use_graph;

#[component]
pub(super) fn WhatIfPanel() -> impl IntoView {
    let session = use_session();
    let graph = use_graph();
    let wish = Memo::new(move |_| session.slot::<GraphState>().with(|state| state.wish.clone()));
    let change = move |act: &dyn Fn(&mut WhatIfWish)| {
        graph.with(|controller| controller.change(Change::Detail, |state| act(&mut state.wish)));
    };
    let factor = Memo::new(move |_| {
        wish.with(
            |wish| if wish.faster.is_empty() { Ok(Factor::TWICE) } else { wish.faster.parse::<Factor>() },
        )
    });
    let info = session.info();
    let busiest = info
        .kernels
        .iter()
        .filter(|kernel| kernel.kind == NodeKind::Kernel)
        .max_by_key(|kernel| kernel.total_ns);
    let busiest = busiest.map(|kernel| kernel.name.clone());
    let kernel = Memo::new(move |_| {
        wish.with(|wish| match &wish.kernel {
            FasterKernel::Busiest => busiest.clone(),
            FasterKernel::None => None,
            FasterKernel::Named(name) => Some(name.clone()),
        })
    });
    let area = move || session.time.with(|time| time.area.as_ref().map(|area| (area.from_ns, area.to_ns)));
    let part = use_rested(Memo::new(move |_| {
        wish.with(|wish| wish.is_in_part).then(|| area().unwrap_or_else(|| session.visible_range()))
    }));
    let question = Memo::new(move |_| {
        let WhatIfWish { without_copies, without_builds, .. } = wish.get();
        let (from_ns, to_ns) = part.get().unzip();
        let kernel = kernel.get();
        let faster = kernel.is_some().then(|| factor.get().ok()).flatten();
        WhatIfQuestion { kernel, faster, without_copies, without_builds, schedule: None, from_ns, to_ns }
    });
    let query = use_answer::<WhatIf>(move || Some(Question::WhatIf(question.get())));
    let kernels: Vec<String> = session.info().kernels.iter().map(|kernel| kernel.name.clone()).collect();
    let options = kernels.into_iter().map(|name| {
        let (value, own) = (name.clone(), name.clone());
        view! {
            <option value=value prop:selected=move || kernel.with(|kernel| kernel.as_ref() == Some(&own))>{session.short_name(&name)}</option>
        }
    });
    view! {
        <div class="what-if">
            <label class="what-if-field">
                "If"
                <select
                    class="tool-input"
                    data-testid="what-if-kernel"
                    on:change=move |event| {
                        let text = event_target_value(&event);
                        change(&|wish| wish.kernel = text.clone().into());
                    }
                >
                    <option value=FasterKernel::None.as_str() prop:selected=move || kernel.with(Option::is_none)>"no kernel"</option>
                    {options.collect_view()}
                </select>
            </label>
            <label class="what-if-field">
                "ran faster by a factor of"
                <input
                    type="text"
                    inputmode="decimal"
                    class="tool-input"
                    data-testid="what-if-faster"
                    prop:value=move || wish.with(|wish| if wish.faster.is_empty() { "2".to_owned() } else { wish.faster.clone() })
                    aria-invalid=move || factor.get().is_err().to_string()
                    on:input=move |event| {
                        let text = event_target_value(&event);
                        change(&|wish| wish.faster.clone_from(&text));
                    }
                />
            </label>
            {move || factor.get().is_err().then(|| view! {
                <p class="is-error" role="alert">"Enter a number above 0 with at most three decimals, such as 2 or 1.5."</p>
            })}
            <Check testid="what-if-copies" field=|wish| &mut wish.without_copies>
                "and copies, fills and maps took no time"
            </Check>
            <Check testid="what-if-builds" field=|wish| &mut wish.without_builds>
                "and device code was built already"
            </Check>
            <Check testid="what-if-part" field=|wish| &mut wish.is_in_part>
                {move || if area().is_some() { "but only in the selected area" } else { "but only in the visible range" }}
            </Check>
            {move || part.get().map(|(from_ns, to_ns)| view! {
                <p class="quiet" data-testid="what-if-range">
                    {format!("{} from {}", format::duration(to_ns.saturating_sub(from_ns) as f64), format::moment(from_ns as f64))}
                </p>
            })}
            {show_answer(query, "the estimate", move |answer: WhatIf| {
                view! { <Answer answer question=question.get_untracked()/> }
            })}
        </div>
    }
}

#[component]
fn Check(testid: &'static str, field: fn(&mut WhatIfWish) -> &mut bool, children: Children) -> impl IntoView {
    let graph = use_graph();
    let state = use_session().slot::<GraphState>();
    let flip = move |_| {
        graph.with(|controller| controller.change(Change::Detail, |state| *field(&mut state.wish) ^= true));
    };
    view! {
        <label class="check">
            <input
                type="checkbox"
                data-testid=testid
                prop:checked=move || *field(&mut state.with(|state| state.wish.clone()))
                on:change=flip
            />
            {children()}
        </label>
    }
}

#[component]
fn Answer(answer: WhatIf, question: WhatIfQuestion) -> impl IntoView {
    let WhatIf {
        recorded_ns,
        path_ns,
        is_refused,
        unlimited_ns,
        changed_path_ns,
        changed_unlimited_ns,
        device_ns,
        changed_device_ns,
        changed,
        ..
    } = answer;
    let line = |title: &'static str,
                hint: &'static str,
                testid: &'static str,
                of: &'static str,
                was: u64,
                now: u64| {
        let share = |ns: u64| format!("{:.3}%", ns as f64 / was.max(now).max(1) as f64 * 100.0);
        let difference = was.abs_diff(now) as f64;
        let text = match difference {
            0.0 => "no change".to_owned(),
            _ => format!(
                "{}{} ({:.1} %)",
                if now < was { '−' } else { '+' },
                format::duration(difference),
                difference / was.max(1) as f64 * 100.0
            ),
        };
        view! {
            <div class="what-if-line" data-testid=testid title=hint>
                <h4>{title}</h4>
                <p><b>{format::duration(now as f64)}</b>" "<span class="quiet">{format!("{of} {}", format::duration(was as f64))}</span></p>
                <div class="what-if-bars" aria-hidden="true">
                    <span class="what-if-was" style:width=share(was)></span>
                    <span class="what-if-now" style:width=share(now)></span>
                </div>
                <p class="quiet">{text}</p>
            </div>
        }
    };
    let difference = path_ns.abs_diff(recorded_ns) as f64 / recorded_ns.max(1) as f64 * 100.0;
    let replay = match is_refused {
        true => format!(
            "This recording can’t be simulated well enough: the replay of the unchanged run differs from it by {difference:.0} %."
        ),
        false => format!(
            "Replayed {}, recorded {} ({difference:.1} % off), both to the end of the last command or wait. The recording ends at {}.",
            format::duration(path_ns as f64),
            format::duration(recorded_ns as f64),
            format::duration(use_session().info().duration_ns as f64)
        ),
    };
    let estimate = (!is_refused).then(|| {
        line(
            "Estimated run time",
            "Replay: dependences, the order of queues and devices, submissions, calls and host waits",
            "what-if-path",
            "replayed as recorded",
            path_ns,
            changed_path_ns,
        )
    });
    view! {
        {estimate}
        {(!is_refused).then(|| view! { <Schedule question ends_ns=[recorded_ns, changed_path_ns]/> })}
        <p class="quiet" data-testid="what-if-replay">{replay}</p>
        {line(
            "With unlimited devices",
            "Longest chain of dependences: unlimited devices, and a host that never delays them. Commands without device times take none",
            "what-if-unlimited",
            "was",
            unlimited_ns,
            changed_unlimited_ns,
        )}
        {line("Total device time", "All commands run one after another", "what-if-device", "was", device_ns, changed_device_ns)}
        <p class="quiet">{format!("{} would change.", format::counted(changed, "command", "commands"))}</p>
    }
}

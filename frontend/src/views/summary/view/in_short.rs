//! Card "In short": the busiest command, idle time of the devices, the start-up, and advice unless the card "Findings"
//! next to it has the main finding.

use syclscope_language::api::{CommandReport, Report, StartUp};
use syclscope_language::question::Question;
use syclscope_language::share::share;

use crate::components::kernel_link::KernelLink;
use crate::components::prose::prose;
use crate::format;
use crate::hooks::answer::{Answer, use_answer};
use crate::reactive::*;
use crate::state::session::use_session;
use crate::state::words;

const STEPS: usize = 3;

/// Summary of a run; empty if no device did anything.
#[component]
pub(super) fn InShort(report: Report) -> impl IntoView {
    let session = use_session();
    // Few rules apply to other tools' traces, so a lack of findings means nothing there.
    let is_known = !session.info().is_foreign() || !report.findings.is_empty();
    let advice = (is_known && report.main_finding().is_none()).then(|| {
        let (remedy, cause) = report.advice();
        (report.advice_title(), prose(remedy), prose(cause))
    });
    let whole_ns: u64 = report.commands.iter().map(|command| command.total_ns).sum();
    let split = report.split;
    let is_slow_start = split.idle.start_ns > split.run_ns / 20;
    let first = report.commands.into_iter().next();
    first.map(|command| {
        let CommandReport { name, count, total_ns, .. } = command;
        // The colon is in the link. Otherwise a line could begin with it after a long name.
        let text = format!("{}:", session.fit_name(&name, 48));
        let took = format!(" {}.", words::executions(count, total_ns, whole_ns));
        let idle_ns = split.idle.ns();
        let idle = (idle_ns > 0).then(|| {
            let parts =
                split.idle.parts().map(|(ns, what)| format!("{} {what}", format::duration(ns as f64)));
            let share = share(idle_ns, split.run_ns, 0);
            let whole = if split.run_ns < session.info().duration_ns { "part" } else { "run" };
            let text = format!("{} ({share} of the {whole}): ", format::duration(idle_ns as f64));
            let text = format!("{text}{}.", parts.collect::<Vec<_>>().join(", "));
            view! { <dt>"Devices idle"</dt><dd>{prose(&text)}</dd> }
        });
        view! {
            <dl class="in-short" data-testid="in-short">
                {advice.map(|(title, remedy, cause)| {
                    view! {
                        <dt>{title}</dt>
                        <dd><b>{remedy}</b>" "{cause}</dd>
                    }
                })}
                <dt>"Busiest"</dt>
                <dd><KernelLink name text/>{prose(&took)}</dd>
                {idle}
                {is_slow_start.then(|| view! { <Start/> })}
            </dl>
        }
    })
}

#[component]
fn Start() -> impl IntoView {
    let session = use_session();
    let query = use_answer::<StartUp>(|| Some(Question::StartUp));
    move || {
        let Answer::Ready(StartUp { to_ns, steps, .. }) = query.answer.get() else { return None };
        let parts = steps.iter().take(STEPS).map(|step| {
            let name = session.fit_name(&step.name, 32);
            format!("{} {name} ({})", format::duration(step.total_ns as f64), words::step(step.kind))
        });
        let parts = parts.collect::<Vec<_>>().join(", ");
        let text = format!("First command after {}: {parts}.", format::duration(to_ns as f64));
        (!steps.is_empty())
            .then(|| view! { <dt>"Start-up"</dt><dd data-testid="in-short-start">{prose(&text)}</dd> })
    }
}

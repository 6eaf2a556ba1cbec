//! A run in three sentences: device time, idle time, and a recommendation.

use syclscope_language::api::{CommandReport, Report};
use syclscope_language::question::Question;

use crate::components::facts::Jump;
use crate::components::kernel_link::KernelLink;
use crate::format;
use crate::hooks::answer::{Answer, use_answer};
use crate::reactive::*;
use crate::state::session::use_session;

/// Runs with more slices are summarized only in the summary view, so that nothing waits for the full report unasked.
const MOST_SLICES: u64 = 3_000_000;

/// Summary of the run, as soon as it is available.
#[component]
pub(crate) fn RunInShort() -> impl IntoView {
    let counts = use_session().info().counts;
    let is_asked = counts.executions > 0 && counts.slices <= MOST_SLICES;
    let asked = use_answer::<Report>(move || is_asked.then_some(Question::Report));
    move || match asked.answer.get() {
        Answer::Ready(report) => Some(view! { <InShort report/> }),
        _ => None,
    }
}

/// Summary of a run; empty if no device did anything.
#[component]
pub(crate) fn InShort(report: Report) -> impl IntoView {
    let session = use_session();
    // Few rules look at other tools' traces, so no findings there mean nothing.
    let is_known = !session.info().is_foreign() || !report.findings.is_empty();
    let advice = is_known.then(|| report.advice());
    let at = report.main_finding().and_then(|finding| finding.at);
    let whole_ns: u64 = report.commands.iter().map(|command| command.total_ns).sum();
    let split = report.split;
    let first = report.commands.into_iter().next();
    first.map(|command| {
        let CommandReport { name, count, total_ns, .. } = command;
        let text = session.fit_name(&name, 48);
        let share = 100.0 * total_ns as f64 / whole_ns.max(1) as f64;
        let took = format!(
            " took {} in {}: {share:.0} % of what all commands took.",
            format::duration(total_ns as f64),
            format::counted(count, "execution", "executions")
        );
        let idle_ns = split.idle.ns();
        let idle = (idle_ns > 0).then(|| {
            let parts =
                split.idle.parts().map(|(ns, what)| format!("{} {what}", format::duration(ns as f64)));
            let share = 100.0 * idle_ns as f64 / split.run_ns.max(1) as f64;
            let text = format!("{} ({share:.0} % of the run): ", format::duration(idle_ns as f64));
            let text = format!("{text}{}.", parts.collect::<Vec<_>>().join(", "));
            view! { <dt>"Devices idle"</dt><dd>{text}</dd> }
        });
        view! {
            <dl class="in-short" data-testid="in-short">
                <dt>"Busiest"</dt>
                <dd><KernelLink name text/>{took}</dd>
                {idle}
                <dt>"What to do"</dt>
                <dd>{advice}" "{at.map(|at| view! { <Jump at text="Show in timeline"/> })}</dd>
            </dl>
        }
    })
}

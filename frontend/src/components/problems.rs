//! The list of what is wrong with a trace.

use leptos::prelude::*;
use syclscope_trace::api::Severity;

use crate::state::problems::{Problem, problems};
use crate::views::timeline::view::Timeline;

/// How a severity is called.
pub(crate) fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "Info",
        Severity::DataLoss => "Data loss",
        Severity::Error => "Error",
    }
}

/// The class that colours a severity.
pub(crate) fn severity_class(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "severity-info",
        Severity::DataLoss => "severity-loss",
        Severity::Error => "severity-error",
    }
}

#[component]
pub(crate) fn Problems(timeline: Timeline) -> impl IntoView {
    let info = timeline.with(|controller| controller.info());
    info.map(|info| {
        let problems = problems(&info);
        if problems.is_empty() {
            return view! {
                <p class="panel-empty" data-testid="no-problems">
                    "No problems: the recording ended in an orderly way, no event was dropped, and the whole file was understood."
                </p>
            }
            .into_any();
        }
        view! {
            <ul class="problems" data-testid="problems">
                {problems.into_iter().map(problem_line).collect_view()}
            </ul>
        }
        .into_any()
    })
}

fn problem_line(problem: Problem) -> impl IntoView {
    let Problem { severity, title, text } = problem;
    view! {
        <li class=format!("problem {}", severity_class(severity))>
            <span class="badge">{severity_name(severity)}</span>
            <b>{title}</b>
            <span>{text}</span>
        </li>
    }
}

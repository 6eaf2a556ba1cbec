use syclscope_language::api::Severity;

use crate::components::facts::{Jump, severity_class};
use crate::reactive::*;
use crate::state::problems::{Problem, problems};
use crate::state::session::use_session;

pub(crate) fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "Note",
        Severity::DataLoss => "Data loss",
        Severity::Error => "Error",
    }
}

#[component]
pub(crate) fn Problems() -> impl IntoView {
    let info = use_session().info();
    let problems = problems(&info);
    if problems.is_empty() {
        return view! {
            <p class="panel-empty" data-testid="no-problems">
                "No problems: the recording is complete, no events were dropped, and the whole file was read."
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
}

fn problem_line(problem: Problem) -> impl IntoView {
    let Problem { severity, title, text, evidence, place, at } = problem;
    let evidence = (!evidence.is_empty()).then(|| {
        let lines = evidence.into_iter().map(|line| view! { <li>{line}</li> });
        view! { <ul class="evidence">{lines.collect_view()}</ul> }
    });
    view! {
        <li class=format!("problem {}", severity_class(severity))>
            <span class="badge">{severity_name(severity)}</span>
            <b>{title}</b>
            <div>
                <span>{text}</span>
                {(!place.is_empty()).then(|| view! { " " <code class="source">{place}</code> })}
                {at.map(|at| view! { " " <Jump at text="Show call"/> })}
                {evidence}
            </div>
        </li>
    }
}

//! What is wrong with a trace, in plain words and with counts.

use leptos::prelude::*;
use syclscope_trace::api::{DiagnosticInfo, Severity, TraceInfo};

use crate::format;
use crate::views::timeline::view::Timeline;

/// Kinds of problems: diagnostics, lost events, a recording that was cut short.
pub(crate) fn problem_count(info: &TraceInfo) -> u64 {
    let mentions_drops = info.diagnostics.iter().any(|diagnostic| diagnostic.kind.starts_with("dropped"));
    let drops = u64::from(info.counts.dropped > 0 && !mentions_drops);
    info.diagnostics.len() as u64 + drops + u64::from(!info.complete)
}

/// The worst problem's severity.
pub(crate) fn worst(info: &TraceInfo) -> Option<Severity> {
    let own = (info.counts.dropped > 0 || !info.complete).then_some(Severity::DataLoss);
    info.diagnostics.iter().map(|diagnostic| diagnostic.severity).chain(own).max()
}

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
        if problem_count(&info) == 0 {
            return view! {
                <p class="panel-empty" data-testid="no-problems">
                    "No problems: the recording ended in an orderly way, no event was dropped, and the whole file was understood."
                </p>
            }
            .into_any();
        }
        let mut diagnostics = info.diagnostics.clone();
        diagnostics.sort_by_key(|diagnostic| std::cmp::Reverse(diagnostic.severity));
        view! {
            <ul class="problems" data-testid="problems">
                {(!info.complete).then(|| view! {
                    <Problem
                        severity=Severity::DataLoss
                        title="Recording was cut short"
                        text="The program ended or was killed before the recorder could finish. Everything up to its last flush is here."
                    />
                })}
                {(info.counts.dropped > 0).then(|| {
                    let title = format!("{} dropped", format::counted(info.counts.dropped, "event", "events"));
                    view! {
                        <Problem
                            severity=Severity::DataLoss
                            title
                            text="A buffer of the recorder was full, so these events are not in the trace."
                        />
                    }
                })}
                {diagnostics.into_iter().map(diagnostic_line).collect_view()}
            </ul>
        }
        .into_any()
    })
}

fn diagnostic_line(diagnostic: DiagnosticInfo) -> impl IntoView {
    let DiagnosticInfo { severity, kind, message, count, first_offset } = diagnostic;
    let mut title = kind.replace('_', " ");
    if count > 1 {
        title += &format!(" × {}", format::count(count));
    }
    let text = match first_offset {
        Some(offset) => format!("{message} First at byte {}.", format::count(offset)),
        None => message,
    };
    view! { <Problem severity title text/> }
}

#[component]
fn Problem(severity: Severity, #[prop(into)] title: String, #[prop(into)] text: String) -> impl IntoView {
    view! {
        <li class=format!("problem {}", severity_class(severity))>
            <span class="badge">{severity_name(severity)}</span>
            <b>{title}</b>
            <span>{text}</span>
        </li>
    }
}

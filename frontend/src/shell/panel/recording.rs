//! Properties of the recording: processes, versions, settings, devices, pauses and source files.

mod devices;
mod sources;

use syclscope_language::api::{FactInfo, PauseInfo, ProcessInfo, TraceInfo};
use syclscope_language::event::FactKind;

use self::devices::Devices;
use self::sources::Sources;
use crate::browser::local_time;
use crate::components::facts::Fact;
use crate::format;
use crate::reactive::*;
use crate::state::session::use_session;
use crate::state::words;

#[component]
pub(crate) fn Recording() -> impl IntoView {
    let info = use_session().info();
    let all: Vec<ProcessInfo> =
        if info.processes.is_empty() { vec![info.process.clone()] } else { info.processes.clone() };
    let names = if all.len() > 1 { all.iter().map(process_name).collect() } else { Vec::new() };
    let processes =
        (0..).zip(all).map(|(number, process)| view! { <Process info=info.clone() number process/> });
    view! {
        <div class="details" data-testid="recording">
            {processes.collect_view()}
            <Devices devices=info.devices.clone() processes=names/>
            <Pauses pauses=info.pauses.clone()/>
            <Sources sources=info.sources.clone()/>
        </div>
    }
}

fn process_name(process: &ProcessInfo) -> String {
    let (pid, name) = (process.pid, process.ranked_name());
    if name.is_empty() { format!("Process {pid}") } else { format!("{name} · {pid}") }
}

#[component]
fn Process(info: std::sync::Arc<TraceInfo>, number: u32, process: ProcessInfo) -> impl IntoView {
    let heading = process_name(&process);
    let ProcessInfo {
        pid, command_line, host, start_unix_ns, until_ns, recorder, complete, local_rank, ..
    } = process;
    let of_kind = |kind: FactKind| {
        let facts = info.facts.iter().filter(|fact| fact.process == number && fact.kind == kind);
        facts.cloned().collect::<Vec<_>>()
    };
    let lists = [
        ("Versions", FactKind::Version),
        ("Recording settings", FactKind::Setting),
        ("Environment", FactKind::Environment),
        ("Cost of recording per thread", FactKind::Cost),
        ("Other facts", FactKind::Other),
    ];
    let lists = lists.map(|(title, kind)| view! { <FactList title facts=of_kind(kind)/> });
    // Only our own recordings mark their end.
    let end = (!recorder.is_empty()).then_some(match until_ns {
        Some(_) => "after this part of its run",
        None if complete => "normally",
        None => "cut short",
    });
    let texts = [("Command line", command_line), ("Host", host), ("Recorder", recorder)];
    let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
    view! {
        <section data-testid="process">
            <h3>{heading}</h3>
            <dl class="facts">
                {texts.map(|(name, text)| view! { <Fact name=name><code>{text}</code></Fact> }).collect_view()}
                {local_rank.map(|rank| view! { <Fact name="Rank on its host">{rank.to_string()}</Fact> })}
                {(pid != 0).then(|| view! { <Fact name="Process id">{pid.to_string()}</Fact> })}
                {(start_unix_ns != 0).then(|| view! { <Fact name="Started">{local_time(start_unix_ns)}</Fact> })}
                {end.map(|end| view! { <Fact name="Ended">{end}</Fact> })}
            </dl>
        </section>
        {lists.collect_view()}
    }
}

#[component]
fn FactList(title: &'static str, facts: Vec<FactInfo>) -> impl IntoView {
    (!facts.is_empty()).then(|| {
        let lines = facts.into_iter().map(|fact| {
            view! { <dt>{fact.name}</dt><dd><code>{fact.value}</code></dd> }
        });
        view! {
            <section>
                <h3>{title}</h3>
                <dl class="facts">{lines.collect_view()}</dl>
            </section>
        }
    })
}

#[component]
fn Pauses(pauses: Vec<PauseInfo>) -> impl IntoView {
    (!pauses.is_empty()).then(|| {
        let count = format::count(pauses.len() as u64);
        let lines = pauses.into_iter().map(|pause| {
            let reason = pause.reason.replace('_', " ");
            view! {
                <li>
                    <span>{words::lifetime(pause.start_ns, pause.end_ns, "resumed")}</span>
                    <span class="quiet">{reason}</span>
                </li>
            }
        });
        view! {
            <section data-testid="pauses">
                <h3>"Pauses "<span class="quiet">{count}</span></h3>
                <ul class="edges">{lines.collect_view()}</ul>
            </section>
        }
    })
}

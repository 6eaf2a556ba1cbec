//! The summary in the browser: cards that link to the other views.

mod cards;
mod chain;
mod energy;
mod idle;
mod in_short;
mod iterations;
mod name_line;
mod parts_bar;
mod regions;
mod scope;
mod slices;
mod start_up;

use syclscope_language::api::Report;
use syclscope_language::machine_counters;
use syclscope_language::question::{Question, ReportQuestion};

use self::cards::{Commands, Copies, Memory, Queues, Unreleased, Waits};
use self::chain::{CriticalPath, Findings, Run};
use self::energy::EnergyByCommand;
use self::idle::IdleTime;
use self::in_short::InShort;
use self::iterations::IterationTimes;
use self::regions::RegionTimes;
use self::scope::{Part, ScopeChoice};
use self::slices::Slices;
use self::start_up::{BuildTimes, StartUpTime};
use crate::components::states::{Nothing, show_answer, show_lasting_answer};
use crate::components::view_body::ViewBody;
use crate::format;
use crate::hooks::answer::{Answer, PendingQuery, use_lasting_answer};
use crate::reactive::*;
use crate::state::problems::why_empty;
use crate::state::session::{Session, use_session};
use crate::state::view_descriptor::Running;
use crate::views::summary::ID;

/// Number of lines of a collapsed card; the number of the rest is shown.
const USUAL_LINES: usize = 8;
/// Maximum number of letters of a step's name, which its kind and location follow.
const STEP_LETTERS: usize = 44;
/// Maximum number of lines of an expanded card.
const MAX_LINES: usize = 1_000;

pub(crate) fn start(_session: Session) -> Running {
    Running::passive(|| view! { <SummaryView/> }.into_any())
}

#[component]
fn SummaryView() -> impl IntoView {
    let session = use_session();
    let info = session.info();
    if info.counts.slices == 0 {
        return view! {
            <Nothing title="No slices">{why_empty(&info)}</Nothing>
        }
        .into_any();
    }
    Part::provide(session);
    let part = expect_context::<Part>();
    let has_commands = !info.is_foreign() || info.counts.executions > 0;
    let report = use_lasting_answer::<Report>(move || {
        // Without commands there is no choice of a part.
        let (from_ns, to_ns) = if has_commands { part.ends() } else { (None, None) };
        Some(Question::Report(ReportQuestion { from_ns, to_ns }))
    });
    let is_part = Memo::new(move |_| has_commands && part.0.with(Option::is_some));
    let is_there = Memo::new(move |_| report.answer.with(|answer| matches!(answer, Answer::Ready(_))));
    let cards = move || {
        if !is_there.get() {
            return show_answer(report, "the summary", |_| ()).into_any();
        }
        view! {
            <div class="cards" class:is-part=move || is_part.get() data-testid="summary">
                {if has_commands { cards(report) } else { cards_of_slices(report) }}
            </div>
        }
        .into_any()
    };
    view! {
        <ViewBody view=ID label=if has_commands { "Summary of the run" } else { "Summary of the trace" }>
            {has_commands.then(|| view! { <ScopeChoice/> })}
            {cards}
        </ViewBody>
    }
    .into_any()
}

fn cards(report: PendingQuery<Report>) -> AnyView {
    let info = use_session().info();
    let has_power = info.tracks.iter().any(|track| machine_counters::is_power(&track.name));
    view! {
        {show_lasting_answer(report, "the summary", |report| {
            let in_short = (!report.commands.is_empty()).then(|| {
                let report = report.clone();
                view! {
                    <Card title="In short" testid="in-short-card" big=String::new()>
                        <InShort report/>
                    </Card>
                }
            });
            let Report { split, concurrency, unseen, recording, findings, together_ns, critical_path, .. } = report;
            view! {
                <div class="card-top">
                    {in_short}
                    <Findings findings together_ns run_ns=split.run_ns/>
                    <div class="card-pair">
                        <Run split concurrency unseen recording/>
                        <CriticalPath path=critical_path/>
                    </div>
                </div>
            }
        })}
        <IterationTimes/>
        <IdleTime/>
        <StartUpTime/>
        <BuildTimes/>
        {show_lasting_answer(report, "commands", |Report { commands, host_tasks, covered, .. }| view! {
            <Commands commands host_tasks covered_ns=covered.device_ns/>
        })}
        {(info.counts.regions > 0).then(|| view! { <RegionTimes/> })}
        {has_power.then(|| view! { <EnergyByCommand/> })}
        {show_lasting_answer(report, "copies", |report| view! {
            <Queues queues=report.queues/>
            <Copies copies=report.copies/>
            <Waits waits=report.waits covered_ns=report.covered.wait_ns/>
            <Memory memory=report.memory/>
            <Unreleased unreleased=report.unreleased/>
        })}
        {info.is_foreign().then(|| view! { <Slices/> })}
    }
    .into_any()
}

fn cards_of_slices(report: PendingQuery<Report>) -> AnyView {
    view! {
        <Slices/>
        {show_lasting_answer(report, "memory", |report| view! { <Memory memory=report.memory/> })}
    }
    .into_any()
}

/// A card with a title and its most important number. A `wide` one takes the whole row. A card `of_run` covers the
/// whole run even if the others cover a part. Its label then says so.
#[component]
fn Card(
    title: &'static str,
    testid: &'static str,
    #[prop(optional)] wide: bool,
    #[prop(optional)] of_run: bool,
    big: String,
    children: Children,
) -> impl IntoView {
    view! {
        <section class="card" class:is-wide=wide data-testid=testid aria-label=title>
            <h3>{title}{of_run.then(|| view! { <span class="of-run">" whole run"</span> })}</h3>
            {(!big.is_empty()).then(|| view! { <p class="big">{big}</p> })}
            {children()}
        </section>
    }
}

#[component]
fn Lines(caption: &'static str, children: Children) -> impl IntoView {
    view! {
        <table class="mini">
            <caption class="visually-hidden">{caption}</caption>
            <tbody>{children()}</tbody>
        </table>
    }
}

/// Sum of a card's lines, if that exceeds the elapsed time.
#[component]
fn Summed(what: String, sum_ns: u64, covered_ns: u64) -> impl IntoView {
    (sum_ns > covered_ns).then(|| {
        let sum = format::duration(sum_ns as f64);
        let text = format!("{sum} summed over {what}; above, overlapping time counts once.");
        view! { <p class="quiet" data-testid="summed">{text}</p> }
    })
}

/// Button with the number of collapsed lines. The style sheet hides these lines while the button has the class `more`.
/// The button remains, because it has the focus. Pressing it again collapses the card.
#[component]
fn More(all: usize) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let hidden = |visible: usize| {
        Some(all.saturating_sub(visible))
            .filter(|hidden| *hidden > 0)
            .map(|hidden| format!("and {} more", format::count(hidden as u64)))
    };
    hidden(USUAL_LINES).map(|text| {
        let never = hidden(MAX_LINES);
        view! {
            {move || is_open.get().then(|| never.clone().map(|text| view! { <p class="quiet">{text}</p> }))}
            <button
                type="button"
                class="jump"
                class:more=move || !is_open.get()
                aria-expanded=move || is_open.get().to_string()
                data-testid="more"
                on:click=move |_| is_open.update(|is_open| *is_open = !*is_open)
            >{move || if is_open.get() { "Show fewer".to_owned() } else { text.clone() }}</button>
        }
    })
}

//! Idle time of devices and findings in the area's range of time, on all tracks.

use syclscope_language::api::{Findings, GapClassTime, Gaps, bounded_gain, gain_bound_of_all};
use syclscope_language::question::{FindingsQuestion, GapsQuestion, Question};
use syclscope_language::share::share;

use crate::components::findings::FindingList;
use crate::components::idle_time::{IdleClasses, IdleStretches};
use crate::format;
use crate::hooks::answer::{Answer, use_answer};
use crate::reactive::*;
use crate::state::history::Change;
use crate::state::session::use_session;
use crate::views::summary;
use crate::views::summary::state::{Scope, SummaryState};

const MAX_GAPS: u32 = 20;

#[component]
pub(super) fn InRange() -> impl IntoView {
    let session = use_session();
    let range = Memo::new(move |_| {
        session.time.with(|time| time.area.as_ref().map(|area| (area.from_ns, area.to_ns)))
    });
    let ends = move || range.get().unzip();
    let gaps = use_answer::<Gaps>(move || {
        let (from_ns, to_ns) = ends();
        let question = GapsQuestion { from_ns, to_ns, limit: MAX_GAPS, ..GapsQuestion::default() };
        from_ns.map(|_| Question::Gaps(question))
    });
    let findings = use_answer::<Findings>(move || {
        let (from_ns, to_ns) = ends();
        from_ns.map(|_| Question::Findings(FindingsQuestion { from_ns, to_ns, limit: None }))
    });
    let summarise = move |_| {
        session.slot::<SummaryState>().update(|state| state.scope = Scope::Area);
        session.show(summary::ID);
        session.record_change(Change::Detail);
    };
    view! {
        <div class="area-range">
            <span class="quiet">"In this time, on all tracks:"</span>
            {move || match gaps.answer.get() {
                Answer::Ready(gaps) => idle_time(gaps),
                other => placeholder(other),
            }}
            {move || match findings.answer.get() {
                Answer::Ready(findings) => finding_list(findings),
                other => placeholder(other),
            }}
            <button type="button" class="jump" data-testid="area-summary" on:click=summarise>"Summary of this range"</button>
        </div>
    }
}

fn placeholder<T>(answer: Answer<T>) -> AnyView {
    match answer {
        Answer::Failed(error) => {
            view! { <span class="is-error" role="alert">{error.message}</span> }.into_any()
        }
        Answer::Loading => view! { <span class="quiet">"…"</span> }.into_any(),
        Answer::None | Answer::Ready(_) => ().into_any(),
    }
}

fn idle_time(gaps: Gaps) -> AnyView {
    let Gaps { idle_ns, classes, gaps, more, .. } = gaps;
    if idle_ns == 0 {
        return view! { <span class="quiet" data-testid="area-idle">"No idle time of devices is known here."</span> }
            .into_any();
    }
    let most = classes.first().map(|GapClassTime { class, total_ns, .. }| {
        format!(", {} of it {}", share(*total_ns, idle_ns, 0), class.as_words())
    });
    let text = format!("Devices idle for {}{}", format::duration(idle_ns as f64), most.unwrap_or_default());
    let more = (more > 0).then(|| format!("and {} shorter", format::counted(more, "stretch", "stretches")));
    view! {
        <details class="more" data-testid="area-idle">
            <summary>{text}</summary>
            <IdleClasses idle_ns classes/>
            <IdleStretches gaps/>
            {more.map(|more| view! { <p class="quiet">{more}</p> })}
        </details>
    }
    .into_any()
}

fn finding_list(answer: Findings) -> AnyView {
    let Findings { findings, together_ns, .. } = answer;
    if findings.is_empty() {
        return view! { <span class="quiet" data-testid="area-findings">"No findings here."</span> }
            .into_any();
    }
    let count = format::counted(findings.len() as u64, "finding", "findings");
    let text = match together_ns {
        0 => count,
        ns => {
            let together = bounded_gain(gain_bound_of_all(&findings), &format::duration(ns as f64));
            format!("{count}, together {together} of the run")
        }
    };
    view! {
        <details class="more" data-testid="area-findings">
            <summary>{text}</summary>
            <FindingList findings/>
        </details>
    }
    .into_any()
}

//! Findings with their gain and evidence, each with links to its slices.

use syclscope_language::api::{Finding, Gain, SliceRef, gain_bound, rule_title, saving};

use crate::components::facts::{Jump, LineLink, severity_class};
use crate::components::prose::prose;
use crate::format;
use crate::reactive::*;
use crate::state::call::Goal;
use crate::state::filters::exactly;
use crate::state::session::use_session;

#[component]
pub(crate) fn FindingList(findings: Vec<Finding>) -> impl IntoView {
    let lines = findings.into_iter().map(|finding| {
        let (remedy, cause) = (prose(&finding.remedy), prose(finding.cause()));
        let Finding { kind, severity, evidence, location, at, count, gain, .. } = finding;
        let in_one = finding
            .iterations
            .filter(|_| gain.as_ref().is_none_or(|gain| gain.ns > 0))
            .map(|part| part.words(&kind, |ns| format::duration(ns as f64)));
        let in_one = in_one.map(|words| view! { <span class="quiet">"in an iteration "{words}</span> });
        let times =
            (count > 1).then(|| view! { <span class="quiet">{format!("{} ×", format::count(count))}</span> });
        let (text, how) = match gain {
            Some(Gain { ns: 0, bytes: 0, how }) => ("would save nothing".to_owned(), how),
            Some(Gain { ns, bytes: 0, how }) => {
                (format!("could save {}", saving(gain_bound(&kind), &format::duration(ns as f64))), how)
            }
            Some(Gain { ns, bytes, how }) => {
                let bytes = format::bytes(bytes as f64);
                (
                    format!(
                        "could save {}, {bytes} of copies",
                        saving(gain_bound(&kind), &format::duration(ns as f64))
                    ),
                    how,
                )
            }
            None if finding.touches_ns > 0 => {
                (format!("affects {}", format::duration(finding.touches_ns as f64)), finding.no_gain)
            }
            None => Default::default(),
        };
        let gain = (!text.is_empty()).then(|| {
            let title = how.clone();
            view! { <span class="gain" title=title>{text}<span class="visually-hidden">{how}</span></span> }
        });
        let evidence = evidence.into_iter().map(|line| view! { <li>{prose(&line)}</li> });
        view! {
            <li class=format!("finding {}", severity_class(severity))>
                <p class="finding-head"><b>{rule_title(&kind)}</b>{times}{in_one}{gain}</p>
                <p><b>{remedy}</b>" "{cause}</p>
                <ul class="evidence">{evidence.collect_view()}</ul>
                <p class="finding-links">
                    <LineLink location/>
                    {at.map(|at| view! { <Jump at text="Show in timeline"/> })}
                    <Steps slices=finding.slices count/>
                </p>
            </li>
        }
    });
    view! { <ul class="findings">{lines.collect_view()}</ul> }
}

/// Highlights a finding's slices in the timeline, where the search steps from one to the next.
#[component]
fn Steps(slices: Vec<SliceRef>, count: u64) -> impl IntoView {
    let session = use_session();
    (slices.len() > 1).then(|| {
        let listed = format::count(slices.len() as u64);
        let text = if count > slices.len() as u64 {
            format!("Step through the first {listed} of {}", format::count(count))
        } else {
            format!("Step through its {listed} slices")
        };
        let step = move |_| {
            session.go(Goal::Matches(exactly(&slices)));
            session.go_to(slices[0]);
        };
        view! {
            <button type="button" class="jump" data-testid="finding-steps" title="Highlights them; J goes to the next one" on:click=step>
                {text}
            </button>
        }
    })
}

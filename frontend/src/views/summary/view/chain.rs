//! The cards about the run's bottlenecks: findings and the critical path.

use syclscope_language::api::{
    Concurrency, CriticalPath as Path, Finding, RecordingCost, RunSplit, StepKind, gain_bound_of_all, saving,
};

use super::parts_bar::PartsBar;
use super::scope::Part;
use super::{Card, Lines, MAX_LINES, More, STEP_LETTERS};
use crate::components::facts::{Jump, LineLink};
use crate::components::findings::FindingList;
use crate::components::prose::prose;
use crate::format;
use crate::reactive::*;
use crate::state::session::use_session;
use crate::state::words;
use crate::views::summary::parts::{of_critical_path, of_run};
use syclscope_language::sorting::Sorting as _;

#[component]
pub(super) fn Findings(findings: Vec<Finding>, together_ns: u64, run_ns: u64) -> impl IntoView {
    let is_part = expect_context::<Part>().0.with_untracked(Option::is_some);
    if findings.is_empty() && is_part {
        return Some(
            view! {
                <Card title="Findings" testid="findings" big=String::new()>
                    <p class="quiet">"None in this part of the run."</p>
                </Card>
            }
            .into_any(),
        );
    }
    (!findings.is_empty()).then(|| {
        let largest_ns = findings.iter().filter_map(|finding| Some(finding.gain.as_ref()?.ns)).max();
        let big = match largest_ns {
            None if findings.iter().any(|finding| finding.touches_ns > 0) => "No gain is known".to_owned(),
            None => String::new(),
            Some(_) if findings.iter().all(|finding| finding.gain.is_none() || finding.is_small(run_ns)) => {
                let has_unknown =
                    findings.iter().any(|finding| finding.gain.is_none() && finding.touches_ns > 0);
                let known = if has_unknown { " of known gain" } else { "" };
                format!("No finding{known} would save 1 % or more")
            }
            Some(_) => format!(
                "Could save {}",
                saving(gain_bound_of_all(&findings), &format::duration(together_ns as f64))
            ),
        };
        view! {
            <Card title="Findings" testid="findings" big>
                <FindingList findings/>
            </Card>
        }
        .into_any()
    })
}

#[component]
pub(super) fn Run(
    split: RunSplit,
    concurrency: Concurrency,
    unseen: Vec<String>,
    recording: Option<RecordingCost>,
) -> impl IntoView {
    let Concurrency { max_kernels, mean_kernels, kernel_ns, copy_overlap_ns } = concurrency;
    let lines = [
        ("Concurrent kernels", format!("mean {mean_kernels:.2}, max {}", format::count(max_kernels))),
        ("Any kernel running", format::duration(kernel_ns as f64)),
        ("Copies overlapping kernels", format::duration(copy_overlap_ns as f64)),
    ];
    let lines = lines
        .map(|(name, text)| view! { <tr><th scope="row">{name}</th><td class="number">{text}</td></tr> });
    (split.run_ns > 0).then(|| {
        view! {
            <Card title="Run time" testid="run-time" big=format::duration(split.run_ns as f64)>
                <PartsBar parts=of_run(&split)/>
                {unseen
                    .into_iter()
                    .map(|text| view! { <p class="quiet" data-testid="unseen">{prose(&text)}</p> })
                    .collect_view()}
                {recording.and_then(|recording| recording.words(format::count)).map(|words| {
                    view! { <p class="quiet" data-testid="recording-cost">{words}"."</p> }
                })}
                {(kernel_ns > 0).then(|| view! { <Lines caption="Concurrency">{lines.collect_view()}</Lines> })}
            </Card>
        }
    })
}

#[component]
pub(super) fn CriticalPath(path: Path) -> impl IntoView {
    (path.length_ns > 0).then(|| {
        let steps = format::counted(path.steps.len() as u64, "step", "steps");
        let text = match path.unlimited_ns {
            // The time that dependences need is unknown in a part of the run.
            0 => format!("The critical path has {steps}."),
            ns => {
                let alone = format::duration(ns as f64);
                format!("The critical path has {steps}. Dependences alone need at least {alone}.")
            }
        };
        let session = use_session();
        let parts = of_critical_path(&path);
        let length = format::duration(path.length_ns as f64);
        let mut steps = path.steps;
        steps.arrange_by_key(|step| std::cmp::Reverse(step.duration_ns));
        let all = steps.len();
        let names =
            session.fit_names(steps.iter().take(MAX_LINES).map(|step| step.name.as_str()).collect(), STEP_LETTERS);
        let lines = steps.into_iter().zip(names).map(|(step, name)| {
            let name = match step.count {
                0 | 1 => name,
                count => format!("{name} ×{}", format::count(count)),
            };
            let name = match step.at {
                Some(at) => view! { <Jump at text=name/> }.into_any(),
                None => view! { <span>{name}</span> }.into_any(),
            };
            let kind = match (step.kind, step.node) {
                (StepKind::Host, Some(_)) => "host task, time not recorded".to_owned(),
                (StepKind::Host, None) => match step.samples {
                    Some(samples) => samples.message,
                    None => not_recorded(&step.after, &step.until),
                },
                (kind, _) => words::step(kind).to_owned(),
            };
            view! {
                <tr title=step.name>
                    <th scope="row">{name}" "<span class="quiet">{kind}</span>" "<LineLink location=step.location/></th>
                    <td class="number">{format::duration(step.duration_ns as f64)}</td>
                </tr>
            }
        });
        let lines = lines.collect_view();
        view! {
            <Card title="Critical path" testid="critical-path" big=length>
                <PartsBar parts/>
                <p class="quiet">{text}</p>
                <Lines caption="Longest steps">{lines}</Lines>
                <More all/>
            </Card>
        }
    })
}

/// Describes host code between two recorded calls.
fn not_recorded(after: &str, until: &str) -> String {
    match (after, until) {
        ("", "") => "not recorded".to_owned(),
        ("", until) => format!("not recorded, until {until}"),
        (after, _) => format!("not recorded, after {after}"),
    }
}

//! Phases of a command, each with the median for its name.

use syclscope_language::api::{Life, Phase, PhaseKind};
use syclscope_language::question::Question;

use crate::components::facts::Jump;
use crate::components::states::show_answer;
use crate::format;
use crate::hooks::answer::use_answer;
use crate::reactive::*;
use crate::state::words::submission_phase;

#[component]
pub(super) fn LifeTable(slice: u32) -> impl IntoView {
    let query = use_answer::<Life>(move || Some(Question::Life(slice)));
    let content = show_answer(query, "phases", |life| view! { <Phases life/> });
    view! { <section class="details-life" data-testid="life"><h3>"Phases"</h3>{content}</section> }
}

#[component]
fn Phases(life: Life) -> impl IntoView {
    let Life { phases, wait, samples, same, name, .. } = life;
    let longest_ns = phases.iter().map(|phase| phase.to_ns - phase.from_ns).max().unwrap_or(0).max(1);
    let submission = submission_phase(&phases);
    let rows = phases.into_iter().map(|phase| row(&phase, submission, longest_ns)).collect_view();
    let of = if u64::from(samples) < same {
        format!(
            "Medians of {} of {} commands with this name",
            format::count(samples.into()),
            format::count(same)
        )
    } else {
        format!("Medians of {} with this name", format::counted(same, "command", "commands"))
    };
    view! {
        <table class="table life" aria-label=format!("Phases of {name}")>
            <thead><tr>
                <th scope="col">"Phase"</th>
                <th scope="col" class="number">"End"</th>
                <th scope="col" class="number">"Duration"</th>
                <th scope="col" class="number">"Median"</th>
                <th scope="col" class="number">"vs median"</th>
                <td></td>
            </tr></thead>
            <tbody>{rows}</tbody>
        </table>
        <p class="quiet">{of}</p>
        {wait.map(|at| {
            let text = format!("Host wait, {}", format::duration(at.duration_ns as f64));
            view! { <p><Jump at text/></p> }
        })}
    }
}

fn row(phase: &Phase, submission: &'static str, longest_ns: u64) -> impl IntoView + use<> {
    let length_ns = phase.to_ns - phase.from_ns;
    let share = length_ns as f64 / longest_ns as f64 * 100.0;
    let (title, hint, end) = words(phase.kind);
    let title = if phase.kind == PhaseKind::Submission { submission } else { title };
    let median = phase.median_ns.map(|median_ns| format::duration(median_ns as f64)).unwrap_or_default();
    view! {
        <tr data-testid="phase">
            <th scope="row" title=hint>{title}</th>
            <td class="number" title=format!("{end} at {}", format::exact_duration(phase.to_ns))>
                {format::moment(phase.to_ns as f64)}
            </td>
            <td class="number"><b>{format::duration(length_ns as f64)}</b></td>
            <td class="number">{median}</td>
            <td class="number">{phase.median_ns.map(|median_ns| against(length_ns, median_ns))}</td>
            <td class="life-bar" aria-hidden="true"><span style:width=format!("{share:.1}%")></span></td>
        </tr>
    }
}

fn against(length_ns: u64, median_ns: u64) -> String {
    match (length_ns, median_ns) {
        (length, median) if length == median => "=".to_owned(),
        (length, 0) => format!("+{}", format::duration(length as f64)),
        (length, median) => format!("{:.2} ×", length as f64 / median as f64),
    }
}

/// Returns a phase's name, description, and end.
fn words(kind: PhaseKind) -> (&'static str, &'static str, &'static str) {
    match kind {
        PhaseKind::Submission => ("Submission", "The host submits the command", "submitted"),
        PhaseKind::Dependences => {
            ("Dependences", "The command waits for its dependences", "dependences done")
        }
        PhaseKind::HandOver => {
            ("Submit to driver", "Runtime and driver submit it to the device", "submitted to the device")
        }
        PhaseKind::Start => ("Start delay", "The device has the command but has not started it", "started"),
        PhaseKind::Execution => ("Execution", "The device runs it", "ended"),
        PhaseKind::Return => ("Return to host", "The host's wait has not returned yet", "wait returned"),
    }
}

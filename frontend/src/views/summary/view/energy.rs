use syclscope_language::api::{CommandEnergy, Energy, EnergyCounter};
use syclscope_language::question::{EnergyQuestion, Question};

use super::scope::Part;
use super::{Card, Lines, USUAL_LINES};
use crate::components::category::kind_name;
use crate::components::states::show_lasting_answer;
use crate::format;
use crate::hooks::answer::use_lasting_answer;
use crate::reactive::*;
use crate::state::session::use_session;

#[component]
pub(super) fn EnergyByCommand() -> impl IntoView {
    let part = expect_context::<Part>();
    let query = use_lasting_answer::<Energy>(move || {
        let (from_ns, to_ns) = part.ends();
        Some(Question::Energy(EnergyQuestion { from_ns, to_ns, limit: USUAL_LINES as u32 }))
    });
    show_lasting_answer(query, "energy", |Energy { estimate, counters, .. }| {
        let counters = counters.into_iter().filter(|counter| counter.intervals > 0);
        counters.map(|counter| view! { <Counter counter estimate=estimate.clone()/> }).collect_view()
    })
}

#[component]
fn Counter(counter: EnergyCounter, estimate: String) -> impl IntoView {
    let session = use_session();
    let text = sentence(&counter);
    let all = counter.joules;
    let lines = counter.commands.into_iter().map(|command| {
        let CommandEnergy { name, kind, count, joules, .. } = command;
        view! {
            <tr title=name.clone()>
                <th scope="row">
                    {session.fit_name(&name, 26)}" "
                    <span class="quiet">{format!("{} ×{}", kind_name(kind), format::count(count))}</span>
                </th>
                <td class="number">{format::amount(joules, "J")}</td>
                <td class="number">{share(joules, all)}</td>
            </tr>
        }
    });
    let lines = lines.collect_view();
    let more = (counter.more > 0).then(|| {
        let (count, joules) = (format::count(counter.more), format::amount(counter.more_joules, "J"));
        view! { <p class="quiet">{format!("and {count} more, {joules}")}</p> }
    });
    view! {
        <Card title="Energy by kernel and command" testid="energy" big=format::amount(all, "J")>
            <p class="quiet">{format!("{}, {estimate}", counter.name)}</p>
            <p class="quiet">{text}</p>
            <Lines caption="Energy by command">{lines}</Lines>
            {more}
        </Card>
    }
}

fn sentence(counter: &EnergyCounter) -> String {
    let mut parts = Vec::new();
    if counter.device.is_some() {
        parts.push(format!("commands {}", share(counter.command_joules, counter.joules)));
        parts.push(format!("idle {}", share(counter.idle_joules, counter.joules)));
    }
    for rest in &counter.rest {
        parts.push(format!(
            "not attributed {} ({})",
            share(rest.joules, counter.joules),
            rest.reason.words()
        ));
    }
    if counter.unsampled_ns > 0 {
        let unsampled = format::duration(counter.unsampled_ns as f64);
        parts.push(format!("{unsampled} of commands outside of the samples"));
    }
    parts.join(", ")
}

fn share(part: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{:.1} %", part / whole * 100.0) } else { "–".to_owned() }
}

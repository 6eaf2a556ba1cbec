//! The card about iterations of the main loop: durations over the run, and the breakdown of an iteration's time.

use syclscope_language::api::{Iteration, IterationStep, Iterations};
use syclscope_language::question::{IterationsQuestion, Question};
use syclscope_language::share::share;

use super::scope::Part;
use super::{Card, STEP_LETTERS, USUAL_LINES};
use crate::components::facts::LineLink;
use crate::components::prose::prose;
use crate::components::states::show_lasting_answer;
use crate::format;
use crate::hooks::answer::use_lasting_answer;
use crate::reactive::*;
use crate::state::call::Goal;
use crate::state::session::use_session;
use crate::state::words;

const CHARTED: u32 = 1_000;
/// Size of the chart in its own units.
const WIDTH: f64 = 1_000.0;
const HEIGHT: f64 = 60.0;

#[component]
pub(super) fn IterationTimes() -> impl IntoView {
    let part = expect_context::<Part>();
    let query = use_lasting_answer::<Iterations>(move || {
        let (from_ns, to_ns) = part.ends();
        Some(Question::Iterations(IterationsQuestion {
            from_ns,
            to_ns,
            limit: CHARTED,
            ..Default::default()
        }))
    });
    show_lasting_answer(query, "iterations", move |answer: Iterations| {
        let Iterations { count, steady, steps, message, iterations, .. } = answer;
        let session = use_session();
        let show = |text: &'static str, row: Option<Iteration>| {
            row.map(|row| {
                let go = move |_| session.go(Goal::Range(row.from_ns as f64, row.to_ns as f64));
                view! { <button type="button" class="jump" on:click=go>{text}</button> }
            })
        };
        let row = |number: u64| iterations.iter().find(|row| row.number == number).copied();
        let big = if steady.count > 4 { format::duration(steady.p50_ns as f64) } else { String::new() };
        let warm_up = if part.0.with_untracked(Option::is_some) { 0 } else { answer.warm_up };
        let slowest = show("Show the slowest in timeline", row(steady.slowest));
        let usual = iterations
            .iter()
            .filter(|row| row.to_ns - row.from_ns == steady.p50_ns)
            .find(|row| row.number > warm_up);
        let usual = show("Show a median one", usual.copied());
        let each = steady.count.max(1) as f64;
        let total_ns = steps.iter().map(|step| step.total_ns).sum::<u64>() + answer.more_steps_ns;
        let names = steps.iter().take(USUAL_LINES).map(|step| step.name.as_str()).collect();
        let names = session.fit_names(names, STEP_LETTERS);
        let lines = steps.into_iter().zip(names).map(|(step, short)| {
            let IterationStep { kind, name, location, total_ns: of_step, slowest_ns } = step;
            let share = share(of_step, total_ns, 1);
            view! {
                <tr title=name>
                    <th scope="row">
                        {short}" "<span class="quiet">{words::step(kind)}</span>" "<LineLink location/>
                    </th>
                    <td class="number">{mean(of_step as f64 / each)}</td>
                    <td class="number">{share}</td>
                    <td class="number">{format::duration(slowest_ns as f64)}</td>
                </tr>
            }
        });
        let lines = lines.collect_view();
        let chart = chart(&iterations);
        (count > 0).then(|| view! {
            <Card title="Iterations" testid="iterations" wide=true big>
                <p>{prose(&message)}</p>
                {chart}
                <table class="mini has-heads">
                    <caption class="visually-hidden">"Critical path in an iteration"</caption>
                    <thead>
                        <tr><th scope="col">"Step"</th><th scope="col">"Each"</th><th scope="col">"Share"</th><th scope="col">"Slowest"</th></tr>
                    </thead>
                    <tbody>{lines}</tbody>
                </table>
                <p class="finding-links">{slowest}" "{usual}</p>
            </Card>
        })
    })
}

fn mean(ns: f64) -> String {
    if ns > 0.0 && ns < 1.0 { "< 1 ns".to_owned() } else { format::duration(ns) }
}

fn chart(rows: &[Iteration]) -> impl IntoView + use<> {
    let duration = |row: &Iteration| (row.to_ns - row.from_ns) as f64;
    let max = rows.iter().map(duration).fold(1.0, f64::max);
    let step = WIDTH / rows.len().max(2).saturating_sub(1) as f64;
    let point = |(number, row): (usize, &Iteration)| {
        format!("{:.1},{:.1}", number as f64 * step, HEIGHT - duration(row) / max * HEIGHT)
    };
    let points: Vec<String> = rows.iter().enumerate().map(point).collect();
    let max = format::duration(max);
    let label = format!("Duration by iteration, up to {max}");
    let [first, last] = [rows.first(), rows.last()].map(|row| row.map(|row| format::count(row.number)));
    (rows.len() > 1).then(|| view! {
        <div class="quiet" aria-hidden="true">{format!("up to {max}")}</div>
        <svg class="iteration-chart" viewBox="0 0 1000 60" preserveAspectRatio="none" role="img" aria-label=label.clone()>
            <title>{label.clone()}</title>
            <polyline points=points.join(" ")/>
        </svg>
        <div class="plot-ticks quiet" aria-hidden="true">
            <span style:left="0">{first}</span>
            <span style:left="100%">{last}</span>
        </div>
    })
}

//! The cards about start-up and builds of device code.

use syclscope_language::api::{Build, BuildAgain, BuildSource, Builds, StartUp};
use syclscope_language::question::{BuildsQuestion, Question};
use syclscope_language::sorting::Sorting as _;

use super::scope::Part;
use super::{Card, Lines, STEP_LETTERS, USUAL_LINES};
use crate::components::facts::{Jump, LineLink};
use crate::components::states::{show_answer, show_lasting_answer};
use crate::format;
use crate::hooks::answer::{use_answer, use_lasting_answer};
use crate::reactive::*;
use crate::state::session::use_session;
use crate::state::words;

#[component]
pub(super) fn StartUpTime() -> impl IntoView {
    let query = use_answer::<StartUp>(|| Some(Question::StartUp));
    show_answer(query, "start-up", |answer: StartUp| {
        let StartUp { to_ns, command, steps, .. } = answer;
        let session = use_session();
        let names = steps.iter().take(USUAL_LINES).map(|step| step.name.as_str()).collect();
        let names = session.fit_names(names, STEP_LETTERS);
        let lines = steps.into_iter().zip(names).map(|(step, short)| {
            view! {
                <tr title=step.name>
                    <th scope="row">
                        {short}" "<span class="quiet">{words::step(step.kind)}</span>" "
                        <LineLink location=step.location/>
                    </th>
                    <td class="number">{format::duration(step.total_ns as f64)}</td>
                </tr>
            }
        });
        let lines = lines.collect_view();
        command.map(|command| {
            let text = format!("before the first command, {}", session.fit_name(&command.name, 40));
            view! {
                <Card title="Start-up" testid="start-up" of_run=true big=format::duration(to_ns as f64)>
                    <p class="quiet">{text}</p>
                    <Lines caption="Critical path before the first command">{lines}</Lines>
                </Card>
            }
        })
    })
}

#[component]
pub(super) fn BuildTimes() -> impl IntoView {
    let part = expect_context::<Part>();
    let query = use_lasting_answer::<Builds>(move || {
        let (from_ns, to_ns) = part.ends();
        Some(Question::Builds(BuildsQuestion { from_ns, to_ns, limit: 10_000 }))
    });
    show_lasting_answer(query, "builds", |answer: Builds| {
        let Builds { count, covered_ns, again, mut builds, .. } = answer;
        builds.arrange_by_key(|build| std::cmp::Reverse(build.at.duration_ns));
        let text = match again {
            0 => format::counted(count, "build", "builds"),
            again => format!("{}, {again} of them again", format::counted(count, "build", "builds")),
        };
        let lines = builds.into_iter().take(USUAL_LINES).map(|entry| view! { <Row entry/> }).collect_view();
        (count > 0).then(|| {
            view! {
                <Card title="Builds of device code" testid="builds" big=format::duration(covered_ns as f64)>
                    <p class="quiet">{text}</p>
                    <Lines caption="Longest builds">{lines}</Lines>
                </Card>
            }
        })
    })
}

#[component]
fn Row(entry: Build) -> impl IntoView {
    let build = entry;
    let session = use_session();
    let input = match build.source {
        BuildSource::SpirV => "from SPIR-V",
        BuildSource::Binary => "from a binary",
        BuildSource::Programs => "linked",
        BuildSource::Unknown => "",
    };
    let reason = match build.again {
        None => "",
        Some(BuildAgain::Context) => ", again: other context",
        Some(BuildAgain::Device) => ", again: other device",
        Some(BuildAgain::Options) => ", again: other options",
        Some(BuildAgain::Same) => ", again",
    };
    let names = match (build.kernels.first(), build.kernels.len() as u64 + build.more_kernels) {
        (None, _) => build.name.clone(),
        (Some(first), 1) => session.fit_name(first, 26),
        (Some(first), count) => format!("{} +{}", session.fit_name(first, 22), count - 1),
    };
    let failed = if build.failed { ", failed" } else { "" };
    let title = if build.kernels.is_empty() { build.name } else { build.kernels.join("\n") };
    view! {
        <tr title=title>
            <th scope="row">
                <Jump at=build.at text=names/>" "<span class="quiet">{format!("{input}{reason}{failed}")}</span>" "
                <LineLink location=build.location/>
            </th>
            <td class="number">{format::duration(build.at.duration_ns as f64)}</td>
        </tr>
    }
}

//! Commands that could have run at the same time, with the reason for their order.

use syclscope_language::api::{SerialReason, Serialised, SerialisedCommand, SerialisedPair};
use syclscope_language::question::{Question, SerialisedQuestion};

use crate::components::facts::Jump;
use crate::components::states::show_answer;
use crate::format;
use crate::hooks::answer::use_answer;
use crate::reactive::*;
use crate::state::selection::Selection;
use crate::state::session::use_session;
use crate::state::words;

const MAX_PAIRS: u32 = 100;

#[component]
pub(super) fn SerialisedPanel() -> impl IntoView {
    let session = use_session();
    let area = Memo::new(move |_| {
        session.time.with(|time| time.area.as_ref().map(|area| (area.from_ns, area.to_ns)))
    });
    let query = use_answer::<Serialised>(move || {
        let (from_ns, to_ns) = area.get().unzip();
        Some(Question::Serialised(SerialisedQuestion { from_ns, to_ns, limit: Some(MAX_PAIRS) }))
    });
    show_answer(query, "missed overlap", move |answer: Serialised| {
        let Serialised { pairs, more, count, gain_ns, unknown } = answer;
        let intro = match count {
            0 => "No missed overlap was found.".to_owned(),
            count => format!(
                "{} could have overlapped another, for {} in all.",
                format::counted(count, "command", "commands"),
                format::duration(gain_ns as f64)
            ),
        };
        let unknown = (unknown > 0).then(|| {
            let text = format!("{} touched unknown memory.", format::counted(unknown, "pair", "pairs"));
            view! { <p class="quiet">{text}</p> }
        });
        let more = (more > 0).then(|| {
            view! { <p class="quiet">{format!("and {}", format::counted(more, "more kind of pair", "more kinds of pairs"))}</p> }
        });
        view! {
            <p data-testid="serialised-sum">{intro}{area.get_untracked().map(|_| " In the selected area.")}</p>
            {unknown}
            <ol class="serialised">{pairs.into_iter().map(|pair| view! { <Pair pair/> }).collect_view()}</ol>
            {more}
        }
    })
}

#[component]
fn Pair(pair: SerialisedPair) -> impl IntoView {
    let session = use_session();
    let SerialisedPair { reason, count, gain_ns, first, second, object, wait, message, .. } = pair;
    let title = match reason {
        SerialReason::FalseDependence => "False dependence",
        SerialReason::InOrderQueue => "In-order queue",
        SerialReason::HostWait => "Host wait",
        SerialReason::SameEngine => "Same engine",
    };
    let gain = format!(
        "{} of overlap · {}",
        format::duration(gain_ns as f64),
        format::counted(count, "pair", "pairs")
    );
    let object = object.map(|object| {
        view! {
            <button type="button" class="jump" on:click=move |_| session.select(Some(Selection::Object(object)))>
                {format!("object {object}")}
            </button>
        }
    });
    view! {
        <li data-testid="serialised-pair">
            <h4>{title}" "<span class="quiet">{gain}</span></h4>
            <p class="serialised-message">{message}</p>
            <Command command=first/>
            <Command command=second/>
            {wait.map(|wait| view! { <p class="quiet">"host wait: "<Jump at=wait.at text="show"/></p> })}
            {object}
        </li>
    }
}

#[component]
fn Command(command: SerialisedCommand) -> impl IntoView {
    let session = use_session();
    let SerialisedCommand { node, begin_ns, end_ns, location } = command;
    let name = if node.name.is_empty() { format!("command {}", node.node) } else { node.name };
    let place = location.filter(|location| !location.file.is_empty()).map(|location| {
        let (text, file, line) = (words::short_place(&location), location.file, location.line);
        view! {
            <button
                type="button"
                class="jump"
                on:click=move |_| session.go_to_line(file.clone(), line)
            ><code>{text}</code></button>
        }
    });
    let number = node.node;
    view! {
        <p class="serialised-command">
            <button
                type="button"
                class="jump"
                title="Select in all views"
                on:click=move |_| session.select(Some(node.at.map_or(Selection::Node(number), |at| Selection::Slice(at.slice))))
            >{name}</button>
            <span class="quiet">{format::duration(end_ns.saturating_sub(begin_ns) as f64)}</span>
            {place}
        </p>
    }
}

//! The call stack of a slice: the user's frames, with runs of other frames folded.

use syclscope_language::api::StackFrameInfo;

use crate::components::facts::PlaceLink;
use crate::reactive::*;

#[component]
pub(super) fn Stack(stack: Vec<StackFrameInfo>) -> impl IntoView {
    let runs = stack.chunk_by(|a, b| a.is_users() == b.is_users()).map(|run| {
        let frames = run.iter().map(frame).collect_view();
        if run.first().is_none_or(StackFrameInfo::is_users) {
            return frames.into_any();
        }
        let title = match run {
            [one] => one.name.clone(),
            [first, ..] => format!("{} and {} more", first.name, run.len() - 1),
            [] => String::new(),
        };
        view! { <li><details><summary class="quiet">{title}</summary><ol>{frames}</ol></details></li> }
            .into_any()
    });
    view! {
        <section data-testid="details-stack">
            <h3>"Call stack"</h3>
            <ol>{runs.collect_view()}</ol>
        </section>
    }
}

fn frame(frame: &StackFrameInfo) -> AnyView {
    // Without a file, only the name is shown.
    let location = frame.location.clone().filter(|location| !location.file.is_empty());
    let name = frame.name.clone();
    view! { <li><code>{name}</code>" "{location.map(|location| view! { <PlaceLink location/> })}</li> }
        .into_any()
}

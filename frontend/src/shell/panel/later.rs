//! Panels whose code loads with the smaller views, because traces never open with these panels.

use leptos::task::spawn_local;

use super::area::AreaTable;
use super::comments::CommentsPanel;
use super::details::gap::GapDetails;
use super::problems::Problems;
use super::recording::Recording;
use crate::components::states::show_pending;
use crate::data::client::ClientError;
use crate::hooks::answer::Answer;
use crate::reactive::*;
use crate::state::view_descriptor::loading;

#[derive(Clone, Copy)]
struct Panels {
    area: fn() -> AnyView,
    comments: fn() -> AnyView,
    problems: fn() -> AnyView,
    recording: fn() -> AnyView,
    gap: fn(u32, u64) -> AnyView,
}

pub(super) fn area() -> AnyView {
    later(|panels| (panels.area)())
}

pub(super) fn comments() -> AnyView {
    later(|panels| (panels.comments)())
}

pub(super) fn problems() -> AnyView {
    later(|panels| (panels.problems)())
}

pub(super) fn recording() -> AnyView {
    later(|panels| (panels.recording)())
}

pub(super) fn gap(track: u32, at_ns: u64) -> AnyView {
    later(move |panels| (panels.gap)(track, at_ns))
}

fn later(show: impl Fn(Panels) -> AnyView + Send + 'static) -> AnyView {
    let code = RwSignal::new(Answer::<Panels>::None);
    load(code);
    show_pending(code, "the panel", Callback::new(move |()| load(code)), show)
}

fn load(code: RwSignal<Answer<Panels>>) {
    let begin = loading!(
        others,
        Panels,
        Panels {
            area: || view! { <AreaTable/> }.into_any(),
            comments: || view! { <CommentsPanel/> }.into_any(),
            problems: || view! { <Problems/> }.into_any(),
            recording: || view! { <Recording/> }.into_any(),
            gap: |track, at_ns| view! { <GapDetails track at_ns/> }.into_any(),
        }
    );
    code.set(Answer::Loading);
    spawn_local(async move {
        let answer = match begin().await {
            Ok(panels) => Answer::Ready(panels),
            Err(_) => Answer::Failed(ClientError {
                code: "unreachable".to_owned(),
                message:
                    "The panel's code could not be loaded. Check that `syclscope` is running, then try again."
                        .to_owned(),
            }),
        };
        let _gone = code.try_set(answer);
    });
}

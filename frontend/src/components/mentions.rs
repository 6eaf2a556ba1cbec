use leptos::task::spawn_local;
use syclscope_language::api::Mention;

use crate::browser::local_time;
use crate::components::links::PageLink;
use crate::data::client::comments;
use crate::format;
use crate::reactive::*;
use crate::state::route::trace_path;
use crate::state::url::{PageState, Panel};

#[component]
pub(crate) fn Mentions() -> impl IntoView {
    let mentions = RwSignal::new(Vec::<Mention>::new());
    spawn_local(async move {
        // Without mentions, the rest of the page still works.
        if let Ok(all) = comments::mentions().await {
            let _gone = mentions.try_set(all);
        }
    });
    move || {
        let all = mentions.get();
        let title = format::counted(all.len() as u64, "comment mentions you", "comments mention you");
        (!all.is_empty()).then(|| {
            view! {
                <details class="mentions" data-testid="mentions">
                    <summary>{title}</summary>
                    <ul class="comment-list">{all.into_iter().map(line).collect_view()}</ul>
                </details>
            }
        })
    }
}

fn line(mention: Mention) -> impl IntoView {
    let Mention { trace, trace_name, comment } = mention;
    let place = PageState { selection: comment.pin, panel: Panel::Comments, ..PageState::default() };
    let address = trace_path(&trace) + &place.to_query(&|_| ());
    let mut head = comment.by.unwrap_or_else(|| "Somebody".to_owned());
    if let Some(about) = comment.about {
        head += &format!(" on {about}");
    }
    head += &format!(" · {}", local_time(comment.made_unix_ns));
    view! {
        <li class="comment" data-testid="mention">
            <div class="comment-head">
                <PageLink href=address>{trace_name}</PageLink>
                " "
                <span class="quiet">{head}</span>
            </div>
            <p class="comment-text">{comment.text}</p>
        </li>
    }
}

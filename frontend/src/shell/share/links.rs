//! Share links to this trace: creation, list, revocation.

use leptos::task::spawn_local;
use syclscope_language::api::{LinkEntry, LinkRange, LinkState, NewLink};

use super::copy;
use crate::browser::{folder_address, local_time, unix_seconds};
use crate::components::dialog::{CLOSE, Dialog, DialogHead};
use crate::data::client::{self, links};
use crate::data::trace_source::TraceSource;
use crate::format;
use crate::reactive::*;
use crate::state::call::Overlay;
use crate::state::session::use_session;

const DAY_S: f64 = 86_400.0;

/// Lifetimes of a link, in days.
const TIMES: [(&str, &str); 4] = [("7", "a week"), ("1", "a day"), ("30", "30 days"), ("", "for ever")];

#[component]
pub(crate) fn ShareDialog() -> impl IntoView {
    view! {
        <Dialog overlay=Overlay::Share first=CLOSE class="share-dialog" label="Share">
            <Body/>
        </Dialog>
    }
}

#[component]
fn Body() -> impl IntoView {
    let session = use_session();
    // False for a server that shows local files, which has no links; `None` until known.
    let is_kept = RwSignal::new(None);
    let id = match session.home() {
        Some(TraceSource::Server(id)) => {
            spawn_local(async move {
                let _gone = is_kept.try_set(Some(client::health().await.max_upload_bytes.is_some()));
            });
            id
        }
        _ => {
            is_kept.set(Some(false));
            String::new()
        }
    };
    view! {
        <DialogHead title="Share this trace"/>
        {move || is_kept.get().map(|is_kept| if is_kept {
            view! { <Links id=id.clone()/> }.into_any()
        } else {
            view! {
                <p>"This trace is a file of one computer. Upload it to your team's server, which prints a link:"</p>
                <pre><code>"syclscope share run.pftrace --to https://traces.example.org"</code></pre>
            }
            .into_any()
        })}
    }
}

#[component]
fn Links(id: String) -> impl IntoView {
    let session = use_session();
    let id = StoredValue::new(id);
    let listed = RwSignal::new(Vec::<LinkEntry>::new());
    let made = RwSignal::new(None::<String>);
    let failure = RwSignal::new(None::<String>);
    let (name, days, openings) =
        (RwSignal::new(String::new()), RwSignal::new(TIMES[0].0.to_owned()), RwSignal::new(String::new()));
    let only_part = RwSignal::new(false);
    let tell = move |error: client::ClientError| {
        let _gone = failure.try_set(Some(error.message));
    };
    let list = move || async move {
        match links::list(&id.get_value()).await {
            Ok(links) => {
                let _gone = listed.try_set(links);
            }
            Err(error) => tell(error),
        }
    };
    spawn_local(list());
    let make = move |_| {
        failure.set(None);
        let limit = openings.with_untracked(|text| match text.trim() {
            "" => Ok(None),
            text => text.parse().map(Some),
        });
        let Ok(limit @ (None | Some(1..))) = limit else {
            let error =
                "“Opens at most” takes a whole number from 1; leave it empty for any number of times.";
            return failure.set(Some(error.to_owned()));
        };
        let view = session.link();
        let range = only_part.get_untracked().then(|| {
            let (start_ns, end_ns) = session.visible_range();
            LinkRange { start_ns, end_ns }
        });
        let new_link = NewLink {
            name: Some(name.with_untracked(|name| name.trim().to_owned())).filter(|name| !name.is_empty()),
            expires_unix_ns: days
                .with_untracked(|days| days.parse().ok())
                .map(|days: f64| ((unix_seconds() + days * DAY_S) * 1e9) as u64),
            openings: limit,
            range,
        };
        spawn_local(async move {
            match links::make(&id.get_value(), &new_link).await {
                Ok(link) => {
                    // A link to a part omits the view's state, whose ids are those of the whole trace.
                    let view =
                        view.find('?').filter(|_| new_link.range.is_none()).map_or("", |at| &view[at..]);
                    let address = format!("{}{}{view}", folder_address(), link.address);
                    let _gone = made.try_set(Some(address.clone()));
                    copy(session, address, "link", "Copied the link".to_owned());
                    list().await;
                }
                Err(error) => tell(error),
            }
        });
    };
    let withdraw = move |link: String| {
        spawn_local(async move {
            match links::withdraw(&id.get_value(), &link).await {
                Ok(()) => list().await,
                Err(error) => tell(error),
            }
        });
    };
    let times =
        TIMES.map(|(days, text)| view! { <option value=days>{text}</option> }).into_iter().collect_view();
    let field = |text: RwSignal<String>, keys: &'static str, label: &'static str, hint: &'static str| {
        view! {
            <label>
                {label} " "
                <input
                    class="tool-input"
                    inputmode=keys
                    placeholder=hint
                    on:input=move |event| text.set(event_target_value(&event))
                />
            </label>
        }
    };
    view! {
        <p class="quiet">"Anyone with the link can view this trace, opened on this view, and nothing else on the server."</p>
        <div class="share-form">
            {field(name, "text", "For", "Purpose or recipient")}
            <label>
                "Lasts "
                <select class="tool-input" on:change=move |event| days.set(event_target_value(&event))>{times}</select>
            </label>
            {field(openings, "numeric", "Opens at most", "any number of times")}
            <label title="The server makes a copy of the time that is on screen, and the link shows the copy">
                <input type="checkbox" on:change=move |_| only_part.update(|only| *only = !*only)/>
                " Only the time on screen"
            </label>
            <button type="button" class="button" data-testid="make-link" on:click=make>"Make a link"</button>
        </div>
        {move || failure.get().map(|text| view! { <p class="notice is-error" role="alert">{text}</p> })}
        {move || made.get().map(|address| view! {
            <p>"The link is shown only once:"</p>
            <pre><code data-testid="made-link">{address}</code></pre>
        })}
        {move || {
            let lines = listed.get().into_iter().map(move |link| {
                let words = words(&link);
                let id = link.id;
                view! {
                    <li data-testid="link">
                        <span>{words}</span>
                        // Visitors of a used-up link still have access.
                        {matches!(link.state, LinkState::Open | LinkState::UsedUp).then(|| view! {
                            <button type="button" class="button" on:click=move |_| withdraw(id.clone())>"Revoke"</button>
                        })}
                    </li>
                }
            });
            view! { <ul class="share-links">{lines.collect_view()}</ul> }
        }}
    }
}

fn words(link: &LinkEntry) -> String {
    let mut words = link.name.clone().unwrap_or_else(|| "Link".to_owned());
    if let Some(by) = &link.made_by {
        words += &format!(" by {by}");
    }
    if let Some(range) = link.range {
        words += &format!(" · only {}", format::duration(range.end_ns.saturating_sub(range.start_ns) as f64));
    }
    words += &match link.openings {
        Some(max) => format!(" · opened {} of {}", link.opened, format::counted(max.into(), "time", "times")),
        None => format!(" · opened {}", link.opened),
    };
    words += &match (link.state, link.expires_unix_ns) {
        (LinkState::Withdrawn, _) => " · revoked".to_owned(),
        (LinkState::UsedUp, _) => " · used up".to_owned(),
        (LinkState::Expired, _) => " · expired".to_owned(),
        (LinkState::Open, Some(at)) => format!(" · until {}", local_time(at)),
        (LinkState::Open, None) => String::new(),
    };
    words
}

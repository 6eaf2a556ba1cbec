//! Share menu, and the messages about its results.

use crate::components::icons::{Icon, IconKind};
use crate::components::menu::Menu;
use crate::data::trace_source::TraceSource;
use crate::reactive::*;
use crate::shell::commands::{self, Command, SHARING};
use crate::shell::keys::{Tools, call};
use crate::state::keys::CommandInfo;
use crate::state::session::{Session, use_session};
use crate::views::TABLE;

#[component]
pub(crate) fn ShareMenu() -> impl IntoView {
    let session = use_session();
    let tools = Tools::from_context();
    let is_open = RwSignal::new(false);
    let items = move || {
        let items = offered(session).into_iter().map(move |command| {
            let keys = session.keymap.with_untracked(|keymap| keymap.keys(command)).into_iter().next();
            let labels = keys.map(|chord| chord.labels()).unwrap_or_default();
            let labels = labels.into_iter().map(|label| view! { <kbd>{label}</kbd> }).collect_view();
            view! {
                <li role="none">
                    <button
                        type="button"
                        role="menuitem"
                        data-testid=format!("share-{}", command.id)
                        on:click=move |_| {
                            is_open.set(false);
                            call(session, tools, command);
                        }
                    >
                        <span>{command.title}</span>
                        <span class="chord">{labels}</span>
                    </button>
                </li>
            }
        });
        items.collect_view().into_any()
    };
    view! {
        <Menu
            is_open
            label="Share & export"
            testid="share"
            class="quiet-button"
            items=ViewFn::from(items)
        >
            <Icon kind=IconKind::Share/>
            <span class="button-text">"Share & export"</span>
        </Menu>
    }
}

/// Returns the commands that are available now: pictures need a visible view.
fn offered(session: Session) -> Vec<&'static CommandInfo> {
    let is_local = matches!(session.home(), Some(TraceSource::Worker(_)));
    let own = commands::all().filter(|command| {
        commands::meaning(command.id)
            .is_some_and(|meaning| SHARING.contains(&meaning) && !(is_local && meaning == Command::Recording))
    });
    let is_shown = |view| session.panes.with_untracked(|panes| panes.shows(view));
    let views = TABLE.into_iter().filter(|descriptor| is_shown(descriptor.view));
    let pictures = views.flat_map(|descriptor| (0..).map_while(descriptor.commands));
    own.chain(pictures.filter(|command| command.title.starts_with("Save "))).collect()
}

#[component]
pub(crate) fn Notices() -> impl IntoView {
    let session = use_session();
    let toasts = move || {
        let notice = session.notice.get();
        (!notice.text.is_empty()).then(|| {
            view! {
                <p class="toast" class:is-failure=notice.is_failure data-testid="notice">
                    <span>{notice.text}</span>
                    <button
                        type="button"
                        class="bar-button"
                        aria-label="Dismiss"
                        on:click=move |_| session.tell(String::new())
                    >
                        <Icon kind=IconKind::Close/>
                    </button>
                </p>
            }
        })
    };
    view! { <div class="toasts" role="status">{toasts}</div> }
}

//! Common tasks and the commands for them.

use crate::reactive::*;
use crate::shell::commands;
use crate::shell::keys::{Tools, call};
use crate::shell::tasks::TASKS;
use crate::state::session::use_session;

#[component]
pub(super) fn Tasks() -> impl IntoView {
    let session = use_session();
    let tools = Tools::from_context();
    let info = session.info();
    let lines = TASKS.into_iter().filter_map(|(task, id)| {
        let command = commands::offered(&info).find(|command| command.id == id)?;
        // Not a constant: keys can be changed further down in the help.
        let labels = move || {
            let chord = session.keymap.with(|keymap| keymap.keys(command)).into_iter().next();
            let labels = chord.map(|chord| chord.labels()).unwrap_or_default();
            labels.into_iter().map(|label| view! { <kbd>{label}</kbd> }).collect_view()
        };
        let run = move |_| {
            session.overlay.set(None);
            call(session, tools, command);
        };
        Some(view! {
            <dt><span class="chord">{labels}</span></dt>
            <dd><button type="button" class="jump" data-command=id on:click=run>{task}</button></dd>
        })
    });
    view! { <dl class="keys" data-testid="help-tasks">{lines.collect_view()}</dl> }
}

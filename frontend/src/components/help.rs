//! The keys and the mouse, as an overlay.

use leptos::prelude::*;

use crate::browser::focus;
use crate::components::icons::{Icon, IconKind};
use crate::state::keys::CommandInfo;
use crate::state::session::{Overlay, use_session};
use crate::state::view::View;
use crate::views::commands;
use crate::views::timeline::keys::POINTER_HELP;

#[component]
pub(crate) fn HelpOverlay() -> impl IntoView {
    let session = use_session();
    let is_open = Memo::new(move |_| session.overlay.get() == Some(Overlay::Help));
    Effect::new(move |was_open: Option<bool>| {
        let is_open = is_open.get();
        if is_open {
            focus(".help-close");
        } else if was_open == Some(true) {
            focus(".timeline-canvas");
        }
        is_open
    });
    move || {
        is_open.get().then(|| view! {
            <div class="overlay" on:click=move |_| session.overlay.set(None)>
                <div
                    class="dialog help"
                    role="dialog"
                    aria-modal="true"
                    aria-labelledby="help-title"
                    data-testid="help"
                    on:click=|event| event.stop_propagation()
                    on:keydown=|event| {
                        // The close button is all that can have the focus here.
                        if event.key() == "Tab" {
                            event.prevent_default();
                        }
                    }
                >
                    <div class="dialog-head">
                        <h2 id="help-title">"Keys and mouse"</h2>
                        <button
                            class="quiet-button help-close"
                            type="button"
                            aria-label="Close help"
                            on:click=move |_| session.overlay.set(None)
                        >
                            <Icon kind=IconKind::Close/>
                        </button>
                    </div>
                    <div class="help-columns">
                        <section>
                            <h3>"Timeline"</h3>
                            <Commands view=Some(View::Timeline)/>
                            <h3>"Page"</h3>
                            <Commands view=None/>
                        </section>
                        <section>
                            <h3>"Mouse and touchpad"</h3>
                            <Lines lines=&POINTER_HELP/>
                            <h3>"Overview"</h3>
                            <p>
                                "The strip at the top shows the whole run. Drag the brush to move, its edges to resize, \
                                 beside it to choose another span; the wheel zooms."
                            </p>
                            <h3>"Links"</h3>
                            <p>
                                "The address holds what you see: range, selection, collapsed tracks. Copy it to share \
                                 the view; Back undoes jumps and zooms."
                            </p>
                        </section>
                    </div>
                </div>
            </div>
        })
    }
}

/// The commands of a view, or of the page, with their keys.
#[component]
fn Commands(view: Option<View>) -> impl IntoView {
    let session = use_session();
    let lines = commands::all().filter(move |command| command.view == view).map(
        move |command: &'static CommandInfo| {
            let keys = move || {
                let chords = session.keymap.with(|keymap| keymap.keys(command)).into_iter();
                let chords = chords.map(|chord| {
                    let labels = chord.labels().into_iter().map(|label| view! { <kbd>{label}</kbd> });
                    view! { <span class="chord">{labels.collect_view()}</span> }
                });
                chords.collect_view()
            };
            view! { <dt>{keys}</dt><dd>{command.title}</dd> }
        },
    );
    view! { <dl class="keys">{lines.collect_view()}</dl> }
}

#[component]
fn Lines(lines: &'static [(&'static [&'static str], &'static str)]) -> impl IntoView {
    let lines = lines.iter().map(|(keys, meaning)| {
        let keys = keys.iter().map(|key| view! { <kbd>{*key}</kbd> }).collect_view();
        view! { <dt>{keys}</dt><dd>{*meaning}</dd> }
    });
    view! { <dl class="keys">{lines.collect_view()}</dl> }
}

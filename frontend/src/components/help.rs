//! The keys and the mouse, as an overlay.

use leptos::prelude::*;

use crate::browser::focus;
use crate::components::icons::{Icon, IconKind};
use crate::views::timeline::keys::{HELP, POINTER_HELP};

#[component]
pub(crate) fn HelpOverlay(is_open: RwSignal<bool>) -> impl IntoView {
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
            <div class="overlay" on:click=move |_| is_open.set(false)>
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
                            on:click=move |_| is_open.set(false)
                        >
                            <Icon kind=IconKind::Close/>
                        </button>
                    </div>
                    <div class="help-columns">
                        <section>
                            <h3>"Keyboard"</h3>
                            <Lines lines=&HELP/>
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

#[component]
fn Lines(lines: &'static [(&'static [&'static str], &'static str)]) -> impl IntoView {
    let lines = lines.iter().map(|(keys, meaning)| {
        let keys = keys.iter().map(|key| view! { <kbd>{*key}</kbd> }).collect_view();
        view! { <dt>{keys}</dt><dd>{*meaning}</dd> }
    });
    view! { <dl class="keys">{lines.collect_view()}</dl> }
}

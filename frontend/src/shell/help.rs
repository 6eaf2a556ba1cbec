//! Help overlay: tasks, colours, then keys and mouse. Keys can be changed in it.

mod colours;
mod tasks;

use web_sys::KeyboardEvent;

use self::colours::Colours;
use self::tasks::Tasks;
use crate::browser::{capture_keys, has_fingers};
use crate::components::dialog::{CLOSE, Dialog, DialogHead};
use crate::components::gestures::FINGERS;
use crate::reactive::*;
use crate::shell::commands;
use crate::shell::keys::modifiers;
use crate::state::call::Overlay;
use crate::state::keys::{Chord, CommandInfo};
use crate::state::session::use_session;
use crate::state::settings::{drag_selects, set_drag_selects};
use crate::state::view::View;
use crate::state::view_descriptor::{PointerLine, ViewDescriptor};
use crate::views::{TABLE, VIEWS, entry};

/// The command that waits for its new key.
type Changing = RwSignal<Option<&'static CommandInfo>>;

#[component]
pub(crate) fn HelpOverlay() -> impl IntoView {
    view! {
        <Dialog overlay=Overlay::Help first=CLOSE class="help" label="Help">
            <Body/>
        </Dialog>
    }
}

#[component]
fn Body() -> impl IntoView {
    let session = use_session();
    let has_fingers = has_fingers();
    let changing = Changing::new(None);
    // This runs before the page's own key handler, because some keys close the help.
    let release = StoredValue::new(capture_keys(move |event: KeyboardEvent| {
        let Some(command) = changing.get_untracked() else { return };
        event.prevent_default();
        match Chord::from_key(&event.key(), modifiers(&event)) {
            None => return,
            Some(chord) if chord == Chord::from_text("Escape") => {}
            Some(chord) => session.change_keys(|keymap| keymap.set(command, chord, commands::all())),
        }
        changing.set(None);
    }));
    on_cleanup(move || {
        let _gone = release.try_with_value(|release| release());
    });
    // The default view gets half of the space.
    let first = entry(VIEWS.first);
    let has_help = |descriptor: &&'static ViewDescriptor| {
        descriptor.view != VIEWS.first && (descriptor.commands)(0).is_some()
    };
    let others = TABLE.into_iter().filter(has_help);
    let is_changed = Memo::new(move |_| session.keymap.with(|keymap| !keymap.is_standard()));
    view! {
        <DialogHead title="Help">
            {move || is_changed.get().then(|| view! {
                <button
                    type="button"
                    class="button"
                    data-testid="keys-reset"
                    on:click=move |_| session.change_keys(|keymap| *keymap = Default::default())
                >"Reset all keys"</button>
            })}
        </DialogHead>
        {has_fingers.then(|| view! {
            <h3>"Touch"</h3>
            <Lines lines=&FINGERS/>
            <p>
                <button
                    type="button"
                    class="button"
                    data-testid="help-palette"
                    on:click=move |_| session.overlay.set(Some(Overlay::Palette))
                >"Find anything"</button>
            </p>
        })}
        <div class="help-columns">
            <section><h3>"What do you want to know?"</h3><Tasks/></section>
            <section data-testid="help-colours"><h3>"Colours"</h3><Colours/></section>
        </div>
        <details open=!has_fingers>
        <summary><h3>"Keys and mouse"</h3></summary>
        <p class="quiet">
            "Click a key to change it. This browser keeps the change. The right button, or "
            <kbd>"Shift"</kbd> " " <kbd>"F10"</kbd> ", opens the menu of a thing."
        </p>
        <div class="help-columns">
            <section>
                <h3>"Page"</h3>
                <Commands view=None changing/>
                {others.map(|descriptor| view! { <h3>{descriptor.title}</h3> <OfView descriptor changing/> }).collect_view()}
                <h3>"Links"</h3>
                <p>
                    "The address contains the view: panes, range, selection, collapsed tracks. Copy it to share the \
                     view. Back undoes jumps and zooms."
                </p>
                <p><a href="docs/" target="_blank">"Documentation"</a></p>
            </section>
            <section>
                {first.map(|(_, descriptor)| view! { <h3>{descriptor.title}</h3> <OfView descriptor changing/> })}
                <h3>"Settings"</h3>
                <label class="check">
                    <input
                        type="checkbox"
                        data-testid="drag-selects"
                        prop:checked=drag_selects()
                        on:change=move |event| set_drag_selects(event_target_checked(&event))
                    />
                    "In the timeline a drag selects an area, and Shift and a drag moves, as in Perfetto"
                </label>
            </section>
        </div>
        </details>
    }
}

#[component]
fn OfView(descriptor: &'static ViewDescriptor, changing: Changing) -> impl IntoView {
    let remarks = descriptor.remarks.iter().map(|(title, text)| view! { <h3>{*title}</h3><p>{*text}</p> });
    view! {
        <Commands view=Some(descriptor.view) changing/>
        <h3>"Mouse and touchpad"</h3>
        <Lines lines=descriptor.pointer_help/>
        {remarks.collect_view()}
    }
}

#[component]
fn Commands(view: Option<View>, changing: Changing) -> impl IntoView {
    let session = use_session();
    let lines = commands::all().filter(move |command| command.view == view).map(move |command| {
        let is_changing = move || changing.get().is_some_and(|changed| changed.id == command.id);
        let keys = move || {
            if is_changing() {
                return view! { <span class="quiet">"Press a key…"</span> }.into_any();
            }
            let chords = session.keymap.with(|keymap| keymap.keys(command));
            if chords.is_empty() {
                return view! { <span class="quiet">"none"</span> }.into_any();
            }
            let chords = chords.into_iter().map(|chord| {
                let labels = chord.labels().into_iter().map(|label| view! { <kbd>{label}</kbd> });
                view! { <span class="chord">{labels.collect_view()}</span> }
            });
            chords.collect_view().into_any()
        };
        view! {
            <dt>
                <button
                    type="button"
                    class="key-button"
                    class:is-changed=move || session.keymap.with(|keymap| keymap.is_changed(command))
                    data-command=command.id
                    on:click=move |_| changing.set(Some(command))
                >
                    {keys}
                    <span class="visually-hidden">{format!("Change key: {}", command.title)}</span>
                </button>
            </dt>
            <dd>{command.title}</dd>
        }
    });
    view! { <dl class="keys">{lines.collect_view()}</dl> }
}

#[component]
fn Lines(lines: &'static [PointerLine]) -> impl IntoView {
    let lines = lines.iter().map(|(keys, meaning)| {
        let keys = keys.iter().map(|key| view! { <kbd>{*key}</kbd> }).collect_view();
        view! { <dt>{keys}</dt><dd>{*meaning}</dd> }
    });
    view! { <dl class="keys">{lines.collect_view()}</dl> }
}

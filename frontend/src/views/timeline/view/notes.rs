use web_sys::KeyboardEvent;

use crate::browser::focus;
use crate::reactive::*;
use crate::state::session::use_session;
use crate::views::timeline::state::TimelineState;
use crate::views::timeline::view::Timeline;

/// Maximum number of letters of a note, because they are part of the address.
const MAX_LETTERS: &str = "300";
pub(super) const NOTE_FIELD: &str = "[data-testid=note-text]";

#[component]
pub(super) fn NoteEditor(timeline: Timeline) -> impl IntoView {
    let edited = timeline.signals.edited_note;
    move || edited.get().map(|note| view! { <Field timeline note/> })
}

#[component]
fn Field(timeline: Timeline, note: usize) -> impl IntoView {
    let session = use_session();
    let before = session.slot::<TimelineState>().with_untracked(|state| {
        state.additions.notes.get(note).map(|note| note.text.clone()).unwrap_or_default()
    });
    let text = timeline.signals.note_text;
    text.set(before);
    Effect::new(move |_| focus(NOTE_FIELD));
    let close = move || {
        timeline.signals.edited_note.set(None);
        focus("[data-testid=timeline-canvas]");
    };
    let remove = move || {
        timeline.with(|controller| {
            controller.change_additions(|additions| {
                if note < additions.notes.len() {
                    additions.notes.remove(note);
                }
            })
        });
        close();
    };
    let save = move || {
        let text = text.get_untracked().trim().to_owned();
        if text.is_empty() {
            return remove();
        }
        timeline.with(|controller| {
            controller.change_additions(|additions| {
                if let Some(note) = additions.notes.get_mut(note) {
                    note.text = text;
                }
            })
        });
        close();
    };
    let pressed = move |event: KeyboardEvent| {
        match event.key().as_str() {
            "Enter" => save(),
            "Escape" if text.with_untracked(|text| text.trim().is_empty()) => remove(),
            "Escape" => close(),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    view! {
        <div class="note-editor" role="group" aria-label="Note" data-testid="note-editor">
            <input
                type="text"
                class="tool-input"
                data-testid="note-text"
                aria-label="Text of the note"
                placeholder="What does this show?"
                maxlength=MAX_LETTERS
                prop:value=move || text.get()
                on:input=move |event| text.set(event_target_value(&event))
                on:keydown=pressed
            />
            <button type="button" class="tool" data-testid="note-save" on:click=move |_| save()>"Save"</button>
            <button type="button" class="tool" data-testid="note-remove" on:click=move |_| remove()>"Delete"</button>
        </div>
    }
}

//! Hints about pointer gestures below a canvas, until they are dismissed in this browser.

use crate::browser::{has_fingers, load, store};
use crate::components::icons::{Icon, IconKind};
use crate::reactive::*;
use crate::state::view::View;
use crate::state::view_descriptor::PointerLine;

pub(crate) static FINGERS: [PointerLine; 4] = [
    (&["two fingers"], "zoom and move"),
    (&["drag"], "move"),
    (&["tap"], "details"),
    (&["long press"], "menu"),
];

#[component]
pub(crate) fn Gestures(view: View, lines: &'static [PointerLine]) -> impl IntoView {
    let key = StoredValue::new(format!("syclscope.gestures.{}", view.as_str()));
    let is_closed = RwSignal::new(key.with_value(|key| load(key)).is_some());
    let close = move |_| {
        key.with_value(|key| store(key, Some("closed")));
        is_closed.set(true);
    };
    let drag = lines.iter().find(|(keys, _)| *keys == ["drag"]);
    // Dragging means the same with a finger as with the mouse.
    let of_finger = |line: PointerLine| if line.0 == ["drag"] { drag.copied().unwrap_or(line) } else { line };
    let lines = if has_fingers() { FINGERS.map(of_finger).to_vec() } else { lines.to_vec() };
    move || {
        (!is_closed.get()).then(|| {
            let lines = lines.iter().map(|(keys, meaning)| {
                let keys = keys.iter().map(|key| view! { <kbd>{*key}</kbd> }).collect_view();
                view! { <li>{keys}" "{*meaning}</li> }
            });
            view! {
                <div class="gestures" data-testid="gestures">
                    <ul aria-label="Mouse and touchpad">{lines.collect_view()}</ul>
                    <button
                        type="button"
                        class="quiet-button"
                        title="Hide these hints. Help (?) lists all."
                        aria-label="Hide hints"
                        data-testid="gestures-close"
                        on:click=close
                    >
                        <Icon kind=IconKind::Close/>
                    </button>
                </div>
            }
        })
    }
}

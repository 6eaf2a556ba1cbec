use crate::reactive::*;
use crate::state::flame::FlameBox;
use crate::state::selection::Selection;
use crate::state::session::use_session;

/// Height of a box and its gap, in CSS pixels.
pub(crate) const ROW_CSS_PX: u32 = 21;

/// A flame graph box for all calls of a name. Pressing it selects them. `colour` is CSS.
#[component]
pub(crate) fn FlameFrame(
    place: FlameBox,
    name: String,
    title: String,
    colour: Signal<String>,
) -> impl IntoView {
    let session = use_session();
    let FlameBox { depth, left, width, .. } = place;
    let selected = Selection::Name(name.clone());
    let is_selected = {
        let selected = selected.clone();
        Memo::new(move |_| session.selection.with(|selection| selection.as_ref() == Some(&selected)))
    };
    view! {
        <button
            type="button"
            class="flame-box"
            data-thing=selected.to_string()
            class:is-selected=move || is_selected.get()
            role="treeitem"
            {..aria_level(depth as usize)}
            aria-selected=move || is_selected.get().to_string()
            style:left=format!("{:.4}%", left * 100.0)
            style:width=format!("max(1px, {:.4}% - 1px)", width * 100.0)
            style:top=format!("{}px", depth * ROW_CSS_PX)
            style:background-color=move || colour.get()
            title=title
            on:click=move |_| session.mark(Some(selected.clone()))
        ><span>{session.short_name(&name)}</span></button>
    }
}

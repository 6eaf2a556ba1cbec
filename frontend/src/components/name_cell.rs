//! The head of a table's row that is about a name of slices.

use syclscope_language::event::Category;

use crate::components::theme::slice_colour;
use crate::reactive::*;
use crate::state::selection::Selection;
use crate::state::session::use_session;

/// A name with the colour of its slices; pressing it does something with them.
#[component]
pub(crate) fn NameCell(
    name: String,
    category: Category,
    /// What pressing it does, where the row does not say.
    #[prop(optional)]
    title: Option<&'static str>,
    /// Whether it is pressed, where it stays so.
    #[prop(optional)]
    is_pressed: Option<Memo<bool>>,
    /// How far it is from the left, in CSS pixels.
    #[prop(optional)]
    indent_css_px: usize,
    /// Letters that have room.
    #[prop(default = 46)]
    letters: usize,
    on_press: Callback<()>,
) -> impl IntoView {
    let colour = slice_colour(category, &name);
    let short = use_session().fit_name(&name, letters);
    let thing = Selection::Name(name.clone()).to_string();
    let full = name;
    view! {
        <th scope="row" style:padding-left=(indent_css_px > 0).then(|| format!("{indent_css_px}px"))>
            <button
                type="button"
                class="name-button"
                data-thing=thing
                title=title
                aria-pressed=move || is_pressed.map(|is_pressed| is_pressed.get().to_string())
                on:click=move |_| on_press.run(())
            >
                <span class="chip" style:background-color=colour></span>
                <span title=full>{short}</span>
            </button>
        </th>
    }
}

use syclscope_language::event::Category;

use crate::components::theme::slice_colour;
use crate::reactive::*;
use crate::state::selection::Selection;
use crate::state::session::use_session;

/// Maximum number of letters of a name in a wide table.
pub(crate) const MAX_LETTERS: usize = 46;

/// A name in the colour of its slices. Pressing it calls `on_press`.
#[component]
pub(crate) fn NameCell(
    name: String,
    category: Category,
    #[prop(optional)] title: Option<&'static str>,
    #[prop(optional)] is_pressed: Option<Memo<bool>>,
    #[prop(optional)] indent_css_px: usize,
    /// Short form of the name in a long list; `None` cuts it to `MAX_LETTERS`.
    #[prop(optional)]
    short: Option<String>,
    on_press: Callback<()>,
) -> impl IntoView {
    let colour = slice_colour(category, &name);
    let short = short.unwrap_or_else(|| use_session().fit_name(&name, MAX_LETTERS));
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

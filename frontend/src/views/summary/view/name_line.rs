//! A line of a card about a slice name.

use syclscope_language::event::Category;
use syclscope_language::share::share as in_words;

use crate::components::kernel_link::KernelLink;
use crate::components::name_cell::NameCell;
use crate::components::theme::slice_colour;
use crate::format;
use crate::reactive::*;
use crate::state::call::Goal;
use crate::state::selection::Selection;
use crate::state::session::{Session, use_session};

pub(super) const MAX_LETTERS: usize = 32;

/// Returns a callback that selects a name and shows it in the timeline.
pub(super) fn show_name(session: Session, name: String) -> Callback<()> {
    let selected = Selection::Name(name);
    Callback::new(move |()| {
        session.select(Some(selected.clone()));
        session.go(Goal::Time);
    })
}

/// A row of a table: a name, its number of slices, and their share of the time.
#[component]
pub(super) fn NameLine(
    name: String,
    short: String,
    category: Category,
    title: String,
    count: u64,
    own_ns: u64,
    whole_ns: u64,
) -> impl IntoView {
    let session = use_session();
    let share = own_ns as f64 / whole_ns.max(1) as f64 * 100.0;
    let colour = slice_colour(category, &name);
    let on_press = show_name(session, name.clone());
    view! {
        <tr title=title>
            <NameCell name=name.clone() short category on_press/>
            <td class="number quiet"><KernelLink name text=format!("{} ×", format::count(count))/></td>
            <td class="number">{format::duration(own_ns as f64)}</td>
            <td class="bar-cell">
                <span class="share-bar" style:width=format!("{share:.2}%") style:background-color=colour></span>
            </td>
            <td class="number quiet">{in_words(own_ns, whole_ns, 0)}</td>
        </tr>
    }
}

//! Rows of a table that relate to the selection.

use super::ROW_CSS_PX;
use crate::components::long_list::ListScroll;
use crate::idle::Busy;
use crate::reactive::*;
use crate::state::rows::describe_marks;

#[derive(Clone, Copy)]
pub(crate) struct Marks {
    /// True if the selection can relate to rows.
    pub(crate) is_on: Signal<bool>,
    /// True if one of the objects relates to the selection.
    pub(crate) is_marked: Callback<Vec<u32>, bool>,
    /// Indices of the related rows, ascending.
    pub(crate) positions: Signal<Vec<u64>>,
    /// Number of related rows without the filter.
    pub(crate) total: Signal<u64>,
    pub(crate) is_filtered: Signal<bool>,
    pub(crate) on_all: Callback<()>,
}

#[component]
pub(super) fn Marked(
    marks: Marks,
    words: (&'static str, &'static str),
    scroll: ListScroll,
    is_ready: Signal<bool>,
    go_to: Callback<u64>,
) -> impl IntoView {
    let Marks { is_on, positions, total, is_filtered, on_all, .. } = marks;
    let ListScroll { top_css_px, room_css_px, visible, .. } = scroll;
    // The header row covers one row.
    let in_sight = move || {
        let (first, covered) = (visible.get().first, top_css_px.get() % ROW_CSS_PX);
        first..first + (((room_css_px.get() + covered) / ROW_CSS_PX) as u64).saturating_sub(1)
    };
    let hidden = Memo::new(move |_| {
        let in_sight = in_sight();
        positions.with(|positions| {
            positions.iter().copied().filter(|row| !in_sight.contains(row)).collect::<Vec<u64>>()
        })
    });
    // The next marked row below the viewport, else the first one.
    let next = move || {
        let end = untrack(in_sight).end;
        hidden.with_untracked(|hidden| {
            hidden.iter().copied().find(|row| *row >= end).or_else(|| hidden.first().copied())
        })
    };
    let is_mounted = StoredValue::new(true);
    // If no marked row is visible, scroll to the next one, except when a link has just opened at its sender's
    // position.
    Effect::new(move |was_ready: Option<bool>| {
        let (is_ready, count) = (is_ready.get(), positions.with(Vec::len));
        let is_fresh = was_ready == Some(true) || untrack(in_sight).start == 0;
        let is_away = count > 0 && hidden.with_untracked(Vec::len) == count;
        if is_ready && is_fresh && is_away {
            // The rows are laid out in the next frame.
            let busy = Busy::start();
            request_animation_frame(move || {
                // The user may have left the table.
                if is_mounted.try_get_value() == Some(true) {
                    untrack(next).into_iter().for_each(|row| go_to.run(row));
                }
                drop(busy);
            });
        }
        is_ready && (count > 0 || !is_on.get())
    });
    move || {
        is_on.get().then(|| {
            let (total, listed) = (total.get(), positions.with(Vec::len) as u64);
            let count = hidden.with(Vec::len) as u64;
            let text = describe_marks(words, total.max(listed), listed, count);
            view! {
                <p class="long-marked" data-testid="long-marked">
                    <span role="status">{text}</span>
                    {(count > 0).then(|| view! {
                        <button type="button" class="jump" data-testid="marked-show" on:click=move |_| {
                            next().into_iter().for_each(|row| go_to.run(row));
                        }>"Show"</button>
                    })}
                    {(listed < total && is_filtered.get()).then(|| view! {
                        <button type="button" class="jump" data-testid="marked-all" on:click=move |_| on_all.run(())>"List all"</button>
                    })}
                </p>
            }
        })
    }
}

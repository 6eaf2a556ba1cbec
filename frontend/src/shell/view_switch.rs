//! Switch between views, and menus that open another view.

use crate::browser::scroll_into_sight;
use crate::components::icons::{Icon, IconKind};
use crate::components::menu::Menu;
use crate::reactive::*;
use crate::state::panes::Axis;
use crate::state::session::use_session;
use crate::state::view::View;
use crate::views::{TABLE, VIEWS, is_offered, title};

/// One button per view. A press shows it; with Ctrl or Shift it opens next to or below the shown view.
#[component]
pub(crate) fn ViewSwitch() -> impl IntoView {
    let session = use_session();
    let info = session.info();
    // In a narrow window the buttons scroll.
    Effect::new(move |_| {
        scroll_into_sight(&format!(".view-switch [data-testid=view-{}]", session.active.get().as_str()));
    });
    let views = TABLE.into_iter().filter(|descriptor| is_offered(descriptor.view, &info)).map(|descriptor| {
        let view = descriptor.view;
        let is_shown = Memo::new(move |_| session.panes.with(|panes| panes.shows(view)));
        view! {
            <button
                type="button"
                class="view-button"
                class:is-active=move || is_shown.get() && session.active.get() == view
                aria-pressed=move || is_shown.get().to_string()
                title=format!("{}. Ctrl: open beside; Shift: open below", descriptor.title)
                data-testid=format!("view-{}", view.as_str())
                on:click=move |event| {
                    let axis = match (event.ctrl_key() || event.meta_key(), event.shift_key()) {
                        (true, _) => Axis::Row,
                        (_, true) => Axis::Column,
                        _ => return session.show(view),
                    };
                    session.open_beside(session.active.get_untracked(), view, axis);
                }
            >{descriptor.title}</button>
        }
    });
    view! {
        <div class="view-switch" role="group" aria-label="Views">
            {views.collect_view()}
            <OpenMenu axis=Axis::Row/>
            <OpenMenu axis=Axis::Column/>
        </div>
    }
}

#[component]
fn OpenMenu(axis: Axis) -> impl IntoView {
    let session = use_session();
    let (label, kind) = match axis {
        Axis::Row => ("Open a view beside this one", IconKind::SplitRow),
        Axis::Column => ("Open a view below this one", IconKind::SplitColumn),
    };
    let is_open = RwSignal::new(false);
    let hidden = Memo::new(move |_| {
        let info = session.info();
        session.panes.with(|panes| {
            let can_open = |view: &View| !panes.shows(*view) && is_offered(*view, &info);
            VIEWS.all.iter().copied().filter(can_open).collect::<Vec<_>>()
        })
    });
    let items = move || {
        let items = hidden.get().into_iter().map(|view| {
            view! {
                <li role="none">
                    <button
                        type="button"
                        role="menuitem"
                        data-testid=format!("open-{}", view.as_str())
                        on:click=move |_| {
                            is_open.set(false);
                            session.open_beside(session.active.get_untracked(), view, axis);
                        }
                    >{title(view)}</button>
                </li>
            }
        });
        items.collect_view().into_any()
    };
    view! {
        <Menu
            is_open
            label
            testid=if axis == Axis::Row { "open-beside" } else { "open-below" }
            class="bar-button"
            disabled=Memo::new(move |_| hidden.with(Vec::is_empty))
            items=ViewFn::from(items)
        >
            <Icon kind/>
        </Menu>
    }
}

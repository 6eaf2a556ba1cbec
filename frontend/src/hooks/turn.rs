//! Parts of a page that are built one after the other, so that none blocks the page for long.

use leptos::task::spawn_local;

use crate::browser::pause;
use crate::idle::Busy;
use crate::reactive::*;

/// Becomes true once the browser has handled other tasks, so that later work is not part of the current task.
pub(crate) fn use_turn() -> RwSignal<bool> {
    let turn = RwSignal::new(false);
    // The page is not idle until everything is built.
    let busy = Busy::start();
    spawn_local(async move {
        pause().await;
        let _gone = turn.try_set(true);
        drop(busy);
    });
    turn
}

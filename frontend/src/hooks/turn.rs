//! Parts of a page that are made one after the other, so that making none of them keeps the page from anything else.

use leptos::task::spawn_local;

use crate::browser::pause;
use crate::idle::Busy;
use crate::reactive::*;

/// Becomes true once the browser had its turn: what is made then is no part of the present task.
pub(crate) fn use_turn() -> RwSignal<bool> {
    let turn = RwSignal::new(false);
    // Until all is there the page is not at rest.
    let busy = Busy::start();
    spawn_local(async move {
        pause().await;
        // The page may have gone on to another trace.
        let _gone = turn.try_set(true);
        drop(busy);
    });
    turn
}

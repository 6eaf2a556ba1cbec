//! Navigation from a comment to its pin.

use leptos::task::spawn_local;
use syclscope_language::api::SliceDetail;
use syclscope_language::question::Question;

use crate::shell::commands;
use crate::state::call::Goal;
use crate::state::selection::Selection;
use crate::state::session::Session;

/// Selects a comment's pin and shows it in its view. The list stays.
pub(super) fn go(session: Session, pin: Selection) {
    session.mark(Some(pin.clone()));
    let view = match pin {
        Selection::Slice(slice) => {
            let Some(home) = session.home() else { return };
            spawn_local(async move {
                let answer = home.ask::<SliceDetail>(&Question::Slice(slice)).await;
                // The user may have gone elsewhere meanwhile.
                let own = Some(Selection::Slice(slice));
                if session.selection.try_with_untracked(|now| *now == own) != Some(true) {
                    return;
                }
                match answer {
                    Ok(detail) => session.go(Goal::Slice(detail.at)),
                    Err(error) => session.fail(error.message),
                }
            });
            return;
        }
        Selection::Range { start_ns, end_ns } => {
            return session.go(Goal::Range(start_ns as f64, end_ns as f64));
        }
        Selection::Line { .. } => return session.go(Goal::Line),
        Selection::Name(_) | Selection::Queue(_) | Selection::Gap { .. } => "page.timeline",
        Selection::Node(_) => "page.graph",
        Selection::Allocation(_) | Selection::Object(_) => "page.memory",
    };
    if let Some(commands::Command::Show(view)) = commands::meaning(view) {
        session.show(view);
    }
}

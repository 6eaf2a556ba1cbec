mod beside;
mod calls;
mod cards;
mod choose;
mod commands;
mod graph;
mod linked;
mod live;
mod part;
mod result;
mod runs;
mod selected;
mod source;
mod timelines;
mod waterfall;

use std::rc::Rc;

use syclscope_language::api::Comparison;
use syclscope_language::question::CompareQuestion;

use self::beside::{Beside, Stage};
use self::choose::Choose;
use self::result::{Bar, Compared};
use self::runs::Runs;
use crate::browser::focus;
use crate::components::drop_area::CompareTarget;
use crate::components::states::{Waiting, show_answer};
use crate::reactive::*;
use crate::state::call::{Call, Goal, Phase};
use crate::state::keys::meaning;
use crate::state::session::Session;
use crate::state::view_descriptor::Running;
use crate::views::compare::keys::{COMMANDS, Command};

const MAX_ROWS: u32 = 500;

pub(crate) fn start(session: Session) -> Running {
    let beside = Beside::new(session);
    let handle = move |call| match call {
        Call::Command(command, Phase::Press | Phase::Repeat) => {
            let Some(command) = meaning(&COMMANDS, command.id) else { return false };
            match command {
                Command::Swap => beside.swap(),
                Command::Other => beside.leave(),
                Command::Filter => focus("[data-testid=compare-filter]"),
                Command::Next => beside.go_by(1),
                Command::Previous => beside.go_by(-1),
                Command::Timeline => session.go(Goal::Time),
            }
            true
        }
        Call::BreakOff => beside.unpick(),
        Call::Go(_) | Call::Command(..) => false,
    };
    Running { mount: Box::new(move || view! { <CompareView beside/> }.into_any()), handle: Rc::new(handle) }
}

#[component]
fn CompareView(beside: Beside) -> impl IntoView {
    beside.follow();
    // Files dropped while the view is on screen are compared with the page's trace.
    let CompareTarget(target) = expect_context::<CompareTarget>();
    target.set(Some(Callback::new(move |files| beside.take(files))));
    on_cleanup(move || {
        let _gone = target.try_set(None);
    });
    let query = beside.ask::<Comparison>(|| Some(CompareQuestion::Overview { limit: MAX_ROWS }));
    move || match beside.stage.get() {
        Stage::None => view! { <Choose beside missing=None error=None/> }.into_any(),
        Stage::Missing(name) => view! { <Choose beside missing=Some(name) error=None/> }.into_any(),
        Stage::Failed(error) => view! { <Choose beside missing=None error=Some(error)/> }.into_any(),
        Stage::Reading(name) => view! { <Waiting text=format!("Reading {name}…")/> }.into_any(),
        Stage::Ready(_) => view! {
            <Bar beside/>
            <Runs beside/>
            {show_answer(query, "the comparison", move |comparison| view! { <Compared beside comparison/> })}
        }
        .into_any(),
    }
}

//! Choice of the slice's dependences to show.

use syclscope_language::event::EdgeReason;

use crate::components::toolbar::ToolMenu;
use crate::reactive::*;
use crate::state::session::{use_session, with_key};
use crate::state::words;
use crate::views::timeline::ID;
use crate::views::timeline::additions::{ArrowChoice, Direction};
use crate::views::timeline::keys::Command;
use crate::views::timeline::state::TimelineState;
use crate::views::timeline::view::Timeline;

#[component]
pub(super) fn Arrows(timeline: Timeline) -> impl IntoView {
    let session = use_session();
    let choice =
        Memo::new(move |_| session.slot::<TimelineState>().with(|state| state.additions.arrows.clone()));
    let change = move |change: &dyn Fn(&mut ArrowChoice)| {
        timeline.with(|controller| controller.change_additions(|additions| change(&mut additions.arrows)));
    };
    let directions = Direction::ALL.iter().copied().map(|direction| {
        let text = match direction {
            Direction::Both => "Both directions",
            Direction::Before => "Predecessors",
            Direction::After => "Successors",
            Direction::None => "None",
        };
        view! {
            <label>
                <input
                    type="radio"
                    name="arrow-direction"
                    data-testid=format!("arrows-{}", direction.as_str())
                    prop:checked=move || choice.with(|choice| choice.direction == direction)
                    on:change=move |_| change(&|choice| choice.direction = direction)
                />
                {text}
            </label>
        }
    });
    let reasons = EdgeReason::ALL.iter().copied().map(|reason| {
        view! {
            <label>
                <input
                    type="checkbox"
                    data-testid=format!("arrows-for-{}", reason.as_str())
                    prop:checked=move || choice.with(|choice| !choice.without.contains(&reason))
                    on:change=move |_| change(&|choice| choice.toggle_reason(reason))
                />
                {words::edge_reason(reason)}
            </label>
        }
    });
    let (directions, reasons) = (directions.collect_view(), reasons.collect_view());
    view! {
        <ToolMenu view=ID text="Arrows" title="Select which dependences of the slice to show" testid="arrows">
                {directions}
                <hr/>
                <label>
                    <input
                        type="checkbox"
                        data-testid="arrows-chain"
                        prop:checked=move || choice.with(|choice| choice.is_chain)
                        on:change=move |_| timeline.run(Command::Chain)
                    />
                    {with_key("timeline.chain", "The whole chain (C)")}
                </label>
                <hr/>
                {reasons}
        </ToolMenu>
    }
}

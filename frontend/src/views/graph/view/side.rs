mod command_graphs;
mod components;
mod node;
mod serialised;
mod what_if;

use self::command_graphs::CommandGraphs;
use self::components::Components;
use self::node::NodePanel;
use self::serialised::SerialisedPanel;
use self::what_if::WhatIfPanel;
use super::use_graph;
use crate::components::icons::{Icon, IconKind};
use crate::reactive::*;
use crate::state::session::use_session;
use crate::views::graph::state::{GraphState, Side};

#[component]
pub(super) fn SidePanel() -> impl IntoView {
    let session = use_session();
    let graph = use_graph();
    let side = Memo::new(move |_| session.slot::<GraphState>().with(|state| state.side));
    move || {
        let side = side.get();
        if side == Side::None {
            return ().into_any();
        }
        view! {
            <aside class="graph-side" aria-label=side.title() data-testid="graph-side">
                <div class="graph-side-head">
                    <h3>{side.title()}</h3>
                    <button
                        type="button"
                        class="bar-button"
                        aria-label="Close the panel"
                        data-testid="graph-side-close"
                        on:click=move |_| { graph.with(|controller| controller.toggle_side(side)); }
                    ><Icon kind=IconKind::Close/></button>
                </div>
                <div class="graph-side-body" tabindex="0" role="region" aria-label=side.title()>
                    {match side {
                        Side::Node => view! { <NodePanel/> }.into_any(),
                        Side::WhatIf => view! { <WhatIfPanel/> }.into_any(),
                        Side::Components => view! { <Components/> }.into_any(),
                        Side::Serialised => view! { <SerialisedPanel/> }.into_any(),
                        Side::CommandGraphs => view! { <CommandGraphs/> }.into_any(),
                        Side::None => ().into_any(),
                    }}
                </div>
            </aside>
        }
        .into_any()
    }
}

mod actions;
mod controller;
mod inner;
mod pointer;
mod saving;
mod side;
mod signals;
mod table;
mod toolbar;
mod tooltip;

use std::rc::Rc;

use web_sys::KeyboardEvent;

pub(crate) use controller::Controller;
use signals::Signals;

use crate::components::gestures::Gestures;
use crate::components::states::{Nothing, Waiting};
use crate::components::theme::use_text_scale;
use crate::format;
use crate::hooks::turn::use_turn;
use crate::reactive::*;
use crate::stage::canvas::Canvas;
use crate::state::call::{Call, Phase};
use crate::state::comments::Talk;
use crate::state::session::{Session, use_session, with_key};
use crate::state::view_descriptor::Running;
use crate::views::graph::ID;
use crate::views::graph::camera::COLUMN_CSS_PX;
use crate::views::graph::draw::OVERVIEW_ROOM_CSS_PX;
use crate::views::graph::keys;
use crate::views::graph::state::GraphState;
use crate::views::graph::view::side::SidePanel;
use crate::views::graph::view::signals::Status;
use crate::views::graph::view::table::Table;
use crate::views::graph::view::toolbar::Toolbar;
use crate::views::graph::view::tooltip::Tooltip;
use crate::views::graph::walk::Walk;

/// A copyable handle on the graph's controller. It lives as long as the trace's page.
#[derive(Clone, Copy)]
pub(crate) struct Graph {
    controller: StoredValue<Rc<Controller>>,
    pub(crate) signals: Signals,
}

impl Graph {
    /// Provides the graph of a session as a context. Nothing is queried before the view is shown.
    fn provide(session: Session) -> Self {
        let controller = Controller::new(session);
        crate::stage::log::draws(&controller);
        let signals = controller.signals;
        let graph = Self { controller: StoredValue::new(controller), signals };
        provide_context(graph);
        let is_shown = Memo::new(move |_| session.panes.with(|panes| panes.shows(ID)));
        Effect::new(move |_| {
            session.slot::<GraphState>().track();
            if is_shown.get() {
                graph.with(Controller::follow);
            }
        });
        Effect::new(move |_| {
            session.selection.track();
            session.detail.track();
            graph.with(Controller::show_selection);
        });
        let pins = Memo::new(move |_| session.talk.with(Talk::pins));
        Effect::new(move |_| {
            pins.with(|_| ());
            signals.model.track();
            graph.with(|controller| controller.mark_pins());
        });
        Effect::new(move |before: Option<u32>| {
            let arrivals = session.arrivals.get();
            if before.is_some_and(|before| before != arrivals) {
                graph.with(Controller::arrive);
            }
            arrivals
        });
        graph
    }

    /// Calls `act` with the controller, if the page still shows it.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&Rc<Controller>) -> T) -> Option<T> {
        self.controller.try_with_value(act)
    }
}

pub(crate) fn start(session: Session) -> Running {
    let graph = Graph::provide(session);
    let handle = move |call| match call {
        Call::Command(command, phase) => {
            let Some(command) = keys::meaning(command.id) else { return false };
            phase != Phase::Release && graph.with(|controller| controller.command(command)).is_some()
        }
        Call::BreakOff => graph.with(Controller::clear).unwrap_or(false),
        Call::Go(_) => false,
    };
    Running { mount: Box::new(|| view! { <GraphView/> }.into_any()), handle: Rc::new(handle) }
}

pub(crate) fn use_graph() -> Graph {
    expect_context::<Graph>()
}

#[component]
fn GraphView() -> impl IntoView {
    let session = use_session();
    let graph = use_graph();
    let is_table = Memo::new(move |_| session.slot::<GraphState>().with(|state| state.is_table));
    // The tools are built first, then the drawing.
    let turn = use_turn();
    view! {
        <section class="graph-view" aria-label="Task graph" data-testid="graph">
            <Toolbar/>
            <div class="graph-body">
                <div class="graph-main">
                    {move || match (turn.get(), is_table.get()) {
                        (false, _) => ().into_any(),
                        (true, true) => view! { <Table/> }.into_any(),
                        (true, false) => view! { <Drawing/> }.into_any(),
                    }}
                    <States/>
                    <Foot/>
                </div>
                {move || turn.get().then(|| view! { <SidePanel/> })}
            </div>
            <div class="loading-line" class:is-active=move || graph.signals.status.with(|status| *status == Status::Loading)></div>
        </section>
    }
}

#[component]
fn Drawing() -> impl IntoView {
    let graph = use_graph();
    let (has_column, scale) = (graph.signals.has_column, use_text_scale());
    let px = move |css_px: f64| format!("{}px", css_px * scale.get());
    let stage = graph.with(|controller| controller.stage.clone());
    let canvas = stage.map(|stage| {
        view! {
            <Canvas
                stage
                class="graph-canvas"
                label="Task graph. Arrow keys follow edges, Enter unfolds; T shows a table."
                testid="graph-canvas"
                described_by="graph-spoken"
            />
        }
    });
    view! {
        <div class="graph-stage" on:keydown=move |event| tab(graph, &event)>
            {canvas}
            <div id="graph-spoken" class="visually-hidden" role="status">{move || graph.signals.announcement.get()}</div>
            {move || has_column.get().then(|| view! {
                <div
                    class="graph-column"
                    style:width=move || px(COLUMN_CSS_PX)
                    style:max-height=move || format!("max(45%, 100% - {})", px(OVERVIEW_ROOM_CSS_PX))
                >
                    <Legend/>
                </div>
            })}
            <Tooltip/>
        </div>
        {move || (!has_column.get()).then(|| view! {
            <details class="graph-colours"><summary>"Colours"</summary><Legend/></details>
        })}
        <Gestures view=ID lines=&keys::GESTURES/>
    }
}

#[component]
fn Legend() -> impl IntoView {
    let graph = use_graph();
    let lines = move || {
        let lines = graph.signals.legend.get().into_iter().map(|(colour, words)| {
            view! {
                <li>
                    {colour.map(|colour| view! { <span class="chip" style:background-color=colour></span> })}
                    <span>{words}</span>
                </li>
            }
        });
        lines.collect_view()
    };
    view! { <ul class="graph-legend" data-testid="graph-legend" aria-label="Colours">{lines}</ul> }
}

#[component]
fn States() -> impl IntoView {
    let graph = use_graph();
    let signals = graph.signals;
    let is_empty = Memo::new(move |_| {
        signals.model.with(|model| model.as_ref().is_some_and(|model| model.view.nodes.is_empty()))
    });
    let has_model = Memo::new(move |_| signals.model.with(Option::is_some));
    let info = use_session().info();
    let (has_graph, is_foreign) = (info.counts.nodes > 0, info.is_foreign());
    move || {
        match signals.status.get() {
        Status::Failed(message) => view! {
            <div class="graph-state state is-error" role="alert" data-testid="graph-failure">
                <p>{message}</p>
                <button type="button" class="button" on:click=move |_| { graph.with(Controller::retry); }>"Try again"</button>
                <button type="button" class="button" on:click=move |_| { graph.with(Controller::reset); }>"Show the whole graph"</button>
            </div>
        }
        .into_any(),
        Status::Loading if !has_model.get() => {
            view! { <div class="graph-state"><Waiting text="Loading the task graph…".to_owned()/></div> }.into_any()
        }
        // The graph is empty, whatever the settings.
        Status::Ready if is_empty.get() && !has_graph => view! {
            <div class="graph-state">
                <Nothing title="No task graph">
                    {if is_foreign {
                        view! { "This trace comes from another tool, which recorded no dependences between commands." }
                            .into_any()
                    } else {
                        view! {
                            "The recording needs the stream " <code>"sycl"</code> " (on by default, unless "
                            <code>"--streams"</code> " excludes it)."
                        }
                        .into_any()
                    }}
                </Nothing>
            </div>
        }
        .into_any(),
        Status::Ready if is_empty.get() => view! {
            <div class="graph-state">
                <Nothing title="No commands to draw">
                    "No command matches the settings."
                    <p>
                        <button type="button" class="button" on:click=move |_| { graph.with(Controller::reset); }>"Show the whole graph"</button>
                    </p>
                </Nothing>
            </div>
        }
        .into_any(),
        _ => ().into_any(),
    }
    }
}

#[component]
fn Foot() -> impl IntoView {
    let session = use_session();
    let graph = use_graph();
    let signals = graph.signals;
    let counts = move || {
        signals.model.with(|model| {
            let model = model.as_ref()?;
            let nodes = format::counted(model.view.nodes.len() as u64, "node", "nodes");
            let commands = format::counted(model.commands, "command", "commands");
            let edges =
                format::counted(model.view.edges.iter().map(|edge| edge.count).sum(), "edge", "edges");
            Some(format!("{commands} in {nodes} · {edges}"))
        })
    };
    let open = Memo::new(move |_| session.slot::<GraphState>().with(|state| state.open.len() as u64));
    let notes = move || {
        let mut notes = signals
            .model
            .with(|model| model.as_ref().map(|model| model.view.left_out.notes.clone()).unwrap_or_default());
        let (lines, hidden) = (signals.left_out_edges.get(), signals.hidden_edges.get());
        if lines > 0 {
            notes.push(format!(
                "{} not drawn: zoom in to see them.",
                format::counted(lines as u64, "more visible edge", "more visible edges")
            ));
        }
        if hidden > 0 {
            notes.push(format!("{} filtered out.", format::counted(hidden, "edge", "edges")));
        }
        notes
            .into_iter()
            .map(|note| format::prose(&note))
            .map(|note| view! { <span class="graph-note" title=note.clone()>{note.clone()}</span> })
            .collect_view()
    };
    view! {
        <div class="graph-foot" data-testid="graph-foot">
            <span data-testid="graph-counts" role="status">{counts}</span>
            {move || (open.get() > 0).then(|| view! {
                <button
                    type="button"
                    class="jump"
                    data-testid="fold-all"
                    title=with_key("graph.fold_all", "Fold everything (Shift+Backspace)")
                    on:click=move |_| { graph.with(|controller| controller.command(keys::Command::FoldAll)); }
                >{format!("Fold {}", format::counted(open.get(), "group", "groups"))}</button>
            })}
            {notes}
            <span class="graph-scale">{move || format!("{:.0} %", signals.scale.get() * 100.0)}</span>
        </div>
    }
}

/// Handles Tab, which moves from node to node, and out of the canvas after the last one.
fn tab(graph: Graph, event: &KeyboardEvent) {
    if event.key() != "Tab" {
        return;
    }
    let walk = if event.shift_key() { Walk::Previous } else { Walk::Next };
    let went = graph.with(|controller| controller.has_cursor() && controller.walk(walk));
    if went == Some(true) {
        event.prevent_default();
    }
}

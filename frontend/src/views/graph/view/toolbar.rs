mod edges;

use self::edges::{Edges, Kinds};
use super::use_graph;
use crate::components::toolbar::{SearchBar, SearchNames, ToolMenu};
use crate::format;
use crate::reactive::*;
use crate::stage::saving::{PictureFormat, Pictures};
use crate::state::history::Change;
use crate::state::session::{use_session, with_key};
use crate::views::graph::ID;
use crate::views::graph::keys::Command;
use crate::views::graph::question::{LEVELS, USUAL_WIDTH, is_offered};
use crate::views::graph::state::{ColourBy, GraphState, Side};
use crate::views::graph::walk;

#[component]
pub(super) fn Toolbar() -> impl IntoView {
    view! {
        <div class="timeline-toolbar graph-toolbar" role="toolbar" aria-label="Task graph">
            <Levels/>
            <Search/>
            <div class="graph-tools"><Around/><Colours/><Edges/><Kinds/><Panels/><Saving/></div>
        </div>
    }
}

#[component]
fn Levels() -> impl IntoView {
    let session = use_session();
    let graph = use_graph();
    let level = Memo::new(move |_| session.slot::<GraphState>().with(|state| state.level));
    let (info, keymap) = (session.info(), session.keymap);
    let buttons =
        LEVELS.into_iter().filter(|(level, ..)| is_offered(*level, &info)).map(|(one, name, title)| {
            view! {
                <button
                    type="button"
                    title=move || keymap.with(|keymap| keymap.titled("graph.level", &format!("{title}; next level (L)")))
                    aria-pressed=move || (level.get() == one).to_string()
                    data-testid=format!("level-{one}")
                    on:click=move |_| { graph.with(|controller| controller.set_level(one)); }
                >{name}</button>
            }
        });
    view! { <div class="segments" role="group" aria-label="Level">{buttons.collect_view()}</div> }
}

#[component]
fn Around() -> impl IntoView {
    let session = use_session();
    let graph = use_graph();
    let around = Memo::new(move |_| session.slot::<GraphState>().with(|state| state.around));
    let width =
        Memo::new(move |_| session.slot::<GraphState>().with(|state| state.width.unwrap_or(USUAL_WIDTH)));
    let component = Memo::new(move |_| session.slot::<GraphState>().with(|state| state.component));
    let has_cursor = Memo::new(move |_| graph.signals.cursor.get().is_some());
    let run = move |command: Command| {
        graph.with(|controller| controller.command(command));
    };
    view! {
        <button
            type="button"
            class="tool"
            data-testid="graph-around"
            title=with_key("graph.around", "Show the selected node's neighbourhood, or everything (N)")
            aria-pressed=move || around.get().is_some().to_string()
            disabled=move || around.get().is_none() && !has_cursor.get()
            on:click=move |_| run(Command::Around)
        >"Neighbourhood"</button>
        {move || around.get().map(|_| view! {
            <span class="graph-width" role="group" aria-label="Width of the neighbourhood">
                <button type="button" class="tool" aria-label="Narrow by one edge" title=with_key("graph.narrower", "Narrow by one edge (<)") on:click=move |_| run(Command::Narrower)>"−"</button>
                <span data-testid="graph-width">{format::counted(width.get().into(), "edge", "edges")}</span>
                <button type="button" class="tool" aria-label="Widen by one edge" title=with_key("graph.wider", "Widen by one edge (>)") data-testid="graph-wider" on:click=move |_| run(Command::Wider)>"+"</button>
            </span>
        })}
        {move || component.get().map(|node| view! {
            <button
                type="button"
                class="tool"
                data-testid="graph-component"
                title="Shows only this command's component; click to show everything"
                on:click=move |_| { graph.with(|controller| controller.redraw(|state| state.component = None)); }
            >{format!("component of {node} ×")}</button>
        })}
    }
}

#[component]
fn Colours() -> impl IntoView {
    let session = use_session();
    let graph = use_graph();
    let colour = Memo::new(move |_| session.slot::<GraphState>().with(|state| state.colour));
    let is_sized = Memo::new(move |_| session.slot::<GraphState>().with(|state| state.is_sized));
    let has_critical = Memo::new(move |_| session.slot::<GraphState>().with(|state| state.has_critical));
    let options = ColourBy::ALL.map(|one| {
        view! {
            <option value=one.as_str() prop:selected=move || colour.get() == one>{format!("colour: {}", one.title())}</option>
        }
    });
    view! {
        <select
            class="tool-input"
            data-testid="graph-colour"
            aria-label="Colour by"
            title=with_key("graph.colour", "Colour by (C)")
            on:change=move |event| {
                let text = event_target_value(&event);
                if let Some(chosen) = ColourBy::ALL.into_iter().find(|other| other.as_str() == text) {
                    graph.with(|controller| controller.change(Change::Detail, |state| state.colour = chosen));
                }
            }
        >{options.collect_view()}</select>
        <button
            type="button"
            class="tool"
            data-testid="graph-sized"
            title="Draw nodes with more device time taller"
            aria-pressed=move || is_sized.get().to_string()
            on:click=move |_| { graph.with(|controller| controller.redraw(|state| state.is_sized ^= true)); }
        >"Size by time"</button>
        <button
            type="button"
            class="tool"
            data-testid="graph-critical"
            title=with_key("graph.critical", "The chain of commands and waits that determined the run time (K)")
            aria-pressed=move || has_critical.get().to_string()
            on:click=move |_| { graph.with(|controller| controller.command(Command::Critical)); }
        >"Critical path"</button>
    }
}

#[component]
fn Search() -> impl IntoView {
    let session = use_session();
    let graph = use_graph();
    let text = Memo::new(move |_| session.slot::<GraphState>().with(|state| state.search.clone()));
    let is_dimmed = Memo::new(move |_| session.slot::<GraphState>().with(|state| !state.is_undimmed));
    let is_on = Memo::new(move |_| graph.signals.matches.with(|found| !found.is_empty()));
    let status = Memo::new(move |_| {
        let (count, place) =
            graph.signals.matches.with(|found| walk::place(found, graph.signals.cursor.get()));
        let words = match place {
            Some(place) => format!("{} of {}", format::count(place), format::count(count)),
            None => format::counted(count, "match", "matches"),
        };
        is_on.get().then_some((words, count == 0))
    });
    let run = move |command: Command| {
        graph.with(|controller| controller.command(command));
    };
    let names = SearchNames {
        field: "graph-search",
        count: "graph-found",
        previous: "graph-found-previous",
        next: "graph-found-next",
        dim: "graph-dim",
        commands: ["graph.search", "graph.previous_found", "graph.next_found", "graph.dim"],
    };
    view! {
        <SearchBar
            view=ID
            names
            placeholder="Search nodes (/)"
            label="Search nodes by name, kind, device or source location"
            text
            on_text=Callback::new(move |text| {
                graph.with(|controller| controller.change(Change::Detail, |state| state.search = text));
            })
            status
            can_step=is_on
            on_step=Callback::new(move |back| {
                run(if back { Command::PreviousMatch } else { Command::NextMatch });
            })
            is_dimmed
            on_dim=Callback::new(move |()| run(Command::Dim))
        />
    }
}

#[component]
fn Panels() -> impl IntoView {
    let session = use_session();
    let graph = use_graph();
    let side = Memo::new(move |_| session.slot::<GraphState>().with(|state| state.side));
    let is_table = Memo::new(move |_| session.slot::<GraphState>().with(|state| state.is_table));
    let has_frames = Memo::new(move |_| {
        graph.signals.model.with(|model| model.as_ref().is_some_and(|model| !model.view.frames.is_empty()))
    });
    let buttons = Side::ALL.map(|one| {
        view! {
            <button
                type="button"
                class="tool"
                class:is-hidden=move || one == Side::CommandGraphs && !has_frames.get() && side.get() != one
                data-testid=format!("side-{}", one.as_str())
                aria-pressed=move || (side.get() == one).to_string()
                on:click=move |_| { graph.with(|controller| controller.toggle_side(one)); }
            >{one.title()}</button>
        }
    });
    view! {
        {buttons.collect_view()}
        <button
            type="button"
            class="tool"
            data-testid="graph-table-button"
            title=with_key("graph.table", "Show as a table (T)")
            aria-pressed=move || is_table.get().to_string()
            on:click=move |_| { graph.with(|controller| controller.command(Command::Table)); }
        >"Table"</button>
    }
}

#[component]
fn Saving() -> impl IntoView {
    let graph = use_graph();
    let save = Callback::new(move |saved: PictureFormat| {
        graph.with(|controller| controller.save_picture(saved));
    });
    view! {
        <ToolMenu view=ID text="Save" title="Save as a picture or as DOT" testid="graph-pictures">
            <Pictures testids=("graph-svg", "graph-png") commands=("graph.svg", "graph.png") on_save=save/>
            <button
                type="button"
                data-testid="graph-dot"
                on:click=move |_| { graph.with(|controller| controller.save_dot()); }
            >{with_key("graph.dot", "DOT, for Graphviz (Shift+O)")}</button>
        </ToolMenu>
    }
}

//! The measurement of `graph` as a WebAssembly module. `e2e/bench/graph.mjs` creates task graphs with this module and
//! requests drawings.

use std::cell::RefCell;

use crate::tasks::{self, Plain};
use syclscope_engine::store::Trace;

struct State {
    trace: Trace,
    graph: Plain,
    nodes: u64,
}

thread_local! {
    static STATE: RefCell<Option<State>> = const { RefCell::new(None) };
}

fn with<T>(ask: impl FnOnce(&State) -> T) -> T {
    STATE.with_borrow(|state| ask(state.as_ref().expect("`make_graph` comes first")))
}

/// Creates a task graph and returns the number of its nodes.
#[unsafe(no_mangle)]
pub extern "C" fn make_graph(nodes: u32) -> u32 {
    let trace = tasks::trace(nodes.into());
    let graph = Plain::new(&trace);
    let count = graph.counts().0 as u32;
    STATE.set(Some(State { trace, graph, nodes: nodes.into() }));
    count
}

/// Walks over the graph and returns the number of visited nodes.
#[unsafe(no_mangle)]
pub extern "C" fn walk_graph() -> u32 {
    with(|state| state.graph.walk() as u32)
}

/// Draws the graph and returns the number of crossings.
#[unsafe(no_mangle)]
pub extern "C" fn draw_graph() -> u32 {
    with(|state| state.graph.draw() as u32)
}

/// Returns the number of queries.
#[unsafe(no_mangle)]
pub extern "C" fn graph_questions() -> u32 {
    tasks::QUESTIONS.len() as u32
}

/// Runs a query by number and returns the length of its answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn ask_graph(number: u32) -> u32 {
    with(|state| tasks::ask(&state.trace, &tasks::question(number as usize, state.nodes)) as u32)
}

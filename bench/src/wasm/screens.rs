//! The measurement of `tiles` as a WebAssembly module. `e2e/bench/tiles.mjs` builds traces with this module and
//! requests screens.

use std::cell::RefCell;

use crate::large::{self, Random};
use syclscope_engine::store::Trace;
use syclscope_language::question::TileKey;

struct State {
    trace: Trace,
    tracks: Vec<u32>,
    duration_ns: u64,
    random: Random,
    keys: Vec<TileKey>,
}

thread_local! {
    static STATE: RefCell<Option<State>> = const { RefCell::new(None) };
}

fn with<T>(ask: impl FnOnce(&mut State) -> T) -> T {
    STATE.with_borrow_mut(|state| ask(state.as_mut().expect("`build` comes first")))
}

/// Builds a trace and returns the bytes of its tables.
#[unsafe(no_mangle)]
pub extern "C" fn build(slices: u32) -> u32 {
    let trace = large::trace(slices.into());
    let bytes = trace.memory_bytes() as u32;
    let (tracks, duration_ns) = (large::tracks(&trace), trace.info().duration_ns);
    let state = State { trace, tracks, duration_ns, random: Random(42), keys: Vec::new() };
    STATE.set(Some(state));
    bytes
}

/// Chooses a screen, `1 / 2^zoom` of the trace, and returns the number of its tiles.
#[unsafe(no_mangle)]
pub extern "C" fn choose(zoom: u32) -> u32 {
    with(|state| {
        state.keys = large::screen(state.duration_ns, &state.tracks, zoom, &mut state.random);
        state.keys.len() as u32
    })
}

/// Requests the tiles of the screen and returns the number of slices that they show.
#[unsafe(no_mangle)]
pub extern "C" fn screen() -> u32 {
    with(|state| large::ask(&state.trace, &state.keys) as u32)
}

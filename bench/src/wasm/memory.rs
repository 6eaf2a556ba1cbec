//! Answers about memory. `e2e/bench/memory.mjs` builds a million allocations with this module and requests tiles of
//! them.

use std::cell::RefCell;

use crate::large::Random;
use crate::memory::{QUESTIONS, Use, answer, ask, picture, trace};
use syclscope_engine::store::Trace;
use syclscope_language::question::MemoryKey;

struct State {
    trace: Trace,
    usage: Use,
    random: Random,
    key: MemoryKey,
}

thread_local! {
    static STATE: RefCell<Option<State>> = const { RefCell::new(None) };
}

fn with<T>(ask: impl FnOnce(&mut State) -> T) -> T {
    STATE.with_borrow_mut(|state| ask(state.as_mut().expect("`allocate` comes first")))
}

/// Builds a trace with `allocations` allocations in a pattern of use, and returns the bytes of its tables.
#[unsafe(no_mangle)]
pub extern "C" fn allocate(allocations: u32, usage: u32) -> u32 {
    let (usage, _) = Use::ALL[usage as usize % Use::ALL.len()];
    let trace = trace(allocations.into(), usage);
    let bytes = trace.memory_bytes() as u32;
    let mut random = Random(5);
    let key = picture(&trace, usage, 0, 0, &mut random);
    STATE.set(Some(State { trace, usage, random, key }));
    bytes
}

/// Chooses a picture: `1 / 2^zoom` of the run and `1 / 2^address_zoom` of the addresses.
#[unsafe(no_mangle)]
pub extern "C" fn choose_memory(zoom: u32, address_zoom: u32) {
    with(|state| state.key = picture(&state.trace, state.usage, zoom, address_zoom, &mut state.random));
}

/// Requests the tile of the picture and returns the number of allocations that it shows.
#[unsafe(no_mangle)]
pub extern "C" fn memory_tile() -> u32 {
    with(|state| ask(&state.trace, state.key) as u32)
}

fn question(number: u32) -> &'static str {
    QUESTIONS.get(number as usize).copied().unwrap_or("leaks")
}

/// Returns the number of queries.
#[unsafe(no_mangle)]
pub extern "C" fn memory_questions() -> u32 {
    QUESTIONS.len() as u32
}

/// Returns the address of a query's text.
#[unsafe(no_mangle)]
pub extern "C" fn memory_question_text(number: u32) -> *const u8 {
    question(number).as_ptr()
}

/// Returns the length of a query's text.
#[unsafe(no_mangle)]
pub extern "C" fn memory_question_length(number: u32) -> u32 {
    question(number).len() as u32
}

/// Runs a query by number and returns the length of its answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn ask_memory(number: u32) -> u32 {
    with(|state| answer(&state.trace, question(number)) as u32)
}

use crate::reactive::*;
use crate::state::url::part::{ViewState, read_all};
use crate::state::url::query::QueryWriter;
use crate::state::view::View;

#[derive(Clone, Copy)]
pub(crate) struct Slot {
    pub(crate) view: View,
    pub(crate) signal: AnySignal,
    pub(crate) write: fn(AnySignal, &mut QueryWriter),
    pub(crate) read: fn(AnySignal, &str),
}

impl Slot {
    pub(crate) fn new<S: ViewState>() -> Self {
        Self { view: S::VIEW, signal: RwSignal::new(S::default()).into(), write: write::<S>, read: read::<S> }
    }
}

fn write<S: ViewState>(signal: AnySignal, query: &mut QueryWriter) {
    signal.typed::<S>().with_untracked(|state| state.write(query));
}

fn read<S: ViewState>(signal: AnySignal, query: &str) {
    let mut state = S::default();
    read_all(&mut state, query);
    signal.typed::<S>().set(state);
}

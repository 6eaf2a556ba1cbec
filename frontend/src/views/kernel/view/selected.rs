//! Executions one by one, within the selected durations.

use syclscope_language::event::NodeKind;

use super::{Durations, OpenKernel};
use crate::components::slice_list::SlicesOneByOne;
use crate::hooks::rested::use_rested;
use crate::reactive::*;
use crate::state::area::SLICE_COLUMNS;
use crate::state::history::Change;
use crate::state::table::Order;
use crate::views::kernel::names::slices;

#[component]
pub(super) fn Executions(
    kernel: OpenKernel,
    kind: Option<NodeKind>,
    durations: Memo<Durations>,
) -> impl IntoView {
    let state = kernel.state();
    let order = Memo::new(move |_| {
        state.with(|state| Order::from_text(if state.order.is_empty() { "duration" } else { &state.order }))
    });
    let on_order = Callback::new(move |order: Order| {
        state.update(|state| state.order = order.to_text());
        kernel.session.record_change(Change::Detail);
    });
    let rested = use_rested(durations);
    let these = Signal::derive(move || slices(&kernel.name.get()?, kind, rested.get()));
    view! {
        <section class="card is-wide" data-testid="kernel-executions" aria-label="Executions">
            <h3>"Executions"</h3>
            <SlicesOneByOne columns=&SLICE_COLUMNS[2..] slices=these order on_order label="Executions of the kernel" testid="kernel-list"/>
        </section>
    }
}

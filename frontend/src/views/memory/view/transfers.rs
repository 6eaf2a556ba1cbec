use std::rc::Rc;

use syclscope_language::api::{Need, TransferList};
use syclscope_language::question::{Question, TransferOrder, TransfersQuestion};

use super::filter::{Choices, FilterField, use_choice, use_order, use_range};
use super::related::use_selected_memory;
use crate::components::long_list::{Ask, PendingPage};
use crate::components::long_table::{LongModel, LongTable};
use crate::data::trace_source::TraceSource;
use crate::hooks::answer::{Answer, use_answer};
use crate::reactive::*;
use crate::state::rows::{Page, Row};
use crate::state::session::use_session;
use crate::views::memory::ID;
use crate::views::memory::names;
use crate::views::memory::state::MemoryState;
use crate::views::memory::transfers::{HEADS, row, sums};

#[component]
pub(super) fn Transfers() -> impl IntoView {
    let session = use_session();
    let (order, on_order) = use_order();
    let (choice, range) = (use_choice(), use_range());
    let question = Memo::new(move |_| {
        let (from_ns, to_ns) = range.get().unzip();
        TransfersQuestion {
            from_ns,
            to_ns,
            need: choice.with(|choice| Need::from_word(choice)),
            text: session.slot::<MemoryState>().with(|memory| memory.filter.clone()),
            sort: order.with(|order| TransferOrder::from_word(order)).unwrap_or_default(),
            ..TransfersQuestion::default()
        }
    });
    // Sums include all copies that match the other filters, whatever their need.
    let sums_of = use_answer::<TransferList>(move || {
        Some(Question::Transfers(TransfersQuestion { need: None, limit: 1, ..question.get() }))
    });
    let ask = Rc::new(move || {
        let question = question.get_untracked();
        Rc::new(move |home: TraceSource, offset, limit| {
            let question = Question::Transfers(TransfersQuestion { offset, limit, ..question.clone() });
            let answer = async move {
                let list = home.ask::<TransferList>(&question).await?;
                Ok(Page { total: list.total.count, rows: list.transfers.iter().map(row).collect() })
            };
            Box::pin(answer) as PendingPage<_>
        }) as Rc<Ask<Row>>
    });
    let selected = use_selected_memory();
    let placed = use_answer::<TransferList>(move || {
        let touched_by = Some(selected.thing.get()?);
        Some(Question::Transfers(TransfersQuestion { touched_by, mark: true, limit: 0, ..question.get() }))
    });
    let all = use_answer::<TransferList>(move || {
        let touched_by = Some(selected.thing.get()?);
        let question = TransfersQuestion { touched_by, limit: 0, ..TransfersQuestion::default() };
        Some(Question::Transfers(question))
    });
    let positions = Signal::derive(move || match placed.answer.get() {
        Answer::Ready(list) => list.marked,
        _ => Vec::new(),
    });
    let total = Signal::derive(move || match all.answer.get() {
        Answer::Ready(list) => list.total.count,
        _ => 0,
    });
    let marks = selected.marks(positions, total);
    let model = LongModel {
        view: ID,
        label: "Transfers",
        words: ("copy", "copies"),
        heads: &HEADS,
        ask,
        empty: ("No matches", "Change the filter, or clear it."),
    };
    let summary = move || {
        let Answer::Ready(list) = sums_of.answer.get() else { return ().into_any() };
        let lines = [
            ("All", list.total),
            (names::need(Need::Needed), list.needed),
            (names::need(Need::Unchanged), list.unchanged),
            (names::need(Need::NeverRead), list.never_read),
            (names::need(Need::Unknown), list.unknown),
        ];
        let lines = lines.into_iter().filter(|(_, sum)| sum.count > 0).map(|(name, sum)| {
            view! { <div><dt>{name}</dt><dd>{sums(&sum)}</dd></div> }
        });
        let is_unknown = list.unknown.count > 0 && list.unknown.count == list.total.count;
        view! {
            <dl class="transfer-sums" data-testid="transfer-sums">{lines.collect_view()}</dl>
            {is_unknown.then(|| view! {
                <p class="quiet transfer-sums" data-testid="transfers-unknown">
                    <span>
                        "Kernels may use USM unrecorded, so no copy is known to be needed or needless. Record with "
                        <code>"--detail high"</code> "."
                    </span>
                </p>
            })}
        }
        .into_any()
    };
    let needs: Vec<_> = Need::ALL.iter().map(|need| (need.as_str(), names::need(*need).to_owned())).collect();
    view! {
        <div class="view-bar memory-bar">
            <Choices label="Copies" entries=needs/>
            <FilterField placeholder="Name, file or function"/>
        </div>
        {summary}
        <LongTable model question=Signal::derive(move || Question::Transfers(question.get()).to_string()) order on_order marks/>
    }
}

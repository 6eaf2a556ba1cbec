use std::rc::Rc;

use syclscope_language::api::{ObjectList, ObjectProblem};
use syclscope_language::question::{ObjectOrder, ObjectsQuestion, Question};

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
use crate::views::memory::objects::{HEADS, row};
use crate::views::memory::state::MemoryState;

#[component]
pub(super) fn Objects() -> impl IntoView {
    let session = use_session();
    let end_ns = session.info().duration_ns;
    let (order, on_order) = use_order();
    let (choice, range) = (use_choice(), use_range());
    let question = Memo::new(move |_| {
        let problem = choice.with(|choice| ObjectProblem::from_word(choice));
        let (from_ns, to_ns) = range.get().unzip();
        ObjectsQuestion {
            problems: problem.map(|problem| vec![problem]),
            from_ns,
            to_ns,
            text: session.slot::<MemoryState>().with(|memory| memory.filter.clone()),
            sort: order.with(|order| ObjectOrder::from_word(order)).unwrap_or_default(),
            ..ObjectsQuestion::default()
        }
    });
    let ask = Rc::new(move || {
        let question = question.get_untracked();
        Rc::new(move |home: TraceSource, offset, limit| {
            let question = Question::Objects(ObjectsQuestion { offset, limit, ..question.clone() });
            let answer = async move {
                let list = home.ask::<ObjectList>(&question).await?;
                let rows = list.objects.iter().map(|item| row(item, end_ns)).collect();
                Ok(Page { total: list.total.count, rows })
            };
            Box::pin(answer) as PendingPage<_>
        }) as Rc<Ask<Row>>
    });
    let selected = use_selected_memory();
    let placed = use_answer::<ObjectList>(move || {
        let touched_by = Some(selected.thing.get()?);
        Some(Question::Objects(ObjectsQuestion { touched_by, mark: true, limit: 0, ..question.get() }))
    });
    let positions = Signal::derive(move || match placed.answer.get() {
        Answer::Ready(list) => list.marked,
        _ => Vec::new(),
    });
    let marks =
        selected.marks(positions, Signal::derive(move || selected.related.with(|related| related.total)));
    let model = LongModel {
        view: ID,
        label: "Memory objects",
        words: ("object", "objects"),
        heads: &HEADS,
        ask,
        empty: ("No matches", "Change the filter, or clear it."),
    };
    let named = |problem: &ObjectProblem| (problem.as_str(), names::problem(*problem).to_owned());
    let problems: Vec<_> = ObjectProblem::ALL.iter().map(named).collect();
    view! {
        <div class="view-bar memory-bar">
            <Choices label="Objects" entries=problems/>
            <FilterField placeholder="File, type, device or address"/>
        </div>
        <LongTable model question=Signal::derive(move || Question::Objects(question.get()).to_string()) order on_order marks/>
    }
}

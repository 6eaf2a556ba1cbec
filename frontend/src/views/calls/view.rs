//! The calls view: a filter, and the calls as a table, a log, or one of the flame graphs.

mod flame;
mod log;
mod table;

use syclscope_language::question::CallWeight;

use self::flame::Flame;
use self::log::Log;
use self::table::Table;
use crate::format;
use crate::reactive::*;
use crate::state::history::Change;
use crate::state::session::{Session, use_session};
use crate::state::view_descriptor::Running;
use crate::views::calls::ID;
use crate::views::calls::state::{CallsForm, CallsState};

pub(crate) fn start(_session: Session) -> Running {
    Running::passive(|| view! { <CallsView/> }.into_any())
}

#[component]
fn CallsView() -> impl IntoView {
    let session = use_session();
    let filter = Memo::new(move |_| session.slot::<CallsState>().with(|calls| calls.filter.clone()));
    let info = session.info();
    let form = Memo::new(move |_| {
        let form = session.slot::<CallsState>().with(|calls| calls.form);
        if form.is_offered(&session.info()) { form } else { CallsForm::Flame }
    });
    // A form without a filter ignores the filter of the other forms.
    let text = Memo::new(move |_| if form.get().is_filtered() { filter.get() } else { String::new() });
    let by_thread = Memo::new(move |_| session.slot::<CallsState>().with(|calls| calls.by_thread));
    let range = Memo::new(move |_| session.selected_range());
    let forms = CallsForm::ALL.iter().copied().filter(|form| form.is_offered(&info)).map(|one| {
        view! {
            <button
                type="button"
                aria-pressed=move || (form.get() == one).to_string()
                data-testid=format!("calls-{}", one.as_str())
                on:click=move |_| {
                    session.scrolls.update_untracked(|scrolls| scrolls.put(ID, None));
                    session.slot::<CallsState>().update(|calls| calls.form = one);
                    session.record_change(Change::Jump);
                }
            >{title(one)}</button>
        }
    });
    view! {
        <div class="view-bar">
            <div class="segments" role="group" aria-label="View as">{forms.collect_view()}</div>
            <input
                type="search"
                class="field"
                placeholder=move || if form.get() == CallsForm::Table { "Filter functions" } else { "Filter: urEnqueue duration>1ms" }
                aria-label="Filter calls"
                data-testid="calls-filter"
                hidden=move || !form.get().is_filtered()
                prop:value=move || filter.get()
                on:input=move |event| {
                    let text = event_target_value(&event);
                    session.scrolls.update_untracked(|scrolls| scrolls.put(ID, None));
                    session.slot::<CallsState>().update(|calls| calls.filter = text);
                    session.record_change(Change::Detail);
                }
            />
            {move || is_by_thread(form.get()).then(|| view! {
                <label class="check">
                    <input type="checkbox"
                        data-testid="flame-by-thread"
                        prop:checked=move || by_thread.get()
                        on:change=move |event| {
                            let by_thread = event_target_checked(&event);
                            session.slot::<CallsState>().update(|calls| (calls.by_thread, calls.focus) = (by_thread, None));
                            session.record_change(Change::Detail);
                        }
                    />
                    "by thread"
                </label>
            })}
            {move || range.get().filter(|_| form.get() != CallsForm::Table).map(|(from_ns, to_ns)| view! {
                <span class="quiet" data-testid="calls-range">
                    {format!("in the selected range of {}", format::duration((to_ns - from_ns) as f64))}
                </span>
            })}
        </div>
        {move || match form.get() {
            CallsForm::Table => view! { <Table filter/> }.into_any(),
            CallsForm::Log => view! { <Log filter range/> }.into_any(),
            CallsForm::Flame => view! { <Flame filter=text by_thread range weight=CallWeight::Calls/> }.into_any(),
            CallsForm::DeviceStacks => view! { <Flame filter=text by_thread range weight=CallWeight::Device/> }.into_any(),
            CallsForm::WaitStacks => view! { <Flame filter=text by_thread range weight=CallWeight::Waits/> }.into_any(),
            CallsForm::IdleStacks => view! { <Flame filter=text by_thread range weight=CallWeight::Idle/> }.into_any(),
            CallsForm::Samples => view! { <Flame filter=text by_thread range weight=CallWeight::Samples/> }.into_any(),
            CallsForm::Allocations => view! { <Flame filter=text by_thread range weight=CallWeight::Allocated/> }.into_any(),
            CallsForm::Peak => view! { <Flame filter=text by_thread range weight=CallWeight::Peak/> }.into_any(),
        }}
    }
}

/// True if threads can have separate graphs.
fn is_by_thread(form: CallsForm) -> bool {
    !matches!(form, CallsForm::Table | CallsForm::Log | CallsForm::DeviceStacks)
}

fn title(form: CallsForm) -> &'static str {
    match form {
        CallsForm::Table => "Table",
        CallsForm::Log => "Log",
        CallsForm::Flame => "Flame graph",
        CallsForm::DeviceStacks => "Device by stack",
        CallsForm::WaitStacks => "Waits by stack",
        CallsForm::IdleStacks => "Idle by stack",
        CallsForm::Samples => "Samples",
        CallsForm::Allocations => "Allocations by stack",
        CallsForm::Peak => "Peak memory by stack",
    }
}

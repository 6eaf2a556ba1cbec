use std::sync::Arc;

use syclscope_language::api::{Growth, LeakPlace, Leaks, LocationInfo, Misuse, SliceRef};
use syclscope_language::question::{LeaksQuestion, Question};

use crate::components::long_table::follow;
use crate::components::states::{Nothing, show_answer};
use crate::components::table::{OnRow, SortableTable, TableModel};
use crate::components::view_body::ViewBody;
use crate::format;
use crate::hooks::answer::use_answer;
use crate::reactive::*;
use crate::state::history::Change;
use crate::state::rows::Link;
use crate::state::selection::Selection;
use crate::state::session::{Session, use_session};
use crate::state::table::Order;
use crate::state::words;
use crate::views::memory::ID;
use crate::views::memory::columns::{GROWTH, LEAKS, MISUSE, Row};
use crate::views::memory::names;
use crate::views::memory::state::MemoryState;

const MAX_ROWS: u32 = 500;

#[component]
pub(super) fn LeaksAndMisuse() -> impl IntoView {
    let query =
        use_answer::<Leaks>(|| Some(Question::Leaks(LeaksQuestion { process: None, limit: MAX_ROWS })));
    view! {
        <ViewBody view=ID label="Leaks and misuse" testid="leaks">
            {show_answer(query, "leaks and misuse", |leaks| view! { <LeakTables leaks/> })}
        </ViewBody>
    }
}

#[component]
fn LeakTables(leaks: Leaks) -> impl IntoView {
    let session = use_session();
    let info = session.info();
    let order =
        Memo::new(move |_| session.slot::<MemoryState>().with(|memory| Order::from_text(&memory.order)));
    let on_order = Callback::new(move |order: Order| {
        session.slot::<MemoryState>().update(|memory| memory.order = order.to_text());
        session.record_change(Change::Detail);
    });
    let Leaks { complete, at_end, places, more_places, growth, more_growth, misuse, more_misuse } = leaks;
    if at_end.count == 0 && growth.is_empty() && misuse.is_empty() {
        return view! {
            <Nothing title="No leaks">
                "Every allocation was released, no loop leaks memory, and no misuse was found."
            </Nothing>
        }
        .into_any();
    }
    let leaked: Vec<_> = places.iter().map(|place| Row::<LeakPlace>::new(&info, place)).collect();
    let growing: Vec<_> = growth.iter().map(|place| Row::<Growth>::new(&info, place)).collect();
    let wrong = misuse.clone();
    let leak_model = TableModel {
        columns: &LEAKS,
        label: "Never released by source line",
        testid: "never-released-by-place",
        on_row: Some(line_of(session, Row::<LeakPlace>::location)),
        is_selected: is_line(session, Row::<LeakPlace>::location),
    };
    let growth_model = TableModel {
        columns: &GROWTH,
        label: "Growth by source line",
        testid: "what-grows-by-place",
        on_row: Some(line_of(session, Row::<Growth>::location)),
        is_selected: is_line(session, Row::<Growth>::location),
    };
    let misuse_model = TableModel {
        columns: &MISUSE,
        label: "Misuse",
        testid: "misuse",
        on_row: Some(Arc::new(move |row: &Misuse| match row.at {
            Some(at) => session.select(Some(Selection::Slice(at.slice))),
            None => drop(row.location.as_ref().map(|location| show_line(session, location))),
        })),
        is_selected: Arc::new(move |row: &Misuse| {
            let slice = row.at.map(|at| Selection::Slice(at.slice));
            slice.is_some() && session.selection.with(|selection| *selection == slice)
        }),
    };
    let (leaks_none, growth_none, misuse_none) = (leaked.is_empty(), growing.is_empty(), wrong.is_empty());
    let faults = misuse.into_iter().map(|misuse| view! { <Fault misuse/> }).collect_view();
    view! {
        <div class="leaks">
            <section>
                <h3>"Never released "<span class="quiet" data-testid="leaks-at-end">{format!(
                    "{} in {}",
                    format::bytes(at_end.bytes as f64),
                    format::counted(at_end.count, "allocation", "allocations")
                )}</span></h3>
                {(!complete).then(|| view! {
                    <p class="notice">"The recording lacks events, or ended before the program: live allocations may have been released."</p>
                })}
                {if leaks_none {
                    view! { <p class="quiet">"Every allocation was released."</p> }.into_any()
                } else {
                    view! { <SortableTable model=leak_model rows=Signal::stored(leaked) order on_order/> }.into_any()
                }}
                {more(more_places, "source line", "source lines")}
            </section>
            <section>
                <h3>"Growth"</h3>
                {if growth_none {
                    view! { <p class="quiet">"No loop leaks memory."</p> }.into_any()
                } else {
                    view! { <SortableTable model=growth_model rows=Signal::stored(growing) order on_order/> }.into_any()
                }}
                {more(more_growth, "source line", "source lines")}
            </section>
            <section>
                <h3>"Misuse"</h3>
                {if misuse_none {
                    view! { <p class="quiet">"No misuse found."</p> }.into_any()
                } else {
                    view! {
                        <ul class="faults">{faults}</ul>
                        <SortableTable model=misuse_model rows=Signal::stored(wrong) order on_order/>
                    }
                    .into_any()
                }}
                {more(more_misuse, "fault", "faults")}
            </section>
        </div>
    }
    .into_any()
}

fn more(count: u64, singular: &'static str, plural: &'static str) -> Option<impl IntoView> {
    (count > 0).then(
        || view! { <p class="quiet">{format!("{} more", format::counted(count, singular, plural))}</p> },
    )
}

fn show_line(session: Session, location: &LocationInfo) {
    let line = Selection::Line { file: location.file.clone(), line: location.line };
    follow(session, &Link::Select(line));
}

fn line_of<T: 'static>(session: Session, location: fn(&T) -> Option<LocationInfo>) -> OnRow<T> {
    Arc::new(move |row: &T| {
        if let Some(location) = location(row) {
            session.select(Some(Selection::Line { file: location.file, line: location.line }));
        }
    })
}

fn is_line<T: 'static>(
    session: Session,
    location: fn(&T) -> Option<LocationInfo>,
) -> Arc<dyn Fn(&T) -> bool + Send + Sync> {
    Arc::new(move |row: &T| {
        location(row).is_some_and(|location| {
            let line = Selection::Line { file: location.file, line: location.line };
            session.selection.with(|selection| *selection == Some(line))
        })
    })
}

#[component]
fn Fault(misuse: Misuse) -> impl IntoView {
    let places = [
        ("Called in ", misuse.location),
        ("First released in ", misuse.released_location),
        ("Allocated in ", misuse.allocated_location),
    ];
    let places = places.into_iter().filter_map(|(words, location)| {
        location
            .filter(|location| !location.file.is_empty())
            .map(|location| view! { <FaultPlace words location/> })
    });
    let slices = [("the call or command", misuse.at), ("the first release", misuse.released_at)];
    let slices = slices.into_iter().filter_map(|(text, at)| at.map(|at| view! { <FaultSlice text at/> }));
    view! {
        <li class="fault" data-testid="fault">
            <p><b>{names::misuse(misuse.kind)}</b>" "<span class="quiet">{format!("{:#x} at {}", misuse.pointer, format::moment(misuse.at_ns as f64))}</span></p>
            <p>{misuse.message}</p>
            <p class="finding-links">{places.collect_view()}{slices.collect_view()}</p>
        </li>
    }
}

#[component]
fn FaultPlace(words: &'static str, location: LocationInfo) -> impl IntoView {
    let session = use_session();
    let text = words::short_place(&location);
    view! {
        <span>{words}<button type="button" class="jump" on:click=move |_| show_line(session, &location)>{text}</button></span>
    }
}

#[component]
fn FaultSlice(text: &'static str, at: SliceRef) -> impl IntoView {
    let session = use_session();
    view! { <button type="button" class="jump" data-slice=at.slice.to_string() on:click=move |_| session.go_to(at)>{text}</button> }
}

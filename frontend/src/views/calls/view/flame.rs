//! Calls as a flame graph: all calls, or callers and callees of one name; time and bytes by call stack.

use syclscope_language::api::{CallGroup, CallNode, CallTree, Sandwich};
use syclscope_language::filter::FilterError;
use syclscope_language::question::{
    CallGrouping, CallTreeQuestion, CallWeight, Question, SandwichQuestion, Selection as Slices,
};
use syclscope_language::share::share;

use crate::browser::hint;
use crate::components::flame_frame::{FlameFrame, ROW_CSS_PX};
use crate::components::name_cell::{MAX_LETTERS, NameCell};
use crate::components::states::{Nothing, show_answer};
use crate::components::theme::slice_colour;
use crate::components::view_body::ViewBody;
use crate::format;
use crate::hooks::answer::{Answer, use_answer};
use crate::reactive::*;
use crate::state::flame::{FlameBox, boxes, names_to, node_of};
use crate::state::history::Change;
use crate::state::selection::Selection;
use crate::state::session::use_session;
use crate::views::calls::ID;
use crate::views::calls::columns::counted_as;
use crate::views::calls::state::{CallsState, FlameFocus, group_key};
use crate::views::calls::view::log::filter_failure;

const MAX_NODES: u32 = 3_000;
/// Maximum number of nodes above and below one name.
const MAX_STEPS: u32 = 40;
#[component]
pub(super) fn Flame(
    filter: Memo<String>,
    by_thread: Memo<bool>,
    range: Memo<Option<(u64, u64)>>,
    weight: CallWeight,
) -> impl IntoView {
    let session = use_session();
    let slices = Memo::new(move |_| {
        let (from_ns, to_ns) = range.get().unzip();
        let filter = filter.get().parse().map_err(|error: FilterError| error.to_string())?;
        Ok::<_, String>(Slices { from_ns, to_ns, filter, tracks: None, objects: None })
    });
    let filter_error = Memo::new(move |_| slices.get().err());
    let query = use_answer::<CallTree>(move || {
        let by = if by_thread.get() { CallGrouping::Thread } else { CallGrouping::All };
        let selection = slices.get().ok()?;
        Some(Question::CallTree(CallTreeQuestion { selection, by, weight, limit: MAX_NODES }))
    });
    let name = Memo::new(move |_| {
        session.selection.with(|selection| match selection {
            Some(Selection::Name(name)) => Some(name.clone()),
            _ => None,
        })
    });
    let sandwich = use_answer::<Sandwich>(move || {
        let name = name.get().filter(|_| weight == CallWeight::Calls)?;
        let question = SandwichQuestion { name, selection: slices.get().ok()?, limit: MAX_STEPS };
        Some(Question::Sandwich(question))
    });
    let is_ready = Signal::derive(move || matches!(query.answer.get(), Answer::Ready(_)));
    let zoom = hint("Double-click a box, or press Z, to zoom to it.", "Tap a box twice to zoom to it.");
    view! {
        <div class="flame-view">
            <ViewBody view=ID label="Flame graph" testid="flame" is_ready>
                {move || match filter_error.get() {
                    Some(error) => filter_failure(error).into_any(),
                    None => show_answer(query, "the flame graph", move |tree| view! { <Tree tree weight/> }).into_any(),
                }}
            </ViewBody>
            // This section is present from the start, because a box must not move between the presses of a
            // double-click.
            <section class="sandwich" aria-label="Callers and callees of the selected name" data-testid="sandwich">
                {move || match name.get() {
                    _ if weight != CallWeight::Calls => view! {
                        <p class="quiet">"Frames of the recorded call stacks, and below them the commands, the waits, the allocations or what a sampled thread was blocked in. "{zoom}</p>
                    }
                    .into_any(),
                    Some(name) => view! {
                        <h3>{name}</h3>
                        {show_answer(sandwich, "callers and callees", move |sandwich| view! { <Around sandwich/> })}
                    }
                    .into_any(),
                    None => view! {
                        <p class="quiet">
                            {hint("Click", "Tap")}" a box to see its callers and callees. "{zoom}
                        </p>
                    }
                    .into_any(),
                }}
            </section>
        </div>
    }
}

#[component]
fn Tree(tree: CallTree, weight: CallWeight) -> impl IntoView {
    let CallTree { groups, names, left_out } = tree;
    if groups.iter().all(|group| group.nodes.is_empty()) {
        if weight != CallWeight::Calls {
            return view! { <Nothing title="No call stacks">"Record with --stacks native or --sample, or change the filter or the selected range."</Nothing> }
                .into_any();
        }
        return view! { <Nothing title="No calls">"Change the filter or the selected range."</Nothing> }
            .into_any();
    }
    let names = StoredValue::new(names);
    let left_out = (left_out > 0).then(|| {
        let nodes = format::counted(left_out, "node", "nodes");
        view! { <p class="quiet flame-note">{format!("Not shown: {nodes} with the least {}.", if weight.is_bytes() { "bytes" } else { "time" })}</p> }
    });
    view! {
        {groups.into_iter().map(|group| view! { <Group group names weight/> }).collect_view()}
        {left_out}
    }
    .into_any()
}

#[component]
fn Group(group: CallGroup, names: StoredValue<Vec<String>>, weight: CallWeight) -> impl IntoView {
    let session = use_session();
    let (key, total) = (group_key(group.process, group.track), group.total());
    let CallGroup { name, threads, nodes, .. } = group;
    let nodes = StoredValue::new(nodes);
    let focus = Memo::new(move |_| {
        session.slot::<CallsState>().with(|calls| {
            let focus = calls.focus.as_ref().filter(|focus| focus.group == key)?;
            names.with_value(|names| nodes.with_value(|nodes| node_of(nodes, names, &focus.names)))
        })
    });
    let set_focus = Callback::new(move |node: Option<u32>| {
        let names = |node| names.with_value(|names| nodes.with_value(|nodes| names_to(nodes, names, node)));
        let focus = node.map(|node| FlameFocus { group: key, names: names(node) });
        session.slot::<CallsState>().update(|calls| calls.focus = focus);
        session.record_change(Change::Jump);
    });
    let rects = Memo::new(move |_| nodes.with_value(|nodes| boxes(nodes, focus.get())));
    let rows =
        Memo::new(move |_| rects.with(|rects| rects.iter().map(|found| found.depth + 1).max().unwrap_or(0)));
    let frames = move || {
        let frames = rects.get().into_iter().map(|place| {
            let node = nodes.with_value(|nodes| nodes[place.node as usize]);
            view! { <Frame place node names total weight set_focus/> }
        });
        frames.collect_view()
    };
    let title = (!name.is_empty()).then(|| {
        view! { <h3 class="flame-group">{name}" "<span class="quiet">{amount(weight, total)}</span></h3> }
    });
    // Threads overlap, so their sum is longer than the run.
    let summed = (threads > 1).then(|| {
        let text = format!("{} summed over {threads} threads", amount(weight, total));
        view! { <p class="quiet flame-note" data-testid="flame-summed">{text}</p> }
    });
    view! {
        {title}
        {summed}
        <div class="flame" role="tree" aria-label="Calls by caller" style:height=move || format!("{}px", rows.get() * ROW_CSS_PX)>
            {frames}
        </div>
        {move || focus.get().map(|_| view! {
            <button type="button" class="button flame-back" on:click=move |_| set_focus.run(None)>"Zoom out"</button>
        })}
    }
}

#[component]
fn Frame(
    place: FlameBox,
    node: CallNode,
    names: StoredValue<Vec<String>>,
    total: u64,
    weight: CallWeight,
    set_focus: Callback<Option<u32>>,
) -> impl IntoView {
    let number = place.node;
    let name = names.with_value(|names| names.get(node.name as usize).cloned()).unwrap_or_default();
    let colour = slice_colour(node.category, &name);
    let ([one, several], own) = (counted_as(weight), if weight.is_bytes() { "own" } else { "self time" });
    let title = format!(
        "{name}\n{} in {}, {:.1} % of total; {own} {}",
        amount(weight, node.total()),
        format::counted(node.count, one, several),
        node.total() as f64 / total.max(1) as f64 * 100.0,
        amount(weight, node.own()),
    );
    view! {
        <FlameFrame
            place
            name
            title
            colour=Signal::derive(colour)
            on:dblclick=move |_| set_focus.run(Some(number))
            on:keydown=move |event| {
                if event.key().eq_ignore_ascii_case("z") {
                    event.prevent_default();
                    event.stop_propagation();
                    set_focus.run(Some(number));
                }
            }
        />
    }
}

fn amount(weight: CallWeight, amount: u64) -> String {
    if weight.is_bytes() { format::bytes(amount as f64) } else { format::duration(amount as f64) }
}

/// Callers above, callees below, each indented by its distance.
#[component]
fn Around(sandwich: Sandwich) -> impl IntoView {
    let Sandwich { count, total_ns, self_ns, callers, callees, names, .. } = sandwich;
    let all = format::counted(count, "call", "calls");
    let facts = format!(
        "{all}, summed {}, self time {}",
        format::duration(total_ns as f64),
        format::duration(self_ns as f64)
    );
    view! {
        <p class="quiet">{facts}</p>
        <h4>"Called by"</h4>
        <Steps nodes=callers names=names.clone() total_ns/>
        <h4>"Calls"</h4>
        <Steps nodes=callees names total_ns/>
    }
}

#[component]
fn Steps(nodes: Vec<CallNode>, names: Vec<String>, total_ns: u64) -> impl IntoView {
    let session = use_session();
    // The first node is the name itself.
    let mut depths = vec![0_usize; nodes.len()];
    let named = |node: &CallNode| names.get(node.name as usize).map_or("", String::as_str);
    let short = session.fit_names(nodes.iter().map(named).collect(), MAX_LETTERS);
    let lines: Vec<_> = nodes
        .iter()
        .zip(short)
        .enumerate()
        .filter_map(|(number, (node, short))| {
            let depth = depths[node.parent? as usize] + 1;
            depths[number] = depth;
            let name = names.get(node.name as usize)?.clone();
            let selected = Selection::Name(name.clone());
            let on_press = Callback::new(move |()| session.mark(Some(selected.clone())));
            Some(view! {
                <tr>
                    <NameCell name short category=node.category indent_css_px=(depth - 1) * 12 on_press/>
                    <td class="number quiet">{format!("{} ×", format::count(node.count))}</td>
                    <td class="number">{format::duration(node.total_ns as f64)}</td>
                    <td class="number quiet">{share(node.total_ns, total_ns, 0)}</td>
                </tr>
            })
        })
        .collect();
    if lines.is_empty() {
        return view! { <p class="quiet">"None recorded"</p> }.into_any();
    }
    view! { <table class="mini"><tbody>{lines}</tbody></table> }.into_any()
}

//! The cards about commands, queues, copies, waits and memory.

use syclscope_language::api::{
    CommandReport, CopyReport, HostTaskReport, MemoryReport, QueueIdle, UnreleasedReport, WaitReport,
};
use syclscope_language::event::AllocationKind;
use syclscope_language::share::share;

use super::name_line::{MAX_LETTERS, NameLine};
use super::parts_bar::PartsBar;
use super::{Card, Lines, MAX_LINES, More, Summed, USUAL_LINES};
use crate::components::category::{chip_category, kind_name};
use crate::components::facts::LineLink;
use crate::format;
use crate::reactive::*;
use crate::state::call::Goal;
use crate::state::selection::Selection;
use crate::state::session::use_session;
use crate::state::words::queue_title;
use crate::views::summary::parts::of_queue;

#[component]
pub(super) fn Commands(
    commands: Vec<CommandReport>,
    host_tasks: Vec<HostTaskReport>,
    covered_ns: u64,
) -> impl IntoView {
    let all = commands.len();
    let count: u64 = commands.iter().map(|command| command.count).sum();
    let tasks = host_tasks.into_iter().take(USUAL_LINES).map(|task| {
        let HostTaskReport { location, count, estimated, at_most_ns, .. } = task;
        let is_whole = estimated == count;
        let count = format::counted(count, "host task", "host tasks");
        let text = match estimated {
            0 => format!("{count}: time unknown"),
            _ if !is_whole => {
                format!(
                    "{count}: {} of them at most {}",
                    format::count(estimated),
                    format::duration(at_most_ns as f64)
                )
            }
            _ => format!("{count}: at most {}", format::duration(at_most_ns as f64)),
        };
        view! { <p class="quiet" data-testid="host-tasks">{text}" "<LineLink location/></p> }
    });
    let tasks = tasks.collect_view();
    let whole_ns: u64 = commands.iter().map(|command| command.total_ns).sum();
    let names = commands.iter().take(MAX_LINES).map(|command| command.name.as_str()).collect();
    let short = use_session().fit_names(names, MAX_LETTERS);
    let lines = commands.into_iter().zip(short).map(|(command, short)| {
        let CommandReport { name, kind, count, total_ns, p50_ns, p95_ns, location, locations, .. } = command;
        let (half, max) = (format::duration(p50_ns as f64), format::duration(p95_ns as f64));
        let place = match location.filter(|place| !place.file.is_empty()) {
            Some(place) if locations < 2 => format!("\n{}:{}", place.file, place.line),
            Some(_) => format!("\n{locations} places"),
            None => String::new(),
        };
        let title = format!("{name}\n{}: p50 {half}, p95 {max}{place}", kind_name(kind));
        view! { <NameLine name short category=chip_category(kind) title count own_ns=total_ns whole_ns/> }
    });
    let lines = lines.collect_view();
    (all > 0).then(|| {
        let big = format::duration(covered_ns as f64);
        let what = format::counted(count, "command", "commands");
        view! {
            <Card title="Device time by kernel and command" testid="top-commands" big>
                <Lines caption="Commands">{lines}</Lines>
                <Summed what sum_ns=whole_ns covered_ns/>
                <More all/>
                {tasks}
            </Card>
        }
    })
}

#[component]
pub(super) fn Queues(queues: Vec<QueueIdle>) -> impl IntoView {
    let session = use_session();
    let info = session.info();
    let (used, unused): (Vec<_>, Vec<_>) = queues.into_iter().partition(|queue| queue.busy_ns > 0);
    let all = used.len();
    let unused = (!unused.is_empty()).then(|| {
        let text = format!("{} without executions", format::counted(unused.len() as u64, "queue", "queues"));
        view! { <p class="quiet" data-testid="unused-queues">{text}</p> }
    });
    let lines = used.into_iter().take(MAX_LINES).map(|queue| {
        let entry = info.queues.iter().find(|entry| entry.id == queue.queue);
        let device = entry.map_or_else(String::new, |entry| entry.device.clone());
        let number = queue.queue;
        let parts = of_queue(&queue);
        let whole_ns = parts.iter().map(|part| part.length_ns).sum();
        let busy = share(queue.busy_ns, whole_ns, 0);
        view! {
            <li>
                <p>
                    <button
                        type="button"
                        class="jump"
                        data-thing=Selection::Queue(number).to_string()
                        on:click=move |_| session.select(Some(Selection::Queue(number)))
                    >{queue_title(&info, number)}</button>
                    <b>{busy}" busy"</b>
                    <span class="quiet">{device}</span>
                </p>
                <PartsBar parts/>
            </li>
        }
    });
    let lines = lines.collect_view();
    (all > 0 || unused.is_some()).then(|| {
        view! {
            <Card title="Queue utilization" testid="queues" big=String::new()>
                <ul class="queues">{lines}</ul>
                <More all/>
                {unused}
            </Card>
        }
    })
}

#[component]
pub(super) fn Copies(copies: Vec<CopyReport>) -> impl IntoView {
    let side = |name: &str| if name.is_empty() { "unknown".to_owned() } else { name.to_owned() };
    let all = copies.len();
    let whole: u64 = copies.iter().map(|copy| copy.bytes).sum();
    let lines = copies.into_iter().map(|copy| {
        let rate =
            if copy.bytes_per_ns > 0.0 { format!("{:.2} GB/s", copy.bytes_per_ns) } else { "–".into() };
        view! {
            <tr>
                <th scope="row">{format!("{} → {}", side(&copy.from), side(&copy.to))}</th>
                <td class="number quiet">{format!("{} ×", format::count(copy.count))}</td>
                <td class="number">{format::bytes(copy.bytes as f64)}</td>
                <td class="number">{format::duration(copy.total_ns as f64)}</td>
                <td class="number quiet">{rate}</td>
            </tr>
        }
    });
    let lines = lines.collect_view();
    (all > 0).then(|| {
        view! {
            <Card title="Copies by direction" testid="copies" big=format::bytes(whole as f64)>
                <Lines caption="Copies">{lines}</Lines>
            </Card>
        }
    })
}

#[component]
pub(super) fn Waits(waits: Vec<WaitReport>, covered_ns: u64) -> impl IntoView {
    let all = waits.len();
    let count: u64 = waits.iter().map(|wait| wait.count).sum();
    let whole_ns: u64 = waits.iter().map(|wait| wait.total_ns).sum();
    let lines = waits.into_iter().take(MAX_LINES).map(|wait| {
        // If the wait's own line is unknown, use the line of the awaited command.
        let by = match &wait.submitted {
            Some(place) if place.file.is_empty() => format!(" for {}", place.function),
            Some(_) => " for ".to_owned(),
            None => " ".to_owned(),
        };
        view! {
            <tr title=format!("longest {}", format::duration(wait.max_ns as f64))>
                <th scope="row"><span>{wait.name}</span>{by}<LineLink location=wait.location.or(wait.submitted)/></th>
                <td class="number quiet">{format!("{} ×", format::count(wait.count))}</td>
                <td class="number">{format::duration(wait.total_ns as f64)}</td>
            </tr>
        }
    });
    let lines = lines.collect_view();
    (all > 0).then(|| {
        view! {
            <Card title="Host waits" testid="waits" big=format::duration(covered_ns as f64)>
                <Lines caption="Waits">{lines}</Lines>
                <Summed what=format::counted(count, "wait", "waits") sum_ns=whole_ns covered_ns/>
                <More all/>
            </Card>
        }
    })
}

#[component]
pub(super) fn Memory(memory: Vec<MemoryReport>) -> impl IntoView {
    let session = use_session();
    let all = memory.len();
    let lines = memory.into_iter().map(|memory| {
        view! {
            <tr title=format!("{} allocated in total", format::bytes(memory.total_bytes as f64))>
                <th scope="row">
                    <button type="button" class="name-button" title="Show live memory at that time" on:click=move |_| session.go(Goal::MemoryAt(memory.peak_at_ns))>
                        <span>{memory_name(memory.kind)}</span>
                    </button>
                </th>
                <td class="number"><b>{format::bytes(memory.peak_bytes as f64)}</b></td>
                <td class="number quiet">{format!("at {}", format::moment(memory.peak_at_ns as f64))}</td>
                <td class="number quiet">{format::counted(memory.count, "allocation", "allocations")}</td>
            </tr>
        }
    });
    let lines = lines.collect_view();
    (all > 0).then(|| {
        view! {
            <Card title="Peak memory" testid="memory" big=String::new()>
                <Lines caption="Memory by kind">{lines}</Lines>
            </Card>
        }
    })
}

#[component]
pub(super) fn Unreleased(unreleased: Vec<UnreleasedReport>) -> impl IntoView {
    let session = use_session();
    let all = unreleased.len();
    let whole: u64 = unreleased.iter().map(|place| place.bytes).sum();
    let lines = unreleased.into_iter().take(MAX_LINES).map(|place| {
        view! {
            <tr>
                <th scope="row"><span>{memory_name(place.kind)}</span>" "<LineLink location=place.location/></th>
                <td class="number quiet">{format!("{} ×", format::count(place.count))}</td>
                <td class="number">{format::bytes(place.bytes as f64)}</td>
            </tr>
        }
    });
    let lines = lines.collect_view();
    (all > 0).then(|| {
        view! {
            <Card title="Memory never released" testid="unreleased" big=format::bytes(whole as f64)>
                <Lines caption="Memory by source line">{lines}</Lines>
                <button type="button" class="jump" data-testid="all-leaks" on:click=move |_| session.go(Goal::Unreleased)>"Leaks and misuse"</button>
                <More all/>
            </Card>
        }
    })
}

fn memory_name(kind: AllocationKind) -> &'static str {
    match kind {
        AllocationKind::Host => "Host",
        AllocationKind::Device => "Device",
        AllocationKind::Shared => "Shared",
        AllocationKind::Buffer => "Buffers",
        AllocationKind::Image => "Images",
        AllocationKind::Other => "Unknown kind",
    }
}

//! The predicted schedule below the recorded one: two rows for each queue, at one scale of time.

use std::fmt::Write as _;

use syclscope_language::api::{WhatIfPiece, WhatIfQueue, WhatIfSchedule};
use syclscope_language::event::Category;

use crate::format;
use crate::reactive::*;

/// Length of a row, and its height.
const WIDTH: f64 = 1000.0;
const HEIGHT: u32 = 10;

#[component]
pub(super) fn Schedule(schedule: WhatIfSchedule, recorded_ns: u64, changed_ns: u64) -> impl IntoView {
    let whole_ns = recorded_ns.max(changed_ns).max(1);
    let more = schedule.more_queues;
    let queues = schedule.queues.into_iter().map(|queue| {
        let WhatIfQueue { name, recorded, predicted, .. } = queue;
        view! {
            <p title=name.clone()>{name.clone()}</p>
            {row(&name, "recorded", &recorded, recorded_ns, whole_ns)}
            {row(&name, "predicted", &predicted, changed_ns, whole_ns)}
        }
    });
    let queues = queues.collect_view();
    let ends = format!(
        "Ends: recorded {}, predicted {}.",
        format::duration(recorded_ns as f64),
        format::duration(changed_ns as f64)
    );
    view! {
        <figure class="what-if-schedule" data-testid="what-if-schedule">
            {queues}
            <figcaption class="quiet">
                "Of each queue above as recorded, below, paler, as predicted. Commands that begin close together are one bar. " {ends}
                {(more > 0).then(|| format!(" {} not drawn.", format::counted(more, "queue", "queues")))}
            </figcaption>
        </figure>
    }
}

/// Commands of a queue, and the end of the run.
fn row(
    queue: &str,
    what: &'static str,
    pieces: &[WhatIfPiece],
    end_ns: u64,
    whole_ns: u64,
) -> impl IntoView + use<> {
    let x = |ns: u64| ns as f64 / whole_ns as f64 * WIDTH;
    let mut paths = [String::new(), String::new()];
    for piece in pieces {
        let width = (x(piece.to_ns) - x(piece.from_ns)).max(1.0);
        let is_copy = matches!(piece.category, Category::Copy | Category::Fill);
        // Infallible: a String takes all.
        let _ = write!(
            paths[usize::from(is_copy)],
            "M{:.1} 0h{width:.1}v{HEIGHT}h-{width:.1}z",
            x(piece.from_ns)
        );
    }
    let [others, copies] = paths;
    let end = format!("M{:.1} 0V{HEIGHT}", x(end_ns).min(WIDTH - 1.0));
    let count: u64 = pieces.iter().map(|piece| piece.count).sum();
    let label = format!("{queue}, {what}: {}", format::counted(count, "command", "commands"));
    view! {
        <svg
            viewBox=format!("0 0 {WIDTH} {HEIGHT}")
            preserveAspectRatio="none"
            role="img"
            aria-label=label
            class=what
        >
            <path class="mark-kernel" d=others/>
            <path class="mark-copy" d=copies/>
            <path class="what-if-end" d=end/>
        </svg>
    }
}

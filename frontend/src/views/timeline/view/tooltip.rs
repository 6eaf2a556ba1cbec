//! The line under the pointer, its time, and what is there.

use crate::canvas::palette::touch_colour;
use crate::components::category::category_name;
use crate::components::theme::{slice_colour, use_scheme};
use crate::format;
use crate::reactive::*;
use crate::views::memory::names;
use crate::views::timeline::view::Timeline;
use crate::views::timeline::view::signals::{Hover, Hovered};

/// Where the tooltip is, away from the pointer.
const OFFSET_CSS_PX: f64 = 14.0;

#[component]
pub(super) fn Tooltip(timeline: Timeline) -> impl IntoView {
    let (hover, scale) = (timeline.signals.hover, timeline.signals.scale);
    let x = Memo::new(move |_| {
        hover.with(|hover: &Option<Hover>| hover.as_ref().map(|hover| hover.x_css_px * scale.get()))
    });
    let time = move || {
        let (start_ns, end_ns) = timeline.signals.range_ns.get();
        let step_ns = (end_ns - start_ns) / 1_000.0;
        hover.with(|hover| hover.as_ref().map(|hover| format::time_on_grid(hover.at_ns, step_ns)))
    };
    let shift = move |x_css_px: f64| format!("translateX({x_css_px}px)");
    view! {
        <div
            class="cursor-line"
            class:is-hidden=move || x.get().is_none()
            style:transform=move || shift(x.get().unwrap_or(0.0))
        >
            <span class="cursor-time">{time}</span>
        </div>
        {move || {
            let hover = hover.get()?;
            let what = hover.what?;
            let scale = scale.get();
            Some(view! { <Bubble x=hover.x_css_px * scale y=hover.y_css_px * scale what/> })
        }}
    }
}

#[component]
fn Bubble(x: f64, y: f64, what: Hovered) -> impl IntoView {
    let (dx, dy) = (x + OFFSET_CSS_PX, y + OFFSET_CSS_PX);
    let content = match what {
        Hovered::Slice { name, category, start_ns, duration_ns, count, total_ns, touch } => {
            let (scheme, plain) = (use_scheme(), slice_colour(category, &name));
            let colour = move || match touch {
                Some(touch) => touch_colour(scheme.get(), touch).css(),
                None => plain(),
            };
            let what = match touch {
                Some(touch) => format!("{} · {}", names::event(touch), category_name(category)),
                None => category_name(category).to_owned(),
            };
            let merged = (count > 1).then(|| {
                let slices = format::counted(count.into(), "slice", "slices");
                let text = format!("{slices} merged, total {}", format::duration(total_ns as f64));
                view! { <div class="tooltip-merged">{text}</div> }
            });
            view! {
                <div class="tooltip-title">
                    <span class="chip" style:background-color=colour></span>
                    <span>{name}</span>
                </div>
                <div class="tooltip-facts">
                    <b>{format::duration(duration_ns as f64)}</b>
                    <span>{what}</span>
                    <span>{format!("at {}", format::duration(start_ns as f64))}</span>
                </div>
                {merged}
            }
            .into_any()
        }
        Hovered::Counter { name, unit, value } => {
            let range = value.range.map(|(min, max)| {
                let text =
                    format!("{} to {} here", format::quantity(min, &unit), format::quantity(max, &unit));
                view! { <div class="tooltip-merged">{text}</div> }
            });
            view! {
                <div class="tooltip-title"><span>{name}</span></div>
                <div class="tooltip-facts"><b>{format::quantity(value.value, &unit)}</b></div>
                {range}
            }
            .into_any()
        }
    };
    view! {
        <div class="tooltip-place" style:transform=format!("translate({dx}px, {dy}px)") style:--pointer-x=format!("{x}px")>
            <div class="tooltip" role="tooltip" data-testid="tooltip" class:is-flipped=flips(x)>{content}</div>
        </div>
    }
}

/// Near the right edge the tooltip goes to the pointer's left.
fn flips(x_css_px: f64) -> bool {
    let width = crate::browser::document()
        .query_selector(".timeline-stage")
        .ok()
        .flatten()
        .map_or(f64::MAX, |stage| f64::from(stage.client_width()));
    x_css_px > width - 320.0 && x_css_px > 320.0
}

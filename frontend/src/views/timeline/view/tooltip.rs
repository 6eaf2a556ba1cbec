//! The line under the pointer, with its time and the tooltip.

use crate::canvas::palette::touch_colour;
use crate::components::category::category_name;
use crate::components::theme::{slice_colour, use_scheme};
use crate::format;
use crate::reactive::*;
use crate::stage::tooltip::Bubble;
use crate::state::objects;
use crate::views::timeline::view::Timeline;
use crate::views::timeline::view::signals::{Hover, Hovered};

#[component]
pub(super) fn Tooltip(timeline: Timeline) -> impl IntoView {
    let (hover, scale) = (timeline.signals.hover, timeline.signals.scale);
    let x = Memo::new(move |_| {
        hover.with(|hover: &Option<Hover>| hover.as_ref().map(|hover| hover.at.x * scale.get()))
    });
    let time = move || {
        let (start_ns, end_ns) = timeline.signals.range_ns.get();
        let step_ns = (end_ns - start_ns) / 1_000.0;
        hover.with(|hover| hover.as_ref().map(|hover| format::time_on_grid(hover.at_ns, step_ns)))
    };
    // The time is centred at the line, but stays within the stage.
    let inside = move || {
        let (x_css_px, at_ns) = (x.get()?, hover.with(|hover| hover.as_ref().map(|hover| hover.at_ns))?);
        let (start_ns, end_ns) = timeline.signals.range_ns.get();
        let share = ((at_ns - start_ns) / (end_ns - start_ns)).max(1e-6);
        let rest_css_px = x_css_px / share * (1.0 - share);
        Some(format!("translateX(clamp({:.1}px, -50%, {rest_css_px:.1}px - 100%))", -x_css_px))
    };
    let shift = move |x_css_px: f64| format!("translateX({x_css_px}px)");
    view! {
        <div
            class="cursor-line"
            class:is-hidden=move || x.get().is_none()
            style:transform=move || shift(x.get().unwrap_or(0.0))
        >
            <span class="cursor-time" style:transform=inside>{time}</span>
        </div>
        {move || {
            let hover = hover.get()?;
            let what = hover.what?;
            Some(view! { <Bubble at=hover.at testid="tooltip">{facts(what)}</Bubble> })
        }}
    }
}

fn facts(what: Hovered) -> AnyView {
    match what {
        Hovered::Slice { name, category, start_ns, duration_ns, count, total_ns, filled, touch } => {
            let (scheme, plain) = (use_scheme(), slice_colour(category, &name));
            let colour = move || match touch {
                Some(touch) => touch_colour(scheme.get(), touch).css(),
                None => plain(),
            };
            let what = match touch {
                Some(touch) => format!("{} · {}", objects::event(touch), category_name(category)),
                None => category_name(category).to_owned(),
            };
            let merged = (count > 1).then(|| {
                let slices = format::counted(count.into(), "slice", "slices");
                let total = format::duration(total_ns as f64);
                let text =
                    format!("{slices} merged, total {total}: busy {:.3} % of the time here", filled * 100.0);
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
                    <span>{format!("at {}", format::moment(start_ns as f64))}</span>
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
    }
}

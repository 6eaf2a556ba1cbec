use crate::format;
use crate::reactive::*;
use crate::views::summary::parts::Part;

#[component]
pub(super) fn PartsBar(parts: Vec<Part>) -> impl IntoView {
    let bars = parts.iter().map(|part| {
        let title = format!("{}: {}", part.title, format::duration(part.length_ns as f64));
        let class = format!("part part-{}", part.kind);
        view! { <span class=class style:width=format!("{:.3}%", part.share * 100.0) title=title></span> }
    });
    let legend = parts.iter().map(|part| {
        view! {
            <li>
                <span class=format!("chip part-{}", part.kind)></span>
                <b>{format::duration(part.length_ns as f64)}</b>
                <span class="quiet">{part.title}</span>
            </li>
        }
    });
    view! {
        <div class="parts" aria-hidden="true">{bars.collect_view()}</div>
        <ul class="legend">{legend.collect_view()}</ul>
    }
}

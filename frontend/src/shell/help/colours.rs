use syclscope_language::event::{AllocationKind, Category};

use crate::canvas::palette::{counter_colours, memory_colour, path_colour};
use crate::components::category::category_name;
use crate::components::theme::{slice_colour, use_scheme};
use crate::reactive::*;

/// Slice categories, by how often they are looked up.
const CATEGORIES: [Category; 11] = [
    Category::Kernel,
    Category::Copy,
    Category::Fill,
    Category::Command,
    Category::Submission,
    Category::Wait,
    Category::Call,
    Category::Native,
    Category::Memory,
    Category::Barrier,
    Category::User,
];

const MEMORY: [(AllocationKind, &str); 5] = [
    (AllocationKind::Device, "Device"),
    (AllocationKind::Shared, "Shared"),
    (AllocationKind::Host, "Host"),
    (AllocationKind::Buffer, "Buffers"),
    (AllocationKind::Image, "Images"),
];

fn entry(colour: impl Fn() -> String + Send + 'static, name: &'static str) -> AnyView {
    view! { <li><span class="chip" style:background-color=colour></span>{name}</li> }.into_any()
}

#[component]
pub(super) fn Colours() -> impl IntoView {
    let scheme = use_scheme();
    let slices = CATEGORIES.map(|category| {
        let colour = slice_colour(category, "");
        let name = if category == Category::Kernel {
            "Kernels: 8 shades by device time, the most first; then they repeat"
        } else {
            category_name(category)
        };
        entry(colour, name)
    });
    let marks = [
        entry(move || path_colour(scheme.get()).css(), "Critical path"),
        entry(move || counter_colours(scheme.get()).0.css(), "Counters"),
    ];
    let memory = MEMORY.map(|(kind, name)| entry(move || memory_colour(scheme.get(), kind).css(), name));
    let kernel = [
        entry(|| "var(--mark-copy)".to_owned(), "The first execution on a queue"),
        entry(|| "var(--mark-kernel)".to_owned(), "Later executions"),
    ];
    view! {
        <h4>"Slices: timeline, calls, summary"</h4>
        <ul class="legend">{slices.into_iter().chain(marks).collect_view()}</ul>
        <h4>"Memory"</h4>
        <ul class="legend">{memory.into_iter().collect_view()}</ul>
        <h4>"Kernel"</h4>
        <ul class="legend">{kernel.into_iter().collect_view()}</ul>
        <p>
            "The graph has its legend in its corner: it follows what nodes are coloured by. Pale things are what a \
             search did not find."
        </p>
    }
}

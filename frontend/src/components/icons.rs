//! Icons in the surrounding text colour.

use crate::reactive::*;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum IconKind {
    Close,
    Compare,
    Download,
    File,
    Help,
    Label,
    Moon,
    Only,
    Pin,
    Share,
    SplitColumn,
    SplitRow,
    Sun,
    System,
    Trash,
    Up,
    Upload,
    Warning,
}

#[component]
pub(crate) fn Icon(kind: IconKind) -> impl IntoView {
    let path = match kind {
        IconKind::Close => "M4 4l8 8M12 4l-8 8",
        IconKind::Compare => "M2.5 5.5h10M10 3l2.5 2.5L10 8M13.5 10.5h-10M6 8l-2.5 2.5L6 13",
        IconKind::Download => "M8 2.5v7M5 7l3 3 3-3M3 13h10",
        IconKind::File => "M4 2h5l3 3v9H4zM9 2v3h3",
        IconKind::Help => {
            "M6 6.2a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.4M8 11.8v.2M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8z"
        }
        IconKind::Label => "M2.5 2.5h5l6 6-5 5-6-6zM5.2 5v.4",
        IconKind::Moon => "M13 9.6A5.6 5.6 0 0 1 6.4 3 5.6 5.6 0 1 0 13 9.6z",
        IconKind::Only => "M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3",
        IconKind::Pin => "M6 2.5h4l-.5 4.5 2 2.5h-7l2-2.5zM8 9.5v4",
        IconKind::Share => "M8 9.5v-7M5 5l3-3 3 3M5.5 7.5H3.5v6h9v-6h-2",
        IconKind::SplitColumn => "M2.5 3h11v10h-11zM2.5 8h11",
        IconKind::SplitRow => "M2.5 3h11v10h-11zM8 3v10",
        IconKind::Sun => {
            "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9"
        }
        IconKind::System => "M2.5 3h11v7.5h-11zM6 13.2h4M8 10.5v2.7",
        IconKind::Trash => "M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5M6.8 7v3.5M9.2 7v3.5",
        IconKind::Up => "M3.5 10 8 5.5l4.5 4.5",
        IconKind::Upload => "M8 10V3M5 5.5l3-3 3 3M3 13h10",
        IconKind::Warning => "M8 2.5 14 13H2zM8 6.5v3M8 11.2v.2",
    };
    view! {
        <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d=path/></svg>
    }
}

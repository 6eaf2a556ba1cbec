//! Entries of an entity's menu: commands, and links to other views.

use wasm_bindgen::JsCast as _;
use web_sys::HtmlElement;

use crate::browser::document;
use crate::shell::commands;
use crate::shell::share::copy;
use crate::state::call::Goal;
use crate::state::detail::Detail;
use crate::state::filters::{quoted, slices_of};
use crate::state::keys::CommandInfo;
use crate::state::selection::Selection;
use crate::state::session::Session;

pub(super) struct Item {
    pub(super) title: String,
    pub(super) command: Option<&'static CommandInfo>,
    pub(super) act: Box<dyn Fn()>,
}

struct Items(Vec<Item>);

impl Items {
    fn push(&mut self, title: impl Into<String>, act: impl Fn() + 'static) {
        self.0.push(Item { title: title.into(), command: None, act: Box::new(act) });
    }

    /// Adds a command by its id, with another title if the command's own does not fit.
    fn command(&mut self, id: &str, title: &str) {
        if let Some(command) = commands::all().find(|command| command.id == id) {
            let title = if title.is_empty() { command.title } else { title }.to_owned();
            self.0.push(Item { title, command: Some(command), act: Box::new(|| {}) });
        }
    }

    fn of_label(&mut self, track: u32) {
        let buttons = document().query_selector_all(&format!("[data-track='{track}'] .track-tools button"));
        let Ok(buttons) = buttons else { return };
        for place in 0..buttons.length() {
            let Some(button) = buttons.item(place).and_then(|node| node.dyn_into::<HtmlElement>().ok())
            else {
                continue;
            };
            let title = format!("Track: {}", button.title());
            // A track can have several labels with the same buttons.
            if self.0.iter().all(|item| item.title != title) {
                self.push(title, move || button.click());
            }
        }
    }
}

/// Returns the entries for a track, else for the selection, else for the active view.
pub(super) fn items(session: Session, track: Option<u32>) -> Vec<Item> {
    let mut items = Items(Vec::new());
    let active = session.active.get();
    match (track, session.selection.get()) {
        (Some(track), _) => {
            let name = session.info().tracks.get(track as usize).map(|track| track.name.clone());
            items.of_label(track);
            if let Some(name) = name {
                items.push("Copy name", move || copy_name(session, &name));
            }
        }
        (None, Some(selection)) => of_selection(&mut items, session, selection),
        (None, None) => {
            let ids = ["fit_all", "fit_device", "search", "svg", "png"];
            ids.iter().for_each(|id| items.command(&format!("{}.{id}", active.as_str()), ""));
        }
    }
    if track.is_none() && session.talk.with_untracked(|talk| talk.all.may_comment) {
        items.command("page.comment", "");
    }
    items.command("page.link", "");
    items.0
}

fn of_selection(items: &mut Items, session: Session, selection: Selection) {
    let info = session.info();
    let active = session.active.get();
    let slice = session.detail.with(|detail| match detail {
        Detail::Slice(slice) => Some(slice.clone()),
        _ => None,
    });
    let name = match &selection {
        Selection::Name(name) => Some(name.clone()),
        Selection::Slice(_) => slice.as_ref().map(|slice| slice.name.clone()),
        _ => None,
    };
    match &selection {
        Selection::Slice(_) => {
            items.command("timeline.fit", "Zoom to slice");
            if active.as_str() == "timeline" {
                items.command("timeline.measure_selected", "");
                items.command("timeline.note", "Write a note");
            }
        }
        Selection::Range { start_ns, end_ns } => {
            let (start_ns, end_ns) = (*start_ns as f64, *end_ns as f64);
            items.push("Zoom to range", move || session.go(Goal::Range(start_ns, end_ns)));
        }
        Selection::Object(_) | Selection::Allocation(_) => {
            items.command("timeline.show_object", "Show it on a track of its own");
        }
        _ => {}
    }
    if let (Some(name), Selection::Slice(_)) = (name.clone(), &selection) {
        let title = format!("Select all: {}", session.short_name(&name));
        items.push(title, move || session.select(Some(Selection::Name(name.clone()))));
    }
    let filter = match (&name, &selection) {
        (Some(name), _) => Some(format!("name={}", quoted(name))),
        (None, Selection::Range { .. }) => None,
        _ => slices_of(&selection).map(|slices| slices.filter.to_string()),
    };
    if let Some(filter) = filter {
        items.push("Find all in the timeline", move || session.go(Goal::Matches(filter.clone())));
    }
    let command = slice.as_ref().and_then(|slice| slice.node.as_ref());
    let kernel = command.map(|node| node.name.clone()).or(name.clone());
    if let Some(kernel) = kernel.filter(|kernel| info.kernels.iter().any(|other| other.name == *kernel)) {
        items.push("Show executions", move || session.go(Goal::Kernel(kernel.clone())));
    }
    let place = slice.as_ref().and_then(|slice| {
        slice.location.clone().or_else(|| slice.node.as_ref().and_then(|node| node.location.clone()))
    });
    if let Some(place) = place.filter(|place| !place.file.is_empty() && place.line > 0) {
        let title = format!("Show source line {}", place.line);
        items.push(title, move || session.go_to_line(place.file.clone(), place.line));
    }
    for view in ["timeline", "graph", "memory"].iter().filter(|view| **view != active.as_str()) {
        items.command(&format!("page.{view}"), "");
    }
    if command.is_some() {
        items.command("graph.around", "Show its neighbourhood in the graph");
    }
    if let Some(slice) = &slice {
        items.of_label(slice.at.track);
    }
    if let Some(name) = name {
        items.push("Copy name", move || copy_name(session, &name));
    }
    if let Some(slice) = slice {
        let text = slice.at.duration_ns.to_string();
        items.push("Copy duration in ns", move || {
            copy(session, text.clone(), "duration", "Copied the duration".to_owned());
        });
    }
}

fn copy_name(session: Session, name: &str) {
    copy(session, name.to_owned(), "name", "Copied the name".to_owned());
}

//! The views of a trace, and the table of views, from which panes, commands and help are generated.

pub mod calls;
pub mod compare;
pub mod graph;
pub mod kernel;
pub mod memory;
pub mod source;
pub mod sql;
pub mod summary;
pub mod timeline;

use syclscope_language::api::TraceInfo;

use crate::state::view::{View, Views};
use crate::state::view_descriptor::ViewDescriptor;

/// All views, in display order.
pub static TABLE: [&ViewDescriptor; 9] = [
    &summary::descriptor::DESCRIPTOR,
    &timeline::descriptor::DESCRIPTOR,
    &graph::descriptor::DESCRIPTOR,
    &memory::descriptor::DESCRIPTOR,
    &source::descriptor::DESCRIPTOR,
    &calls::descriptor::DESCRIPTOR,
    &kernel::descriptor::DESCRIPTOR,
    &compare::descriptor::DESCRIPTOR,
    &sql::descriptor::DESCRIPTOR,
];

static ALL: [View; TABLE.len()] = {
    let mut all = [timeline::ID; TABLE.len()];
    let mut place = 0;
    while place < all.len() {
        all[place] = TABLE[place].view;
        place += 1;
    }
    all
};

pub const VIEWS: Views = Views { all: &ALL, first: timeline::ID };

/// True if a view is offered for a trace. All views are offered for our own recordings, where they explain missing
/// data. For another tool's trace, only views with content are.
pub fn is_offered(view: View, info: &TraceInfo) -> bool {
    let counts = &info.counts;
    let has_some = || match view {
        graph::ID => counts.edges > 0,
        memory::ID => counts.allocations + counts.objects > 0,
        source::ID => !info.sources.is_empty() || info.producer().is_none(),
        kernel::ID => counts.executions > 0,
        calls::ID => counts.slices > counts.executions,
        _ => true,
    };
    !info.is_foreign() || has_some()
}

pub fn entry(view: View) -> Option<(usize, &'static ViewDescriptor)> {
    TABLE.into_iter().enumerate().find(|(_, descriptor)| descriptor.view == view)
}

pub fn title(view: View) -> &'static str {
    entry(view).map_or("", |(_, descriptor)| descriptor.title)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::state::time::SharedTime;
    use crate::state::url::panels::PanelsState;
    use crate::state::url::part::AddressPart;

    const PAGE: [&str; 6] = ["file", "v", "s", "p", "sc", "theme"];

    #[test]
    fn every_view_has_an_id_of_its_own() {
        let ids: HashSet<&str> = VIEWS.all.iter().map(|view| view.as_str()).collect();
        assert_eq!(ids.len(), TABLE.len());
        assert!(ids.iter().all(|id| id.bytes().all(|byte| byte.is_ascii_lowercase())), "{ids:?}");
        assert_eq!(entry(VIEWS.first).map(|(_, descriptor)| descriptor.title), Some("Timeline"));
    }

    #[test]
    fn of_another_tools_trace_only_views_with_something_are_offered() {
        let offered = |info: &TraceInfo| {
            let ids = VIEWS.all.iter().filter(|view| is_offered(**view, info)).map(|view| view.as_str());
            ids.collect::<Vec<_>>()
        };
        let mut info = TraceInfo::default();
        info.counts.slices = 5;
        info.process.recorder = "PyTorch profiler".to_owned();
        let foreign = offered(&info);
        assert!(!["graph", "memory", "source"].iter().any(|id| foreign.contains(id)), "{foreign:?}");
        assert!(["summary", "timeline", "calls"].iter().all(|id| foreign.contains(id)), "{foreign:?}");
        info.process.recorder = "syclscope 0.1.0".to_owned();
        assert_eq!(offered(&info).len(), TABLE.len());
    }

    #[test]
    fn no_name_in_the_address_is_taken_twice() {
        let letters = || ('a'..='z').map(|letter| letter.to_string());
        let two = || letters().flat_map(|one| letters().map(move |other| one.clone() + &other));
        let three = two().flat_map(|one| letters().map(move |other| one.clone() + &other));
        let words = ["a1", "area", "arrows", "dim", "find", "hide", "note", "order", "path", "zero"];
        let names = letters().chain(two()).chain(three).chain(words.map(str::to_owned));
        let mut parts: Vec<Box<dyn AddressPart>> = TABLE
            .iter()
            .filter_map(|descriptor| descriptor.address)
            .map(|address| (address.fresh)())
            .collect();
        parts.push(Box::new(SharedTime::default()));
        parts.push(Box::new(PanelsState::default()));
        for name in names {
            let takers = parts.iter_mut().map(|part| part.read(&name, "1")).filter(|took| *took).count();
            assert!(takers + usize::from(PAGE.contains(&name.as_str())) <= 1, "{name} is taken twice");
        }
    }
}

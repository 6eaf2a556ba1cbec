use syclscope_language::api::Found;
use syclscope_language::filter::Filter;
use syclscope_language::question::{Question, SearchQuestion, Selection as Slices};

use crate::components::toolbar::{SearchBar, SearchNames};
use crate::format;
use crate::hooks::answer::{Answer, use_answer};
use crate::reactive::*;
use crate::state::session::use_session;
use crate::views::timeline::ID;
use crate::views::timeline::keys::Command;
use crate::views::timeline::state::TimelineState;
use crate::views::timeline::view::Timeline;

#[component]
pub(super) fn Search(timeline: Timeline) -> impl IntoView {
    let session = use_session();
    let text =
        Memo::new(move |_| session.slot::<TimelineState>().with(|state| state.additions.search.clone()));
    let is_dimmed =
        Memo::new(move |_| session.slot::<TimelineState>().with(|state| !state.additions.is_undimmed));
    let filter = Memo::new(move |_| text.with(|text| text.parse::<Filter>()));
    let is_on =
        Memo::new(move |_| filter.with(|filter| filter.as_ref().is_ok_and(|filter| !filter.is_everything())));
    let selected = Memo::new(move |_| session.selection.with(|selection| selection.as_ref()?.slice()));
    let found = use_answer::<Found>(move || {
        let filter = filter.get().ok().filter(|filter| !filter.is_everything())?;
        let selection = Slices { filter, ..Slices::default() };
        Some(Question::Search(SearchQuestion { selection, slice: selected.get() }))
    });
    let status = Memo::new(move |_| {
        Some(match (filter.get(), found.answer.get()) {
            (Err(error), _) => (error.to_string(), true),
            (_, Answer::Ready(found)) => {
                let total = format::count(found.total);
                let words = match found.place {
                    Some(place) => format!("{} of {total}", format::count(place)),
                    None if found.total == 0 => "0 matches".to_owned(),
                    None => {
                        let tracks = format::counted(found.tracks.len() as u64, "track", "tracks");
                        format!("{total} on {tracks}")
                    }
                };
                (words, found.total == 0)
            }
            (_, Answer::Failed(error)) => (error.message, true),
            (_, Answer::Loading) => ("…".to_owned(), false),
            (_, Answer::None) => return None,
        })
    });
    let step = move |back: bool| {
        timeline.with(|controller| controller.step_match(back));
    };
    let names = SearchNames {
        field: "search",
        count: "search-count",
        previous: "found-before",
        next: "found-next",
        dim: "dim",
        commands: ["timeline.search", "timeline.previous_found", "timeline.next_found", "timeline.dim"],
    };
    view! {
        <SearchBar
            view=ID
            names
            placeholder="Search slices: gemm duration>1ms (/)"
            label="Search slices by name, or by conditions such as duration>1ms"
            text
            on_text=Callback::new(move |text| {
                timeline.with(|controller| controller.change_additions(|additions| additions.search = text));
            })
            status
            can_step=is_on
            on_step=Callback::new(step)
            is_dimmed
            on_dim=Callback::new(move |()| timeline.run(Command::Dim))
        />
    }
}

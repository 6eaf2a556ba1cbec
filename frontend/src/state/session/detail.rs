use std::cell::Cell;
use std::rc::Rc;

use leptos::task::spawn_local;
use syclscope_language::api::{ObjectHistory, ObjectList, SliceDetail};
use syclscope_language::question::{ObjectQuestion, ObjectsQuestion, Question};

use super::Session;
use crate::data::client::ClientError;
use crate::data::trace_source::TraceSource;
use crate::format;
use crate::reactive::*;
use crate::state::detail::Detail;
use crate::state::filters::memory_of;
use crate::state::selection::Selection;

/// Maximum number of events in the query for an object's history.
const MAX_EVENTS: u32 = 2_000;

impl Session {
    pub(super) fn load_details(self) {
        let is_asking = Rc::new(Cell::new(false));
        Effect::new(move |_| {
            let is_entity = self.selection.with(|selection| selection.as_ref().is_some_and(has_details));
            self.detail.set(if is_entity { Detail::Loading } else { Detail::None });
            let Some(home) = self.home().filter(|_| is_entity) else { return };
            // A held key selects slices faster than answers arrive: one query is in flight, and the next one is for the
            // selection at its end.
            if is_asking.replace(true) {
                return;
            }
            let is_asking = is_asking.clone();
            spawn_local(async move {
                let detail = self.ask_details(home).await;
                is_asking.set(false);
                let Some(detail) = detail else { return };
                let announcement = match &detail {
                    Detail::Slice(detail) => {
                        Some(format!("{}, {}", detail.name, format::duration(detail.at.duration_ns as f64)))
                    }
                    Detail::Failed(error) => Some(error.message.clone()),
                    _ => None,
                };
                self.detail.set(detail);
                if let Some(announcement) = announcement {
                    self.announcement.set(announcement);
                }
            });
        });
    }

    /// Queries details until they are those of the current selection; `None` if that has none, or the user has left the
    /// page.
    async fn ask_details(self, home: TraceSource) -> Option<Detail> {
        loop {
            let entity =
                self.selection.try_with_untracked(|selection| selection.clone().filter(has_details))??;
            let detail = ask(&home, &entity).await.unwrap_or_else(Detail::Failed);
            if self.selection.try_with_untracked(|now| now.as_ref() == Some(&entity))? {
                return Some(detail);
            }
        }
    }
}

fn has_details(selection: &Selection) -> bool {
    matches!(selection, Selection::Slice(_) | Selection::Allocation(_) | Selection::Object(_))
}

async fn ask(home: &TraceSource, selection: &Selection) -> Result<Detail, ClientError> {
    if let Selection::Slice(slice) = selection {
        let detail = home.ask::<SliceDetail>(&Question::Slice(*slice)).await?;
        return Ok(Detail::Slice(Box::new(detail)));
    }
    let question =
        ObjectsQuestion { touched_by: memory_of(selection), limit: 1, ..ObjectsQuestion::default() };
    let list = home.ask::<ObjectList>(&Question::Objects(question)).await?;
    let Some(item) = list.objects.first() else { return Ok(Detail::Missing) };
    let question = Question::Object(ObjectQuestion { id: item.id, offset: 0, limit: MAX_EVENTS });
    Ok(Detail::Object(Box::new(home.ask::<ObjectHistory>(&question).await?)))
}

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
        Effect::new(move |_| {
            let selection = self.selection.get();
            let entity = selection.clone().filter(|selection| {
                use Selection::{Allocation, Object, Slice};
                matches!(selection, Slice(_) | Allocation(_) | Object(_))
            });
            self.detail.set(if entity.is_some() { Detail::Loading } else { Detail::None });
            let (Some(entity), Some(home)) = (entity, self.home()) else { return };
            spawn_local(async move {
                let detail = ask(home, &entity).await.unwrap_or_else(Detail::Failed);
                // The user may have left the page, or selected something else meanwhile.
                if self.selection.try_with_untracked(|now| *now == selection) != Some(true) {
                    return;
                }
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
}

async fn ask(home: TraceSource, selection: &Selection) -> Result<Detail, ClientError> {
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

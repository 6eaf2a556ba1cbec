//! What is known of the selected thing.

use leptos::prelude::*;
use leptos::task::spawn_local;
use syclscope_trace::api::SliceDetail;
use syclscope_trace::source::Question;

use super::Session;
use crate::data::client::ClientError;
use crate::format;
use crate::state::selection::Selection;

/// What is known of the selected thing beside the selection itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Detail {
    /// Nothing is selected, or nothing more has to be asked.
    #[default]
    None,
    /// It is asked for.
    Loading,
    /// A slice.
    Slice(Box<SliceDetail>),
    /// There is no answer, and why.
    Failed(ClientError),
}

impl Session {
    /// Asks for the details of whatever gets selected.
    pub(super) fn load_details(self) {
        Effect::new(move |_| {
            let selection = self.selection.get();
            let question = match &selection {
                Some(Selection::Slice(slice)) => Some(Question::Slice(*slice)),
                _ => None,
            };
            self.detail.set(if question.is_some() { Detail::Loading } else { Detail::None });
            let (Some(question), Some(home)) = (question, self.home()) else { return };
            spawn_local(async move {
                let answer = home.ask::<SliceDetail>(&question).await;
                // The user may have left the page, or selected something else meanwhile.
                if self.selection.try_with_untracked(|now| *now == selection) != Some(true) {
                    return;
                }
                let (detail, announcement) = match answer {
                    Ok(detail) => {
                        let length = format::duration(detail.at.duration_ns as f64);
                        let text = format!("{}, {length}", detail.name);
                        (Detail::Slice(Box::new(detail)), text)
                    }
                    Err(error) => {
                        let text = error.message.clone();
                        (Detail::Failed(error), text)
                    }
                };
                self.detail.set(detail);
                self.announcement.set(announcement);
            });
        });
    }
}

//! Answers to queries about the trace, as signals.

use std::rc::Rc;

use leptos::task::spawn_local;
use syclscope_language::question::Question;

use crate::data::client::{self, ClientError};
use crate::data::json::Value;
use crate::data::trace_source::Text;
use crate::reactive::*;
use crate::state::session::use_session;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer<T> {
    None,
    Loading,
    Ready(T),
    Failed(ClientError),
}

/// A query with its answer, sent again when its dependencies change.
pub(crate) struct PendingQuery<T: Send + Sync + 'static> {
    pub(crate) answer: RwSignal<Answer<T>>,
    /// True while an earlier answer is shown in place of the pending one.
    pub(crate) is_old: RwSignal<bool>,
    again: RwSignal<u32>,
}

impl<T: Send + Sync + 'static> Clone for PendingQuery<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for PendingQuery<T> {}

impl<T: Send + Sync + 'static> PendingQuery<T> {
    pub(crate) fn retry(self) {
        self.again.update(|times| *times += 1);
    }
}

/// Sends the query returned by `question`, again whenever it changes. Late answers are ignored.
pub(crate) fn use_answer<T>(question: impl Fn() -> Option<Question> + 'static) -> PendingQuery<T>
where
    T: Value + Send + Sync + 'static,
{
    use_text(of_home(Box::new(question)))
}

/// Like [`use_answer`], but an answer stays until the next one arrives.
pub(crate) fn use_lasting_answer<T>(question: impl Fn() -> Option<Question> + 'static) -> PendingQuery<T>
where
    T: Value + Send + Sync + 'static,
{
    answers(of_home(Box::new(question)), true)
}

fn of_home(question: Box<dyn Fn() -> Option<Question>>) -> impl Fn() -> Option<Text<'static>> {
    let session = use_session();
    move || {
        let (question, home) = (question()?, session.home()?);
        Some(Box::pin(async move { home.text(&question).await }))
    }
}

/// Like [`use_answer`], for answers from another source: `begin` sends the request.
pub(crate) fn use_text<T>(begin: impl Fn() -> Option<Text<'static>> + 'static) -> PendingQuery<T>
where
    T: Value + Send + Sync + 'static,
{
    answers(begin, false)
}

fn answers<T>(begin: impl Fn() -> Option<Text<'static>> + 'static, lasts: bool) -> PendingQuery<T>
where
    T: Value + Send + Sync + 'static,
{
    let query = PendingQuery {
        answer: RwSignal::new(Answer::None),
        is_old: RwSignal::new(false),
        again: RwSignal::new(0),
    };
    let show = move |text: Answer<String>| {
        let is_old = lasts
            && matches!(text, Answer::Loading)
            && query.answer.try_with_untracked(|answer| matches!(answer, Answer::Ready(_))) == Some(true);
        let _gone = query.is_old.try_set(is_old);
        if is_old {
            return;
        }
        let answer = match text {
            Answer::None => Answer::None,
            Answer::Loading => Answer::Loading,
            Answer::Ready(text) => client::read(&text).map_or_else(Answer::Failed, Answer::Ready),
            Answer::Failed(error) => Answer::Failed(error),
        };
        let _gone = query.answer.try_set(answer);
    };
    ask(Box::new(begin), query.again, Rc::new(show));
    query
}

/// Common code of all queries: calls `show` with each state, at last the raw answer.
fn ask(
    begin: Box<dyn Fn() -> Option<Text<'static>>>,
    again: RwSignal<u32>,
    show: Rc<dyn Fn(Answer<String>)>,
) {
    let number = StoredValue::new(0_u32);
    Effect::new(move |_| {
        again.track();
        let answer = begin();
        number.update_value(|number| *number += 1);
        let own = number.get_value();
        show(if answer.is_some() { Answer::Loading } else { Answer::None });
        let Some(answer) = answer else { return };
        let show = show.clone();
        spawn_local(async move {
            let answer = answer.await;
            // The view may be unmounted, or have sent another query.
            if number.try_get_value() == Some(own) {
                show(answer.map_or_else(Answer::Failed, Answer::Ready));
            }
        });
    });
}

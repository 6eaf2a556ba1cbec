//! The trace's comments: one request, then a subscription to changes.

use leptos::task::spawn_local;
use syclscope_language::api::CommentEntry;

use super::Session;
use crate::browser::{adopt_style, document, sleep};
use crate::data::client::comments::{self, Listening};
use crate::data::trace_source::TraceSource;
use crate::reactive::*;
use crate::state::comments::{LoadState, Talk, rule};
use crate::state::url::Panel;

/// Pause before reconnecting to a lost server, in ms.
const AGAIN_MS: i32 = 5_000;

/// Subscription while the page is visible.
type Ear = StoredValue<Option<Listening>>;

impl Session {
    pub(super) fn follow_comments(self) {
        let (Some(TraceSource::Server(id)), false) = (self.home(), self.is_embedded()) else {
            return self.talk.update(|talk| talk.state = LoadState::Unsupported);
        };
        let ear = Ear::new(None);
        let ask = move || spawn_local(self.ask_comments(id.clone(), ear));
        ask();
        // A hidden page must not hold a connection that visible pages need.
        let seen = window_event_listener_untyped("visibilitychange", move |_| {
            if document().hidden() {
                ear.set_value(None);
            } else {
                ask();
            }
        });
        on_cleanup(move || seen.remove());
        let pins = Memo::new(move |_| self.talk.with(Talk::pins));
        Effect::new(move |_| {
            adopt_style(pins.with(|pins| rule(pins)).as_deref());
        });
        // The next trace of this page has other entities under the same names.
        on_cleanup(|| adopt_style(None));
    }

    async fn ask_comments(self, id: String, ear: Ear) {
        let found = comments::list(&id).await;
        let is_seen = self.shows_comments();
        // The user may have left the page meanwhile.
        let after = self.talk.try_update(|talk| match found {
            Ok(all) => {
                let after = all.is_kept.then_some(all.change);
                talk.take(all);
                if is_seen {
                    talk.news.clear();
                }
                Ok(after)
            }
            Err(error) => {
                talk.state = LoadState::Failed(error.message.clone());
                Err(error)
            }
        });
        match after {
            Some(Ok(Some(after))) if !document().hidden() => self.listen(id, after, ear),
            // Access errors would repeat.
            Some(Err(error)) if error.is_passing() => self.ask_again(id, ear),
            _ => {}
        }
    }

    fn listen(self, id: String, after: u64, ear: Ear) {
        let again = id.clone();
        let lost = move || self.ask_again(again.clone(), ear);
        ear.set_value(Listening::start(&id, after, move |entry| self.hear(entry), lost));
    }

    fn ask_again(self, id: String, ear: Ear) {
        spawn_local(async move {
            sleep(AGAIN_MS).await;
            if ear.try_with_value(|_| ()).is_some() {
                self.ask_comments(id, ear).await;
            }
        });
    }

    /// True if the panel shows the comments; false if the page no longer shows the trace.
    fn shows_comments(self) -> bool {
        let is_open = self.panel.try_with_untracked(|panel| *panel == Panel::Comments);
        is_open == Some(true) && !untrack(|| self.is_panel_closed())
    }

    fn hear(self, entry: CommentEntry) {
        let is_seen = self.shows_comments();
        let (id, by) = (entry.id.clone(), entry.by.clone());
        let is_news = self.talk.try_update(|talk| {
            let is_news = talk.put(entry) && !is_seen;
            talk.news.extend(is_news.then_some(id));
            is_news
        });
        if is_news == Some(true) {
            let who = by.unwrap_or_else(|| "Somebody".to_owned());
            self.announcement.set(format!("{who} has commented."));
        }
    }
}

//! What the page tells for a while.

use leptos::task::spawn_local;

use super::Session;
use crate::browser::sleep;
use crate::state::notice::Notice;

/// How long a sentence stays.
const SHOWN_MS: i32 = 6_000;

impl Session {
    /// Tells something that went well, or is under way. The next sentence takes its place.
    pub(crate) fn tell(self, text: String) {
        let number = self.put(text, false);
        spawn_local(async move {
            sleep(SHOWN_MS).await;
            let is_shown = self.notice.try_with_untracked(|notice| notice.number == number);
            if is_shown == Some(true) {
                self.notice.set(Notice { number, ..Notice::default() });
            }
        });
    }

    /// Tells what failed, and what can be done.
    pub(crate) fn fail(self, text: String) {
        self.put(text, true);
    }

    fn put(self, text: String, is_failure: bool) -> u32 {
        let number = self.notice.try_with_untracked(|notice| notice.number).unwrap_or_default() + 1;
        // Who has left the page needs no sentence.
        let _gone = self.notice.try_set(Notice { text, is_failure, number });
        number
    }
}

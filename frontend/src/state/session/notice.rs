//! Messages of the page, shown for a while.

use leptos::task::spawn_local;

use super::Session;
use crate::browser::sleep;
use crate::state::notice::Notice;

const DURATION_MS: i32 = 6_000;

impl Session {
    /// Shows a success or progress message, which replaces the previous one.
    pub(crate) fn tell(self, text: String) {
        let number = self.put(text, false);
        spawn_local(async move {
            sleep(DURATION_MS).await;
            let is_shown = self.notice.try_with_untracked(|notice| notice.number == number);
            if is_shown == Some(true) {
                self.notice.set(Notice { number, ..Notice::default() });
            }
        });
    }

    pub(crate) fn fail(self, text: String) {
        self.put(text, true);
    }

    fn put(self, text: String, is_failure: bool) -> u32 {
        let number = self.notice.try_with_untracked(|notice| notice.number).unwrap_or_default() + 1;
        let _gone = self.notice.try_set(Notice { text, is_failure, number });
        number
    }
}

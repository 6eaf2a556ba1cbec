//! The page's copy of the trace's comments.

use syclscope_language::api::{CommentEntry, Comments};

use crate::state::selection::Selection;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LoadState {
    /// No request yet, or no response.
    #[default]
    Waiting,
    /// A local trace has no comments.
    Unsupported,
    Failed(String),
    Ready,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Draft {
    /// A new comment on an entity with its description, or on the whole trace.
    On(Option<Selection>, String),
    /// A reply to a comment, by id.
    Answer(String),
    /// New text of a comment, by id.
    Change(String),
}

impl Draft {
    /// True for drafts with the same anchor. Their descriptions may differ, because a better one may become available.
    fn has_anchor_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::On(own, _), Self::On(other, _)) => own == other,
            _ => self == other,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Talk {
    pub state: LoadState,
    pub all: Comments,
    /// Ids of unseen new comments.
    pub news: Vec<String>,
    /// Ids and texts of comments deleted on this page, for undo.
    pub deleted: Vec<(String, String)>,
    pub draft: Option<Draft>,
    /// Unsent texts, for users who switch to another draft or panel and return.
    unsent: Vec<(Draft, String)>,
}

impl Talk {
    /// Replaces all comments. If there were comments already, those added since then are new.
    pub fn take(&mut self, all: Comments) {
        if self.all.is_kept {
            let missed = all.comments.iter().filter(|entry| self.find(&entry.id).is_none());
            let missed: Vec<String> = missed.map(|entry| entry.id.clone()).collect();
            self.news.extend(missed);
        }
        let is_there = |id: &String| all.comments.iter().any(|entry| entry.id == *id && !entry.is_deleted);
        self.news.retain(is_there);
        self.state = if all.is_kept { LoadState::Ready } else { LoadState::Unsupported };
        self.all = all;
    }

    /// Adds or updates a comment. True if its content is new.
    pub fn put(&mut self, entry: CommentEntry) -> bool {
        if entry.is_deleted {
            self.news.retain(|id| *id != entry.id);
        }
        let all = &mut self.all;
        all.change = all.change.max(entry.change);
        match all.comments.iter_mut().find(|old| old.id == entry.id) {
            Some(old) if old.change >= entry.change => false,
            Some(old) => {
                *old = entry;
                false
            }
            None => {
                let is_said = !entry.is_deleted;
                all.comments.push(entry);
                is_said
            }
        }
    }

    /// Stores the text of a draft until it is sent; an empty one is removed.
    pub fn keep(&mut self, draft: &Draft, text: &str) {
        self.unsent.retain(|(kept, _)| !kept.has_anchor_of(draft));
        if !text.is_empty() {
            self.unsent.push((draft.clone(), text.to_owned()));
        }
    }

    pub fn unsent_text(&self, draft: &Draft) -> Option<&str> {
        let kept = self.unsent.iter().find(|(kept, _)| kept.has_anchor_of(draft));
        kept.map(|(_, text)| text.as_str())
    }

    pub fn find(&self, id: &str) -> Option<&CommentEntry> {
        self.all.comments.iter().find(|entry| entry.id == id)
    }

    /// Returns the replies to a comment, oldest first.
    pub fn answers<'a>(&'a self, id: &'a str) -> impl Iterator<Item = &'a CommentEntry> {
        self.all.comments.iter().filter(move |entry| {
            entry.reply_to.as_deref() == Some(id) && (!entry.is_deleted || self.can_put_back(&entry.id))
        })
    }

    /// Returns the top-level comments, oldest first. Deleted ones are included if they have replies or can be restored.
    pub fn roots(&self) -> impl Iterator<Item = &CommentEntry> {
        self.all.comments.iter().filter(|entry| {
            let is_shown = || self.can_put_back(&entry.id) || self.answers(&entry.id).next().is_some();
            entry.reply_to.is_none() && (!entry.is_deleted || is_shown())
        })
    }

    pub fn count(&self) -> usize {
        self.all.comments.iter().filter(|entry| !entry.is_deleted).count()
    }

    /// Returns the distinct entities with comments.
    pub fn pins(&self) -> Vec<Selection> {
        let mut pins = Vec::new();
        for entry in self.all.comments.iter().filter(|entry| !entry.is_deleted) {
            pins.extend(entry.pin.clone().filter(|pin| !pins.contains(pin)));
        }
        pins
    }

    /// True if the user may edit and delete the comment.
    pub fn is_own(&self, entry: &CommentEntry) -> bool {
        let is_named = self.all.name.is_some() && self.all.name == entry.by;
        self.all.may_moderate || self.all.may_comment && is_named
    }

    pub fn can_put_back(&self, id: &str) -> bool {
        self.deleted.iter().any(|(deleted, _)| deleted == id)
    }
}

/// Returns a CSS rule that marks elements naming one of these entities; `None` without entities. Canvases draw their
/// own marks.
pub fn rule(pins: &[Selection]) -> Option<String> {
    // Texts of entities contain no quotes and no backslashes.
    let name = |attribute: &str, pin: &Selection| format!("[{attribute}=\"{pin}\"]::after");
    let mut names: Vec<String> = pins.iter().map(|pin| name("data-thing", pin)).collect();
    names.extend(pins.iter().filter(|pin| pin.slice().is_some()).map(|pin| name("data-slice", pin)));
    (!names.is_empty()).then(|| format!("{}{{content:\" \\25C6\";color:var(--warning)}}", names.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str, change: u64) -> CommentEntry {
        CommentEntry { id: id.to_owned(), change, by: Some("ada".into()), ..CommentEntry::default() }
    }

    fn ids<'a>(entries: impl Iterator<Item = &'a CommentEntry>) -> Vec<&'a str> {
        entries.map(|entry| entry.id.as_str()).collect()
    }

    #[test]
    fn what_comes_later_counts_in_whatever_order_it_comes() {
        let mut talk = Talk::default();
        talk.take(Comments {
            is_kept: true,
            comments: vec![entry("a", 1)],
            change: 1,
            ..Comments::default()
        });
        assert_eq!(talk.state, LoadState::Ready);
        assert!(talk.put(entry("b", 3)));
        assert!(!talk.put(CommentEntry { text: "new".into(), ..entry("a", 5) }));
        assert!(!talk.put(CommentEntry { text: "old".into(), ..entry("a", 4) }));
        assert_eq!(talk.find("a").map(|entry| entry.text.as_str()), Some("new"));
        assert_eq!((talk.all.change, talk.count()), (5, 2));
    }

    #[test]
    fn what_was_missed_is_new_and_what_was_deleted_is_not() {
        let all = |comments: &[CommentEntry]| Comments {
            is_kept: true,
            comments: comments.to_vec(),
            ..Comments::default()
        };
        let mut talk = Talk::default();
        talk.take(all(&[entry("a", 1)]));
        assert!(talk.news.is_empty(), "what was there at first is not new");
        let gone = CommentEntry { is_deleted: true, ..entry("c", 4) };
        talk.take(all(&[entry("a", 1), entry("b", 3), gone]));
        assert_eq!(talk.news, ["b"]);
        talk.put(CommentEntry { is_deleted: true, ..entry("b", 5) });
        assert!(talk.news.is_empty());
    }

    #[test]
    fn conversations_keep_their_place() {
        let mut talk = Talk::default();
        talk.put(entry("a", 1));
        talk.put(CommentEntry { reply_to: Some("a".into()), ..entry("b", 2) });
        talk.put(CommentEntry { is_deleted: true, ..entry("a", 3) });
        assert_eq!((ids(talk.roots()), ids(talk.answers("a"))), (vec!["a"], vec!["b"]));
        talk.put(CommentEntry { is_deleted: true, reply_to: Some("a".into()), ..entry("b", 4) });
        assert_eq!(ids(talk.roots()), [] as [&str; 0]);
        talk.deleted.push(("b".into(), "text".into()));
        assert_eq!((ids(talk.roots()), talk.count()), (vec!["a"], 0), "it can be put back");
    }

    #[test]
    fn what_is_not_sent_is_kept_for_each_draft() {
        let mut talk = Talk::default();
        let on = |about: &str| Draft::On("n1".parse().ok(), about.to_owned());
        let (answer, change) = (Draft::Answer("a".to_owned()), Draft::Change("a".to_owned()));
        talk.keep(&on("command 1"), "half");
        talk.keep(&answer, "so?");
        talk.keep(&on("gemm"), "half a thought");
        assert_eq!(talk.unsent_text(&on("command 1")), Some("half a thought"));
        assert_eq!((talk.unsent_text(&answer), talk.unsent_text(&change)), (Some("so?"), None));
        talk.keep(&answer, "");
        assert_eq!((talk.unsent_text(&answer), talk.unsent.len()), (None, 1));
    }

    #[test]
    fn who_wrote_it_may_change_it_and_so_may_who_moderates() {
        let talk = |name: Option<&str>, may_comment, may_moderate| {
            let name = name.map(str::to_owned);
            Talk {
                all: Comments { name, may_comment, may_moderate, ..Comments::default() },
                ..Talk::default()
            }
        };
        assert!(talk(Some("ada"), true, false).is_own(&entry("a", 1)));
        assert!(!talk(Some("bob"), true, false).is_own(&entry("a", 1)));
        assert!(!talk(Some("ada"), false, false).is_own(&entry("a", 1)));
        assert!(talk(None, true, true).is_own(&entry("a", 1)));
        let nameless = CommentEntry { by: None, ..entry("a", 1) };
        assert!(!talk(None, true, false).is_own(&nameless), "no name is nobody's");
    }

    #[test]
    fn what_is_spoken_of_is_marked_wherever_it_is_named() {
        let mut talk = Talk::default();
        for (id, pin) in [("a", "12"), ("b", "k\"]{}%5C"), ("c", "12"), ("d", "n3")] {
            talk.put(CommentEntry { pin: pin.parse().ok(), ..entry(id, 1) });
        }
        talk.put(CommentEntry { is_deleted: true, pin: "n9".parse().ok(), ..entry("e", 1) });
        let rule = rule(&talk.pins()).unwrap();
        assert!(
            rule.starts_with("[data-thing=\"12\"]::after,[data-thing=\"k%22%5D%7B%7D%5C\"]::after,"),
            "{rule}"
        );
        assert!(rule.contains(",[data-slice=\"12\"]::after{content") && !rule.contains("n9"), "{rule}");
        assert_eq!(super::rule(&[]), None);
    }
}

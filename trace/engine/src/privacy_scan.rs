//! What of a trace is private, by kind: the rules that the question `contents` and cleaning have in common.

pub(crate) mod paths;
pub(crate) mod words;

use std::collections::{BTreeMap, BTreeSet};
#[cfg(feature = "clean")]
use std::ops::Bound;

use syclscope_language::api::{Contents, KindContents};
use syclscope_language::contents::ContentKind;

/// Examples of each kind that an answer names.
const MOST_EXAMPLES: usize = 3;

/// Characters of an example.
const LONGEST_EXAMPLE: usize = 120;

/// The different private texts of a trace, by kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct PrivateTexts {
    kinds: BTreeMap<ContentKind, BTreeSet<Box<str>>>,
}

impl PrivateTexts {
    /// Remembers a text of a kind; empty ones say nothing.
    pub(crate) fn add(&mut self, kind: ContentKind, text: &str) {
        if text.is_empty() {
            return;
        }
        let texts = self.kinds.entry(kind).or_default();
        if !texts.contains(text) {
            texts.insert(text.into());
        }
    }

    /// Remembers a path, and the account in whose home folder it lies.
    pub(crate) fn add_path(&mut self, path: &str) {
        self.add(ContentKind::Paths, path);
        if let Some(user) = paths::user_of(path) {
            self.add(ContentKind::Users, user);
        }
    }

    pub(crate) fn add_paths_in(&mut self, text: &str) {
        for range in paths::in_text(text) {
            self.add_path(&text[range]);
        }
    }

    #[cfg(feature = "clean")]
    pub(crate) fn of(&self, kind: ContentKind) -> impl Iterator<Item = &str> {
        self.kinds.get(&kind).into_iter().flatten().map(AsRef::as_ref)
    }

    /// The first text of a kind that begins with another.
    #[cfg(feature = "clean")]
    pub(crate) fn beginning_with(&self, kind: ContentKind, start: &str) -> Option<&str> {
        let from = (Bound::Included(start), Bound::Unbounded);
        let first = self.kinds.get(&kind)?.range::<str, _>(from).next()?;
        first.starts_with(start).then_some(first)
    }

    #[cfg(feature = "clean")]
    pub(crate) fn has(&self, kind: ContentKind, text: &str) -> bool {
        self.kinds.get(&kind).is_some_and(|texts| texts.contains(text))
    }

    pub(crate) fn summary(&self) -> Contents {
        let summary = |(kind, texts): (&ContentKind, &BTreeSet<Box<str>>)| KindContents {
            kind: *kind,
            count: texts.len() as u64,
            examples: texts.iter().take(MOST_EXAMPLES).map(|text| shortened(text)).collect(),
        };
        Contents { kinds: self.kinds.iter().map(summary).collect() }
    }
}

/// The first line of a text, cut where it is long.
fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(LONGEST_EXAMPLE).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

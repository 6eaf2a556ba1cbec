//! Search for private data of a trace, by kind: common rules of the query `contents` and of cleaning.

pub(crate) mod paths;
pub(crate) mod words;

use std::collections::{BTreeMap, BTreeSet};
#[cfg(feature = "clean")]
use std::ops::Bound;

use syclscope_language::api::{Contents, KindContents};
use syclscope_language::contents::ContentKind;

/// Maximum number of examples per kind in an answer.
const MAX_EXAMPLES: usize = 3;

/// Maximum length of an example, in characters.
const MAX_EXAMPLE: usize = 120;

/// The distinct private texts of a trace, by kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct PrivateTexts {
    kinds: BTreeMap<ContentKind, BTreeSet<Box<str>>>,
}

impl PrivateTexts {
    /// Adds a text of a kind, unless it is empty.
    pub(crate) fn add(&mut self, kind: ContentKind, text: &str) {
        if text.is_empty() {
            return;
        }
        let texts = self.kinds.entry(kind).or_default();
        if !texts.contains(text) {
            texts.insert(text.into());
        }
    }

    /// Adds a path, and the account that owns the home folder in it.
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
    pub(crate) fn texts(&self, kind: ContentKind) -> impl Iterator<Item = &str> {
        self.kinds.get(&kind).into_iter().flatten().map(AsRef::as_ref)
    }

    /// Returns the first text of a kind with a prefix.
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
            examples: texts.iter().take(MAX_EXAMPLES).map(|text| shortened(text)).collect(),
        };
        Contents { kinds: self.kinds.iter().map(summary).collect() }
    }
}

/// Returns the first line of a text, truncated if it is long.
fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(MAX_EXAMPLE).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

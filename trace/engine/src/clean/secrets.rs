//! What must not be left of a recording, in every form in which texts hold it.

mod common;

use std::collections::BTreeSet;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use rustc_hash::FxHashMap;
use syclscope_language::contents::ContentKind;
use syclscope_language::percent;

use self::common::Common;
use super::pseudonyms::Pseudonyms;
use super::survey::{Survey, file_name, folders};
use super::{Choice, CleanError};
use crate::contents::Found;

/// From so many bytes on a text is looked for inside words, too.
const LONG: usize = 6;

/// A number with so many digits is no count.
const LONG_NUMBER: usize = 12;

/// A form of a text that is to go.
struct Pattern {
    kind: ContentKind,
    text: Box<str>,
    pseudonym: Box<str>,
}

/// Texts that are to go, and what stands for them.
pub(super) struct Secrets {
    pub(super) choice: Choice,
    /// What the recording holds of every kind.
    pub(super) found: Found,
    /// What its arguments call them.
    pub(super) aliases: BTreeSet<(ContentKind, Box<str>)>,
    /// As they were after the patterns got theirs.
    pub(super) pseudonyms: Pseudonyms,
    patterns: Vec<Pattern>,
    search: AhoCorasick,
    /// Names of kernels that stand alone.
    names: FxHashMap<Box<str>, Box<str>>,
    /// Bytes of the longest pattern.
    pub(super) longest: usize,
}

impl Secrets {
    pub(super) fn new(survey: Survey, choice: Choice, pseudonyms: Pseudonyms) -> Result<Self, CleanError> {
        let Survey { found, aliases, source_lines, .. } = survey;
        let mut collected = Collected {
            pseudonyms,
            common: Common::new(),
            patterns: FxHashMap::default(),
            names: FxHashMap::default(),
        };
        for kind in choice.kinds() {
            for text in found.of(kind) {
                collected.thing(kind, text, &choice);
            }
        }
        for (kind, alias) in aliases.iter().filter(|(kind, _)| choice.has(*kind)) {
            collected.thing(*kind, alias, &choice);
        }
        if choice.has(ContentKind::Sources) {
            for line in &source_lines {
                collected.add(ContentKind::Sources, line, line, LONG);
            }
        }
        let Collected { pseudonyms, patterns, names, .. } = collected;
        let mut patterns: Vec<Pattern> = patterns
            .into_iter()
            .map(|(text, (kind, pseudonym))| Pattern { kind, text: text.into(), pseudonym: pseudonym.into() })
            .collect();
        patterns.sort_by(|one, other| one.text.cmp(&other.text));
        let search = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(patterns.iter().map(|pattern| pattern.text.as_bytes()))
            .map_err(|_| CleanError::TooMuch)?;
        let longest = patterns.iter().map(|pattern| pattern.text.len()).max().unwrap_or_default();
        Ok(Self { choice, found, aliases, pseudonyms, patterns, search, names, longest })
    }

    /// What stands for the name of a kernel that stands alone.
    pub(super) fn of_name(&self, text: &str) -> Option<&str> {
        self.names.get(text).map(AsRef::as_ref)
    }

    /// Where a text holds something that is to go, with its kind and what stands for it.
    pub(super) fn in_text<'s>(
        &'s self,
        text: &'s str,
    ) -> impl Iterator<Item = (Range<usize>, ContentKind, &'s str)> {
        let found = self.search.find_overlapping_iter(text);
        found.filter(|found| stands_alone(text, found.range())).map(|found| {
            let pattern = &self.patterns[found.pattern()];
            (found.range(), pattern.kind, &*pattern.pseudonym)
        })
    }

    /// The kinds of what bytes hold that is to go. Short texts are left out: bytes that are no text may look like them.
    pub(super) fn in_bytes<'s>(
        &'s self,
        bytes: &'s [u8],
    ) -> impl Iterator<Item = (Range<usize>, ContentKind)> {
        let found = self.search.find_overlapping_iter(bytes);
        found
            .filter(|found| found.len() >= LONG)
            .map(|found| (found.range(), self.patterns[found.pattern()].kind))
    }
}

/// Whether a place in a text is a word, or long enough that it can't be there by chance.
fn stands_alone(text: &str, range: Range<usize>) -> bool {
    if range.len() >= LONG {
        return true;
    }
    let joins = |one: Option<char>, other: Option<char>| {
        one.is_some_and(char::is_alphanumeric) && other.is_some_and(char::is_alphanumeric)
    };
    let (before, inside, after) = (&text[..range.start], &text[range.clone()], &text[range.end..]);
    !joins(before.chars().next_back(), inside.chars().next())
        && !joins(inside.chars().next_back(), after.chars().next())
}

/// Patterns on their way.
struct Collected {
    pseudonyms: Pseudonyms,
    common: Common,
    patterns: FxHashMap<String, (ContentKind, String)>,
    names: FxHashMap<Box<str>, Box<str>>,
}

impl Collected {
    /// Everything that is to go with one thing.
    fn thing(&mut self, kind: ContentKind, text: &str, choice: &Choice) {
        match kind {
            // Nothing of a file's name goes where names of files stay.
            ContentKind::Paths if choice.keep_file_names && !text.contains(['/', '\\']) => {}
            ContentKind::Paths => {
                self.add(kind, text, text, 3);
                for folder in folders(text) {
                    self.add(kind, folder, folder, LONG);
                }
                if let Some(name) = file_name(text).filter(|_| !choice.keep_file_names) {
                    self.add(kind, name, name, 3);
                }
            }
            ContentKind::Hosts | ContentKind::Users => {
                let parts = text.split_once('.').filter(|_| kind == ContentKind::Hosts);
                for part in std::iter::once(text)
                    .chain(parts.map(|(host, domain)| [host, domain]).into_iter().flatten())
                {
                    for form in [part.to_owned(), part.to_ascii_lowercase(), part.to_ascii_uppercase()] {
                        self.add(kind, &form, part, 2);
                    }
                }
            }
            ContentKind::Environment | ContentKind::Arguments => {
                let value = text.split_once(if kind == ContentKind::Environment { "=" } else { ": " });
                if let Some((_, value)) = value {
                    self.add(kind, value, value, LONG);
                }
            }
            ContentKind::CommandLine => {
                for word in std::iter::once(text).chain(text.split_whitespace()) {
                    self.add(kind, word, word, LONG + 2);
                }
            }
            ContentKind::Kernels => {
                let pseudonym = kernel(&mut self.pseudonyms, text);
                self.names.insert(text.into(), pseudonym.as_str().into());
                self.add_as(kind, text, &pseudonym, 3);
            }
            // The text itself goes with its record; its name is a path.
            ContentKind::Sources => {}
            ContentKind::Date => self.add(kind, text, text, LONG_NUMBER),
            ContentKind::Programs | ContentKind::Functions | ContentKind::Markers | ContentKind::Devices => {
                self.add(kind, text, text, 3);
            }
        }
    }

    fn add(&mut self, kind: ContentKind, form: &str, text: &str, least: usize) {
        let pseudonym = self.pseudonyms.of(kind, text);
        self.add_as(kind, form, &pseudonym, least);
    }

    /// Adds a text of at least so many bytes in all its forms, unless it is a word that every file holds.
    fn add_as(&mut self, kind: ContentKind, text: &str, pseudonym: &str, least: usize) {
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit()) && text.len() < LONG_NUMBER;
        if text.len() < least || is_number || self.common.holds(text, text.len() >= LONG) {
            return;
        }
        let json = serde_json::to_string(text).unwrap_or_default();
        let json = json.get(1..json.len().saturating_sub(1)).unwrap_or_default().to_owned();
        let slashes = json.replace('/', "\\/");
        let forms = [text.to_owned(), json, slashes, percent::encode(text, b""), percent::encode(text, b"/")];
        for form in forms {
            // The first kind that has a text keeps it: a path is more than the name of a program.
            self.patterns.entry(form).or_insert_with(|| (kind, pseudonym.to_owned()));
        }
    }
}

/// The pseudonym of a kernel: free functions keep what the compiler writes in front of their names.
pub(super) fn kernel(pseudonyms: &mut Pseudonyms, name: &str) -> String {
    const FREE_FUNCTION: &str = "__sycl_kernel_";
    match name.strip_prefix(FREE_FUNCTION) {
        Some(name) => format!("{FREE_FUNCTION}{}", pseudonyms.of(ContentKind::Kernels, name)),
        None => pseudonyms.of(ContentKind::Kernels, name),
    }
}

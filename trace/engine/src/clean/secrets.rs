//! Private texts to remove from a recording, in every form in which a file may contain them.

mod common;
mod search;
mod short;

use std::collections::BTreeSet;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::contents::ContentKind;
use syclscope_language::percent;

use self::common::Common;
use self::search::{MIN_BYTES as LONG, Search};
use self::short::ShortTexts;
use super::pseudonyms::Pseudonyms;
use super::survey::{Survey, file_name, folders};
use super::{Choice, CleanError};
use crate::budget::{Budget, Spent};
use crate::privacy_scan::PrivateTexts;
use syclscope_language::sorting::Sorting as _;

/// Maximum size of all forms of a text, relative to the text's.
const FORM_BYTES: u64 = 16;

/// Memory of a search for each byte of the longest text: the end of the previous bytes, and hashes.
const SEARCH_BYTES: u64 = 20;

/// A number with this many digits is not a count.
const LONG_NUMBER: usize = 12;

struct Pattern {
    /// Its kinds, and those of the patterns that are its prefixes.
    kinds: Kinds,
    /// Index of its replacement.
    stand_in: u32,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Kinds(u32);

impl Kinds {
    fn new(kind: ContentKind) -> Self {
        Self(1 << kind as u32)
    }

    pub(super) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    pub(super) fn each(self) -> impl Iterator<Item = ContentKind> {
        ContentKind::ALL.iter().copied().filter(move |kind| self.0 & (1 << *kind as u32) != 0)
    }
}

/// Private texts and their replacements.
pub(super) struct Secrets {
    pub(super) choice: Choice,
    pub(super) found: PrivateTexts,
    /// Private texts that occur as arguments, by kind: kernels as compilers name them, devices, element types, and
    /// unknown keys.
    pub(super) aliases: BTreeSet<(ContentKind, Box<str>)>,
    /// State after the patterns got their pseudonyms.
    pub(super) pseudonyms: Pseudonyms,
    /// Patterns that are searched within words, by their index in the search.
    long: Vec<Pattern>,
    search: Search,
    short: ShortTexts<Pattern>,
    stand_ins: Vec<Box<str>>,
    names: FxHashMap<Box<str>, Box<str>>,
    /// Folders of private paths, including their parents.
    pub(super) folders: FxHashSet<Box<str>>,
}

impl Secrets {
    pub(super) fn new(
        survey: Survey,
        choice: Choice,
        pseudonyms: Pseudonyms,
        budget: &Budget,
    ) -> Result<Self, CleanError> {
        let Survey { found, aliases, known_keys, source_lines, .. } = survey;
        let mut collected = Collected {
            pseudonyms,
            common: Common::new(),
            patterns: FxHashMap::default(),
            stand_ins: Vec::new(),
            names: FxHashMap::default(),
            folders: FxHashSet::default(),
            budget,
        };
        // A kernel's name stays if kernels stay, even if a marker or an argument contains it.
        let stays =
            |text: &str| ContentKind::ALL.iter().any(|kind| !choice.has(*kind) && found.has(*kind, text));
        for kind in choice.kinds() {
            for text in found.texts(kind).filter(|text| kind != ContentKind::Markers || !stays(text)) {
                collected.thing(kind, text, &choice)?;
            }
        }
        for (kind, alias) in aliases.iter().filter(|(kind, _)| choice.has(*kind)) {
            match kind {
                ContentKind::Arguments if known_keys.contains(alias) || stays(alias) => {}
                ContentKind::Arguments => collected.add(*kind, alias, alias, LONG)?,
                _ => collected.thing(*kind, alias, &choice)?,
            }
        }
        if choice.has(ContentKind::Sources) {
            for line in &source_lines {
                collected.add(ContentKind::Sources, line, line, LONG)?;
            }
        }
        let Collected { pseudonyms, patterns, stand_ins, names, folders, .. } = collected;
        let (mut long, mut short) = (Vec::new(), ShortTexts::default());
        for (text, (kind, stand_in)) in patterns {
            let pattern = Pattern { kinds: Kinds::new(kind), stand_in };
            if text.len() < LONG { short.add(&text, pattern) } else { long.push((text, pattern)) }
        }
        long.arrange_by(|(one, _), (other, _)| one.cmp(other));
        let longest = long.iter().map(|(text, _)| text.len()).max().unwrap_or_default();
        let searching = (longest as u64).saturating_mul(SEARCH_BYTES);
        budget.require(Search::memory_bytes(long.len(), longest).saturating_add(searching))?;
        let search = Search::new(long.iter().map(|(text, _)| text.as_bytes()));
        let mut long: Vec<Pattern> = long.into_iter().map(|(_, pattern)| pattern).collect();
        for number in 0..long.len() {
            // Shorter patterns come first.
            if let Some(shorter) = search.shorter(number as u32) {
                let kinds = long[shorter as usize].kinds;
                long[number].kinds.add(kinds);
            }
        }
        Ok(Self { choice, found, aliases, pseudonyms, long, search, short, stand_ins, names, folders })
    }

    /// Returns the length of the longest text to search for, in bytes.
    pub(super) fn longest(&self) -> usize {
        self.search.longest()
    }

    pub(super) fn of_name(&self, text: &str) -> Option<&str> {
        self.names.get(text).map(AsRef::as_ref)
    }

    /// Returns the private texts in a text, with their replacements: of the long texts, the longest at each position.
    pub(super) fn in_text<'s>(&'s self, text: &'s str) -> impl Iterator<Item = (Range<usize>, &'s str)> {
        self.patterns(text).map(|(range, pattern)| (range, &*self.stand_ins[pattern.stand_in as usize]))
    }

    pub(super) fn kinds_in_text(&self, text: &str) -> Kinds {
        let mut kinds = Kinds::default();
        self.patterns(text).for_each(|(_, pattern)| kinds.add(pattern.kinds));
        kinds
    }

    fn patterns<'s>(&'s self, text: &'s str) -> impl Iterator<Item = (Range<usize>, &'s Pattern)> {
        let long = self
            .search
            .find(text.as_bytes(), 0..text.len())
            .map(|(start, number)| (start..start + self.search.length(number), &self.long[number as usize]));
        let short = self.short.find(text).filter(|(range, _)| stands_alone(text, range));
        long.chain(short)
    }

    /// Returns the kinds of private texts that start at some positions of a buffer. Short texts are left out: binary
    /// data may look like them.
    pub(super) fn kinds_in_bytes(&self, bytes: &[u8], places: Range<usize>) -> Kinds {
        let mut kinds = Kinds::default();
        for (_, number) in self.search.find(bytes, places) {
            kinds.add(self.long[number as usize].kinds);
        }
        kinds
    }
}

fn stands_alone(text: &str, range: &Range<usize>) -> bool {
    let joins = |one: Option<char>, other: Option<char>| {
        one.is_some_and(char::is_alphanumeric) && other.is_some_and(char::is_alphanumeric)
    };
    let (before, inside, after) = (&text[..range.start], &text[range.clone()], &text[range.end..]);
    !joins(before.chars().next_back(), inside.chars().next())
        && !joins(inside.chars().next_back(), after.chars().next())
}

struct Collected<'b> {
    pseudonyms: Pseudonyms,
    common: Common,
    /// Kind and index of the replacement of each form.
    patterns: FxHashMap<Box<str>, (ContentKind, u32)>,
    stand_ins: Vec<Box<str>>,
    names: FxHashMap<Box<str>, Box<str>>,
    /// Folders among the patterns, including their parents.
    folders: FxHashSet<Box<str>>,
    budget: &'b Budget,
}

impl Collected<'_> {
    /// Adds all patterns of one private text.
    fn thing(&mut self, kind: ContentKind, text: &str, choice: &Choice) -> Result<(), Spent> {
        match kind {
            // If file names stay, no part of a file's name is removed.
            ContentKind::Paths if choice.keep_file_names && !text.contains(['/', '\\']) => {}
            ContentKind::Paths => {
                self.add(kind, text, text, 3)?;
                for folder in folders(text) {
                    // The parents of an already added folder are added, too.
                    if !self.folders.insert(folder.into()) {
                        break;
                    }
                    self.add(kind, folder, folder, LONG)?;
                }
                if let Some(name) = file_name(text).filter(|_| !choice.keep_file_names) {
                    self.add(kind, name, name, 3)?;
                }
            }
            ContentKind::Hosts | ContentKind::Users => {
                let parts = text.split_once('.').filter(|_| kind == ContentKind::Hosts);
                for part in std::iter::once(text)
                    .chain(parts.map(|(host, domain)| [host, domain]).into_iter().flatten())
                {
                    for form in [part.to_owned(), part.to_ascii_lowercase(), part.to_ascii_uppercase()] {
                        self.add(kind, &form, part, 2)?;
                    }
                }
            }
            ContentKind::Environment => {
                if let Some((_, value)) = text.split_once('=') {
                    self.add(kind, value, value, LONG)?;
                }
            }
            // Keys and texts are added one by one.
            ContentKind::Arguments => {}
            ContentKind::CommandLine => {
                for word in std::iter::once(text).chain(text.split_whitespace()) {
                    self.add(kind, word, word, LONG + 2)?;
                }
            }
            ContentKind::Kernels => {
                let pseudonym = kernel(&mut self.pseudonyms, text);
                self.names.insert(text.into(), pseudonym.as_str().into());
                self.add_as(kind, text, &pseudonym, 3)?;
            }
            // The text itself is removed with its record; its name is a path.
            ContentKind::Sources => {}
            ContentKind::Date => self.add(kind, text, text, LONG_NUMBER)?,
            ContentKind::Programs | ContentKind::Functions | ContentKind::Markers | ContentKind::Devices => {
                self.add(kind, text, text, 3)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, kind: ContentKind, form: &str, text: &str, least: usize) -> Result<(), Spent> {
        let pseudonym = self.pseudonyms.pseudonym(kind, text);
        self.add_as(kind, form, &pseudonym, least)
    }

    /// Adds a text of at least `least` bytes in all its forms, unless every file contains it.
    fn add_as(&mut self, kind: ContentKind, text: &str, pseudonym: &str, least: usize) -> Result<(), Spent> {
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit()) && text.len() < LONG_NUMBER;
        if text.len() < least || is_number || self.common.holds(text, text.len() >= LONG) {
            return Ok(());
        }
        self.budget.require((text.len() as u64).saturating_mul(FORM_BYTES))?;
        let stand_in = self.stand_ins.len() as u32;
        self.stand_ins.push(pseudonym.into());
        let mut form = |form: &str| {
            // A text belongs to its first kind: a path is more specific than a program's name.
            if !self.patterns.contains_key(form) {
                self.patterns.insert(form.into(), (kind, stand_in));
            }
        };
        form(text);
        let json = serde_json::to_string(text).unwrap_or_default();
        let json = json.get(1..json.len().saturating_sub(1)).unwrap_or_default();
        form(json);
        if json.contains('/') {
            form(&json.replace('/', "\\/"));
        }
        form(&percent::encode(text, b""));
        form(&percent::encode(text, b"/"));
        if !text.is_ascii() {
            for is_upper in [false, true] {
                form(&escaped(text, is_upper));
            }
        }
        Ok(())
    }
}

/// Returns a text as JSON escapes it in ASCII.
fn escaped(text: &str, is_upper: bool) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        if letter.is_ascii() {
            escaped.push(letter);
            continue;
        }
        for unit in letter.encode_utf16(&mut [0; 2]) {
            let unit = format!("\\u{unit:04x}");
            escaped += &if is_upper { unit.to_uppercase().replace("\\U", "\\u") } else { unit };
        }
    }
    escaped
}

/// Returns the pseudonym of a kernel: free functions keep the compiler's prefix.
pub(super) fn kernel(pseudonyms: &mut Pseudonyms, name: &str) -> String {
    const FREE_FUNCTION: &str = "__sycl_kernel_";
    match name.strip_prefix(FREE_FUNCTION) {
        Some(name) => format!("{FREE_FUNCTION}{}", pseudonyms.pseudonym(ContentKind::Kernels, name)),
        None => pseudonyms.pseudonym(ContentKind::Kernels, name),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::clean::pseudonyms::Key;

    proptest! {
        /// However many paths are in however deep folders, each folder is processed once, and found in any text.
        #[test]
        fn folders_of_many_paths_are_worked_on_once(depth in 1..60_usize, paths in 1..60_usize, tops in 1..4_usize) {
            let mut survey = Survey::default();
            let folder = |top: usize, depth: usize| {
                (0..depth).fold(format!("/private{top}"), |folder, level| format!("{folder}/level{level}"))
            };
            for path in 0..paths {
                survey.found.add_path(&format!("{}/file{path}.cpp", folder(path % tops, depth)));
            }
            let (choice, pseudonyms) = (Choice::new([ContentKind::Paths]), Pseudonyms::new(Key::new("key")));
            let secrets = Secrets::new(survey, choice, pseudonyms, &Budget::unlimited()).unwrap();
            // Each path, its name, and each folder below the different roots.
            prop_assert!(secrets.stand_ins.len() <= 2 * paths + tops.min(paths) * depth);
            for depth in 1..=depth {
                let folder = folder(0, depth);
                let text = format!("in {folder} there");
                let found: Vec<&str> = secrets.in_text(&text).map(|(range, _)| &text[range]).collect();
                prop_assert_eq!(found, [folder.as_str()]);
            }
        }
    }
}

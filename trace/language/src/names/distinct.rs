//! Short forms that keep a set of names distinct.
//!
//! Kernels of one template share most of their names. The parts that all names have in common are omitted first; the
//! distinctive words stay. If even these do not fit, a number distinguishes the names.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;

use super::{numbered_lambdas, plain_name, short_name};

const ELLIPSIS: char = '…';

/// Minimum length of an omitted part, while longer parts are available.
const MIN_RUN: usize = 4;

/// Maximum number of cached tables, one per width; the cache is cleared when it is full.
const MAX_TABLES: usize = 64;

/// Forms of names whose shorter forms are alike: without parameters, whole.
const LONGER_FORMS: [fn(&str) -> String; 2] =
    [|name| numbered_lambdas(name).unwrap_or_else(|| name.to_owned()), |name| name.to_owned()];

/// A set of names, with the distinctive parts of each.
#[derive(Clone, Debug)]
pub struct ShortNames {
    /// Number of columns of a character.
    columns: fn(char) -> usize,
    entries: Vec<Entry>,
    /// Texts of all entries for each width.
    tables: RefCell<Vec<(usize, Vec<String>)>>,
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    name: String,
    /// The name without namespaces, unless they distinguish it from another one.
    short: String,
    /// Positions at which it differs from other names, in ascending order.
    parts_at: Vec<usize>,
}

impl PartialEq for ShortNames {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl Default for ShortNames {
    fn default() -> Self {
        Self::new(std::iter::empty(), |_| 1)
    }
}

impl ShortNames {
    /// Creates short forms of names; `columns` is the display width of a character.
    pub fn new<'a>(names: impl Iterator<Item = &'a str>, columns: fn(char) -> usize) -> Self {
        let mut entries: Vec<Entry> = Vec::new();
        for name in names.map(plain_name) {
            if let Err(place) = find(&entries, name) {
                let short = short_name(name).into_owned();
                entries.insert(place, Entry { name: name.to_owned(), short, parts_at: Vec::new() });
            }
        }
        for form in LONGER_FORMS {
            let order = in_order(entries.len(), |entry| &entries[entry].short);
            let alike: Vec<usize> = order
                .windows(2)
                .filter(|pair| entries[pair[0]].short == entries[pair[1]].short)
                .flatten()
                .copied()
                .collect();
            for entry in alike {
                entries[entry].short = form(&entries[entry].name);
            }
        }
        let order = in_order(entries.len(), |entry| &entries[entry].short);
        let shared: Vec<usize> =
            order.windows(2).map(|pair| common(&entries[pair[0]].short, &entries[pair[1]].short)).collect();
        for (place, entry) in order.iter().enumerate() {
            let before = shared[..place].iter().rev();
            let after = shared[place..].iter();
            let mut parts_at = parting(before);
            parts_at.extend(parting(after));
            parts_at.sort_unstable();
            parts_at.dedup();
            entries[*entry].parts_at = parts_at;
        }
        Self { columns, entries, tables: RefCell::default() }
    }

    /// Returns the name without namespaces, unless they distinguish it from another one of the set.
    pub fn short<'a>(&'a self, name: &'a str) -> Cow<'a, str> {
        match find(&self.entries, plain_name(name)) {
            Ok(entry) => Cow::Borrowed(&self.entries[entry].short),
            Err(_) => short_name(name),
        }
    }

    /// True if the set contains the name.
    pub fn has(&self, name: &str) -> bool {
        find(&self.entries, plain_name(name)).is_ok()
    }

    /// Returns the name shortened to at most `most` columns. Different names of the set get different texts, if the
    /// width allows any difference.
    pub fn fit(&self, name: &str, most: usize) -> String {
        let Ok(entry) = find(&self.entries, plain_name(name)) else {
            let short = short_name(name);
            return self.cut(&short, &[], most);
        };
        let short = &self.entries[entry].short;
        if self.width(short) <= most {
            return short.clone();
        }
        let mut tables = self.tables.borrow_mut();
        let place = match tables.binary_search_by(|(room, _)| room.cmp(&most)) {
            Ok(place) => place,
            Err(_) => {
                if tables.len() >= MAX_TABLES {
                    tables.clear();
                }
                let place = tables.partition_point(|(room, _)| *room < most);
                tables.insert(place, (most, self.table(most)));
                place
            }
        };
        tables[place].1[entry].clone()
    }

    fn width(&self, text: &str) -> usize {
        text.chars().map(self.columns).sum()
    }

    /// Returns the texts of all entries at this width.
    fn table(&self, most: usize) -> Vec<String> {
        let words = |entry: &Entry| marks(&entry.short, &entry.parts_at, word_at);
        let letters = |entry: &Entry| marks(&entry.short, &entry.parts_at, letters_at);
        let mut texts: Vec<String> =
            self.entries.iter().map(|entry| self.cut(&entry.short, &words(entry), most)).collect();
        for entry in self.repeated(&texts) {
            let Entry { short, .. } = &self.entries[entry];
            if texts[entry] != *short {
                texts[entry] = self.cut(short, &letters(&self.entries[entry]), most);
            }
        }
        let repeated = self.repeated(&texts);
        let mut number = 0;
        for entry in repeated {
            while texts[entry] != self.entries[entry].short {
                number += 1;
                let end = format!("{ELLIPSIS}{number}");
                let Some(room) = most.checked_sub(self.width(&end)) else { break };
                let text = format!("{}{end}", self.start(&self.entries[entry].short, room));
                if !texts.contains(&text) {
                    texts[entry] = text;
                    break;
                }
            }
        }
        texts
    }

    /// Returns the indices of entries whose text is not unique.
    fn repeated(&self, texts: &[String]) -> Vec<usize> {
        let order = in_order(texts.len(), |entry| &texts[entry]);
        let same = |one: Option<&usize>, other: usize| one.is_some_and(|one| texts[*one] == texts[other]);
        let is_repeated = |(place, entry): (usize, &usize)| {
            let before = place.checked_sub(1).and_then(|before| order.get(before));
            (same(before, *entry) || same(order.get(place + 1), *entry)).then_some(*entry)
        };
        order.iter().enumerate().filter_map(is_repeated).collect()
    }

    /// Shortens a text to at most `most` columns, keeping the `kept` ranges where possible.
    fn cut(&self, text: &str, kept: &[Range<usize>], most: usize) -> String {
        let mut over = self.width(text).saturating_sub(most);
        if over == 0 {
            return text.to_owned();
        }
        // Parts between the kept ranges; the first one is the start of the name.
        let mut runs: Vec<Range<usize>> = Vec::new();
        let mut from = 0;
        for kept in kept.iter().chain([&(text.len()..text.len())]) {
            if from < kept.start {
                runs.push(from..kept.start);
            }
            from = from.max(kept.end);
        }
        // Omitted part of each run: first after the distinctive parts, then from left to right, the start of the name
        // last.
        let mut left_out = vec![0..0; runs.len()];
        let has_head = usize::from(runs.first().is_some_and(|run| run.start == 0));
        let order = (has_head..runs.len()).rev().chain(0..has_head);
        let (long, tiny): (Vec<_>, Vec<_>) =
            order.partition(|run| text[runs[*run].clone()].chars().count() >= MIN_RUN);
        for run in long.into_iter().chain(tiny) {
            if over == 0 {
                break;
            }
            let range = runs[run].clone();
            let inside = &text[range.clone()];
            let gone = over + 1;
            let width = self.width(inside);
            if width <= 1 {
                continue;
            }
            // Without distinctive parts, the end of the name is kept as well: for a template it is as informative as
            // the start.
            let cut = if kept.is_empty() {
                let stays = width.saturating_sub(gone);
                let head = self.start(inside, (stays * 3).div_ceil(5));
                let tail = self.end(inside, stays - self.width(head));
                range.start + head.len()..range.end - tail.len()
            } else {
                range.start + self.start(inside, width.saturating_sub(gone)).len()..range.end
            };
            let saved = self.width(&text[cut.clone()]).saturating_sub(1);
            over = over.saturating_sub(saved);
            left_out[run] = cut;
        }
        let mut short = String::with_capacity(text.len());
        let mut from = 0;
        for gone in left_out.iter().filter(|gone| !gone.is_empty()) {
            short.push_str(&text[from..gone.start]);
            if !short.ends_with(ELLIPSIS) {
                short.push(ELLIPSIS);
            }
            from = gone.end;
        }
        short.push_str(&text[from..]);
        if self.width(&short) > most {
            short.truncate(self.start(&short, most.saturating_sub(1)).len());
            if most > 0 && !short.ends_with(ELLIPSIS) {
                short.push(ELLIPSIS);
            }
        }
        short
    }

    /// Returns the longest prefix of a text that fits.
    fn start<'a>(&self, text: &'a str, most: usize) -> &'a str {
        let mut taken = 0;
        let cut = text.char_indices().find(|(_, letter)| {
            taken += (self.columns)(*letter);
            taken > most
        });
        cut.map_or(text, |(at, _)| &text[..at])
    }

    /// Returns the longest suffix of a text that fits.
    fn end<'a>(&self, text: &'a str, most: usize) -> &'a str {
        let mut taken = 0;
        let cut = text.char_indices().rev().find(|(_, letter)| {
            taken += (self.columns)(*letter);
            taken > most
        });
        cut.map_or(text, |(at, letter)| &text[at + letter.len_utf8()..])
    }
}

fn find(entries: &[Entry], name: &str) -> Result<usize, usize> {
    entries.binary_search_by(|entry| entry.name.as_str().cmp(name))
}

/// Returns the indices below `count`, sorted by their texts.
fn in_order<'t>(count: usize, text: impl Fn(usize) -> &'t String) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::with_capacity(count);
    for number in 0..count {
        let place = order.partition_point(|other| text(*other) <= text(number));
        order.insert(place, number);
    }
    order
}

/// Returns the length of the common prefix of two texts, in bytes, at a character boundary.
fn common(one: &str, other: &str) -> usize {
    let letters = one.char_indices().zip(other.chars());
    let parted = { letters }.find(|((_, a), b)| a != b).map(|((at, _), _)| at);
    parted.unwrap_or(one.len().min(other.len()))
}

/// Returns the positions at which a name differs from the names before or after it, given the lengths of the prefixes
/// shared with its neighbours.
fn parting<'s>(shared: impl Iterator<Item = &'s usize>) -> Vec<usize> {
    let mut places: Vec<usize> = Vec::new();
    for shared in shared {
        if places.last().is_none_or(|last| shared < last) {
            places.push(*shared);
            if *shared == 0 {
                break;
            }
        }
    }
    places
}

/// Returns ranges of text around positions; overlapping and adjacent ranges are joined.
fn marks(text: &str, places: &[usize], around: fn(&str, usize) -> Range<usize>) -> Vec<Range<usize>> {
    let mut marks: Vec<Range<usize>> = Vec::new();
    for place in places {
        let range = around(text, *place);
        match marks.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ if range.is_empty() => {}
            _ => marks.push(range),
        }
    }
    marks
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Returns the word or punctuation character at a position.
fn word_at(text: &str, place: usize) -> Range<usize> {
    let Some(first) = text[place..].chars().next() else { return place..place };
    if !is_word(first) {
        return place..place + first.len_utf8();
    }
    let start = text[..place].char_indices().rev().find(|(_, letter)| !is_word(*letter));
    let start = start.map_or(0, |(at, letter)| at + letter.len_utf8());
    let length = text[place..].find(|letter| !is_word(letter)).unwrap_or(text.len() - place);
    start..place + length
}

/// Returns a few characters from a position on.
fn letters_at(text: &str, place: usize) -> Range<usize> {
    let length = text[place..].chars().take(3).map(char::len_utf8).sum::<usize>();
    place..place + length
}

#[cfg(test)]
mod tests;

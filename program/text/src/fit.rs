//! Shortens texts to a width: names of kernels and paths come from files and may have any length and script.
//! The width is in terminal columns: an ideograph takes two, a combining accent none.

use std::path::Path;

use syclscope_language::names::ShortNames;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

pub fn columns(text: &str) -> usize {
    text.width()
}

/// True if a character controls a terminal or changes the reading direction.
pub fn steers(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{fffe}' | '\u{ffff}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns a path on one line, safe to print on a terminal: file names may contain any character.
pub fn path(path: &Path) -> String {
    path.display().to_string().chars().map(|c| if steers(c) { '\u{fffd}' } else { c }).collect()
}

/// Returns `text` with its lines, without characters that control a terminal.
pub fn safe(text: &str) -> String {
    let clean = |c: char| if steers(c) && c != '\n' && c != '\t' { '\u{fffd}' } else { c };
    text.chars().map(clean).collect()
}

/// Returns `text` without characters that control a terminal, in at most `limit` columns.
pub fn printable(text: &str, limit: usize) -> String {
    let clean = |c: char| if steers(c) { '\u{fffd}' } else { c };
    // A text may have many megabytes, and a longer one is cut anyway.
    let mut letters = text.chars();
    let shown: String = letters.by_ref().take(4 * limit + 1).map(clean).collect();
    if letters.next().is_none() && columns(&shown) <= limit {
        return shown;
    }
    format!("{}…", start(&shown, limit.saturating_sub(1)))
}

pub fn short_names<'a>(names: impl Iterator<Item = &'a str>) -> ShortNames {
    ShortNames::new(names, |letter| letter.width().unwrap_or(0))
}

/// Returns `text` with `…` in place of its start if it takes more than `limit` columns: the end of a path
/// matters most.
pub fn without_start(text: &str, limit: usize) -> String {
    if columns(text) <= limit {
        return text.to_owned();
    }
    format!("…{}", end(text, limit.saturating_sub(1)))
}

/// Returns `text` in lines of at most `width` columns, broken between words, but not between a number and its unit. A
/// longer word gets a line of its own.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut words = text.split(' ').peekable();
    while let Some(word) = words.next() {
        let unit = words.next_if(|next| word.ends_with(|last: char| last.is_ascii_digit()) && is_unit(next));
        let word = unit.map_or_else(|| word.to_owned(), |unit| format!("{word} {unit}"));
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(&word),
            Some(line) if columns(line) + 1 + columns(&word) <= width => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

/// True for a unit of a figure, also before a punctuation mark.
fn is_unit(word: &str) -> bool {
    let unit = word.trim_end_matches([',', ';', ':', '.', ')']);
    matches!(unit, "ns" | "µs" | "ms" | "s" | "%" | "B" | "KiB" | "MiB" | "GiB" | "TiB" | "GB/s" | "MB/s")
}

/// Returns the longest prefix of a text that fits into `limit` columns.
fn start(text: &str, limit: usize) -> &str {
    let mut taken = 0;
    let cut = text.char_indices().find(|(_, c)| {
        taken += c.width().unwrap_or(0);
        taken > limit
    });
    cut.map_or(text, |(at, _)| &text[..at])
}

/// Returns the longest suffix of a text that fits into `limit` columns.
fn end(text: &str, limit: usize) -> &str {
    let mut taken = 0;
    let cut = text.char_indices().rev().find(|(_, c)| {
        taken += c.width().unwrap_or(0);
        taken > limit
    });
    cut.map_or(text, |(at, c)| &text[at + c.len_utf8()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_steers_a_terminal() {
        let text = "a\u{1b}[2J\u{9b}31m\u{202e}b\nc\t\u{2066}\u{200f}é";
        assert_eq!(safe(text), "a\u{fffd}[2J\u{fffd}31m\u{fffd}b\nc\t\u{fffd}\u{fffd}é");
        assert!(!printable(text, 80).chars().any(steers));
    }

    fn alone(name: &str, limit: usize) -> String {
        short_names(std::iter::once(name)).fit(name, limit)
    }

    #[test]
    fn text_from_files_is_tamed() {
        assert_eq!(printable("a\x1b[31mb\n", 20), "a\u{fffd}[31mb\u{fffd}");
        assert_eq!(printable("abcdef", 4), "abc…");
        assert_eq!(printable("abcd", 4), "abcd");
        let accents = format!("e{}", "\u{301}".repeat(100));
        assert!(printable(&accents, 4).ends_with("\u{301}…"), "a cut is marked");
    }

    #[test]
    fn long_texts_keep_their_differences() {
        assert_eq!(alone("abcdefghij", 10), "abcdefghij");
        assert_eq!(alone("abcdefghij", 7), "abcd…ij");
        assert_eq!(alone("äbcdefghïj", 6), "äbc…ïj");
        assert_eq!(alone("lib::kernels::scale<float>", 15), "scale<float>");
        assert_eq!(alone("lib::kernels::scale<lib::vector<float>>", 16), "scale<vec…loat>>");
        assert_eq!(without_start("/home/me/heat.cpp:12", 12), "…heat.cpp:12");
        assert_eq!(without_start("heat.cpp", 8), "heat.cpp");
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("extraordinary it is", 5), ["extraordinary", "it is"]);
        assert_eq!(wrapped("took 885.3 ms, 1 s", 14), ["took 885.3 ms,", "1 s"]);
        assert_eq!(wrapped("took 885.3 ms, 3 times", 13), ["took", "885.3 ms, 3", "times"]);
        for limit in 0..3 {
            assert!(columns(&alone("a::bc", limit)) <= limit);
            assert!(columns(&without_start("abc", limit)) <= limit.max(1));
        }
    }

    #[test]
    fn wide_and_combining_characters_take_the_columns_that_they_take() {
        assert_eq!((columns("計算"), columns("e\u{301}"), columns("…")), (4, 1, 1));
        assert_eq!(printable("計算核心", 6), "計算…");
        assert_eq!(printable("e\u{301}e\u{301}", 2), "e\u{301}e\u{301}");
        assert_eq!(without_start("/家/核.cpp", 8), "…/核.cpp");
        assert_eq!(alone("計算計算計算", 7), "計算…算");
        assert_eq!(wrapped("計算 核心", 7), ["計算", "核心"]);
    }
}

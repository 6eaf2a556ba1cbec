//! Pages of long answers, which depend only on the answer.

mod json;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use self::json::Piece;

/// Maximum number of characters in an answer, with the note about its pages.
pub(super) const CHARACTERS: usize = 20_000;
/// Maximum number of characters in the note about pages.
const NOTE: usize = 500;
/// Number of characters reserved for the members around a page of JSON.
const ENVELOPE: usize = 2_000;
/// Maximum number of cut members that a page lists.
const CUT: usize = 20;

/// A page of an answer, and a note about the other pages.
pub(super) struct Page {
    pub(super) text: String,
    pub(super) note: Option<String>,
}

/// Returns page `page` (from 1) of a text. Pages end at line ends, unless a line is longer than a page. Joined, they
/// are the text.
pub(super) fn of_text(text: &str, page: usize, smaller: &str) -> Result<Page, String> {
    if page <= 1 && characters(text) <= CHARACTERS - NOTE {
        return Ok(Page { text: text.to_owned(), note: None });
    }
    let pages = text_pages(text, CHARACTERS - NOTE);
    let found = pages.get(page.saturating_sub(1)).ok_or_else(|| missing(page, pages.len()))?;
    let note = (pages.len() > 1).then(|| note(page.max(1), pages.len(), smaller));
    Ok(Page { text: (*found).to_owned(), note })
}

/// Returns a page of a JSON answer. A short answer is a single page. Of a longer one, page 1 has all of
/// `answer` except for the ends of its longest lists and texts, and each further page continues the value
/// `at` a JSON pointer.
pub(super) fn of_json(text: &str, page: usize, smaller: &str) -> Result<Page, String> {
    if page <= 1 && characters(text) <= CHARACTERS - NOTE {
        return Ok(Page { text: text.to_owned(), note: None });
    }
    let value: &RawValue = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let pieces = json::pieces(value, CHARACTERS - NOTE - ENVELOPE);
    let page = page.max(1);
    let Piece { at, from, total, text, cut } =
        pieces.get(page - 1).ok_or_else(|| missing(page, pieces.len()))?;
    let mut around = json!({"page": page, "pages": pieces.len(), "next": note(page, pieces.len(), smaller)});
    if let (Some(around), true) = (around.as_object_mut(), page > 1) {
        around.extend([("at", json!(at)), ("from", json!(from)), ("of", json!(total))].map(owned));
    }
    if let (Some(around), false) = (around.as_object_mut(), cut.is_empty()) {
        let lengths = cut.iter().take(CUT).map(|(at, length)| (at.clone(), json!(length)));
        around.insert("cut".to_owned(), Value::Object(lengths.collect()));
    }
    let mut around = around.to_string();
    around.truncate(around.len() - 1);
    Ok(Page { text: format!("{around},\"answer\":{text}}}"), note: None })
}

fn owned((name, value): (&str, Value)) -> (String, Value) {
    (name.to_owned(), value)
}

fn characters(text: &str) -> usize {
    text.chars().count()
}

fn missing(page: usize, pages: usize) -> String {
    format!("no page {page}; the answer has {pages}")
}

fn note(page: usize, pages: usize, smaller: &str) -> String {
    let smaller = if smaller.is_empty() { String::new() } else { format!(" To get less, set {smaller}.") };
    match page < pages {
        true => {
            format!("Page {page} of {pages}. Call again with page={} for the next one.{smaller}", page + 1)
        }
        false => format!("Page {page} of {pages}, the last one.{smaller}"),
    }
}

/// Splits a text after lines, into parts of at most `room` characters.
fn text_pages(text: &str, room: usize) -> Vec<&str> {
    let (mut pages, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let most = rest.char_indices().nth(room).map_or(rest.len(), |(at, _)| at);
        let line_end = rest[..most].rfind('\n').map_or(most, |at| at + 1);
        let (page, after) = rest.split_at(if most == rest.len() { most } else { line_end });
        pages.push(page);
        rest = after;
    }
    if pages.is_empty() {
        pages.push("");
    }
    pages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_behind_lines() {
        assert_eq!(text_pages("ab\ncd\nefgh\n", 6), ["ab\ncd\n", "efgh\n"]);
        assert_eq!(text_pages("ab\ncdefghäi", 4), ["ab\n", "cdef", "ghäi"]);
        assert_eq!((text_pages("", 4), text_pages("abcd", 4)), (vec![""], vec!["abcd"]));
    }

    #[test]
    fn a_page_says_what_follows() {
        let text = "line\n".repeat(6_000);
        let first = of_text(&text, 1, "limit").unwrap();
        assert_eq!(
            first.note.unwrap(),
            "Page 1 of 2. Call again with page=2 for the next one. To get less, set limit."
        );
        assert_eq!(of_text(&text, 3, "").err().unwrap(), "no page 3; the answer has 2");
        assert_eq!(of_text("short", 2, "").err().unwrap(), "no page 2; the answer has 1");
        assert_eq!(of_json("[1]", 2, "").err().unwrap(), "no page 2; the answer has 1");
    }
}

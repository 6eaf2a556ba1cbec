//! Lexer for mdBook's HTML: tags and the text between them.

use std::collections::BTreeSet;

/// Splits a page into tags from `<` to `>`, comments too, and the text between them. Concatenated, they are the page.
pub(super) fn pieces(html: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = html;
    while !rest.is_empty() {
        let length = if rest.starts_with('<') { tag_len(rest) } else { rest.find('<').unwrap_or(rest.len()) };
        let (piece, behind) = rest.split_at(length);
        pieces.push(piece);
        rest = behind;
    }
    pieces
}

/// Returns the length of the tag at the start of `text`. Values of attributes may contain anything except for their
/// quotes.
fn tag_len(text: &str) -> usize {
    if text.starts_with("<!--") {
        return text.find("-->").map_or(text.len(), |end| end + "-->".len());
    }
    let mut is_quoted = false;
    for (place, letter) in text.char_indices() {
        match letter {
            '"' => is_quoted = !is_quoted,
            '>' if !is_quoted => return place + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the name of a tag; that of a closing one begins with a slash.
pub(super) fn name(tag: &str) -> &str {
    let tag = tag.trim_start_matches('<').trim_end_matches('>');
    tag.split(|letter: char| letter.is_whitespace()).next().unwrap_or_default()
}

pub(super) fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, after) = tag.split_once(&format!(" {name}=\""))?;
    after.split_once('"').map(|(value, _)| value)
}

pub(super) fn with_attribute(tag: &str, name: &str, old: &str, new: &str) -> String {
    tag.replacen(&format!(" {name}=\"{old}\""), &format!(" {name}=\"{new}\""), 1)
}

/// Returns the page with each picture once, as a link to itself: mdBook writes two, so that its own style can enlarge
/// one of them.
pub(super) fn with_plain_pictures(html: &str) -> String {
    const OPENED: &str = "<label class=\"checkbox-label\"><input class=\"checkbox-img\" type=\"checkbox\">";
    const TWIN: &str = "<span class=\"img-wrapper\">";
    const CLOSED: &str = "</span></label>";
    let mut parts = html.split(OPENED);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let cut =
            part.split_once(TWIN).and_then(|(picture, rest)| Some((picture, rest.split_once(CLOSED)?.1)));
        let (picture, rest) = cut.unwrap_or((part, ""));
        let source = attribute(picture, "src").unwrap_or_default();
        plain.push_str(&format!("<a class=\"picture\" href=\"{source}\">{picture}</a>{rest}"));
    }
    plain
}

pub(super) fn ids(html: &str) -> BTreeSet<String> {
    let tags = pieces(html).into_iter().filter(|piece| piece.starts_with('<'));
    tags.filter_map(|tag| attribute(tag, "id")).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_stands_once() {
        let picture = "<img src=\"p.png\" alt=\"x\">";
        let written = format!(
            "a<label class=\"checkbox-label\"><input class=\"checkbox-img\" type=\"checkbox\">{picture}\
             <span class=\"img-wrapper\">{picture}</span></label>b"
        );
        assert_eq!(
            with_plain_pictures(&format!("{written}{written}")),
            format!("a<a class=\"picture\" href=\"p.png\">{picture}</a>b").repeat(2)
        );
    }

    #[test]
    fn a_page_is_cut_at_its_tags() {
        let html = "a<b title=\"x > y\" id=\"c\">d</b><!-- it's > \" --><i>e";
        let expected = ["a", "<b title=\"x > y\" id=\"c\">", "d", "</b>", "<!-- it's > \" -->", "<i>", "e"];
        assert_eq!(pieces(html), expected);
        assert_eq!(ids(html), BTreeSet::from(["c".to_owned()]));
        assert_eq!((name("<b title=\"x\">"), name("</b>"), name("<br>")), ("b", "/b", "br"));
        assert_eq!(attribute("<b title=\"x > y\">", "title"), Some("x > y"));
        assert_eq!(with_attribute("<a href=\"x\">", "href", "x", "y"), "<a href=\"y\">");
    }
}

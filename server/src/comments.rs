//! Comments: limits, mentions, and live changes.

mod live;
mod mentions;

use syclscope_language::api::NewComment;

pub use self::live::Live;
pub(crate) use self::live::{Piece, Who, event};
pub(crate) use self::mentions::mentioned;

pub(crate) const TEXT_BYTES: usize = 4000;
/// Maximum length of a comment's subject, and of a pin, in bytes. A kernel's name may be long.
const ABOUT_BYTES: usize = 200;
const PIN_BYTES: usize = 4000;
/// Maximum number of comments of a trace.
pub(crate) const MAX_COMMENTS: u64 = 1000;
/// Maximum number of changes to comments by one identity in a project within [`WINDOW_NS`].
pub(crate) const MAX_CHANGES: u64 = 60;
/// One minute, in ns.
pub(crate) const WINDOW_NS: u64 = 60_000_000_000;
/// Retention of a deleted comment in ns: a day. Clients that are offline for longer don't learn of the
/// deletion.
pub(crate) const GONE_NS: u64 = 24 * 3600 * 1_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotAComment {
    #[error("a comment has at most {TEXT_BYTES} bytes of text")]
    TooLong,
    #[error("a comment must not have invisible characters")]
    NoText,
    #[error("a comment without text needs a pin")]
    Empty,
    #[error("about must be one line of at most {ABOUT_BYTES} bytes, and a pin at most {PIN_BYTES} bytes")]
    Unfit,
    #[error("a reply inherits its parent's pin")]
    PinnedAnswer,
}

/// Rejects a text that can't be displayed.
///
/// # Errors
/// Returns an error if the text is too long, or not plain text.
pub(crate) fn check_text(text: &str) -> Result<(), NotAComment> {
    if text.len() > TEXT_BYTES {
        return Err(NotAComment::TooLong);
    }
    if text.chars().any(|letter| letter.is_control() && letter != '\n') {
        return Err(NotAComment::NoText);
    }
    Ok(())
}

/// Rejects an invalid comment, independently of its parent.
///
/// # Errors
/// Returns an error if a field is too long, or doesn't fit another field.
pub(crate) fn check(new: &NewComment) -> Result<(), NotAComment> {
    check_text(&new.text)?;
    let is_pinned = new.pin.is_some() || new.about.is_some();
    if is_pinned && new.reply_to.is_some() {
        return Err(NotAComment::PinnedAnswer);
    }
    if new.text.trim().is_empty() && new.pin.is_none() {
        return Err(NotAComment::Empty);
    }
    let is_line = |text: &str| text.len() <= ABOUT_BYTES && !text.chars().any(char::is_control);
    let is_fit = new.about.as_deref().is_none_or(is_line)
        && new.pin.as_ref().is_none_or(|pin| pin.to_string().len() <= PIN_BYTES);
    if is_fit { Ok(()) } else { Err(NotAComment::Unfit) }
}

#[cfg(test)]
mod tests {
    use syclscope_language::entity::Entity;

    use super::*;

    #[test]
    fn what_can_be_shown_is_a_comment() {
        let new = |text: &str| NewComment { text: text.to_owned(), ..NewComment::default() };
        let on = |text: &str| NewComment { pin: Some(Entity::Slice(1)), ..new(text) };
        for fit in [new("slow\nwhy?"), new("<b>ü</b>"), on(""), on("x")] {
            assert_eq!(check(&fit), Ok(()), "{fit:?}");
        }
        let answer = |new: NewComment| NewComment { reply_to: Some("a".into()), ..new };
        for (unfit, why) in [
            (new(" \n"), NotAComment::Empty),
            (answer(new("")), NotAComment::Empty),
            (answer(on("x")), NotAComment::PinnedAnswer),
            (new(&"a".repeat(TEXT_BYTES + 1)), NotAComment::TooLong),
            (new("a\u{0}b"), NotAComment::NoText),
            (new("a\u{1b}[2J"), NotAComment::NoText),
            (NewComment { about: Some("a\nb".into()), ..on("x") }, NotAComment::Unfit),
            (NewComment { pin: Some(Entity::Name("k".repeat(PIN_BYTES))), ..new("x") }, NotAComment::Unfit),
        ] {
            assert_eq!(check(&unfit), Err(why), "{unfit:?}");
        }
    }
}

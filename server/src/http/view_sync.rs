//! Current views of pages, for the programs that opened them: a notebook's kernel, an editor.
//!
//! Such a program opens the page with a name that it chooses (`?tell=NAME`), the page reports its URL at each
//! change, and the program polls for it. Names are unguessable, and last as long as the server. A server with
//! several replicas does not store views.

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use syclscope_system::id::Id;

/// Maximum number of pages with a stored view; the one with the oldest report is dropped first.
const MAX_VIEWS: usize = 64;
/// Maximum length of a query: generated names of kernels are long, and even longer when escaped.
const MAX_QUERY_BYTES: usize = 64 << 10;
/// Lengths of a name: short enough for a URL, and too long to guess.
const NAME: std::ops::RangeInclusive<usize> = 16..=64;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// Query of a URL that shows the same view.
    pub query: String,
}

/// Name under which a page reports its view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidView {
    #[error("a page's name must have {} to {} letters a-z and digits", NAME.start(), NAME.end())]
    Name,
    #[error("the query is longer than {MAX_QUERY_BYTES} bytes")]
    Query,
}

impl FromStr for Name {
    type Err = InvalidView;

    fn from_str(text: &str) -> Result<Self, InvalidView> {
        let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let is_name = NAME.contains(&text.len()) && text.bytes().all(is_letter);
        if is_name { Ok(Self(text.to_owned())) } else { Err(InvalidView::Name) }
    }
}

/// Current views of pages, the latest report at the end.
#[derive(Default)]
pub struct ViewSync(Mutex<VecDeque<(Id, Name, View)>>);

impl ViewSync {
    /// Stores a page's current view of a trace.
    ///
    /// # Errors
    /// Returns an error if the view is longer than a URL can be.
    pub fn set(&self, trace: &Id, name: &Name, view: View) -> Result<(), InvalidView> {
        if view.query.len() > MAX_QUERY_BYTES {
            return Err(InvalidView::Query);
        }
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|entry| !is(entry, trace, name));
        if all.len() == MAX_VIEWS {
            all.pop_front();
        }
        all.push_back((trace.clone(), name.clone(), view));
        Ok(())
    }

    /// Returns a page's view of a trace, if it has reported one.
    pub fn get(&self, trace: &Id, name: &Name) -> Option<View> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|entry| is(entry, trace, name)).map(|(.., view)| view.clone())
    }
}

fn is(entry: &(Id, Name, View), trace: &Id, name: &Name) -> bool {
    (&entry.0, &entry.1) == (trace, name)
}

/// Omits the contents, because names are secrets and views are private.
impl fmt::Debug for ViewSync {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ViewSync").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(number: usize) -> Name {
        format!("{number:032}").parse().unwrap()
    }

    fn view(query: &str) -> View {
        View { query: query.to_owned() }
    }

    #[test]
    fn a_page_is_known_by_trace_and_name() {
        let (shown, one, other) = (ViewSync::default(), Id::for_bytes(b"a"), Id::for_bytes(b"b"));
        for query in ["?s=1", "?s=2"] {
            shown.set(&one, &name(1), view(query)).unwrap();
        }
        shown.set(&one, &name(2), view("?s=3")).unwrap();
        assert_eq!(shown.get(&one, &name(1)), Some(view("?s=2")));
        assert_eq!(shown.get(&one, &name(2)), Some(view("?s=3")));
        assert_eq!((shown.get(&other, &name(1)), shown.get(&one, &name(3))), (None, None));
        assert!(!format!("{shown:?}").contains("s=2"));
    }

    #[test]
    fn what_told_nothing_for_longest_is_forgotten() {
        let (shown, trace) = (ViewSync::default(), Id::for_bytes(b"a"));
        for number in [0].into_iter().chain(1..MAX_VIEWS).chain([0, MAX_VIEWS]) {
            shown.set(&trace, &name(number), view("")).unwrap();
        }
        let known = |number| shown.get(&trace, &name(number)).is_some();
        assert_eq!((known(0), known(1), known(2), known(MAX_VIEWS)), (true, false, true, true));
        assert_eq!(
            shown.set(&trace, &name(1), view(&"x".repeat(MAX_QUERY_BYTES + 1))),
            Err(InvalidView::Query)
        );
    }

    #[test]
    fn names_are_of_letters_and_too_long_to_guess() {
        for text in
            ["", "abc", &"a".repeat(15), &"a".repeat(65), "ABCDEFGHIJKLMNOPQ", "aaaaaaaaaaaaaaaaaa/.."]
        {
            assert_eq!(text.parse::<Name>(), Err(InvalidView::Name), "{text}");
        }
    }
}

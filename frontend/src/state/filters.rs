//! Filters for questions, in the language of `docs/QUERIES.md`.

use syclscope_trace::filter::Filter;
use syclscope_trace::source::{ListQuestion, Question, Selection as Slices, SliceOrder};

use crate::state::selection::Selection;

/// A text in quotes, as filters write it.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The slices that belong to a selected thing; `None` for a slice itself, which is no list.
pub fn slices_of(selection: &Selection) -> Option<Slices> {
    let written = match selection {
        Selection::Name(name) => format!("name={}", quoted(name)),
        Selection::Queue(queue) => format!("queue={queue}"),
        Selection::Node(node) => format!("node={node}"),
        Selection::Object(object) => format!("buffer={object}"),
        Selection::Line { file, line } => format!("file={} line={line}", quoted(file)),
        Selection::Range { start_ns, end_ns } => {
            let (from_ns, to_ns) = (Some(*start_ns), Some(*end_ns));
            return Some(Slices { from_ns, to_ns, ..Slices::default() });
        }
        Selection::Slice(_) | Selection::Allocation(_) => return None,
    };
    Some(Slices { filter: written.parse().ok()?, ..Slices::default() })
}

/// Calls of the runtime and below it that a user's filter means.
///
/// # Errors
/// When the user's text is no filter: why, for the user.
pub fn calls(text: &str) -> Result<Filter, String> {
    let of_calls = "(category:ur or category:native)";
    // What the user wrote is read on its own first, so that a place in an error is one in that text.
    let own: Filter = text.parse().map_err(|error| format!("{error}"))?;
    if own.is_everything() {
        return of_calls.parse().map_err(|error| format!("{error}"));
    }
    format!("{of_calls} ({text})").parse().map_err(|error| format!("{error}"))
}

/// A part of a list of slices.
pub fn list(selection: Slices, sort: SliceOrder, offset: u64, limit: u32) -> Question {
    Question::Slices(ListQuestion { selection, sort, offset, limit, args: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_thing_is_a_filter() {
        let place = Selection::Line { file: r#"C:\a "b".cpp"#.into(), line: 3 };
        let text = |selection: &Selection| slices_of(selection).map(|slices| slices.filter.to_string());
        assert_eq!(text(&place).as_deref(), Some(r#"file="C:\\a \"b\".cpp" line=3"#));
        assert!(text(&Selection::Name("f<int>(a, b) or not".into())).is_some());
        for selection in [Selection::Queue(1), Selection::Node(2), Selection::Object(3)] {
            assert!(text(&selection).is_some(), "{selection}");
        }
        assert_eq!(slices_of(&Selection::Slice(1)), None);
        let range = slices_of(&Selection::Range { start_ns: 1, end_ns: 5 });
        assert_eq!(range.map(|range| (range.from_ns, range.to_ns)), Some((Some(1), Some(5))));
    }

    #[test]
    fn a_users_filter_is_of_calls_only() {
        assert!(calls("").is_ok_and(|filter| !filter.is_everything()));
        assert!(calls("enqueue or duration>1ms").is_ok());
        assert!(calls("durtion:1ms").is_err_and(|error| error.contains("durtion")));
    }
}

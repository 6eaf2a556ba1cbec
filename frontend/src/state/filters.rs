//! Filters for queries, in the language of `docs/QUERIES.md`.

use syclscope_language::api::SliceRef;
use syclscope_language::filter::Filter;
use syclscope_language::question::{ListQuestion, Question, Selection as Slices, SliceOrder, TouchedBy};

use crate::state::selection::Selection;

pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Returns the slices of a selected entity; `None` for a slice, an allocation and idle time, which are not lists of
/// slices.
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
        Selection::Slice(_) | Selection::Allocation(_) | Selection::Gap { .. } => return None,
    };
    Some(Slices { filter: written.parse().ok()?, ..Slices::default() })
}

/// Returns a filter for exactly these slices, by their times.
pub fn exactly(slices: &[SliceRef]) -> String {
    let one = |at: &SliceRef| format!("(start={}ns duration={}ns)", at.start_ns, at.duration_ns);
    slices.iter().map(one).collect::<Vec<_>>().join(" or ")
}

/// Returns a filter for commands that use a selected memory object. `objects` is the number of buffers and images in
/// the trace, whose ids come before those of allocations.
pub fn users_of(selection: &Selection, objects: u64) -> Option<Filter> {
    let written = match selection {
        Selection::Object(number) => format!("buffer={number}"),
        Selection::Allocation(row) => format!("memory={}", objects + u64::from(*row)),
        _ => return None,
    };
    written.parse().ok()
}

/// Converts a selection to a memory query's entity; `None` for a range of time or idle time, which have no memory.
pub fn memory_of(selection: &Selection) -> Option<TouchedBy> {
    Some(match selection {
        Selection::Slice(slice) => TouchedBy::Slice(*slice),
        Selection::Node(node) => TouchedBy::Node(*node),
        Selection::Name(name) => TouchedBy::Name(name.clone()),
        Selection::Queue(queue) => TouchedBy::Queue(*queue),
        Selection::Allocation(row) => TouchedBy::Allocation(*row),
        Selection::Object(number) => TouchedBy::Object(*number),
        Selection::Line { file, line } => TouchedBy::Line { path: file.clone(), line: *line },
        Selection::Range { .. } | Selection::Gap { .. } => return None,
    })
}

/// Returns a filter for calls of the runtime and of the native API that match a user's filter.
///
/// # Errors
///
/// Returns a message for the user if the text is not a valid filter.
pub fn calls(text: &str) -> Result<Filter, String> {
    let of_calls = "(category:ur or category:native)";
    // The user's text is parsed on its own first, so that error positions refer to it.
    let own: Filter = text.parse().map_err(|error| format!("{error}"))?;
    if own.is_everything() {
        return of_calls.parse().map_err(|error| format!("{error}"));
    }
    format!("{of_calls} ({text})").parse().map_err(|error| format!("{error}"))
}

pub fn list(selection: Slices, sort: SliceOrder, offset: u64, limit: u32) -> Question {
    Question::Slices(ListQuestion { selection, sort, offset, limit, args: false })
}

#[cfg(test)]
mod tests {
    use syclscope_language::question::ObjectsQuestion;

    use super::*;

    #[test]
    fn users_of_memory_are_a_filter() {
        let text = |selection| users_of(&selection, 7).map(|filter| filter.to_string());
        assert_eq!(text(Selection::Object(3)).as_deref(), Some("buffer=3"));
        assert_eq!(text(Selection::Allocation(2)).as_deref(), Some("memory=9"));
        assert_eq!(text(Selection::Slice(2)), None);
    }

    #[test]
    fn slices_are_found_by_their_times() {
        let at = |start_ns| SliceRef { slice: 0, track: 0, lane: 0, start_ns, duration_ns: 7 };
        let filter = exactly(&[at(5), at(1_234_567_891)]);
        assert_eq!(filter, "(start=5ns duration=7ns) or (start=1234567891ns duration=7ns)");
        assert!(filter.parse::<Filter>().is_ok());
    }

    #[test]
    fn every_thing_but_time_can_be_asked_for() {
        let line = Selection::Line { file: "/a b.cpp".into(), line: 3 };
        for (selection, text) in [
            (Selection::Slice(1), "objects?slice=1"),
            (Selection::Node(2), "objects?node=2"),
            (Selection::Name("f g".into()), "objects?name=f%20g"),
            (Selection::Queue(3), "objects?queue=3"),
            (Selection::Allocation(4), "objects?allocation=4"),
            (Selection::Object(5), "objects?number=5"),
            (line, "objects?path=%2Fa%20b.cpp&line=3"),
        ] {
            let touched_by = memory_of(&selection);
            let question = ObjectsQuestion { touched_by, limit: 100, ..ObjectsQuestion::default() };
            assert_eq!(Question::Objects(question).to_string(), text);
        }
        assert_eq!(memory_of(&Selection::Range { start_ns: 0, end_ns: 1 }), None);
    }

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

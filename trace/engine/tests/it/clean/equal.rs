//! Comparison of two traces that differ in their texts only.

use syclscope_engine::import;
use syclscope_engine::store::Trace;

use crate::recordings::Log;

/// Panics if two traces differ in more than texts and in records that cleaning removes completely.
pub(super) fn assert_same_but_names(one: &Trace, other: &Trace) {
    let (one, other) = (shape(&one.dump()), shape(&other.dump()));
    for (number, (one, other)) in one.lines().zip(other.lines()).enumerate() {
        assert_eq!(one, other, "line {number}");
    }
    assert_eq!(one.lines().count(), other.lines().count());
}

/// Panics like [`assert_same_but_names`], for another tool's trace, whose arguments have other names, too.
pub(super) fn assert_same_but_names_and_keys(one: &Trace, other: &Trace) {
    let (one, other) = (without_keys(&shape(&one.dump())), without_keys(&shape(&other.dump())));
    for (number, (one, other)) in one.lines().zip(other.lines()).enumerate() {
        assert_eq!(one, other, "line {number}");
    }
    assert_eq!(one.lines().count(), other.lines().count());
}

/// Returns a text without the words before equality signs, and without the numbers of queues, which other tools
/// identify by name.
fn without_keys(text: &str) -> String {
    let word = |word: &str| word.split_once('=').map_or(word.to_owned(), |(_, value)| format!("={value}"));
    let line = |line: &str| {
        let mut before = "";
        let is_word = |word: &str| !word.contains(|c: char| c.is_ascii_digit() || "=\"[]".contains(c));
        let words = line.split(' ').filter(|word| std::mem::replace(&mut before, word) != "queue");
        // The name of an argument may contain spaces.
        let words = words.filter(|word| !line.contains('=') || !is_word(word)).map(word);
        words.collect::<Vec<_>>().join(" ")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Panics if two recordings differ in more than texts and in records that cleaning removes completely.
pub(super) fn assert_same_events_but_names(one: &[u8], other: &[u8]) {
    let events = |bytes| {
        let mut log = Log::default();
        import::read(bytes, &mut log).unwrap();
        log.0.retain(|event| !event.starts_with("Fact("));
        log.0.iter().map(|event| shape_of_event(event)).collect::<Vec<_>>()
    };
    assert_eq!(events(one), events(other));
}

fn shape_of_event(event: &str) -> String {
    let mut shape = without_texts(event);
    let has_own_args = ["SliceBegin(", "SliceEnd(", "Instant("].iter().any(|kind| shape.starts_with(kind));
    if has_own_args && let Some(at) = shape.find("args: ") {
        shape.truncate(at);
    }
    if shape.starts_with("Process(") {
        shape.truncate(shape.find("start_unix_ns").unwrap_or_default());
    }
    if shape.starts_with("DeviceClock(") {
        shape = without(&shape, "offset_ns: ");
    }
    if shape.starts_with("SourceFile(") {
        shape = shape.replace("Whole", "Other");
    }
    shape
}

/// Panics if two answers differ in more than texts, and the order of elements that differ in their names only.
pub(super) fn assert_same_answers_but_names(question: &str, one: &Trace, other: &Trace) {
    let answer = |trace: &Trace| {
        let answer =
            trace.answer(&question.parse().unwrap()).unwrap_or_else(|error| panic!("{question}: {error}"));
        let mut answer = serde_json::from_str(&answer).unwrap();
        blank(&mut answer);
        answer
    };
    assert_eq!(answer(one), answer(other), "{question}");
}

fn blank(answer: &mut serde_json::Value) {
    match answer {
        serde_json::Value::String(text) => text.clear(),
        serde_json::Value::Array(items) => {
            items.iter_mut().for_each(blank);
            items.sort_by_cached_key(ToString::to_string);
        }
        serde_json::Value::Object(members) => members.values_mut().for_each(blank),
        _ => {}
    }
}

fn shape(dump: &str) -> String {
    let kept = dump.lines().filter(|line| !line.starts_with("fact "));
    let mut lines: Vec<String> = kept.map(shape_of_line).collect();
    // Kernels of the same time are in the order of their names.
    let first = lines.iter().position(|line| line.starts_with("summary ")).unwrap_or(lines.len());
    lines[first..].sort();
    lines.join("\n")
}

/// Returns a text without the number after some words.
fn without(text: &str, words: &str) -> String {
    let Some((before, after)) = text.split_once(words) else { return text.to_owned() };
    format!(
        "{before}{words}{}",
        after.trim_start_matches(|c: char| c == '-' || c == '+' || c.is_ascii_digit())
    )
}

fn without_texts(text: &str) -> String {
    let mut shape = String::new();
    let mut rest = text;
    while let Some((before, quoted)) = rest.split_once('"') {
        shape.push_str(before);
        shape.push('"');
        let mut escaped = false;
        let end = quoted.find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        rest = end.map_or("", |end| &quoted[end + 1..]);
    }
    shape.push_str(rest);
    shape
}

fn shape_of_line(line: &str) -> String {
    let mut shape = without_texts(line);
    // Numbers in arguments of markers are removed, too, and so are the text of a source file and the date with their
    // kinds.
    for marker in [" user \"", " raw \"", " diagnostic \"", " other \""] {
        if line.starts_with("  ")
            && let Some(at) = shape.find(marker)
        {
            shape.truncate(at + marker.len());
        }
    }
    if shape.starts_with("source ") {
        shape = shape.replace(" whole ", " other ");
    }
    if shape.contains(" pairs offset ") {
        shape = without(&shape, " pairs offset ");
    }
    if shape.starts_with("host ")
        && let Some((before, after)) = shape.split_once(" start ")
    {
        let after = after.split_once(' ').map_or("", |(_, after)| after);
        shape = format!("{before} {after}");
    }
    shape
}

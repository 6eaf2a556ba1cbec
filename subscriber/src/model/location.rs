//! Source code of a tracepoint.
//!
//! A payload's name is either the enclosing function or a text of the runtime; the file shows which, and without one,
//! the form of the name.

use syclscope_language::event::SourceLocation;

use super::node_words;
use crate::record::Tracepoint;

/// Names, by version of the runtime, of the tracepoint of the whole task graph; notifications without a location use
/// it.
const GRAPH_NAMES: [&str; 3] =
    ["sycl.application.graph", "application_graph", "SYCL Memory Allocations Layer"];

/// Returns the source code of a tracepoint whose name is the enclosing function; empty if there is none.
pub(super) fn location<'a>(tracepoint: &'a Tracepoint<'_>) -> SourceLocation<'a> {
    source_location(&tracepoint.name, &tracepoint.file, tracepoint.line, tracepoint.column)
}

/// Returns the source code of a payload whose name is the enclosing function; empty if there is none.
pub(super) fn source_location<'a>(
    name: &'a str,
    file: &'a str,
    line: u32,
    column: u32,
) -> SourceLocation<'a> {
    if GRAPH_NAMES.contains(&name) {
        return SourceLocation::default();
    }
    let file = without_unknown(file);
    let name = without_address(name);
    let function = if is_function(name, file) { name } else { "" };
    if file.is_empty() && function.is_empty() {
        return SourceLocation::default();
    }
    SourceLocation { function, file, line, column }
}

fn is_function(name: &str, file: &str) -> bool {
    !name.starts_with("queue[")
        && name != "TraceEventXPTI"
        && !node_words::is_own_command(name)
        && (!file.is_empty() || looks_like_function(name))
}

/// True if the name could be a C++ function's: compilers give it without scope and parameters.
fn looks_like_function(name: &str) -> bool {
    let identifier = name.strip_prefix('~').unwrap_or(name);
    let is_identifier = identifier.starts_with(|first: char| !first.is_ascii_digit())
        && identifier.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
    is_identifier
        || name.strip_prefix("operator").is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// Removes the address of the code that some versions append to the function: `main[0x7f26d82960ff]`.
fn without_address(name: &str) -> &str {
    let address = |rest: &str| {
        rest.strip_suffix(']').is_some_and(|digits| digits.bytes().all(|c| c.is_ascii_hexdigit()))
    };
    match name.rsplit_once("[0x") {
        Some((function, rest)) if !function.is_empty() && address(rest) => function,
        _ => name,
    }
}

/// Drops the runtime's name for an unknown file.
fn without_unknown(file: &str) -> &str {
    if file == "<unknown-file>" || file == "unknown" { "" } else { file }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_file_only_what_looks_like_a_function_is_one() {
        for name in ["main", "_start", "~Solver", "operator()", "operator delete"] {
            assert!(is_function(name, ""), "{name}");
        }
        for name in ["", "sycl.something", "Event[nil]", "virtual_node[0]", "9lives", "host task"] {
            assert!(!is_function(name, ""), "{name}");
        }
        assert!(is_function("solve<float>", "app.cpp"));
        assert!(!is_function("barrier", "app.cpp"));
        assert_eq!(source_location("main[0x7f26d82960ff]", "app.cpp", 1, 0).function, "main");
        assert_eq!(source_location("operator[]", "app.cpp", 1, 0).function, "operator[]");
    }
}

//! The columns of the table of calls.

use syclscope_trace::api::CallSummary;
use syclscope_trace::event::Category;

use crate::format;
use crate::state::table::{Column, Key};

/// The columns.
pub static COLUMNS: [Column<CallSummary>; 9] = [
    Column {
        id: "name",
        title: "Function",
        text: |call| call.name.clone(),
        key: |call| Key::Text(call.name.clone()),
        is_number: false,
    },
    Column {
        id: "layer",
        title: "Layer",
        text: |call| layer(call.category).to_owned(),
        key: |call| Key::Text(layer(call.category).to_owned()),
        is_number: false,
    },
    Column {
        id: "count",
        title: "Calls",
        text: |call| format::count(call.count),
        key: |call| Key::count(call.count),
        is_number: true,
    },
    Column {
        id: "total",
        title: "Total",
        text: |call| format::duration(call.total_ns as f64),
        key: |call| Key::count(call.total_ns),
        is_number: true,
    },
    Column {
        id: "mean",
        title: "Mean",
        text: |call| format::duration(call.mean_ns() as f64),
        key: |call| Key::count(call.mean_ns()),
        is_number: true,
    },
    Column {
        id: "min",
        title: "Shortest",
        text: |call| format::duration(call.min_ns as f64),
        key: |call| Key::count(call.min_ns),
        is_number: true,
    },
    Column {
        id: "max",
        title: "Longest",
        text: |call| format::duration(call.max_ns as f64),
        key: |call| Key::count(call.max_ns),
        is_number: true,
    },
    Column {
        id: "errors",
        title: "Errors",
        text: |call| if call.errors == 0 { "–".to_owned() } else { format::count(call.errors) },
        key: |call| Key::count(call.errors),
        is_number: true,
    },
    Column {
        id: "unfinished",
        title: "Unfinished",
        text: |call| if call.unfinished == 0 { "–".to_owned() } else { format::count(call.unfinished) },
        key: |call| Key::count(call.unfinished),
        is_number: true,
    },
];

fn layer(category: Category) -> &'static str {
    match category {
        Category::Call => "Unified Runtime",
        Category::Native => "Native",
        _ => "Other",
    }
}

/// Whether a name holds every word of a filter, in any case.
pub fn matches(name: &str, filter: &str) -> bool {
    let name = name.to_lowercase();
    filter.to_lowercase().split_whitespace().all(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_words_in_any_order() {
        assert!(matches("urEnqueueKernelLaunch", "launch kernel"));
        assert!(matches("urEnqueueKernelLaunch", "  "));
        assert!(!matches("urEnqueueKernelLaunch", "kernel copy"));
    }
}

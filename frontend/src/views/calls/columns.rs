//! The columns of the table of calls.

use syclscope_trace::api::CallSummary;
use syclscope_trace::event::Category;

use crate::format;
use crate::state::table::{Column, Key};

/// The columns.
pub static COLUMNS: [Column<CallSummary>; 10] = [
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
        id: "p95",
        title: "p95",
        text: |call| format::duration(call.p95_ns as f64),
        key: |call| Key::count(call.p95_ns),
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
    use crate::state::table::csv;

    #[test]
    fn calls_are_saved_with_plain_numbers_in_the_order_of_the_columns() {
        let call = CallSummary {
            name: "urQueueFinish".into(),
            category: Category::Call,
            count: 4,
            errors: 2,
            unfinished: 1,
            total_ns: 1_000,
            min_ns: 10,
            max_ns: 800,
            p95_ns: 790,
        };
        let text = csv(&COLUMNS, &[call]);
        let expected = "Function,Layer,Calls,Total,Mean,p95,Shortest,Longest,Errors,Unfinished\r\n\
            urQueueFinish,Unified Runtime,4,1000,250,790,10,800,2,1\r\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn filters_are_words_in_any_order() {
        assert!(matches("urEnqueueKernelLaunch", "launch kernel"));
        assert!(matches("urEnqueueKernelLaunch", "  "));
        assert!(!matches("urEnqueueKernelLaunch", "kernel copy"));
    }
}

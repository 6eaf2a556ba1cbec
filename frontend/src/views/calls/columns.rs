use syclscope_language::api::CallSummary;
use syclscope_language::event::Category;
use syclscope_language::question::CallWeight;

use crate::state::table::{Column, forms};

const ALL: [Column<CallSummary>; 10] = [
    Column::text("name", "Function", |call| call.name.clone()),
    Column::text("layer", "Layer", |call| layer(call.category).to_owned()),
    Column::amount("count", "Calls", |call| call.count as f64, forms::whole),
    Column::duration("total", "Summed", |call| call.total_ns as f64),
    Column::duration("mean", "Mean", |call| call.mean_ns() as f64),
    Column::duration("p95", "p95", |call| call.p95_ns as f64),
    Column::duration("min", "Shortest", |call| call.min_ns as f64),
    Column::duration("max", "Longest", |call| call.max_ns as f64),
    Column::amount("errors", "Errors", |call| call.errors as f64, forms::some),
    Column::amount("unfinished", "Unfinished", |call| call.unfinished as f64, forms::some),
];

pub static COLUMNS: [Column<CallSummary>; 10] = ALL;

static WITHOUT_ERRORS: [Column<CallSummary>; 9] = {
    let [name, layer, count, total, mean, p95, min, max, _, unfinished] = ALL;
    [name, layer, count, total, mean, p95, min, max, unfinished]
};

/// Returns the columns of a table of calls. Errors and unfinished calls have a column only if there are any.
pub fn shown(calls: &[CallSummary]) -> &'static [Column<CallSummary>] {
    let has = |count: fn(&CallSummary) -> u64| calls.iter().any(|call| count(call) > 0);
    match (has(|call| call.errors), has(|call| call.unfinished)) {
        (true, true) => &COLUMNS,
        (true, false) => &COLUMNS[..9],
        (false, true) => &WITHOUT_ERRORS,
        (false, false) => &COLUMNS[..8],
    }
}

fn layer(category: Category) -> &'static str {
    match category {
        Category::Call => "Unified Runtime",
        Category::Native => "Native",
        _ => "Other",
    }
}

/// Returns nouns for the counts of a call tree, singular and plural.
pub fn counted_as(weight: CallWeight) -> [&'static str; 2] {
    match weight {
        CallWeight::Calls => ["call", "calls"],
        CallWeight::Device => ["command", "commands"],
        CallWeight::Waits => ["wait", "waits"],
        // A part of an idle stretch: a wait, a call or a sample in it.
        CallWeight::Idle => ["part", "parts"],
        CallWeight::Samples => ["sample", "samples"],
        CallWeight::Allocated | CallWeight::Peak => ["allocation", "allocations"],
    }
}

/// True if a name contains every word of a filter, ignoring case.
pub fn matches(name: &str, filter: &str) -> bool {
    let name = name.to_lowercase();
    filter.to_lowercase().split_whitespace().all(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::table::csv;

    fn call(errors: u64, unfinished: u64) -> CallSummary {
        CallSummary {
            name: "urQueueFinish".into(),
            category: Category::Call,
            count: 4,
            errors,
            unfinished,
            total_ns: 1_000,
            min_ns: 10,
            max_ns: 800,
            p95_ns: 790,
        }
    }

    #[test]
    fn calls_are_saved_with_plain_numbers_in_the_order_of_the_columns() {
        let text = csv(&COLUMNS, &[call(2, 1)]);
        let expected = "Function,Layer,Calls,Summed,Mean,p95,Shortest,Longest,Errors,Unfinished\r\n\
            urQueueFinish,Unified Runtime,4,1000,250,790,10,800,2,1\r\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn columns_that_would_be_empty_are_left_out() {
        let last = |calls: &[CallSummary]| {
            let columns = shown(calls);
            (columns.len(), columns[columns.len() - 1].id)
        };
        assert_eq!(last(&[call(0, 0), call(0, 0)]), (8, "max"));
        assert_eq!(last(&[call(0, 0), call(2, 0)]), (9, "errors"));
        assert_eq!(last(&[call(0, 1), call(0, 0)]), (9, "unfinished"));
        assert_eq!(last(&[call(0, 1), call(1, 0)]), (10, "unfinished"));
    }

    #[test]
    fn only_calls_are_counted_as_calls() {
        let words =
            [CallWeight::Calls, CallWeight::Waits, CallWeight::Samples, CallWeight::Peak].map(counted_as);
        assert_eq!(words.map(|[_, several]| several), ["calls", "waits", "samples", "allocations"]);
    }

    #[test]
    fn filters_are_words_in_any_order() {
        assert!(matches("urEnqueueKernelLaunch", "launch kernel"));
        assert!(matches("urEnqueueKernelLaunch", "  "));
        assert!(!matches("urEnqueueKernelLaunch", "kernel copy"));
    }
}

//! Calls by name.

use syclscope_language::api::CallSummary;
use syclscope_language::event::Category;

use super::text::cut;
use syclscope_text::{Align, Table, count, counted, duration, printable};

/// Maximum width of a name; the runtime's longest names are shorter.
const NAME_COLUMNS: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Interface {
    /// All calls
    All,
    /// Calls of the Unified Runtime, or of PI before it
    Runtime,
    /// Calls of the native API below it: Level Zero, CUDA
    Native,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Sort {
    /// Most time first
    Total,
    /// Most calls first
    Count,
    /// By name
    Name,
}

pub(super) fn select(mut calls: Vec<CallSummary>, interface: Interface, sort: Sort) -> Vec<CallSummary> {
    calls.retain(|call| match interface {
        Interface::All => true,
        Interface::Runtime => call.category == Category::Call,
        Interface::Native => call.category == Category::Native,
    });
    match sort {
        Sort::Total => {}
        Sort::Count => calls.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name))),
        Sort::Name => calls.sort_by(|a, b| a.name.cmp(&b.name).then(a.category.cmp(&b.category))),
    }
    calls
}

pub(super) fn kind(call: &CallSummary) -> &'static str {
    if call.category == Category::Native { "native" } else { "runtime" }
}

/// Returns a table of the first `limit` calls, and the sum of all calls below it.
pub(super) fn table(calls: &[CallSummary], limit: usize, width: usize) -> Vec<String> {
    if calls.is_empty() {
        return vec!["no calls were recorded".to_owned()];
    }
    let mut table = Table::new([
        ("name", Align::Name),
        ("count", Align::Right),
        ("errors", Align::Right),
        ("total", Align::Right),
        ("mean", Align::Right),
        ("min", Align::Optional),
        ("max", Align::Right),
        ("kind", Align::Left),
    ]);
    for call in calls.iter().take(limit) {
        table.row([
            printable(&call.name, NAME_COLUMNS),
            count(call.count),
            count(call.errors),
            duration(call.total_ns),
            duration(call.mean_ns()),
            duration(call.min_ns),
            duration(call.max_ns),
            kind(call).to_owned(),
        ]);
    }
    let sum = |value: fn(&CallSummary) -> u64| calls.iter().map(value).fold(0, u64::saturating_add);
    let mut lines = cut(table.lines(width), calls.len(), limit);
    lines.push(String::new());
    lines.push(format!(
        "{} of {}, {} did not return success",
        counted(sum(|call| call.count), "call"),
        counted(calls.len() as u64, "function"),
        count(sum(|call| call.errors)),
    ));
    match sum(|call| call.unfinished) {
        0 => {}
        unfinished => lines.push(format!(
            "{} had not returned when the recording ended; their times end there",
            count(unfinished)
        )),
    }
    lines
}

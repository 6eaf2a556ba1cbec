//! Lists of the user's own files, which have no database.

use syclscope_language::api::ListedTrace;

use super::{ListQuery, Place};

pub fn list(mut traces: Vec<ListedTrace>, query: &ListQuery) -> Vec<ListedTrace> {
    traces.retain(|trace| matches(trace, query));
    let key = |trace: &ListedTrace| (query.order.key.place(trace), trace.id.clone());
    traces.sort_by_cached_key(key);
    if query.order.descends {
        traces.reverse();
    }
    if let Some(after) = &query.after {
        let seen: (Place, String) = (after.place.clone(), after.id.clone());
        let is_behind =
            |trace: &ListedTrace| if query.order.descends { key(trace) < seen } else { key(trace) > seen };
        traces.retain(is_behind);
    }
    traces.truncate(query.limit as usize);
    traces
}

fn matches(trace: &ListedTrace, query: &ListQuery) -> bool {
    let text = text(trace);
    query.id.as_ref().is_none_or(|id| *id == trace.id)
        && query.words.iter().all(|word| text.contains(word.as_str()))
        && query.projects.as_ref().is_none_or(|all| all.iter().any(|one| one.as_str() == trace.project))
        && query
            .labels
            .iter()
            .all(|(key, value)| trace.labels.iter().any(|label| label.key == *key && label.value == *value))
        && query
            .program
            .as_ref()
            .is_none_or(|program| trace.figures.as_ref().is_some_and(|figures| figures.program == *program))
        && (query.from_unix_ns..query.until_unix_ns).contains(&trace.stored_unix_ns)
}

fn text(trace: &ListedTrace) -> String {
    let labels: Vec<_> =
        trace.labels.iter().map(|label| (label.key.as_str(), label.value.as_str())).collect();
    let kernels =
        trace.figures.iter().flat_map(|figures| figures.busiest.iter().map(|busiest| busiest.name.as_str()));
    let (program, devices) =
        trace.figures.as_ref().map_or(("", &[][..]), |figures| (&figures.program, &figures.devices));
    let words = words(&trace.name, trace.by.as_deref(), program, devices, kernels);
    format!("{words}\n{}", label_words(labels))
}

/// Returns the search text of a trace itself, in lower case.
pub(crate) fn words<'a>(
    name: &'a str,
    by: Option<&'a str>,
    program: &'a str,
    devices: &'a [String],
    kernels: impl Iterator<Item = &'a str>,
) -> String {
    let mut lines = vec![name, by.unwrap_or_default(), program];
    lines.extend(devices.iter().map(String::as_str));
    lines.extend(kernels);
    lines.join("\n").to_lowercase()
}

/// Returns the search text of labels, in lower case.
pub(crate) fn label_words<'a>(labels: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let lines = labels.into_iter().map(|(key, value)| format!("{key}:{value}").to_lowercase());
    lines.collect::<Vec<_>>().join("\n")
}

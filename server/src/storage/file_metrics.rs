//! Metrics of the user's own files, in memory: nothing is written next to them.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use syclscope_language::api::{Figures, ListedTrace};

use super::{TraceId, Version};
use crate::ingest::trace_metrics::StoredMetrics;

/// Larger files have no metrics: a list of a folder must not read all of it.
const MAX_FILE_BYTES: u64 = 64 << 20;

#[derive(Clone, Debug, Default)]
pub(crate) struct FileMetrics(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// By trace, with the version of the file; `None` for a file that can't be read.
    by_trace: HashMap<String, (Version, Option<ListMetrics>)>,
    /// Traces of the last list without metrics.
    missing: VecDeque<(TraceId, Version)>,
    is_computing: bool,
}

#[derive(Clone, Debug)]
struct ListMetrics {
    figures: Figures,
    /// As JSON.
    sample: String,
}

impl FileMetrics {
    /// Adds the known metrics to listed traces.
    pub(super) fn add_to(&self, traces: &mut [ListedTrace]) {
        let state = self.lock();
        for trace in traces {
            let found = state.by_trace.get(&trace.id).filter(|(version, _)| *version == version_of(trace));
            trace.figures = found.and_then(|(_, metrics)| Some(metrics.as_ref()?.figures.clone()));
        }
    }

    pub(super) fn samples(&self, ids: &[String]) -> HashMap<String, String> {
        let state = self.lock();
        let sample = |id: &String| Some((id.clone(), state.by_trace.get(id)?.1.as_ref()?.sample.clone()));
        ids.iter().filter_map(sample).collect()
    }

    /// Requests the missing metrics of listed traces, instead of those of an earlier list. True if the caller has to
    /// compute them.
    pub(crate) fn request(&self, traces: &[ListedTrace]) -> bool {
        let mut state = self.lock();
        let is_known = |trace: &ListedTrace, version: &Version| {
            state.by_trace.get(&trace.id).is_some_and(|(of, _)| of == version)
        };
        let missing = traces.iter().filter(|trace| trace.size_bytes <= MAX_FILE_BYTES).filter_map(|trace| {
            let version = version_of(trace);
            if is_known(trace, &version) { None } else { Some((trace.id.parse().ok()?, version)) }
        });
        state.missing = missing.collect();
        let is_due = !state.is_computing && !state.missing.is_empty();
        state.is_computing |= is_due;
        is_due
    }

    /// Returns the next trace whose metrics are missing.
    pub(crate) fn next(&self) -> Option<(TraceId, Version)> {
        let mut state = self.lock();
        let next = state.missing.pop_front();
        state.is_computing = next.is_some();
        next
    }

    /// Stores the metrics of a trace; `None` if it can't have any.
    pub(crate) fn set(&self, id: &TraceId, version: Version, metrics: Option<StoredMetrics>) {
        let metrics = metrics.and_then(|StoredMetrics { figures, sample, .. }| {
            Some(ListMetrics { figures, sample: serde_json::to_string(&sample).ok()? })
        });
        self.lock().by_trace.insert(id.as_str().to_owned(), (version, metrics));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn version_of(trace: &ListedTrace) -> Version {
    Version::Of { size_bytes: trace.size_bytes, changed_unix_ns: trace.stored_unix_ns }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(name: &str, size_bytes: u64) -> ListedTrace {
        ListedTrace {
            id: TraceId::for_bytes(name.as_bytes()).as_str().to_owned(),
            size_bytes,
            ..ListedTrace::default()
        }
    }

    #[test]
    fn each_version_of_a_file_is_read_once() {
        let metrics = FileMetrics::default();
        let mut traces = [listed("a", 1), listed("b", 1), listed("large", MAX_FILE_BYTES + 1)];
        assert!(metrics.request(&traces), "the caller computes them");
        assert!(!metrics.request(&traces), "they are being computed");
        let (a, version) = metrics.next().unwrap();
        metrics.set(&a, version, Some(StoredMetrics::default()));
        let (b, version) = metrics.next().unwrap();
        metrics.set(&b, version, None);
        assert_eq!(metrics.next(), None);
        assert!(!metrics.request(&traces), "what can't be read is not read again");
        metrics.add_to(&mut traces);
        assert_eq!(traces.each_ref().map(|trace| trace.figures.is_some()), [true, false, false]);
        assert_eq!(metrics.samples(&[traces[0].id.clone(), traces[1].id.clone()]).len(), 1);

        traces[0].size_bytes = 2;
        metrics.add_to(&mut traces);
        assert!(traces[0].figures.is_none() && metrics.request(&traces), "it has changed");
        assert_eq!(metrics.next().map(|(id, _)| id), Some(a));
    }
}

//! Parts of a whole, for bars.

use syclscope_language::api::{CriticalPath, GapClass, QueueIdle, RunSplit};

#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// CSS class.
    pub kind: &'static str,
    pub title: &'static str,
    pub length_ns: u64,
    /// Share of the whole, from 0 to 1.
    pub share: f64,
}

/// Parts with their shares; empty ones are left out.
pub fn parts(lengths: &[(&'static str, &'static str, u64)]) -> Vec<Part> {
    let whole_ns: u64 = lengths.iter().map(|(_, _, length_ns)| length_ns).sum();
    let part = |(kind, title, length_ns): &(&'static str, &'static str, u64)| Part {
        kind,
        title,
        length_ns: *length_ns,
        share: *length_ns as f64 / whole_ns.max(1) as f64,
    };
    lengths.iter().filter(|(_, _, length_ns)| *length_ns > 0).map(part).collect()
}

pub fn of_run(split: &RunSplit) -> Vec<Part> {
    let classes = ["busy", "dependence", "ready", "host", "wait", "end", "after"];
    let mut named = classes.into_iter().zip(split.parts());
    parts(&std::array::from_fn::<_, 7, _>(|_| {
        let (class, (title, ns)) = named.next().unwrap_or_default();
        (class, title, ns)
    }))
}

pub fn of_queue(queue: &QueueIdle) -> Vec<Part> {
    parts(&[
        ("busy", "busy", queue.busy_ns),
        ("host", "idle: nothing submitted", queue.host_ns),
        ("dependence", "idle: waiting for dependences", queue.dependence_ns),
        ("wait", "idle: device busy with other queues", queue.other_ns),
        ("ready", "idle: launch overhead", queue.ready_ns),
        ("after", "after the last command", queue.after_ns),
    ])
}

pub fn of_critical_path(path: &CriticalPath) -> Vec<Part> {
    parts(&[
        ("busy", "commands on devices", path.device_ns),
        ("after", "waiting to start", path.launch_ns),
        ("dependence", "submissions", path.submission_ns),
        ("ready", "runtime calls", path.call_ns),
        ("wait", "waits", path.wait_ns),
        ("host", GapClass::Sampled.as_words(), path.sampled_ns),
        ("host", GapClass::Host.as_words(), path.host_ns.saturating_sub(path.sampled_ns)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_nothing_is_nothing() {
        let found = parts(&[("a", "A", 30), ("b", "B", 0), ("c", "C", 10)]);
        assert_eq!(found.iter().map(|part| part.share).collect::<Vec<_>>(), [0.75, 0.25]);
        assert!(parts(&[("a", "A", 0)]).is_empty());
    }
}
